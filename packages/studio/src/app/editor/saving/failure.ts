import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import type { Issue } from 'daybook'

/** The reason for a pause: no connection, an overloaded service, or a fault inside it. */
export type WaitReason = 'offline' | 'busy' | 'fault'

/** The meaning of a failed request for unsaved edits. None of them is dropped. */
export type Failure =
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly retryAfterMs: number }
  | { readonly kind: 'signed-out' }
  /** The stored document has a newer revision. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'gone' }
  /** The idempotency key of a create request was used for another request, so it is unknown if the entry exists. */
  | { readonly kind: 'used-key' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly issues: readonly Issue[] }

export function classifyError(error: unknown): Failure {
  if (error instanceof NetworkError || error instanceof TimeoutError) return createWait('offline')
  if (error instanceof DaybookError) return classifyResponse(error)
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'refused', code: 'UNEXPECTED', message, issues: [] }
}

const createWait = (reason: WaitReason, retryAfter = 0): Failure => ({
  kind: 'wait',
  reason,
  retryAfterMs: retryAfter * 1000,
})

function classifyResponse(error: DaybookError): Failure {
  const { status, code, message, retryAfter } = error
  if (status === 429 || status === 503) return createWait('busy', retryAfter)
  if (status === 413) return { kind: 'refused', code: 'PAYLOAD_TOO_LARGE', message, issues: [] }
  // The response came from a proxy or a captive portal.
  if (code === 'UNEXPECTED_ANSWER' || status >= 500) return createWait('fault', retryAfter)
  if (status === 401) return { kind: 'signed-out' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status === 412) return { kind: 'newer' }
  if (code === 'IDEMPOTENCY_MISMATCH') return { kind: 'used-key' }
  if (status === 409) return classifyConflict(error)
  return { kind: 'refused', code, message, issues: error.details.issues ?? [] }
}

function classifyConflict({ code, message, details }: DaybookError): Failure {
  // The first request with this idempotency key is still running.
  if (Object.keys(details).length === 0) return createWait('busy')
  const field = typeof details.field === 'string' ? details.field : undefined
  const issues = field === undefined ? [] : [{ path: `/${field.replaceAll('.', '/')}`, code: 'taken', message }]
  return { kind: 'refused', code, message, issues }
}

/** The pauses before retries, in milliseconds. */
export interface WaitTimes {
  /** The maximum first pause; each further one is twice as long. @default 1,000 */
  readonly firstRetryMs: number
  /** @default 60,000 */
  readonly longestRetryMs: number
}

/**
 * Returns the pause after a failure, in milliseconds: at least the `Retry-After` of the service, with a random part, so that editors that failed
 * together do not retry together.
 *
 * @param failures the number of consecutive failures, at least 1
 */
export function getRetryDelay(failures: number, retryAfterMs: number, random: number, times: WaitTimes): number {
  const longest = Math.min(times.longestRetryMs, times.firstRetryMs * 2 ** (failures - 1))
  return Math.max(retryAfterMs + random * times.firstRetryMs, longest / 2 + (random * longest) / 2)
}
