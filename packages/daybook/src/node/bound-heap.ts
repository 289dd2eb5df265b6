import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** From this size on, V8's room for new objects grows no more, in bytes. */
const YOUNG_BYTES = 16 * 2 ** 20
/** By how much of what is alive a heap may grow before its garbage is collected, in percent. V8 lets small heaps grow to four times of it. */
const GROWTH_PERCENT = 40

/**
 * Keeps the heaps of the process and of its threads close to what they need: on a machine with much memory, V8 would rather let
 * garbage lie.
 *
 * @param growthPercent by how much a heap may grow before its garbage is collected; less of it takes more processor time. @default 40
 * @param youngBytes at which size the room for new objects stops growing. @default 16 MiB
 */
export function boundHeap(growthPercent: number = GROWTH_PERCENT, youngBytes: number = YOUNG_BYTES): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
  // The room for new objects is so small that one thread has cleared it before others have woken: together they take three times as long.
  setFlagsFromString('--no-parallel-scavenge')
  boundYoungHeap(youngBytes)
}

/**
 * Keeps V8's room for new objects from growing to 128 MiB, which it does under load, whatever the bound of the heap. Its size
 * can only be given when Node starts (`--max-semi-space-size`); how it grows is asked at each step. The present turn of the event loop may load
 * modules and take many steps before the observer sees any, so nothing grows in it.
 */
function boundYoungHeap(enough: number): void {
  growYoungHeap(1)
  setImmediate(() => {
    growYoungHeap(2)
    const observer = new PerformanceObserver(() => {
      const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
      if (!young || young.space_size < enough) return
      growYoungHeap(1)
      observer.disconnect()
    })
    observer.observe({ entryTypes: ['gc'] })
  })
}

/** @param factor by which it grows */
const growYoungHeap = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)
