import { resolve } from 'node:path'
import type { AuthRecords } from '../auth/records.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { CollectionModel, Model } from '../model/model.ts'
import { endCopy } from './copy.ts'
import {
  type Database,
  getDatabaseSource,
  type StoreOptions,
  type TransactionOptions,
  type WriteConnection,
} from './database.ts'
import type { SchemaObject } from './dialect.ts'
import { FollowableJournal } from './journal.ts'
import { readNote, writeNote } from './notes.ts'
import { Reader } from './reads/reader.ts'
import { AuthRecordReader, SessionChanges } from './records/auth-records.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { StatementCache } from './statement.ts'
import { isBlankDatabase } from './tables/layout.ts'
import { createOutsideTransaction, prepareSchema, type SchemaOptions } from './tables/schema.ts'
import type { HookTransaction } from './writes/hook-transaction.ts'
import { Writer } from './writes/writer.ts'

/** The maximum number of cached statements of writes: some ten for each collection and locale. */
const WRITE_STATEMENTS = 4000

/** Parts that several stores on the same database share. */
interface SharedParts {
  readonly journal: FollowableJournal
  readonly read: Reader
  readonly writeStatements: StatementCache
  readonly sessionChanges: SessionChanges
}

/** The functions by which a store aligns content after a change of the config. */
export interface ContentAlignment {
  fillLocaleTables(writer: Writer, collection: CollectionModel): Promise<void>
  /** Rewrites documents to what reads return of them. Returns the fields that hide stored values. */
  alignDocuments(writer: Writer, collection: CollectionModel): Promise<readonly string[]>
}

const bindContent = (
  content: ContentAlignment,
  writer: Writer,
): Pick<SchemaOptions, 'fillLocaleTables' | 'alignDocuments'> => ({
  fillLocaleTables: (collection) => content.fillLocaleTables(writer, collection),
  alignDocuments: (collection) => content.alignDocuments(writer, collection),
})

/** Stored content: reads of committed data, and write transactions. */
export class Store {
  /** The database, for its state, readers and snapshots. Writes go through {@link transaction}. */
  readonly database: Database
  readonly read: Reader
  /** All changes, including those of other processes. */
  readonly journal: FollowableJournal
  /** True if the database can have replicas. */
  readonly hasReplicas: boolean
  readonly #replicas = new WeakMap<Database, Store>()
  readonly #writeStatements: StatementCache
  readonly #sessionChanges: SessionChanges
  /** Writers by connection; SQLite has one connection for all transactions. */
  readonly #writers = new WeakMap<WriteConnection, Writer>()

  /** @param shared parts of the store that this one is a replica of, or whose transaction it uses */
  constructor(database: Database, shared: Partial<SharedParts> = {}) {
    this.database = database
    this.hasReplicas = database.replicaAt !== undefined
    this.read = shared.read ?? new Reader(database.dialect, database.reader, database.background, database)
    this.journal = shared.journal ?? new FollowableJournal(database)
    this.#writeStatements = shared.writeStatements ?? new StatementCache(WRITE_STATEMENTS)
    this.#sessionChanges =
      shared.sessionChanges ?? new SessionChanges(new AuthRecordReader(database.reader), () => database.announcements)
  }

