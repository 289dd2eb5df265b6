/** How large an LRU cache may become, as options of `lru-cache`. */
export interface LruBounds {
  readonly maxSize: number
  readonly sizeCalculation: () => number
}

/**
 * Bounds of a cache of many entries: it takes memory as it fills. With `max`, `lru-cache` makes every place at once, which for
 * ten thousand is 0.5 ms of each start.
 *
 * @param entries the most that there are at a time
 */
export const lruMax = (entries: number): LruBounds => ({ maxSize: entries, sizeCalculation: () => 1 })
