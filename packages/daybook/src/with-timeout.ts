/** Work took longer than it may. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/**
 * Waits for work for at most `limit` milliseconds. Its result or error is ignored if it comes later.
 *
 * @param onLimit called when the time is over
 * @throws {TimeLimitError}
 */
export async function withTimeout<T>(limit: number, work: () => T | Promise<T>, onLimit?: () => void): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new TimeLimitError(`took longer than ${limit} ms`))
    onLimit?.()
  }, limit)
  try {
    return await Promise.race([(async () => work())(), late])
  } finally {
    clearTimeout(timer)
  }
}
