import { validationErrorAt } from '../../errors.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { Reader } from '../../store/reads/reader.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { JournalRow, StoredEntry } from '../../store/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import {
  EXPORT_VERSION,
  type ExportCounts,
  formatDeletionLine,
  formatEntryLine,
  formatGlobalLine,
  toLine,
} from './export-lines.ts'
import { countEntries } from './stored-content.ts'

/** The number of changed documents that are read together: each may be large. */
const MAX_CHANGED = 16

export interface ExportOptions {
  /** Exports only changes after this number of the journal. @default everything */
  readonly since?: number | undefined
  /** Names the authors of documents. @default true */
  readonly includesAuthors?: boolean | undefined
}

export interface ExportChunk {
  /** Each line ends with a line feed. */
  readonly text: string
  /** The number of entries, globals or changes in these lines. */
  readonly count: number
}

/** An export of a snapshot: all content, or the changes after a number of the journal. */
export class ContentExport {
  /** The last change that the export contains. */
  readonly seq: number
  /** The number of entries and globals, or of journal records to read. */
  readonly total: number
  readonly #model: Model
  readonly #read: Reader
  readonly #since: number | undefined
  readonly #includesAuthors: boolean
  /** The collections that have tables. A new collection gets its table when a service starts. */
  readonly #stored: ReadonlySet<string>
  readonly #collections = new Map<string, number>()
  #globals = 0
  #deleted = 0

  private constructor(model: Model, read: Reader, range: ExportRange) {
    this.#model = model
    this.#read = read
    this.seq = range.seq
    this.total = range.total
    this.#since = range.since
    this.#includesAuthors = range.includesAuthors
    this.#stored = range.stored
    for (const key of [...model.collections.keys()].sort()) this.#collections.set(key, 0)
  }

  /**
   * Creates an export of a snapshot, which must stay open while the chunks are read.
   *
   * @throws VALIDATION_ERROR if `since` is later than the last change
   */
  static async open(
    model: Model,
    snapshot: Snapshot,
    { since, includesAuthors = true }: ExportOptions = {},
  ): Promise<ContentExport> {
    const read = new Reader(snapshot.dialect, snapshot)
    const seq = await read.journal.head()
    if (since !== undefined && since > seq) {
      throw validationErrorAt('since', 'maximum', `must be at most ${seq}, the number of the last change`, {
        limit: seq,
      })
    }
    const stored = new Set(await read.system.storedCollections())
    const total = since === undefined ? await countContent(model, read, stored) : seq - since
    return new ContentExport(model, read, { seq, since, includesAuthors, total, stored })
  }

