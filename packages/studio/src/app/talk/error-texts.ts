import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import type { Messages } from '../messages/en.ts'

/** Codes by status, for responses with the codes of another library, such as those of the auth adapter's own routes. */
const CODES = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Readonly<Record<number, keyof Messages['errors']>>

/** The error in the reader's language. */
export function errorText(error: unknown, { errors }: Messages): string {
  if (error instanceof NetworkError) return errors.network
  if (error instanceof TimeoutError) return errors.timeout
  if (!(error instanceof DaybookError)) return errors.unexpected
  const code = Object.hasOwn(errors, error.code) ? error.code : CODES[error.status as keyof typeof CODES]
  if (code === 'RATE_LIMITED') return errors.RATE_LIMITED(error.retryAfter)
  const text = errors[code as keyof typeof errors]
  if (typeof text === 'string') return text
  // The service's own sentences are in English.
  return error.message === '' ? errors.unexpected : error.message
}

/** The name of the failed request, for those who look into the log. */
export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof DaybookError && error.requestId !== '' ? error.requestId : undefined