  /**
   * Creates and changes the tables to match the model.
   *
   * @param content aligns stored content if the config has changed
   * @param beforeChange called if the config differs from that of the last start; if it rejects, nothing changes
   */
  async prepare(
    model: Model,
    content: ContentAlignment,
    beforeChange?: (read: Reader) => Promise<void>,
  ): Promise<void> {
    const { dialect, runOutsideTransaction } = this.database
    const align = (): Promise<readonly SchemaObject[]> =>
      this.database.alter((connection) =>
        prepareSchema(connection, dialect, model, {
          canCreateOutsideTransaction: runOutsideTransaction !== undefined,
          isFinal: beforeChange !== undefined,
          beforeChange: async (reader) => beforeChange?.(this.read.on(reader)),
          ...bindContent(content, this.#writerFor(connection)),
        }),
      )
    for (let missing = await align(); missing.length > 0; missing = await align()) {
      const indexes = missing
      await this.database.runOutsideTransaction?.((connection) =>
        createOutsideTransaction(connection, dialect, indexes),
      )
    }
  }

  /** Completes a copy into this store: in one transaction, creates everything derived from the rows, and lets services use the store. */
  async completeCopy(model: Model, content: ContentAlignment): Promise<void> {
    await this.database.alter((connection) =>
      endCopy(connection, this.database.dialect, model, bindContent(content, this.#writerFor(connection))),
    )
  }

  /** The records of auth adapters, always read from the primary, so that a session that has ended is not found. */
  get records(): AuthRecords {
    const reader = new AuthRecordReader(this.database.reader)
    return {
      get: (kind, id) => reader.get(kind, id),
      find: (kind, key, value) => reader.find(kind, key, value),
      list: (kind, page) => reader.list(kind, page),
      count: (kind) => reader.count(kind),
      transaction: async (work, options) => {
        const [result, sessionChanges] = await this.transaction(async ({ records }) => {
          const value = await work(records)
          return [value, records.sessionChanges] as const
        }, options)
        if (sessionChanges !== undefined) this.#sessionChanges.announce(sessionChanges)
        return result
      },
      onSessionChange: (listener) => this.#sessionChanges.listen(listener),
    }
  }

  /** Returns a store that reads from a replica that has reached this number of the journal, or this store if there is none. */
  replicaAt(seq: number): Store {
    const database = this.database.replicaAt?.(seq)
    if (!database) return this
    const replica =
      this.#replicas.get(database) ??
      new Store(database, { journal: this.journal, sessionChanges: this.#sessionChanges })
    this.#replicas.set(database, replica)
    return replica
  }

  within(transaction: HookTransaction): Store {
    const { journal } = this
    return new Store(transaction, {
      journal,
      read: this.read.on(transaction.reader),
      writeStatements: this.#writeStatements,
      sessionChanges: this.#sessionChanges,
    })
  }

  /** True if the database has no tables of Daybook. */
  async isBlank(): Promise<boolean> {
    return isBlankDatabase(this.database.reader, this.database.dialect)
  }

  /** Runs `work` as one transaction. All of it is durable when this resolves, and none of it is stored when it rejects. */
  transaction<T>(work: (writer: Writer) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.database.transaction((connection) => work(this.#writerFor(connection)), options)
  }

  #writerFor(connection: WriteConnection): Writer {
    const existing = this.#writers.get(connection)
    if (existing) return existing
    const writer = new Writer(connection, this.read, this.#writeStatements)
    this.#writers.set(connection, writer)
    return writer
  }

  /** Runs `work` in a transaction, once for each name in the life of the store. Returns false if it has run before. */
  async runOnce(name: string, work: (writer: Writer) => Promise<void>): Promise<boolean> {
    const run = async (connection: WriteConnection): Promise<boolean> => {
      if ((await readNote(connection, name)) !== undefined) return false
      await work(this.#writerFor(connection))
      await writeNote(connection, name, new Date().toISOString())
      return true
    }
    return this.database.transaction(run, { isLong: true })
  }

  /** Returns a note. The first node that reads it creates it. */
  async getOrCreateNote(name: string, make: () => string): Promise<string> {
    const note = await readNote(this.database.reader, name)
    if (note !== undefined) return note
    return this.database.transaction(async (connection) => {
      const currentNote = await readNote(connection, name)
      if (currentNote !== undefined) return currentNote
      const newNote = make()
      await writeNote(connection, name, newNote)
      return newNote
    })
  }

  async close(): Promise<void> {
    this.#sessionChanges.close()
    await this.database.close()
  }
}

/** Returns the path of the database file in a data folder. */
export function databaseFile(data: string): string {
  return resolve(data, 'daybook.db')
}

/** Opens the store that a config names, or the one in the data folder, without changing its tables. */
export async function openStore(
  config: Pick<DaybookConfig, 'database'>,
  data: string,
  options: StoreOptions = {},
): Promise<Store> {
  const database = getDatabaseSource(config)
  return new Store(database ? await database.open(options) : openSqlite(databaseFile(data), options))
}
