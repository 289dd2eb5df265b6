import type { Duplex } from 'node:stream'
import type { ClientBase, CustomTypesConfig, Query, QueryResult } from 'pg'
import type { Connection, WriteStep } from '../connection.ts'
import type { WriteConnection } from '../database.ts'
import type { Statement, StatementValues } from '../statement.ts'
import { CommitBatch } from '../writes/commit-batch.ts'
import { translatePostgresError } from './postgres-errors.ts'
import type { StatementTranslator } from './postgres-statements.ts'

export interface PostgresQuery {
  readonly text: string
  /** Never changed; the driver's types require a mutable array. */
  readonly values: unknown[]
  /** Names a statement that the server keeps prepared. */
  readonly name?: string
}

export type SendQuery = (query: PostgresQuery) => Promise<QueryResult>

/** Parses integers and decimals as numbers, and everything else as text. */
export const TYPE_PARSERS: CustomTypesConfig = {
  getTypeParser: (oid: number) => (oid === 20 || oid === 23 || oid === 1700 ? Number : String),
} as CustomTypesConfig

export class PostgresConnection implements Connection {
  readonly #send: SendQuery
  readonly #isPrepared: boolean
  readonly #translator: StatementTranslator
  statementCount = 0

  /** @param isPrepared true if the server keeps prepared statements, whose plans must suit all values */
  constructor(send: SendQuery, isPrepared: boolean, translator: StatementTranslator) {
    this.#send = send
    this.#isPrepared = isPrepared
    this.#translator = translator
  }

  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<readonly Row[]> {
    return (await this.#run(statement, values)).rows as Row[]
  }

  async get<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row | undefined> {
    return (await this.#run(statement, values)).rows[0] as Row | undefined
  }

  async run(statement: Statement, values: StatementValues = {}): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0
  }

  async #run(statement: Statement, values: StatementValues): Promise<QueryResult> {
    this.statementCount += 1
    const { text, name } = this.#translator.translate(statement.sql)
    const query = { text, values: statement.bind(values) }
    try {
      return await this.#send(this.#isPrepared ? { ...query, name } : query)
    } catch (error) {
      throw translatePostgresError(error, this.#translator.names)
    }
  }
}

/** Returns the socket of a connection, if it has one. The driver's types do not declare it. */
export const getSocket = (client: object): Duplex | undefined =>
  (client as { readonly connection?: { readonly stream?: Duplex } }).connection?.stream

/** The driver's class of queries. */
export type QueryClass = typeof Query

/**
 * Builds a query for the driver to run once. From a plain object, the driver would build its own with all property descriptors, which takes
 * as long as sending it.
 *
 * @param onDone called with the result; without it, the driver's pool returns a promise
 */
export function toQuery(
  Query: QueryClass,
  { text, name, values }: PostgresQuery,
  onDone?: (error: Error | undefined, result: QueryResult) => void,
): Query {
  const query: Query & { name?: string | undefined } = new Query(text, values, onDone)
  query.name = name
  return query
}

/**
 * Creates a function that sends queries on one connection. It uses callbacks, since V8 frees the driver's promises, with their rows, only in
 * a full garbage collection.
 */
export const createSender =
  (client: ClientBase, Query: QueryClass): SendQuery =>
  (query) =>
    new Promise((resolve, reject) => {
      client.query(toQuery(Query, query, (error, result) => (error ? reject(error) : resolve(result))))
    })

/** Sends each query once the previous one has completed. */
function sendInTurn(send: SendQuery): SendQuery {
  let last: Promise<unknown> = Promise.resolve()
  return (query) => {
    const result = last.then(() => send(query))
    last = result.catch(() => {})
    return result
  }
}

/** A transaction: one connection, with the commit batch that its writes share. */
export class PostgresTransaction {
  readonly batch: CommitBatch
  readonly #send: SendQuery
  readonly #isDirect: boolean
  readonly #translator: StatementTranslator
  readonly #parts: TransactionPart[] = []

  /**
   * @param send sends on the connection of the transaction
   * @param isDirect true if no pooler is in between: the server keeps prepared statements, and accepts pipelined ones
   * @param head the last number of the journal, if the start of the transaction returns it
   */
  constructor(send: SendQuery, isDirect: boolean, translator: StatementTranslator, head?: Promise<number>) {
    this.#send = isDirect ? send : sendInTurn(send)
    this.#isDirect = isDirect
    this.#translator = translator
    this.batch = new CommitBatch(this.createPart(), head)
  }

  get statementCount(): number {
    return this.#parts.reduce((sum, { statementCount }) => sum + statementCount, 0)
  }

  /** Creates the connection of one of the writes that share the transaction. */
  createPart(): TransactionPart {
    const part = new TransactionPart(this, this.#send, this.#isDirect, this.#translator)
    this.#parts.push(part)
    return part
  }
}

/** The connection of one write inside a transaction. */
export class TransactionPart extends PostgresConnection implements WriteConnection {
  readonly #transaction: PostgresTransaction
  readonly #state: { isDirty: boolean }

  constructor(transaction: PostgresTransaction, send: SendQuery, isDirect: boolean, translator: StatementTranslator) {
    const state = { isDirty: false }
    const sendTracked: SendQuery = async (query) => {
      if (!/^\s*select/i.test(query.text)) state.isDirty = true
      try {
        return await send(query)
      } catch (error) {
        state.isDirty = true
        throw error
      }
    }
    super(sendTracked, isDirect, translator)
    this.#state = state
    this.#transaction = transaction
  }

  get batch(): CommitBatch {
    return this.#transaction.batch
  }

  /** True if the write has changed anything, or one of its statements has failed. */
  get isDirty(): boolean {
    return this.#state.isDirty
  }

  async insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number> {
    return Number((await this.get(statement, values))?.pk)
  }

  /** Throws the first error: after a failed statement, the server rejects all that follow. */
  async pipeline(steps: readonly WriteStep[]): Promise<void> {
    const ends = await Promise.allSettled(steps.map((step) => step()))
    const failed = ends.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}
