import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import type { Messages } from '../messages/en.ts'

/** What went wrong, in the reader's words. */
export function errorText(error: unknown, { errors }: Messages): string {
  if (error instanceof NetworkError) return errors.network
  if (error instanceof TimeoutError) return errors.timeout
  if (!(error instanceof DaybookError)) return errors.unexpected
  const text = Object.hasOwn(errors, error.code) ? errors[error.code as keyof typeof errors] : undefined
  if (error.code === 'RATE_LIMITED') return errors.RATE_LIMITED(error.retryAfter)
  if (typeof text === 'string') return text
  // The service's own sentences are in English.
  return error.message === '' ? errors.unexpected : error.message
}

/** The name of the failed request, for those who look into the log. */
export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof DaybookError && error.requestId !== '' ? error.requestId : undefined
