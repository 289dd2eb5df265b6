import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { FileCheck } from './assets/file-check.ts'
import type { Files } from './assets/files.ts'
import type { ContentContext } from './context.ts'

/** The maximum interval between sweeps, in milliseconds. Each is shortened by up to half at random, so that nodes do not coincide. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000
const LEASE_MS = 60_000
export const IDEMPOTENCY_RECORD_LIFETIME_MS: number = 24 * 60 * 60 * 1000

/** Removes expired records on one of the nodes, and unneeded files on each, and looks for missing files. */
export class Sweeper {
  readonly #files: Files
  readonly #fileCheck: FileCheck
  readonly #lease: Lease
  readonly #log: Log
  readonly #closing = new AbortController()
  readonly #running: Promise<void>

  constructor(context: ContentContext, files: Files, fileCheck: FileCheck, log: Log) {
    this.#files = files
    this.#fileCheck = fileCheck
    this.#lease = new Lease(context.store, 'sweep', LEASE_MS)
    this.#log = log
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    // Remove the remains of a killed process at once.
    await this.#sweepFiles()
    while (!signal.aborted) {
      await sleep(SWEEP_INTERVAL_MS * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await sweep(this.#lease).catch((err) => this.#log.error({ err }, 'sweep failed'))
      await this.#sweepFiles()
      await this.#fileCheck.run()
    }
  }

  /** Any node can run this, since claims protect the files that other nodes work on. */
  async #sweepFiles(): Promise<void> {
    await this.#files.sweep().catch((err) => this.#log.error({ err }, 'files: the sweep failed'))
  }
}

/** Sweeps once if no other node does. @returns true if this node did */
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
