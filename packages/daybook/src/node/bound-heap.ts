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
 * @param youngBytes at which size the room for new objects grows no more. @default 16 MiB
 */
export function boundHeap(growthPercent: number = GROWTH_PERCENT, youngBytes: number = YOUNG_BYTES): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
  // The room for new objects is so small that one thread has cleared it before others have woken: together they take three times as long.
  setFlagsFromString('--no-parallel-scavenge')
  boundYoungHeap(youngBytes)
}

/**
 * Gives threads that start from now on room for new objects at once. In a bounded process it does not grow, and what a thread makes in the
 * meantime would be copied again and again: rendering takes a tenth less time.
 *
 * @param mebibytes of each of the two halves of that room; a thread's own limit (`maxYoungGenerationSizeMb`) is three of them
 */
export function openThreadHeaps(mebibytes: number): void {
  setFlagsFromString(`--min-semi-space-size=${mebibytes}`)
}

/**
 * Keeps V8's room for new objects from growing to 128 MiB, which it does under load, whatever the bound of the heap. Its size
 * can only be given when Node starts (`--max-semi-space-size`); how it grows is asked at each step. The present turn of the event loop may load
 * modules and take many steps before the observer sees any, so nothing grows in it. V8 also makes the room smaller while little happens:
 * it may grow again then.
 */
function boundYoungHeap(enough: number): void {
  let isGrowing = false
  const grow = (isToGrow: boolean): void => {
    isGrowing = isToGrow
    setFlagsFromString(`--semi-space-growth-factor=${isToGrow ? 2 : 1}`)
  }
  const look = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    const isSmall = young !== undefined && young.space_size < enough
    if (isSmall !== isGrowing) grow(isSmall)
  }
  grow(false)
  setImmediate(() => {
    look()
    new PerformanceObserver(look).observe({ entryTypes: ['gc'] })
  })
}
