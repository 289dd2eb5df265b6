import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { Connection, StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { param, prepareSql, type StatementValues } from '../statement.ts'
import { toWhereSql } from '../where-sql.ts'

/** One document that refers to another, and through which field. */
export interface Referrer {
  /** A collection's key, or `globals`. */
  readonly collection: string
  readonly id: string
  /** Dotted path. */
  readonly field: string
}

/** Selects some of the documents that refer to an entry. */
export interface ReferrerFilter {
  /** Fields that are left out, as `collection field` and `globals key field`. */
  readonly except: readonly string[]
  /** The condition that entries of a collection must match. */
  readonly filters: readonly { readonly collection: CollectionModel; readonly where: Condition }[]
}

const ALL_REFERRERS: ReferrerFilter = { except: [], filters: [] }

/** Reads which documents refer to an entry. */
export class ReferenceReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** The documents that refer to an entry, in the order of their keys. */
  referrers(
    collection: string,
    id: string,
    limit: number,
    offset = 0,
    among: ReferrerFilter = ALL_REFERRERS,
  ): Promise<readonly Referrer[]> {
    const { name, values, connection, conditions } = this.#among(among)
    const statement = this.#source.statements.get(`referrers${name}`, () =>
      prepareSql(referrersOf(this.#source.dialect, conditions())),
    )
    return connection.all(statement, { collection, id, limit, offset, ...values })
  }

  /** Those of these entries that some document refers to. */
  async referredTo(collection: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const statement = this.#source.statements.get('referred to', () => prepareSql(referredToOf(this.#source.dialect)))
    const found = await this.#source.connection.all(statement, { collection, ids: JSON.stringify(ids) })
    return new Set(found.map(({ id }) => id))
  }

  /** How many fields of other documents lead to an entry. */
  async count(collection: string, id: string, among: ReferrerFilter): Promise<number> {
    const { name, values, connection, conditions } = this.#among(among)
    const statement = this.#source.statements.get(`count referrers${name}`, () =>
      prepareSql(countReferrersOf(this.#source.dialect, conditions())),
    )
    return (await connection.get(statement, { collection, id, ...values }))?.total ?? 0
  }

  #among({ except, filters }: ReferrerFilter): Narrowed {
    const translated = filters.map(({ collection, where }, index) => ({
      table: collection.key,
      condition: toWhereSql(this.#source.dialect, where, collection, { prefix: `filter${index}x` }),
    }))
    return {
      name: translated.map(({ table, condition }) => ` ${table} ${condition.cacheKey}`).join(),
      values: {
        except: JSON.stringify(except),
        ...Object.assign({}, ...translated.map(({ condition }) => condition.values)),
      },
      connection: filters.length === 0 ? this.#source.connection : this.#source.background,
      conditions: () => translated.map(({ table, condition }) => reachable(table, condition.build())),
    }
  }
}

type ReferrerConditions = readonly RawBuilder<SqlBool>[]

/** A question about referrers with its filter, translated. */
interface Narrowed {
  /** Tells its statement from others. */
  readonly name: string
  readonly values: StatementValues
  readonly connection: Connection
  conditions(): ReferrerConditions
}

/** Whether what refers is no entry of this collection, or one that holds the condition. */
const reachable = (key: string, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`(from_collection <> ${sql.lit(key)} OR EXISTS (
    SELECT 1 FROM ${sql.table(key)} AS entry WHERE entry.id = from_id AND ${condition}
  ))`
const referring = ({ isAmong }: Dialect, conditions: ReferrerConditions) => sql`FROM daybook$refs
  WHERE to_collection = ${param('collection')} AND to_id = ${param('id')} AND NOT ${isAmong(
    sql`(from_collection || ' ' || CASE from_collection WHEN 'globals' THEN from_id || ' ' ELSE '' END || field)`,
    param('except'),
  )}${sql.join([sql``, ...conditions], sql` AND `)}`
const referrersOf = (dialect: Dialect, conditions: ReferrerConditions) => sql<Referrer>`
  SELECT DISTINCT from_collection AS collection, from_id AS id, field ${referring(dialect, conditions)}
  ORDER BY from_collection, from_id, field LIMIT ${param('limit')} OFFSET ${param('offset')}`
const referredToOf = ({ isAmong }: Dialect) => sql<{ id: string }>`
  SELECT DISTINCT to_id AS id FROM daybook$refs
  WHERE to_collection = ${param('collection')} AND ${isAmong(sql.ref('to_id'), param('ids'))}`
const countReferrersOf = (dialect: Dialect, conditions: ReferrerConditions) => sql<{ total: number }>`
  SELECT count(*) AS total FROM (
    SELECT DISTINCT from_collection, from_id, field ${referring(dialect, conditions)}
  ) AS referring`
