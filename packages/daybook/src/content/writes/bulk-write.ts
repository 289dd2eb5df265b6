import { setImmediate as nextTurn } from 'node:timers/promises'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { BulkParameters } from '../../query/list-query.ts'
import type { Query } from '../../query/parameters.ts'
import type { EntryRevision } from '../../store/reads/page.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { countMatches } from '../reads/list.ts'
import type { ResolvedListQuery } from '../reads/resolved-list-query.ts'
import type { WriteContext } from './context.ts'
import { EntryTarget } from './entry-target.ts'
import { HookRefusal } from './hooks.ts'
import { type PreparedWrite, runTransaction, StaleWrite, type WriteTransaction } from './pipeline.ts'

export const MAX_BULK_ENTRIES = 10_000
/** The number of entries that are read together. After each window, other requests get a turn of the event loop. */
const WINDOW = 50
/** The number of entries whose changes are stored together, if the database supports that. */
const BULK_WINDOW = 100
/** The maximum size of the documents in a window of more than one entry, in bytes. */
const MAX_WINDOW_BYTES = 1024 * 1024
/** The size of documents, in bytes, after which pending search rows are stored together. */
const MAX_WAITING_BYTES = 4 * MAX_WINDOW_BYTES
/** The maximum size of all prepared updates, in characters of JSON: they stay in memory until the commit. */
const MAX_PREPARED_CHARACTERS = 16 * 1024 * 1024

export interface BulkSelection {
  readonly collection: CollectionModel
  readonly query: Query<BulkParameters>
  /** A part of the entries. @default all of them, or the write is rejected */
  readonly step?: BulkStep
}

/** A part of the entries that match, in order of creation. */
export interface BulkStep {
  /** The id of the last entry of the previous step; empty in the first step. */
  readonly after: string
  /** The maximum number of entries; at most {@link MAX_BULK_ENTRIES}. */
  readonly limit: number
}

export interface BulkResult {
  readonly collection: string
  readonly matched: number
  /** The number of entries with a new revision. */
  readonly changed: number
  /** The number of the first change, possibly of another document; `undefined` if nothing is stored. */
  readonly firstSeq: number | undefined
  /** The number of the last change; `undefined` if nothing is stored. */
  readonly seq: number | undefined
  /** The last entry that matched. */
  readonly lastId: string | undefined
}

export interface EntryWrite {
  /** Returns true if the writes of these entries neither change nor read what the others store. */
  areIndependent(read: Reader, ids: readonly string[]): Promise<boolean>
  /** @param isWritten returns true if another entry is part of the same bulk write */
  prepare(target: EntryTarget, isWritten: (id: string) => boolean): Promise<PreparedWrite<{ readonly seq: number }>>
}

class WindowTarget extends EntryTarget {
  readonly #load: (read: Reader, id: string) => Promise<StoredEntry>

  constructor(
    context: WriteContext,
    collection: CollectionModel,
    id: string,
    load: (read: Reader, id: string) => Promise<StoredEntry>,
  ) {
    super(context, collection, id)
    this.#load = load
  }

  override load(read: Reader): Promise<StoredEntry> {
    return this.#load(read, this.id)
  }
}

/** The prepared write of one entry, and the revision that it is based on. */
interface PreparedEntry extends PreparedWrite<{ readonly seq: number }> {
  readonly seq: number
}

/**
 * A write of all entries that match. Slow work is done before the transaction, whose first statement verifies that the same entries
 * match in the same revisions. Entries that have changed are prepared again.
 */
export class BulkWrite {
  readonly #context: WriteContext
  readonly #entries: BulkSelection
  readonly #query: ResolvedListQuery
  readonly #write: EntryWrite
  readonly #prepared = new Map<string, PreparedEntry>()
  /** The rows of the current window. */
  readonly #rows = new Map<string, StoredEntry>()
  /** The size of the prepared writes, in characters of JSON. */
  #characters = 0
  /** True after an entry has refused a write that was committed together with others. */
  #isInOrder = false

  constructor(context: WriteContext, entries: BulkSelection, query: ResolvedListQuery, write: EntryWrite) {
    this.#context = context
    this.#entries = entries
    this.#query = query
    this.#write = write
  }

