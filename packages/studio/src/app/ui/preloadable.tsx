import { type ComponentType, lazy, type ReactNode, useState } from 'react'

/** A lazy component that can be loaded before it is rendered. */
export interface Preloadable<Props> {
  readonly Component: ComponentType<Props>
  /** A failed load is tried again when the component is rendered. */
  readonly preload: () => Promise<void>
}

/**
 * Makes a lazy component that renders at once when it is loaded. React's `lazy` would show the fallback first, for at least 300 ms.
 */
export function preloadable<Props extends object>(load: () => Promise<ComponentType<Props>>): Preloadable<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadOnce = async (): Promise<ComponentType<Props>> => {
    loaded ??= await load()
    return loaded
  }
  const Lazy = lazy(async () => ({ default: await loadOnce() }))
  function Component(props: Props): ReactNode {
    // Switching to another component type would lose its state.
    const [Rendered] = useState<ComponentType<Props>>(() => loaded ?? Lazy)
    return <Rendered {...props} />
  }
  return {
    Component,
    preload: () =>
      loadOnce().then(
        () => undefined,
        () => undefined,
      ),
  }
}

/** The maximum delay, in milliseconds. */
const MAX_DELAY_MS = 2000
/** The delay in browsers without idle callbacks, in milliseconds. */
const FALLBACK_DELAY_MS = 500

/** Runs work when the browser is idle, such as preloading. @returns a function that cancels it */
export function runWhenIdle(work: () => void): () => void {
  // Safari has no idle callbacks, unlike the DOM types.
  const { requestIdleCallback, cancelIdleCallback }: Partial<Window> = window
  if (!requestIdleCallback || !cancelIdleCallback) {
    const timer = setTimeout(work, FALLBACK_DELAY_MS)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(work, { timeout: MAX_DELAY_MS })
  return () => cancelIdleCallback(handle)
}
