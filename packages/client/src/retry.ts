import { DaybookError, NetworkError } from './errors.ts'

/** The number of attempts of a call, and the pauses between them. */
export interface RetryOptions {
  /** The maximum number of attempts; 1 for no retry. @default 3 */
  readonly attempts?: number
  /** The longest pause before the second attempt, in milliseconds; it doubles before each further one. @default 200 */
  readonly minDelay?: number
  /** The longest pause in milliseconds, even if the service requests a longer one. @default 5,000 */
  readonly maxDelay?: number
}

/** Statuses of temporary failures of services and proxies. */
const TRANSIENT_STATUSES = [502, 503, 504]

/**
 * Returns the pause before a retry in milliseconds. It is random, so that clients that failed together do not retry together.
 *
 * @param attempt the number of attempts so far, 1 or more
 * @returns `undefined` if a retry would not help
 */
export function delayAfter(error: unknown, attempt: number, options: RetryOptions): number | undefined {
  const { attempts = 3, minDelay = 200, maxDelay = 5000 } = options
  const isLast = !(attempt < attempts)
  if (isLast) return undefined
  const jittered = Math.random() * Math.min(maxDelay, minDelay * 2 ** (attempt - 1))
  if (error instanceof NetworkError) return jittered
  if (!(error instanceof DaybookError)) return undefined
  const requestedDelay = (error.retryAfter ?? 0) * 1000
  if (error.status === 429)
    return error.retryAfter === undefined || requestedDelay > maxDelay ? undefined : requestedDelay + jittered
  return TRANSIENT_STATUSES.includes(error.status) || isInProgress(error, attempt)
    ? Math.max(jittered, Math.min(requestedDelay, maxDelay))
    : undefined
}

/** True if an earlier attempt, whose response was lost, is still in progress. */
const isInProgress = ({ code, details }: DaybookError, attempt: number): boolean =>
  attempt > 1 && code === 'CONFLICT' && Object.keys(details).length === 0

/** Returns the seconds of a `Retry-After` header, which may be a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Waits for a time, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
