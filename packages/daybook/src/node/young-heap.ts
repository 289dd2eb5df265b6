import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** From this size on, V8's room for new objects grows no more, in bytes. */
const ENOUGH = 32 * 2 ** 20

/**
 * Keeps V8's room for new objects from growing to 128 MiB, which it does under load on a large machine, whatever the bound of the heap. Its size
 * can only be given when Node starts (`--max-semi-space-size`); how it grows is asked at each step.
 */
export function boundYoungHeap(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (!young || young.space_size < ENOUGH) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}
