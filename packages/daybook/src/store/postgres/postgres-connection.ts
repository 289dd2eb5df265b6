import type { Duplex } from 'node:stream'
import type { ClientBase, CustomTypesConfig, Query, QueryResult } from 'pg'
import type { Connection, WriteStep } from '../connection.ts'
import type { WriteConnection } from '../database.ts'
import type { Statement, StatementValues } from '../statement.ts'
import { CommitBatch } from '../writes/commit-batch.ts'
import { translatePostgresError } from './postgres-errors.ts'
import type { StatementTranslator } from './postgres-statements.ts'

/** A statement that is sent to the server. */
export interface PostgresQuery {
  readonly text: string
  /** Not changed: the driver's types want an array that could be. */
  readonly values: unknown[]
  /** Names a statement that the server keeps prepared. */
  readonly name?: string
}

/** Sends a query, on whatever connection. */
export type SendQuery = (query: PostgresQuery) => Promise<QueryResult>

/** Whole numbers and decimals as numbers, everything else as the text that it is. */
export const TYPE_PARSERS: CustomTypesConfig = {
  getTypeParser: (oid: number) => (oid === 20 || oid === 23 || oid === 1700 ? Number : String),
} as CustomTypesConfig

/** Statements on PostgreSQL, wherever they run. */
export class PostgresConnection implements Connection {
  readonly #ask: SendQuery
  readonly #isPrepared: boolean
  readonly #texts: StatementTranslator
  /** How many statements have run. */
  statementCount = 0

  /** @param isPrepared whether the server keeps the statements; what it plans once must be good for all values */
  constructor(ask: SendQuery, isPrepared: boolean, texts: StatementTranslator) {
    this.#ask = ask
    this.#isPrepared = isPrepared
    this.#texts = texts
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
    const { text, name } = this.#texts.translate(statement.sql)
    const query = { text, values: statement.bind(values) }
    try {
      return await this.#ask(this.#isPrepared ? { ...query, name } : query)
    } catch (error) {
      throw translatePostgresError(error, this.#texts.names)
    }
  }
}

/** The socket of a connection, once there is one: the driver's types do not tell of it. */
export const getSocket = (client: object): Duplex | undefined =>
  (client as { readonly connection?: { readonly stream?: Duplex } }).connection?.stream

/** The driver's own queries. */
export type QueryClass = typeof Query

/**
 * A query for the driver to run once. Of an object that has its parts the driver would make a copy with all descriptors, which takes as long as
 * sending it.
 *
 * @param onDone called with the answer; without it, a pool of the driver gives a promise of it
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
 * Sends queries on one connection, and takes the answers by a callback: of promises that the driver makes, V8 frees none,
 * nor the rows that they brought, before it looks through the whole heap.
 */
export const createSender =
  (client: ClientBase, Query: QueryClass): SendQuery =>
  (query) =>
    new Promise((resolve, reject) => {
      client.query(toQuery(Query, query, (error, result) => (error ? reject(error) : resolve(result))))
    })

/** Sends each query when the one before has been answered. */
function inTurn(send: SendQuery): SendQuery {
  let last: Promise<unknown> = Promise.resolve()
  return (query) => {
    const answer = last.then(() => send(query))
    last = answer.catch(() => {})
    return answer
  }
}

/** A transaction: one connection, and what its writes settle with the commit. */
export class PostgresTransaction {
  readonly batch: CommitBatch
  readonly #send: SendQuery
  readonly #isDirect: boolean
  readonly #texts: StatementTranslator
  readonly #parts: TransactionPart[] = []

  /**
   * @param send sends on its connection
   * @param isDirect whether the server keeps statements, and takes one before it has answered another
   * @param head the last number of the journal, where the transaction's beginning tells it
   */
  constructor(send: SendQuery, isDirect: boolean, texts: StatementTranslator, head?: Promise<number>) {
    this.#send = isDirect ? send : inTurn(send)
    this.#isDirect = isDirect
    this.#texts = texts
    this.batch = new CommitBatch(this.createPart(), head)
  }

  /** How many statements have run. */
  get statementCount(): number {
    return this.#parts.reduce((sum, { statementCount: executed }) => sum + executed, 0)
  }

  /** The connection of one of the writes that share it. */
  createPart(): TransactionPart {
    const part = new TransactionPart(this, this.#send, this.#isDirect, this.#texts)
    this.#parts.push(part)
    return part
  }
}

/** The connection of a write inside a transaction. */
export class TransactionPart extends PostgresConnection implements WriteConnection {
  readonly #transaction: PostgresTransaction
  readonly #state: { isTouched: boolean }

  constructor(transaction: PostgresTransaction, send: SendQuery, isDirect: boolean, texts: StatementTranslator) {
    const state = { isTouched: false }
    const ask: SendQuery = async (query) => {
      if (!/^\s*select/i.test(query.text)) state.isTouched = true
      try {
        return await send(query)
      } catch (error) {
        state.isTouched = true
        throw error
      }
    }
    super(ask, isDirect, texts)
    this.#state = state
    this.#transaction = transaction
  }

  get batch(): CommitBatch {
    return this.#transaction.batch
  }

  /** Whether it has changed anything, or one of its statements has failed. */
  get isTouched(): boolean {
    return this.#state.isTouched
  }

  async insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number> {
    return Number((await this.get(statement, values))?.pk)
  }

  /** After one that fails, the server refuses all that follow: the first one says why. */
  async pipeline(steps: readonly WriteStep[]): Promise<void> {
    const ends = await Promise.allSettled(steps.map((step) => step()))
    const failed = ends.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}
