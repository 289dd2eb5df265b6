import pLimit from 'p-limit'
import {
  type AuthRecord,
  type AuthRecords,
  DuplicateKey,
  type RecordOptions,
  type RecordPage,
  type RecordWriter,
} from '../records.ts'

/** A stored record: its JSON text, and the texts that it is found by. */
interface MemoryRecord {
  readonly text: string
  readonly keys: Readonly<Record<string, string>>
}

/** Records that live in memory and go with the process. */
export class MemoryRecords implements AuthRecords, RecordWriter {
  readonly #kinds = new Map<string, Map<string, MemoryRecord>>()
  readonly #turn = pLimit(1)
  readonly #listeners = new Set<() => void>()
  #hasSessionChange = false
  /** Restores the records that the current transaction has changed, the last change first. */
  #undo: (() => void)[] = []

  async get(kind: string, id: string): Promise<AuthRecord | undefined> {
    const record = this.#recordsOf(kind).get(id)
    return record && parseRecord(record)
  }

  async find(kind: string, key: string, value: string): Promise<readonly AuthRecord[]> {
    return this.#sorted(kind, ({ keys }) => keys[key] === value)
  }

  async list(kind: string, { after = '', limit }: RecordPage = {}): Promise<readonly AuthRecord[]> {
    return this.#sorted(kind, () => true)
      .filter(({ id }) => id > after)
      .slice(0, limit)
  }

  async count(kind: string): Promise<number> {
    return this.#recordsOf(kind).size
  }

  async put(kind: string, record: AuthRecord, { keys = {}, unique = [] }: RecordOptions = {}): Promise<void> {
    for (const key of unique) {
      const value = keys[key]
      const others = value === undefined ? [] : await this.find(kind, key, value)
      if (others.some(({ id }) => id !== record.id)) throw new DuplicateKey(key)
    }
    this.#set(kind, record.id, { text: JSON.stringify(record), keys })
  }

  async delete(kind: string, id: string): Promise<boolean> {
    const exists = this.#recordsOf(kind).has(id)
    if (exists) this.#set(kind, id, undefined)
    return exists
  }

  async noteSessionChange(): Promise<void> {
    this.#hasSessionChange = true
  }

  onSessionChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  transaction<T>(work: (writer: RecordWriter) => Promise<T>): Promise<T> {
    return this.#turn(async () => {
      this.#undo = []
      this.#hasSessionChange = false
      const result = await work(this).catch((error) => {
        for (const restore of this.#undo.reverse()) restore()
        throw error
      })
      if (this.#hasSessionChange) for (const listener of this.#listeners) listener()
      return result
    })
  }

  #set(kind: string, id: string, record: MemoryRecord | undefined): void {
    const records = this.#recordsOf(kind)
    const former = records.get(id)
    this.#undo.push(() => replace(records, id, former))
    replace(records, id, record)
  }

  #recordsOf(kind: string): Map<string, MemoryRecord> {
    const records = this.#kinds.get(kind) ?? new Map<string, MemoryRecord>()
    this.#kinds.set(kind, records)
    return records
  }

  #sorted(kind: string, isIncluded: (record: MemoryRecord) => boolean): readonly AuthRecord[] {
    return [...this.#recordsOf(kind).values()]
      .filter(isIncluded)
      .map(parseRecord)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}

const parseRecord = ({ text }: MemoryRecord): AuthRecord => JSON.parse(text) as AuthRecord

function replace(records: Map<string, MemoryRecord>, id: string, record: MemoryRecord | undefined): void {
  if (record) records.set(id, record)
  else records.delete(id)
}
