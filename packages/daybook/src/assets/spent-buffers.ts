import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** After so many bytes, spent buffers are collected. */
const COLLECTED_BYTES = 16 * 2 ** 20

type CollectGarbage = (options: { readonly type: 'minor' }) => void

/**
 * Collects the buffers that bytes have passed through. V8 counts them as next to nothing, and by itself would let 64 MiB of them lie
 * about. One minor collection takes about a millisecond.
 */
export class SpentBuffers {
  #collect: CollectGarbage | undefined
  #passed = 0

  /** Notes that bytes have passed. */
  note(bytes: number): void {
    this.#passed += bytes
    if (this.#passed < COLLECTED_BYTES) return
    this.#passed = 0
    this.#collect ??= exposeGarbageCollection()
    this.#collect({ type: 'minor' })
  }
}

function exposeGarbageCollection(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as CollectGarbage
}
