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

/** What is wrong with each field, by the path of its value: `tags.0.name`; the first one counts. */
export function issuesByPath(error: unknown): ReadonlyMap<string, string> {
  const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
  const named = issues.map(({ path, message }) => [path.replace(/^\//, '').replaceAll('/', '.'), message] as const)
  const taken = error instanceof DaybookError && error.code === 'CONFLICT' ? error.details.field : undefined
  const all =
    typeof taken === 'string' ? [...named, [taken, error instanceof Error ? error.message : ''] as const] : named
  return new Map(all.toReversed())
}
