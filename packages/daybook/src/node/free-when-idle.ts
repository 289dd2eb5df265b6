import { performance } from 'node:perf_hooks'

/** How often the process looks whether it has work, in milliseconds. */
const LOOK_MS = 500
/** The share of its time that a process without work uses at most. */
const IDLE = 0.05

/**
 * Gives back, once the event loop has had nothing to do for half a second, what loading a program has left behind: V8 would keep it
 * until the process has long been busy. It takes some hundredths of a second, once. A process that is busy collects its garbage anyway.
 */
export function freeWhenIdle(): void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > IDLE) return
    clearInterval(timer)
    void collectGarbage()
  }, LOOK_MS)
  timer.unref()
}

async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
