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

/** The most statements of writes that are kept: some ten for each collection and locale. */
const WRITE_STATEMENTS = 4000

/** Parts of a store that others of the same database use. */
interface SharedParts {
  readonly journal: FollowableJournal
  readonly read: Reader
  readonly writeStatements: StatementCache
  readonly sessionChanges: SessionChanges
}

/** The functions of content that a store calls if the config has changed. */
export interface ContentAlignment {
  /** Makes what the locales of a collection show. */
  fillLocaleTables(writer: Writer, collection: CollectionModel): Promise<void>
  /** Makes documents say what reads say of them; answers the fields that hide stored values. */
  alignDocuments(writer: Writer, collection: CollectionModel): Promise<readonly string[]>
}

const contentOn = (
  content: ContentAlignment,
  writer: Writer,
): Pick<SchemaOptions, 'fillLocaleTables' | 'alignDocuments'> => ({
  fillLocaleTables: (collection) => content.fillLocaleTables(writer, collection),
  alignDocuments: (collection) => content.alignDocuments(writer, collection),
})

/** Content at rest: reads of what is committed, and write transactions. */
export class Store {
  /** The engine below: its state, its readers and its snapshots. Writes go through {@link transaction}. */
  readonly database: Database
  readonly read: Reader
  /** Every change, also while others write. */
  readonly journal: FollowableJournal
  /** Whether there can be copies to read from. */
  readonly hasReplicas: boolean
  readonly #replicaAt = new WeakMap<Database, Store>()
  readonly #writeStatements: StatementCache
  readonly #sessionChanges: SessionChanges
  /** SQLite has one connection for all transactions. */
  readonly #writers = new WeakMap<WriteConnection, Writer>()

  /** @param shared parts of the original, where this is a copy of it or a part of its transaction */
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
   * Makes the tables fit the model.
   *
   * @param content brings stored content into line where the config has changed
   * @param beforeChange called when the config is another one than at the last start; when it rejects, nothing changes
   */
  async prepare(
    model: Model,
    content: ContentAlignment,
    beforeChange?: (read: Reader) => Promise<void>,
  ): Promise<void> {
    const { dialect, runOutsideTransaction: outsideTransaction } = this.database
    const align = (): Promise<readonly SchemaObject[]> =>
      this.database.alter((connection) =>
        prepareSchema(connection, dialect, model, {
          canCreateOutsideTransaction: outsideTransaction !== undefined,
          isFinal: beforeChange !== undefined,
          beforeChange: async (own) => beforeChange?.(this.read.on(own)),
          ...contentOn(content, this.#writerOn(connection)),
        }),
      )
    for (let missing = await align(); missing.length > 0; missing = await align()) {
      const all = missing
      await this.database.runOutsideTransaction?.((connection) => createOutsideTransaction(connection, dialect, all))
    }
  }

  /** Ends a copy into this store: makes all that is made of its rows, and lets services use it, both or neither. */
  async completeCopy(model: Model, content: ContentAlignment): Promise<void> {
    await this.database.alter((connection) =>
      endCopy(connection, this.database.dialect, model, contentOn(content, this.#writerOn(connection))),
    )
  }

  /** The records of auth adapters. Always read from the primary: an ended session must be over. */
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

  /** The same store, read from a copy that has come as far as this number of the journal, where there is one. */
  replicaAt(seq: number): Store {
    const database = this.database.replicaAt?.(seq)
    if (!database) return this
    const known =
      this.#replicaAt.get(database) ??
      new Store(database, { journal: this.journal, sessionChanges: this.#sessionChanges })
    this.#replicaAt.set(database, known)
    return known
  }

  /** The same store inside a transaction: it reads what the transaction wrote, and its writes are part of it. */
  within(transaction: HookTransaction): Store {
    const { journal } = this
    return new Store(transaction, {
      journal,
      read: this.read.on(transaction.reader),
      writeStatements: this.#writeStatements,
      sessionChanges: this.#sessionChanges,
    })
  }

  /** Whether anything was ever stored here. */
  async isBlank(): Promise<boolean> {
    return isBlankDatabase(this.database.reader, this.database.dialect)
  }

  /** Runs `work` as one transaction: all of it is durable when this resolves, none of it when it rejects. */
  transaction<T>(work: (writer: Writer) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.database.transaction((connection) => work(this.#writerOn(connection)), options)
  }

  #writerOn(connection: WriteConnection): Writer {
    const known = this.#writers.get(connection)
    if (known) return known
    const writer = new Writer(connection, this.read, this.#writeStatements)
    this.#writers.set(connection, writer)
    return writer
  }

  /** Runs `work` once in the life of the store, under a name; when it fails, nothing of it stays. */
  async runOnce(name: string, work: (writer: Writer) => Promise<void>): Promise<boolean> {
    const run = async (connection: WriteConnection): Promise<boolean> => {
      if ((await readNote(connection, name)) !== undefined) return false
      await work(this.#writerOn(connection))
      await writeNote(connection, name, new Date().toISOString())
      return true
    }
    return this.database.transaction(run, { isLong: true })
  }

  /** A note that is made when it is first asked for, by whichever node is first. */
  async noteOnce(name: string, make: () => string): Promise<string> {
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

/** The database file of a data folder. */
export function databaseFile(data: string): string {
  return resolve(data, 'daybook.db')
}

/** Opens the store that a config names, or the one of the data folder, as it is. */
export async function openStore(
  config: Pick<DaybookConfig, 'database'>,
  data: string,
  options: StoreOptions = {},
): Promise<Store> {
  const database = getDatabaseSource(config)
  return new Store(database ? await database.open(options) : openSqlite(databaseFile(data), options))
}