  /** @throws VALIDATION_ERROR if too many entries match */
  async prepare(): Promise<void> {
    const { read } = this.#context.content.store
    const matching = await this.#find(read)
    const ids = new Set(matching.map(({ id }) => id))
    for (const id of this.#prepared.keys()) if (!ids.has(id)) this.#forget(id)
    const isStale = ({ id, seq }: EntryRevision): boolean => this.#prepared.get(id)?.seq !== seq
    const refusals = new Refusals()
    for (const window of splitIntoWindows(matching.filter(isStale), WINDOW)) {
      await this.#readWindow(read, window)
      for (const row of this.#rows.values()) {
        if (refusals.isFull) break
        await this.#prepareEntry(row, refusals)
        this.#requireRoom()
      }
      if (refusals.isFull) break
      await nextTurn()
    }
    this.#rows.clear()
    refusals.throwAny()
  }

  async #prepareEntry({ id, seq }: StoredEntry, refusals: Refusals): Promise<void> {
    const load = (read: Reader, entryId: string): Promise<StoredEntry> => this.#load(read, entryId)
    const target = new WindowTarget(this.#context, this.#entries.collection, id, load)
    try {
      const write = await this.#write.prepare(target, (other) => this.#prepared.has(other))
      this.#forget(id)
      this.#prepared.set(id, { seq, ...write })
      this.#characters += write.size ?? 0
    } catch (error) {
      refusals.add(id, error)
    }
  }

  #forget(id: string): void {
    this.#characters -= this.#prepared.get(id)?.size ?? 0
    this.#prepared.delete(id)
  }

  /** @throws {StaleWrite} if entries have to be prepared again */
  async commit(writer: Writer): Promise<BulkResult> {
    const matching = await this.#find(writer.read)
    const isPrepared = ({ id, seq }: EntryRevision): boolean => this.#prepared.get(id)?.seq === seq
    if (matching.length !== this.#prepared.size || !matching.every(isPrepared)) throw new StaleWrite()
    const firstSince = writer.watchFirstSeq()
    const { changed, seq } = await runTransaction(writer, (transaction) => this.#commitAll(transaction, matching))
    const { collection, query } = this.#entries
    const result = { collection: collection.key, matched: matching.length, changed, lastId: matching.at(-1)?.id }
    const isStored = query.values.dryRun !== 'true' && changed > 0
    return isStored ? { ...result, firstSeq: firstSince(), seq } : { ...result, firstSeq: undefined, seq: undefined }
  }

  async #commitAll(
    transaction: WriteTransaction,
    matching: readonly EntryRevision[],
  ): Promise<{ readonly changed: number; readonly seq: number }> {
    const { writer } = transaction
    const refusals = new Refusals()
    let changed = 0
    let lastSeq = 0
    let waitingBytes = 0
    for (const window of splitIntoWindows(matching, writer.supportsBulk ? BULK_WINDOW : WINDOW)) {
      const revisions = await this.#commitWindow(transaction, refusals, window)
      const moved = revisions.filter((seq, index) => seq !== undefined && seq !== window[index]?.seq)
      changed += moved.length
      lastSeq = Math.max(lastSeq, ...moved.map(Number))
      waitingBytes += window.reduce((bytes, { size }) => bytes + size, 0)
      if (waitingBytes > MAX_WAITING_BYTES) {
        await writer.flush()
        waitingBytes = 0
      }
      await nextTurn()
    }
    refusals.throwAny()
    return { changed, seq: lastSeq }
  }

  /** Returns the revision of each entry; `undefined` for one that refuses the write, or that a hook has deleted. */
  async #commitWindow(
    transaction: WriteTransaction,
    refusals: Refusals,
    window: readonly EntryRevision[],
  ): Promise<readonly (number | undefined)[]> {
    const { writer } = transaction
    const ids = window.map(({ id }) => id)
    const areIndependent = await this.#write.areIndependent(writer.read, ids)
    this.#rows.clear()
    if (areIndependent) await this.#readWindow(writer.read, window)
    const isTogether = areIndependent && writer.supportsBulk && !this.#isInOrder
    return isTogether ? this.#commitTogether(transaction, window) : this.#commitInOrder(transaction, window, refusals)
  }

