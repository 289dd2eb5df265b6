import type { DatabaseConfig } from '../config/config.ts'
import type { Connection, PipelinedConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { GrowthListener } from './growth-watch.ts'
import type { ServingProcess } from './serving-process.ts'
import type { Statement, StatementCache, StatementValues } from './statement.ts'
import type { CommitBatch } from './writes/commit-batch.ts'

/** The connection of a transaction. */
export interface WriteConnection extends PipelinedConnection {
  readonly batch: CommitBatch
  /** Inserts a row by a statement that ends with {@link Dialect.returningPk}. Returns its `pk`. */
  insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number>
}

/** The parts of a transaction that its writers share. */
export interface StoreWriteContext {
  readonly connection: WriteConnection
  readonly dialect: Dialect
  readonly statements: StatementCache
}

export interface TransactionOptions {
  /** True if the transaction must not share its commit with other writes, for example because it runs hooks. @default false */
  readonly exclusive?: boolean
  /**
   * True if the transaction reads nothing that other such transactions store, and takes no number of the journal before it stores. In
   * PostgreSQL, such transactions run concurrently. @default false
   */
  readonly concurrent?: boolean
  /** True if no timeouts apply, for example when a new store is filled. @default false */
  readonly isLong?: boolean
  /**
   * True if the caller repeats the transaction when a crash loses it. If it is long, too, PostgreSQL commits it without waiting for the
   * disk; the next durable commit makes it durable. @default false
   */
  readonly isRestartable?: boolean
}

export interface StoreOptions {
  /** True if clients wait for responses while others write. If false, SQLite starts no thread for checkpoints. @default true */
  readonly isServing?: boolean
  /** This process, to be listed by {@link Database.listServices} until the store is closed. @default not listed */
  readonly service?: ServingProcess | undefined
}

export interface Database {
  readonly dialect: Dialect
  /** Reads committed data. */
  readonly reader: Connection
  /** Reads committed data by statements that may take long, without delaying those of {@link reader}. */
  readonly background: Connection
  /** The number of statements that have run since the database was opened. */
  readonly statementCount: number
  /**
   * A number that changes whenever any process may have committed something. Absent if only a statement could tell.
   */
  readonly version?: number
  /** Runs `work` as the only writer. All of it is durable when this resolves, and none of it is stored when it rejects. */
  transaction<T>(work: (writer: WriteConnection) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Runs `work`, which may create and change tables, as the only one of all nodes. */
  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T>
  readonly poolState?: PoolState
  /** The replicas, which may lag behind. */
  readonly replicas?: readonly ReplicaState[]
  /**
   * Runs `work` outside any transaction and without a timeout, while other nodes write, but none of them runs this or
   * {@link alter}. Absent if every change of tables blocks writers.
   */
  readonly runOutsideTransaction?: ((work: (connection: Connection) => Promise<void>) => Promise<void>) | undefined
  /**
   * Calls `listener` soon after any node has added to the journal. The returned function unsubscribes.
   *
   * @param after see {@link GrowthWatch.listen}
   */
  onGrowth(listener: GrowthListener, after?: number): () => void
  /** Announcements between nodes, if the database transports them. */
  readonly announcements?: Announcements | undefined
  /** Lists the processes that serve the database, including this one. Absent behind a pooler, which hides them. */
  readonly listServices?: (() => Promise<readonly ServingProcess[]>) | undefined
  /** Returns a replica that has reached this number of the journal. Its writes go to the primary. */
  replicaAt?(seq: number): Database | undefined
  /** Opens a snapshot of the current state on a new connection. */
  snapshot(): Promise<Snapshot>
  close(): Promise<void>
}

/** Short messages between nodes for news that is only useful at once. A message may be lost. */
export interface Announcements {
  /**
   * @param topic a word that separates announcements of different kinds
   * @param text at most 4,000 characters
   */
  send(topic: string, text: string): void
  /** Calls `listener` with each text that any node sends on the topic. The returned function unsubscribes. */
  listen(topic: string, listener: (text: string) => void): () => void
}

/** A read-only view of a database at one moment. */
export interface Snapshot extends Connection {
  readonly dialect: Dialect
  close(): Promise<void>
}

/** The position of a replica in the journal. */
export interface ReplicaState {
  readonly name: string
  /** The last number that the replica has reached; `undefined` if it does not respond. */
  readonly seq: number | undefined
}

export interface PoolState {
  readonly total: number
  readonly idle: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}

/** A database that a config names, with the methods that open it. */
export interface DatabaseSource extends DatabaseConfig {
  /** Opens the database. @throws {StartupError} if it cannot be used; the message says what to do */
  open(options?: StoreOptions): Promise<Database>
  /** Opens a snapshot that later writes do not change. @throws {StartupError} as `open` */
  snapshot(): Promise<Snapshot>
}

/** Returns the database that a config names; `undefined`: the file in the data folder. */
export const getDatabaseSource = ({
  database,
}: {
  readonly database?: DatabaseConfig | undefined
}): DatabaseSource | undefined => database as DatabaseSource | undefined

export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
  /** The dotted path of the field. */
  readonly field: string
  /** The locale of the value, if the field is localized and not a slug. */
  readonly locale: string | undefined

  constructor({ field, locale }: { readonly field: string; readonly locale?: string }, cause: unknown) {
    super(`unique: ${field}`, { cause })
    this.field = field
    this.locale = locale
  }
}
