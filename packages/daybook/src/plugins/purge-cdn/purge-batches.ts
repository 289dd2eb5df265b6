import { setTimeout as sleep } from 'node:timers/promises'
import type { Purge } from './options.ts'

/** How tags are put together for one request. */
export interface BatchLimits {
  readonly maxTags: number
  /** In milliseconds. */
  readonly waitMs: number
}

/** Tags that are purged together. */
interface Batch {
  readonly tags: Set<string>
  readonly done: Promise<void>
}

/** Purges tags of several changes with one request. */
export class PurgeBatches {
  readonly #purge: Purge
  readonly #limits: BatchLimits
  #open: Batch | undefined

  constructor(purge: Purge, limits: BatchLimits) {
    this.#purge = purge
    this.#limits = limits
  }

  /** Resolves when the tags are purged; rejects when the request that they were part of has failed. */
  add(tags: readonly string[], signal: AbortSignal): Promise<void> {
    const isFull = this.#open && new Set([...this.#open.tags, ...tags]).size > this.#limits.maxTags
    if (isFull || !this.#open) this.#open = this.#begin(signal)
    for (const tag of tags) this.#open.tags.add(tag)
    return this.#open.done
  }

  #begin(signal: AbortSignal): Batch {
    const tags = new Set<string>()
    const send = async (): Promise<void> => {
      await sleep(this.#limits.waitMs)
      if (this.#open === batch) this.#open = undefined
      await this.#purge([...tags], signal)
    }
    const batch: Batch = { tags, done: send() }
    return batch
  }
}
