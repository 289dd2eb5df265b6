import type { Connection } from '../connection.ts'
import type { Database, ReplicaState, Snapshot, TransactionOptions, WriteConnection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { GrowthListener } from '../growth-watch.ts'
import type { Statement, StatementValues } from '../statement.ts'
import type { PostgresServer } from './postgres-server.ts'

/** A database that reads from a replica, or from the primary while the replica does not respond. */
export class PostgresReplica implements Database, ReplicaState {
  readonly name: string
  readonly dialect: Dialect
  readonly reader: Connection
  readonly background: Connection
  readonly #server: PostgresServer
  readonly #primary: Database

  /** @param name the URL without the password */
  constructor(name: string, server: PostgresServer, primary: Database) {
    this.name = name
    this.dialect = primary.dialect
    this.reader = withFallback(server, server.reader, () => primary.reader)
    this.background = withFallback(server, server.background, () => primary.background)
    this.#server = server
    this.#primary = primary
  }

  /** True if the replica responds and has reached this number of the journal. */
  has(seq: number): boolean {
    return (this.seq ?? -1) >= seq
  }

  get seq(): number | undefined {
    const { isUp, head } = this.#server
    return isUp && head >= 0 ? head : undefined
  }

  get statementCount(): number {
    return this.#primary.statementCount
  }

  transaction<T>(work: (writer: WriteConnection) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#primary.transaction(work, options)
  }

  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.#primary.alter(work)
  }

  onGrowth(listener: GrowthListener, after?: number): () => void {
    return this.#primary.onGrowth(listener, after)
  }

  snapshot(): Promise<Snapshot> {
    return this.#primary.snapshot()
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** Runs statements on the replica, and on the primary if that fails. */
function withFallback(server: PostgresServer, replica: Connection, primary: () => Connection): Connection {
  const read = async <T>(send: (connection: Connection) => Promise<T>): Promise<T> => {
    if (!server.isUp) return send(primary())
    return send(replica).catch(() => send(primary()))
  }
  return {
    all: <Row>(statement: Statement<Row>, values?: StatementValues) =>
      read((connection) => connection.all(statement, values)),
    get: <Row>(statement: Statement<Row>, values?: StatementValues) =>
      read((connection) => connection.get(statement, values)),
    run: (statement, values) => primary().run(statement, values),
  }
}
