/** Work took longer than its timeout. */
export class TimeoutError extends Error {
  override readonly name = 'TimeLimitError'
}

/**
 * Waits for work for at most `limit` milliseconds, and ignores its result or error after that.
 *
 * @param onLimit called when the timeout expires
 * @throws {TimeoutError}
 */
export async function withTimeout<T>(limit: number, work: () => T | Promise<T>, onLimit?: () => void): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new TimeoutError(`took longer than ${limit} ms`))
    onLimit?.()
  }, limit)
  try {
    return await Promise.race([(async () => work())(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for work until a signal is aborted, so that user code that never ends can still be stopped. */
export async function withAbort<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