  /**
   * Commits the writes of a window one after the other.
   *
   * @throws errors that are not about an entry; the refusals so far if the transaction cannot continue
   */
  async #commitInOrder(
    transaction: WriteTransaction,
    window: readonly EntryRevision[],
    refusals: Refusals,
  ): Promise<readonly (number | undefined)[]> {
    const { writer } = transaction
    const revisions: (number | undefined)[] = []
    for (const { id } of window) {
      const { lastRecord: last } = writer
      try {
        revisions.push((await this.#commitEntry(id, transaction)).seq)
      } catch (error) {
        // A write that failed half-way may have run statements, so the outcome of later writes would prove nothing.
        addRefusal(refusals, id, error, writer.lastRecord !== last)
        revisions.push(undefined)
      }
    }
    return revisions
  }

  /**
   * Commits the writes of a window together.
   *
   * @throws {StaleWrite} if an entry refuses the write; the next attempt then writes the entries in order, to identify those that do
   */
  async #commitTogether(transaction: WriteTransaction, window: readonly EntryRevision[]): Promise<readonly number[]> {
    const commits = window.map(
      ({ id }) =>
        (writer: Writer) =>
          this.#commitEntry(id, { ...transaction, writer }),
    )
    const outcomes = await transaction.writer.bulk(commits)
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    // After a failed statement, the database refuses all others, whichever entry they write.
    if (errors.some((error) => error instanceof DaybookError && error.status < 500)) {
      this.#isInOrder = true
      throw new StaleWrite()
    }
    if (errors.length > 0) throw errors.find((error) => error instanceof StaleWrite) ?? errors[0]
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.seq] : []))
  }

  async #commitEntry(id: string, transaction: WriteTransaction): Promise<{ readonly seq: number }> {
    const prepared = this.#prepared.get(id)
    if (!prepared) throw new StaleWrite()
    return prepared.commit(transaction)
  }

  async #find(read: Reader): Promise<readonly EntryRevision[]> {
    const { collection, where, statuses, search } = this.#query
    const { after, limit } = this.#entries.step ?? { after: '', limit: MAX_BULK_ENTRIES + 1 }
    const matching = await read.lists.matching(collection, { where, statuses, search, after, limit })
    if (matching.length > MAX_BULK_ENTRIES)
      throw createTooManyError(await countMatches(this.#context.content, this.#query))
    return matching
  }

  async #readWindow(read: Reader, window: readonly EntryRevision[]): Promise<void> {
    const ids = window.map(({ id }) => id)
    this.#rows.clear()
    for (const row of await read.entries.storedByIds(this.#entries.collection, ids)) this.#rows.set(row.id, row)
  }

  async #load(read: Reader, id: string): Promise<StoredEntry> {
    const row = this.#rows.get(id) ?? (await read.entries.stored(this.#entries.collection, id))
    if (!row) throw new DaybookError('NOT_FOUND')
    return row
  }

  /** @throws VALIDATION_ERROR if the prepared updates are too large */
  #requireRoom(): void {
    if (this.#characters <= MAX_PREPARED_CHARACTERS) return
    throw validationErrorAt(
      'where',
      'too_large',
      `must match fewer entries. The changes of the first ${this.#prepared.size} have more than ${MAX_PREPARED_CHARACTERS} characters.`,
      { limit: MAX_PREPARED_CHARACTERS },
    )
  }
}

/**
 * Records that an entry refuses its write.
 *
 * @param isLast true if the transaction cannot continue
 */
function addRefusal(refusals: Refusals, id: string, error: unknown, isLast: boolean): void {
  if (error instanceof StaleWrite) throw error
  const isRefusal = error instanceof DaybookError
  if (isRefusal && error.code === 'NOT_FOUND') return
  refusals.add(id, error)
  if (!isRefusal || isLast || refusals.isFull) refusals.throwAny()
}

/** Splits entries into windows, of fewer entries than the limit where documents are large. */
function* splitIntoWindows(entries: readonly EntryRevision[], limit: number): Generator<readonly EntryRevision[]> {
  let window: EntryRevision[] = []
  let bytes = 0
  for (const entry of entries) {
    if (window.length === limit || (window.length > 0 && bytes + entry.size > MAX_WINDOW_BYTES)) {
      yield window
      window = []
      bytes = 0
    }
    window.push(entry)
    bytes += entry.size
  }
  if (window.length > 0) yield window
}

const createTooManyError = (matched: number): DaybookError =>
  validationErrorAt(
    'where',
    'maxItems',
    `matches ${matched} entries, but one request changes at most ${MAX_BULK_ENTRIES}. Narrow it, such as by createdAt, or use the commands daybook update or daybook delete.`,
    { limit: MAX_BULK_ENTRIES, count: matched },
  )

/** The maximum number of refused entries that a response names. */
const MAX_REFUSED = 100

class Refusals {
  #first: { readonly id: string; readonly error: unknown } | undefined
  readonly #ids: string[] = []

  /** True if a response can name no more entries. */
  get isFull(): boolean {
    return this.#ids.length >= MAX_REFUSED
  }

  /** @throws the error itself if it is not about the entry, such as when the database cannot be used */
  add(id: string, error: unknown): void {
    const reason = getReason(error)
    if (!(reason instanceof DaybookError) || (reason.code === 'SERVICE_UNAVAILABLE' && reason === error)) throw error
    this.#first ??= { id, error }
    this.#ids.push(id)
  }

  /** @throws the error of the first entry, with the ids of all in `details.refused` */
  throwAny(): void {
    if (this.#first) throw createRefusal(this.#first.error, this.#first.id, this.#ids)
  }
}

const getReason = (error: unknown): unknown => (error instanceof HookRefusal ? error.reason : error)

function createRefusal(error: unknown, id: string, ids: readonly string[]): unknown {
  if (error instanceof HookRefusal) return new HookRefusal(createRefusal(error.reason, id, ids))
  if (!(error instanceof DaybookError)) return error
  const { code, message, details } = error
  return new DaybookError(code, `Entry ${id}: ${message}`, { ...details, refused: ids }, error)
}
