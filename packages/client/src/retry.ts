import { DaybookError, NetworkError } from './errors.ts'

/** How often, and how soon, a call is tried again. */
export interface RetryOptions {
  /** How often a call is sent at most; 1 sends it once. @default 3 */
  readonly attempts?: number
  /** The longest pause before the second attempt, in milliseconds; before each further one it is twice as long. @default 200 */
  readonly minDelay?: number
  /** The longest pause, also where the service asks for a longer one, in milliseconds. @default 5,000 */
  readonly maxDelay?: number
}

/** Answers of services and proxies that are about to come back. */
const TRANSIENT_STATUSES = [502, 503, 504]

/**
 * The pause before a call is sent again, in milliseconds: random, so that clients that failed together do not come back together.
 *
 * @param attempt the number of times that it was sent, 1 or more
 * @returns `undefined` when it would not help
 */
export function delayAfter(error: unknown, attempt: number, options: RetryOptions): number | undefined {
  const { attempts = 3, minDelay = 200, maxDelay = 5000 } = options
  const isLast = !(attempt < attempts)
  if (isLast) return undefined
  const jittered = Math.random() * Math.min(maxDelay, minDelay * 2 ** (attempt - 1))
  if (error instanceof NetworkError) return jittered
  if (!(error instanceof DaybookError)) return undefined
  const asked = (error.retryAfter ?? 0) * 1000
  if (error.status === 429) return error.retryAfter === undefined || asked > maxDelay ? undefined : asked + jittered
  return TRANSIENT_STATUSES.includes(error.status) || isUnderWay(error, attempt)
    ? Math.max(jittered, Math.min(asked, maxDelay))
    : undefined
}

/** Whether an earlier attempt, whose answer was lost, is still being carried out. */
const isUnderWay = ({ code, details }: DaybookError, attempt: number): boolean =>
  attempt > 1 && code === 'CONFLICT' && Object.keys(details).length === 0

/** The seconds of a `Retry-After` header, which may name a moment (RFC 9110, section 10.2.3). */
export function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Waits until the time is over or the signal aborts. */
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
