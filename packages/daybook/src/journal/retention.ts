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

/** How often history is looked at, in milliseconds; within half of that before, so that nodes do not ask all at once. */
const EVERY_MS = 10 * 60 * 1000
const LEASE_MS = 60_000
/** How many records of the journal one transaction looks at. */
const BATCH = 100
/** The pause between two transactions, in milliseconds: others write meanwhile. */
const PAUSE_MS = 5
const DAY_MS = 24 * 60 * 60 * 1000

/** How far the journal has been looked through. */
interface RetentionNote {
  /** For versions beyond the number that is kept; which number that was. */
  readonly versions: { readonly kept: number; readonly seq: number }
  /** For what was replaced long ago. */
  readonly days: number
}

/** Drops former versions of documents when they are more or older than the config keeps. On many nodes, one of them does it. */
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
      await sleep(EVERY_MS * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const options = { store: this.#store, lease: this.#lease, history: this.#history, now: Date.now(), signal }
      await dropExpiredVersions(options).catch((err) =>
        this.#log.error({ err }, 'history: former versions could not be dropped'),
      )
    }
  }
}

/** What one pass needs. */
export interface RetentionPass {
  readonly store: Store
  readonly lease: Lease
  readonly history: HistoryConfig
  /** In milliseconds since 1970. */
  readonly now: number
  /** Ends it early; the next one goes on. */
  readonly signal?: AbortSignal
}

/** Drops once what is no longer kept; answers whether this node was the one to do it. */
export async function dropExpiredVersions(pass: RetentionPass): Promise<boolean> {
  if (!(await pass.lease.take())) return false
  try {
    // What a subscription is still to be told of, stays as it is.
    const last = (await findLowestPosition(pass.store)) ?? (await pass.store.read.journal.head())
    for (let isDone = false; !isDone && !pass.signal?.aborted; ) {
      isDone = await pass.lease.write((writer) => retainBatch(pass, writer, last))
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

/** Answers whether there is nothing left to look at. */
async function retainBatch({ history, now }: RetentionPass, writer: Writer, last: number): Promise<boolean> {
  const { versions, days } = history
  const note = await readRetention(writer, versions)
  const next = {
    versions: versions === undefined ? note.versions : await dropSurplus(writer, note.versions, last),
    days: days === undefined ? note.days : await dropOld(writer, note.days, last, now - days * DAY_MS),
  }
  const isDone = JSON.stringify(next) === JSON.stringify(note)
  if (!isDone) await writer.history.noteRetention(JSON.stringify(next))
  return isDone
}

async function readRetention(writer: Writer, kept = 0): Promise<RetentionNote> {
  const text = await writer.history.retention()
  const note: RetentionNote = text === undefined ? { versions: { kept, seq: 0 }, days: 0 } : JSON.parse(text)
  // Where fewer are kept than before, all documents are looked at again.
  return kept < note.versions.kept
    ? { ...note, versions: { kept, seq: 0 } }
    : { ...note, versions: { ...note.versions, kept } }
}

const recordsUpTo = async (writer: Writer, after: number, last: number): Promise<readonly JournalRow[]> =>
  (await writer.read.journal.records(after, BATCH)).filter(({ seq }) => seq <= last)

/** Looks at the next documents that have changed, and drops their oldest versions. */
async function dropSurplus(
  writer: Writer,
  { kept, seq: after }: RetentionNote['versions'],
  last: number,
): Promise<RetentionNote['versions']> {
  const records = await recordsUpTo(writer, after, last)
  for (const record of records) {
    await dropSurplusOf(writer, record, 'state', kept)
    await dropSurplusOf(writer, record, 'draft', kept)
  }
  return { kept, seq: records.at(-1)?.seq ?? after }
}

async function dropSurplusOf(writer: Writer, record: JournalRow, kind: VersionKind, kept: number): Promise<void> {
  const highest = await writer.history.dropVersions(record, kind, { before: record.seq, kept })
  if (highest === undefined || kind === 'draft') return
  await writer.history.raiseFloor((await writer.history.nextState(record, highest)) ?? highest)
}

/** Looks at the next changes from before a time, and drops what they have replaced. */
async function dropOld(writer: Writer, after: number, last: number, time: number): Promise<number> {
  const cutoff = new Date(time).toISOString()
  let seq = after
  for (const record of await recordsUpTo(writer, after, last)) {
    if (record.at >= cutoff) break
    if ((await writer.history.dropReplaced(record)) > 0) await writer.history.raiseFloor(record.seq)
    seq = record.seq
  }
  return seq
}

/**
 * Erases the content of all former versions of a document, in one transaction. What the document is now stays, and so does its
 * working copy; the journal keeps every record, and gets one of the erasure.
 *
 * @param actor the subject that the journal names
 * @returns how many versions had content
 */
export function eraseHistory(store: Store, document: JournalDocument, actor: string): Promise<number> {
  return store.transaction(async (writer) => {
    const erased = await writer.history.erase(document)
    await writer.journal.append({ ...document, actor, action: 'erase', at: new Date().toISOString() })
    return erased
  })
}
