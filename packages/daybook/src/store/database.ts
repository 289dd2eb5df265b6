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
  /** Adds a row to a table with a `pk`, by a statement that ends with {@link Dialect.returningPk}; answers its `pk`. */
  insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number>
}

/** The parts of a transaction that its writers share. */
export interface StoreWriteContext {
  readonly connection: WriteConnection
  readonly dialect: Dialect
  readonly statements: StatementCache
}

/** The options of a transaction. */
export interface TransactionOptions {
  /** True if the transaction shares its commit with no other write, such as one that runs hooks. @default false */
  readonly exclusive?: boolean
  /**
   * True if the transaction reads nothing that others of its kind store, and takes no number of the journal before it stores. Where
   * the database is far away, such transactions run at the same time. @default false
   */
  readonly concurrent?: boolean
  /** It may take as long as it likes, as filling a new store may. @default false */
  readonly isLong?: boolean
  /**
   * Whether the caller repeats it should a crash lose it. One that is long, too, need not be on the disk when this
   * resolves, where the engine knows a difference; it is there with the next transaction that has to be. @default false
   */
  readonly isRestartable?: boolean
}

/** The options of opening a store. */
export interface StoreOptions {
  /** Whether clients wait for answers while others write; if not, SQLite keeps no thread for its log. @default true */
  readonly isServing?: boolean
  /** This process, if it is to be in {@link Database.listServices} until the store is closed. @default it is not */
  readonly service?: ServingProcess | undefined
}

/** A database engine, as the store sees it. */
export interface Database {
  readonly dialect: Dialect
  /** Sees what is committed, and nothing else. */
  readonly reader: Connection
  /** The same for statements that may take long; they do not delay those of {@link reader}. */
  readonly background: Connection
  /** How many statements have run since it was opened. */
  readonly statementCount: number
  /**
   * A number that is another one whenever anything may have been committed, by whatever process. Absent: it takes a question to the
   * database to know.
   */
  readonly version?: number
  /** Runs `work` alone among writers; all of it is durable when this resolves, none of it when it rejects. */
  transaction<T>(work: (writer: WriteConnection) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Runs `work` on the tables themselves, alone among all nodes; the database may hold none yet. */
  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T>
  /** Its connections, where it has a pool of them. */
  readonly poolState?: PoolState
  /** Readers of its journal that follow at their own pace. */
  readonly replicas?: readonly ReplicaState[]
  /**
   * Runs `work` outside of any transaction, while others write, as long as it takes; alone among nodes that do so or
   * {@link alter}. Absent: every change of tables keeps others waiting.
   */
  readonly runOutsideTransaction?: ((work: (connection: Connection) => Promise<void>) => Promise<void>) | undefined
  /**
   * Calls `listener` soon after the journal has grown, by whatever node; the function that comes back ends that.
   *
   * @param after see {@link GrowthWatch.listen}
   */
  onGrowth(listener: GrowthListener, after?: number): () => void
  /** What nodes say to each other, where the database carries that. */
  readonly announcements?: Announcements | undefined
  /** Lists the processes that serve it, this one as well. Absent: a pooler hides them. */
  readonly listServices?: (() => Promise<readonly ServingProcess[]>) | undefined
  /** A copy to read from that has come as far as this number of the journal; its writes go to the original. */
  replicaAt?(seq: number): Database | undefined
  /** Sees it as it stands now, on a connection of its own. */
  snapshot(): Promise<Snapshot>
  close(): Promise<void>
}

/** Short texts between nodes, for what is worth nothing once it is late: one may be lost. */
export interface Announcements {
  /**
   * @param topic a word that separates announcements of different kinds
   * @param text at most 4,000 characters
   */
  send(topic: string, text: string): void
  /** Calls `listener` with each text that this node or another one sends on the topic; the returned function stops that. */
  listen(topic: string, listener: (text: string) => void): () => void
}

/** A database as it stood at one moment, whatever others write meanwhile. It reads and never writes. */
export interface Snapshot extends Connection {
  readonly dialect: Dialect
  close(): Promise<void>
}

/** A reader of the journal, such as a replica, that may lag behind. */
export interface ReplicaState {
  readonly name: string
  /** The last number that it has come to; `undefined`: it does not answer. */
  readonly seq: number | undefined
}

/** Connections of a pool. */
export interface PoolState {
  readonly total: number
  readonly idle: number
  /** Requests that wait for one. */
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

/** A unique index refused a row. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
  /** The dotted path of the field. */
  readonly field: string
  /** The locale of the value, if the field is localized and no slug. */
  readonly locale: string | undefined

  constructor({ field, locale }: { readonly field: string; readonly locale?: string }, cause: unknown) {
    super(`unique: ${field}`, { cause })
    this.field = field
    this.locale = locale
  }
}
