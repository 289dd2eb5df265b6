import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type RawBuilder,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { SYSTEM_TABLES, type SystemTables, type Tables } from './tables/tables.ts'

/** A placeholder for a value of each run. */
class Param {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** The values of one run, by parameter name. */
export type StatementValues = Readonly<Record<string, unknown>>

/** SQL text, compiled once, with the binding of values to its parameters. */
export interface Statement<Row = unknown> {
  readonly sql: string
  bind(values: StatementValues): unknown[]
  /** Carries the type of a row; never set. */
  readonly '~row'?: Row
}

/** Returns a placeholder in a query for a value of each run. */
export function param<T>(name: string): RawBuilder<T> {
  return sql`${new Param(name)}`
}

/** Builds queries and never runs them. */
export const build: Kysely<Tables> = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

export function prepare<Row>(query: Compilable<Row>): Statement<Row> {
  return toStatement(query.compile())
}

export function prepareSql<Row>(query: RawBuilder<Row>): Statement<Row> {
  return toStatement(query.compile(build))
}

function toStatement<Row>({ sql: text, parameters }: CompiledQuery<Row>): Statement<Row> {
  return {
    sql: text,
    bind: (values) => parameters.map((parameter) => (parameter instanceof Param ? values[parameter.name] : parameter)),
  }
}

/** Returns a statement of SQL text without parameters. */
export function rawStatement<Row = unknown>(text: string): Statement<Row> {
  return { sql: text, bind: () => [] }
}

/** A cache of compiled statements that evicts the least recently used. */
export class StatementCache {
  readonly #statements: LRUCache<string, Statement>

  constructor(max: number) {
    this.#statements = new LRUCache({ max })
  }

  /** @param cacheKey identifies the statement within this cache */
  get<Row>(cacheKey: string, compile: () => Statement<Row>): Statement<Row> {
    const cached = this.#statements.get(cacheKey)
    if (cached) return cached as Statement<Row>
    const statement = compile()
    this.#statements.set(cacheKey, statement)
    return statement
  }
}

/** A condition as SQL. Conditions with the same `cacheKey` have the same text. */
export interface WhereSql {
  readonly cacheKey: string
  readonly values: StatementValues
  /** Builds the text, if no statement of this `cacheKey` is cached. */
  build(): RawBuilder<SqlBool>
}

/** Inserts a row; a parameter for each column. */
export function insertRow(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(columns.map((name) => sql.ref(name)))
  return sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${sql.join(columns.map((name) => param(name)))})`
}

/** The end of a statement that inserts rows: the columns of a row with the same key are updated. */
export function onConflictUpdate(key: readonly string[], columns: readonly string[]): RawBuilder<unknown> {
  const changed = columns.filter((name) => !key.includes(name))
  const changes = changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)
  return sql`ON CONFLICT (${sql.join(key.map((name) => sql.ref(name)))}) DO UPDATE SET ${sql.join(changes)}`
}

export function prepareInsert(table: keyof SystemTables): Statement {
  return prepareSql(insertRow(table, Object.keys(SYSTEM_TABLES[table].columns)))
}

/** Prepares to insert a row, or to replace the one with the same key. */
export function preparePut(table: keyof SystemTables): Statement {
  const { columns, key } = SYSTEM_TABLES[table]
  const names = Object.keys(columns)
  return prepareSql(sql`${insertRow(table, names)} ${onConflictUpdate(key, names)}`)
}
