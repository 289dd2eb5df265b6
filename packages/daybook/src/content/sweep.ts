import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { FileCheck } from './assets/file-check.ts'
import type { Files } from './assets/files.ts'
import type { ContentContext } from './context.ts'

/** How often the store is swept, in milliseconds; within half of that before, so that nodes do not ask all at once. */
const EVERY_MS = 10 * 60 * 1000
const LEASE_MS = 60_000
/** How long the answer to a write that may be sent again is stored, in milliseconds. */
export const IDEMPOTENCY_RECORD_LIFETIME_MS: number = 24 * 60 * 60 * 1000

/** Throws away what is kept for a time only, which one of many nodes does, and has each node look for files that are missing. */
export class Sweeper {
  readonly #files: Files
  readonly #fileCheck: FileCheck
  readonly #lease: Lease
  readonly #log: Log
  readonly #ended = new AbortController()
  readonly #running: Promise<void>

  constructor(engine: ContentContext, files: Files, fileCheck: FileCheck, log: Log) {
    this.#files = files
    this.#fileCheck = fileCheck
    this.#lease = new Lease(engine.store, 'sweep', LEASE_MS)
    this.#log = log
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#ended.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended
    // What a process that was killed left behind goes at once.
    await this.#sweepFiles()
    while (!signal.aborted) {
      await sleep(EVERY_MS * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await sweep(this.#lease).catch((err) => this.#log.error({ err }, 'sweep failed'))
      await this.#sweepFiles()
      await this.#fileCheck.run()
    }
  }

  /** Each node can: what one is at work on, the others leave alone. */
  async #sweepFiles(): Promise<void> {
    await this.#files.sweep().catch((err) => this.#log.error({ err }, 'files: the sweep failed'))
  }
}

/** Sweeps once; answers whether this node was the one to do it. */
export async function sweep(lease: Lease): Promise<boolean> {
  if (!(await lease.take())) return false
  try {
    await lease.write(async (writer) => {
      await writer.system.dropIdempotencyRecords(new Date(Date.now() - IDEMPOTENCY_RECORD_LIFETIME_MS).toISOString())
      await writer.rateLimits.dropExpired()
      await writer.records.dropExpired()
    })
    return true
  } catch (error) {
    if (error instanceof LeaseLost) return false
    throw error
  } finally {
    await lease.release()
  }
}
