/** Code of a plugin took longer than it may. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/**
 * Waits for code of a plugin, but not for longer than `limit` milliseconds. What it answers or throws afterwards is let go.
 *
 * @param onLimit called when it has taken too long
 * @throws {TimeLimitError}
 */
export async function bounded<T>(limit: number, work: () => T | Promise<T>, onLimit?: () => void): Promise<T> {
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
