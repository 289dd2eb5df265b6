import { type ComponentType, lazy, type ReactNode, useState } from 'react'

/** A component that is loaded when it is drawn, or before. */
export interface Preloadable<Props> {
  readonly Component: ComponentType<Props>
  /** Loads it; what cannot be loaded now is tried again when it is drawn. */
  readonly preload: () => Promise<void>
}

/**
 * A component of a file of its own. Once it is loaded it is drawn at once: React's own `lazy` would draw the fallback first, and take that back no
 * sooner than 300 ms later.
 */
export function preloadable<Props extends object>(load: () => Promise<ComponentType<Props>>): Preloadable<Props> {
  let loaded: ComponentType<Props> | undefined
  const keep = async (): Promise<ComponentType<Props>> => {
    loaded ??= await load()
    return loaded
  }
  const Later = lazy(async () => ({ default: await keep() }))
  function Component(props: Props): ReactNode {
    // What it began with stays, so that its state does.
    const [Own] = useState<ComponentType<Props>>(() => loaded ?? Later)
    return <Own {...props} />
  }
  return {
    Component,
    preload: () =>
      keep().then(
        () => undefined,
        () => undefined,
      ),
  }
}

/** How long after it was asked for it is done at the latest, in milliseconds. */
const LATEST_MS = 2000
/** How long it waits in browsers that do not say when they are idle, in milliseconds. */
const PAUSE_MS = 500

/** Does something once the page has nothing else to do, such as to load what may be opened next. @returns gives it up */
export function runWhenIdle(work: () => void): () => void {
  // Safari has none, which its types do not know.
  const { requestIdleCallback, cancelIdleCallback }: Partial<Window> = window
  if (!requestIdleCallback || !cancelIdleCallback) {
    const timer = setTimeout(work, PAUSE_MS)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: LATEST_MS })
  return () => cancelIdleCallback(asked)
}
