import { setTimeout as sleep } from 'node:timers/promises'
import type { HistoryConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { JournalDocument } from '../store/reads/history-reader.ts'
import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { JournalRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { VersionKind } from '../store/writes/history-writer.ts'
import type { Writer } from '../store/writes/writer.ts'
import { findLowestPosition } from './subscription-position.ts'

/** The longest interval between two passes, in milliseconds; the actual one is random from half of it, so that nodes do not run at once. */
const INTERVAL_MS = 10 * 60 * 1000
const LEASE_MS = 60_000
/** The number of journal records that one transaction examines. */
const BATCH_SIZE = 100
/** The pause between two transactions for other writers, in milliseconds. */
const PAUSE_MS = 5
const DAY_MS = 24 * 60 * 60 * 1000

interface RetentionProgress {
  /** The progress of dropping surplus versions, with the number of versions to keep. */
  readonly versions: { readonly kept: number; readonly seq: number }
  /** The progress of dropping old versions. */
  readonly days: number
}

/** Drops former versions of documents that exceed the number or age of the config, on one node at a time. */
export class Retention {
  readonly #lease: Lease
  readonly #store: Store
  readonly #history: HistoryConfig
  readonly #log: Log
  readonly #ended = new AbortController()
  readonly #running: Promise<void>

  constructor(store: Store, history: HistoryConfig, log: Log) {
    this.#store = store
    this.#history = history
    this.#log = log
    this.#lease = new Lease(store, 'retention', LEASE_MS)
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#ended.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended
    if (this.#history.versions === undefined && this.#history.days === undefined) return
    while (!signal.aborted) {
      await sleep(INTERVAL_MS * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const options = { store: this.#store, lease: this.#lease, history: this.#history, now: Date.now(), signal }
      await dropExpiredVersions(options).catch((err) =>
        this.#log.error({ err }, 'history: former versions could not be dropped'),
      )
    }
  }
}

export interface RetentionPass {
  readonly store: Store
  readonly lease: Lease
  readonly history: HistoryConfig
  /** In milliseconds since 1970. */
  readonly now: number
  /** Ends the pass early; the next one continues. */
  readonly signal?: AbortSignal
}

/** Runs one pass. Returns `false` if another node holds the lease. */
export async function dropExpiredVersions(pass: RetentionPass): Promise<boolean> {
  if (!(await pass.lease.take())) return false
  try {
    // Keep everything that a subscription has not received.
    const last = (await findLowestPosition(pass.store)) ?? (await pass.store.read.journal.head())
    for (let isDone = false; !isDone && !pass.signal?.aborted; ) {
      isDone = await pass.lease.write((writer) => dropBatch(pass, writer, last))
      if (!isDone) await sleep(PAUSE_MS)
      if (!(await pass.lease.take())) return false
    }
    return true
  } catch (error) {
    if (error instanceof LeaseLost) return false
    throw error
  } finally {
    await pass.lease.release()
  }
}

/** Returns true if there is nothing left to examine. */
async function dropBatch({ history, now }: RetentionPass, writer: Writer, last: number): Promise<boolean> {
  const { versions, days } = history
  const progress = await readProgress(writer, versions)
  const next = {
    versions: versions === undefined ? progress.versions : await dropSurplus(writer, progress.versions, last),
    days: days === undefined ? progress.days : await dropOld(writer, progress.days, last, now - days * DAY_MS),
  }
  const isDone = JSON.stringify(next) === JSON.stringify(progress)
  if (!isDone) await writer.history.noteRetention(JSON.stringify(next))
  return isDone
}

async function readProgress(writer: Writer, maxVersions = 0): Promise<RetentionProgress> {
  const text = await writer.history.retention()
  const progress: RetentionProgress =
    text === undefined ? { versions: { kept: maxVersions, seq: 0 }, days: 0 } : JSON.parse(text)
  // If the config keeps fewer versions than before, start over.
  return maxVersions < progress.versions.kept
    ? { ...progress, versions: { kept: maxVersions, seq: 0 } }
    : { ...progress, versions: { ...progress.versions, kept: maxVersions } }
}

const readRecordsUpTo = async (writer: Writer, after: number, last: number): Promise<readonly JournalRow[]> =>
  (await writer.read.journal.records(after, BATCH_SIZE)).filter(({ seq }) => seq <= last)

/** Drops the oldest versions of the documents that changed next. */
async function dropSurplus(
  writer: Writer,
  { kept: maxVersions, seq: after }: RetentionProgress['versions'],
  last: number,
): Promise<RetentionProgress['versions']> {
  const records = await readRecordsUpTo(writer, after, last)
  for (const record of records) {
    await dropSurplusVersions(writer, record, 'state', maxVersions)
    await dropSurplusVersions(writer, record, 'draft', maxVersions)
  }
  return { kept: maxVersions, seq: records.at(-1)?.seq ?? after }
}

async function dropSurplusVersions(
  writer: Writer,
  record: JournalRow,
  kind: VersionKind,
  maxVersions: number,
): Promise<void> {
  const highest = await writer.history.dropVersions(record, kind, { before: record.seq, keep: maxVersions })
  if (highest === undefined || kind === 'draft') return
  await writer.history.raiseFloor((await writer.history.nextState(record, highest)) ?? highest)
}

/** Drops the versions that the next changes from before a time replaced. */
async function dropOld(writer: Writer, after: number, last: number, time: number): Promise<number> {
  const cutoff = new Date(time).toISOString()
  let seq = after
  for (const record of await readRecordsUpTo(writer, after, last)) {
    if (record.at >= cutoff) break
    if ((await writer.history.dropReplaced(record)) > 0) await writer.history.raiseFloor(record.seq)
    seq = record.seq
  }
  return seq
}

/**
 * Erases the content of all former versions of a document in one transaction. The document itself and its draft stay; the journal
 * keeps all records, and adds one for the erasure.
 *
 * @param actor the subject that the journal records
 * @returns the number of versions that had content
 */
export function eraseHistory(store: Store, document: JournalDocument, actor: string): Promise<number> {
  return store.transaction(async (writer) => {
    const erased = await writer.history.erase(document)
    await writer.journal.append({ ...document, actor, action: 'erase', at: new Date().toISOString() })
    return erased
  })
}
