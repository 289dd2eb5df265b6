/** Waits for code of others until the signal is aborted: one that waits for ever still ends with Ctrl-C. */
export async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
