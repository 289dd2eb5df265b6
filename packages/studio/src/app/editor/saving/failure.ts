import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import type { Issue } from 'daybook'

/** Why the engine waits: the network or the service is gone, the service has too much to do, or something failed inside it. */
export type WaitReason = 'offline' | 'busy' | 'fault'

/** What a failed request means for what was typed. None of these drops anything. */
export type Failure =
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly retryAfterMs: number }
  | { readonly kind: 'signed-out' }
  /** Somebody has stored a newer version. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'gone' }
  /** The key of a creation was used for something else: whether the entry is there is not known. */
  | { readonly kind: 'used-key' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly issues: readonly Issue[] }

/** Tells what a failed request means. */
export function classifyError(error: unknown): Failure {
  if (error instanceof NetworkError || error instanceof TimeoutError) return wait('offline')
  if (error instanceof DaybookError) return failureOfAnswer(error)
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'refused', code: 'UNEXPECTED', message, issues: [] }
}

const wait = (reason: WaitReason, retryAfter = 0): Failure => ({
  kind: 'wait',
  reason,
  retryAfterMs: retryAfter * 1000,
})

function failureOfAnswer(error: DaybookError): Failure {
  const { status, code, message, retryAfter } = error
  if (status === 429 || status === 503) return wait('busy', retryAfter)
  if (status === 413) return { kind: 'refused', code: 'PAYLOAD_TOO_LARGE', message, issues: [] }
  // What answered is no Daybook service: a proxy, a portal of a network.
  if (code === 'UNEXPECTED_ANSWER' || status >= 500) return wait('fault', retryAfter)
  if (status === 401) return { kind: 'signed-out' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status === 412) return { kind: 'newer' }
  if (code === 'IDEMPOTENCY_MISMATCH') return { kind: 'used-key' }
  if (status === 409) return failureOfConflict(error)
  return { kind: 'refused', code, message, issues: error.details.issues ?? [] }
}

function failureOfConflict({ code, message, details }: DaybookError): Failure {
  // The first request with this key is still being carried out.
  if (Object.keys(details).length === 0) return wait('busy')
  const field = typeof details.field === 'string' ? details.field : undefined
  const issues = field === undefined ? [] : [{ path: `/${field.replaceAll('.', '/')}`, code: 'taken', message }]
  return { kind: 'refused', code, message, issues }
}

/** How long the engine waits before it asks again, in milliseconds. */
export interface WaitTimes {
  /** The longest first pause; each further one is twice as long. @default 1,000 */
  readonly firstRetryMs: number
  /** @default 60,000 */
  readonly longestRetryMs: number
}

/**
 * The pause after a failure: at least what the service asked for, with a random part, so that editors that failed together do not come back
 * together.
 *
 * @param failures how many there were in a row, 1 or more
 */
export function getRetryDelay(failures: number, retryAfterMs: number, random: number, times: WaitTimes): number {
  const longest = Math.min(times.longestRetryMs, times.firstRetryMs * 2 ** (failures - 1))
  return Math.max(retryAfterMs + random * times.firstRetryMs, longest / 2 + (random * longest) / 2)
}
