/** How long after it was asked for it is done at the latest, in milliseconds. */
const LATEST_MS = 2000
/** How long it waits in browsers that do not say when they are idle, in milliseconds. */
const PAUSE_MS = 500

/** Does something once the page has nothing else to do, such as to load what may be opened next. @returns gives it up */
export function whenIdle(work: () => void): () => void {
  // Safari has none, which its types do not know.
  const { requestIdleCallback, cancelIdleCallback }: Partial<Window> = window
  if (!requestIdleCallback || !cancelIdleCallback) {
    const timer = setTimeout(work, PAUSE_MS)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: LATEST_MS })
  return () => cancelIdleCallback(asked)
}
