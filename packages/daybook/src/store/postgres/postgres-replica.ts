import type { Connection } from '../connection.ts'
import type { Database, ReplicaState, Snapshot, TransactionOptions, WriteConnection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { GrowthListener } from '../growth-watch.ts'
import type { Statement, StatementValues } from '../statement.ts'
import type { PostgresServer } from './postgres-server.ts'

/** A database that is read on a copy of it, as long as that answers. */
export class PostgresReplica implements Database, ReplicaState {
  readonly name: string
  readonly dialect: Dialect
  readonly reader: Connection
  readonly background: Connection
  readonly #server: PostgresServer
  readonly #primary: Database

  /** @param name its URL without the password */
  constructor(name: string, server: PostgresServer, primary: Database) {
    this.name = name
    this.dialect = primary.dialect
    this.reader = orElse(server, server.reader, () => primary.reader)
    this.background = orElse(server, server.background, () => primary.background)
    this.#server = server
    this.#primary = primary
  }

  /** Whether it answers, and has come as far as this number of the journal. */
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

/** Asks the copy, and the original when the copy fails. */
function orElse(server: PostgresServer, copy: Connection, original: () => Connection): Connection {
  const first = async <T>(ask: (connection: Connection) => Promise<T>): Promise<T> => {
    if (!server.isUp) return ask(original())
    return ask(copy).catch(() => ask(original()))
  }
  return {
    all: <Row>(statement: Statement<Row>, values?: StatementValues) => first((one) => one.all(statement, values)),
    get: <Row>(statement: Statement<Row>, values?: StatementValues) => first((one) => one.get(statement, values)),
    run: (statement, values) => original().run(statement, values),
  }
}