  /** The counts of the lines so far. */
  get counts(): ExportCounts {
    const counts = { collections: Object.fromEntries(this.#collections), globals: this.#globals }
    return this.#since === undefined ? counts : { ...counts, deleted: this.#deleted }
  }

  /** Produces all lines, from the header to the counts, in chunks of limited size, unless one document is larger. */
  async *chunks(): AsyncGenerator<ExportChunk, void> {
    const since = this.#since
    const locale = await this.#read.system.defaultLocale()
    const header = { daybook: EXPORT_VERSION, at: new Date().toISOString(), seq: this.seq } as const
    const optionalHeader = { ...(since === undefined ? {} : { since }), ...(locale === undefined ? {} : { locale }) }
    yield { text: toLine({ ...header, ...optionalHeader }), count: 0 }
    if (since === undefined) yield* this.#formatAll()
    else yield* this.#formatChanges(since)
    yield { text: toLine({ counts: this.counts }), count: 0 }
  }

  async *#formatAll(): AsyncGenerator<ExportChunk, void> {
    for (const key of this.#collections.keys()) {
      const collection = this.#model.collections.get(key)
      if (collection && this.#stored.has(key)) yield* this.#formatCollection(collection)
    }
    for (const key of [...this.#model.globals.keys()].sort()) {
      const text = await this.#formatGlobal(key)
      if (text !== '') yield { text, count: 1 }
    }
  }

  async *#formatCollection(collection: CollectionModel): AsyncGenerator<ExportChunk, void> {
    const next = (after: number): Promise<readonly StoredEntry[]> => this.#read.entries.batchAfter(collection, after)
    for (let page = await next(0); page.length > 0; page = await next(page.at(-1)?.pk ?? 0)) {
      const schedules = await this.#readSchedules(collection, page)
      const lines = page.map((entry) => this.#formatEntry(collection, entry, schedules.get(entry.id)))
      yield { text: lines.join(''), count: page.length }
    }
  }

  /** Produces changes in the order of the journal. A document that changed several times appears at its last change. */
  async *#formatChanges(since: number): AsyncGenerator<ExportChunk, void> {
    const next = (after: number): Promise<readonly JournalRow[]> => this.#read.journal.records(after)
    for (let page = await next(since); page.length > 0; page = await next(page.at(-1)?.seq ?? 0)) {
      for (let from = 0; from < page.length; from += MAX_CHANGED) {
        const records = page.slice(from, from + MAX_CHANGED)
        yield { text: await this.#formatRecords(records), count: records.length }
      }
    }
  }

  async #formatRecords(records: readonly JournalRow[]): Promise<string> {
    const entries = await this.#formatEntries(records)
    const lines: string[] = []
    for (const record of records) {
      const { collection: key, seq, action } = record
      const collection = this.#model.collections.get(key)
      const line = entries.get(seq)
      if (key === GLOBALS) lines.push(await this.#formatGlobal(record.id, seq))
      else if (line !== undefined) lines.push(line)
      else if (collection && action === 'delete') lines.push(this.#formatDeletion(record))
    }
    return lines.join('')
  }

  /** Formats the entries whose last records are among these, by the numbers of the records. */
  async #formatEntries(records: readonly JournalRow[]): Promise<ReadonlyMap<number, string>> {
    const lines = new Map<number, string>()
    for (const [key, changed] of Map.groupBy(records, ({ collection }) => collection)) {
      const collection = this.#model.collections.get(key)
      if (!collection) continue
      const last = await this.#read.journal.lastChanges(key, [...new Set(changed.map(({ id }) => id))])
      const ids = changed.flatMap(({ id, seq }) => (last.get(id) === seq ? [id] : []))
      const entries = await this.#read.entries.storedByIds(collection, ids)
      const schedules = await this.#readSchedules(collection, entries)
      for (const entry of entries)
        lines.set(last.get(entry.id) ?? 0, this.#formatEntry(collection, entry, schedules.get(entry.id)))
    }
    return lines
  }

  async #readSchedules(
    { key }: CollectionModel,
    entries: readonly StoredEntry[],
  ): Promise<ReadonlyMap<string, readonly Schedule[]>> {
    const { draftSeq } = await this.#read.counters.of(key)
    // A collection that never had a draft or a schedule needs no look-up.
    if (draftSeq === 0 || entries.length === 0) return new Map()
    const ids = entries.map(({ id }) => id)
    return Map.groupBy(await this.#read.schedules.byIds(key, ids), ({ id }) => id)
  }

  #formatEntry(collection: CollectionModel, entry: StoredEntry, schedules: readonly Schedule[] = []): string {
    this.#collections.set(collection.key, (this.#collections.get(collection.key) ?? 0) + 1)
    return formatEntryLine(collection, entry, { schedules, hasAuthors: this.#includesAuthors })
  }

  #formatDeletion(record: JournalRow): string {
    this.#deleted += 1
    return formatDeletionLine(record)
  }

  /**
   * Formats a global; empty if it was never written.
   *
   * @param seq the last change that the global must have. @default any
   */
  async #formatGlobal(key: string, seq?: number): Promise<string> {
    const global = this.#model.globals.get(key)
    const row = global && (await this.#read.globals.byKey(key))
    if (!row || (seq !== undefined && row.seq !== seq)) return ''
    this.#globals += 1
    const updatedAt = (await this.#read.journal.record(row.seq))?.at
    return formatGlobalLine(global, row, { updatedAt, hasAuthors: this.#includesAuthors })
  }
}

interface ExportRange extends Pick<ContentExport, 'seq' | 'total'> {
  readonly since: number | undefined
  readonly includesAuthors: boolean
  readonly stored: ReadonlySet<string>
}

async function countContent(
  { collections, globals }: Model,
  read: Reader,
  stored: ReadonlySet<string>,
): Promise<number> {
  let total = 0
  for (const key of collections.keys()) {
    if (!stored.has(key)) continue
    total += await countEntries(read, key)
  }
  for (const key of globals.keys()) if (await read.globals.byKey(key)) total += 1
  return total
}
