import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { Connection, StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { param, prepareSql, type StatementValues } from '../statement.ts'
import { IS_LINK_SQL } from '../tables/tables.ts'
import { toWhereSql } from '../where-sql.ts'

/** A document that refers to another one, and the field that does. */
export interface Referrer {
  /** A collection's key, or `globals`. */
  readonly collection: string
  readonly id: string
  /** The dotted path of the field. */
  readonly field: string
}

export interface ReferrerFilter {
  /** Fields to leave out, as `collection field` and `globals key field`. */
  readonly except: readonly string[]
  /** Filters that the entries of these collections must match. */
  readonly filters: readonly { readonly collection: CollectionModel; readonly where: Condition }[]
  /** True to include links in HTML, whose fields `toLinkField` marks. @default false */
  readonly hasLinks?: boolean
  /** The address of the file, by which links name it besides its id. @default none */
  readonly address?: string | undefined
}

const ALL_REFERRERS: ReferrerFilter = { except: [], filters: [] }

export class ReferenceReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Returns the documents that refer to an entry, in the order of their keys. */
  referrers(
    collection: string,
    id: string,
    limit: number,
    offset = 0,
    filter: ReferrerFilter = ALL_REFERRERS,
  ): Promise<readonly Referrer[]> {
    const { name, values, connection, conditions } = this.#translate(filter)
    const statement = this.#source.statements.get(`referrers${name}`, () =>
      prepareSql(referrersStatement(this.#source.dialect, conditions())),
    )
    return connection.all(statement, { collection, id, limit, offset, ...values })
  }

  /** Returns those of these entries that some document refers to. */
  async referredTo(collection: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const statement = this.#source.statements.get('referred to', () =>
      prepareSql(referredToStatement(this.#source.dialect)),
    )
    const rows = await this.#source.connection.all(statement, { collection, ids: JSON.stringify(ids) })
    return new Set(rows.map(({ id }) => id))
  }

  /** Counts the fields of other documents that refer to an entry. */
  async count(collection: string, id: string, filter: ReferrerFilter): Promise<number> {
    const { name, values, connection, conditions } = this.#translate(filter)
    const statement = this.#source.statements.get(`count referrers${name}`, () =>
      prepareSql(countReferrersStatement(this.#source.dialect, conditions())),
    )
    return (await connection.get(statement, { collection, id, ...values }))?.total ?? 0
  }

  #translate({ except, filters, hasLinks = false, address = '' }: ReferrerFilter): TranslatedFilter {
    const translated = filters.map(({ collection, where }, index) => ({
      table: collection.key,
      condition: toWhereSql(this.#source.dialect, where, collection, { prefix: `filter${index}x` }),
    }))
    return {
      name: translated.map(({ table, condition }) => ` ${table} ${condition.cacheKey}`).join(),
      values: {
        except: JSON.stringify(except),
        address,
        links: hasLinks ? 1 : 0,
        ...Object.assign({}, ...translated.map(({ condition }) => condition.values)),
      },
      connection: filters.length === 0 ? this.#source.connection : this.#source.background,
      conditions: () => translated.map(({ table, condition }) => filterReferrers(table, condition.build())),
    }
  }
}

type ReferrerConditions = readonly RawBuilder<SqlBool>[]

interface TranslatedFilter {
  /** Distinguishes its statement from others. */
  readonly name: string
  readonly values: StatementValues
  readonly connection: Connection
  conditions(): ReferrerConditions
}

/** Matches referrers of other collections, and those of this one that match the filter. */
const filterReferrers = (key: string, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`(from_collection <> ${sql.lit(key)} OR EXISTS (
    SELECT 1 FROM ${sql.table(key)} AS entry WHERE entry.id = from_id AND ${condition}
  ))`
const fromReferences = ({ isAmong }: Dialect, conditions: ReferrerConditions) => sql`FROM daybook$refs
  WHERE to_collection = ${param('collection')} AND to_id IN (${param('id')}, ${param('address')})
  AND (${param('links')} = 1 OR NOT ${sql.raw(IS_LINK_SQL)}) AND NOT ${isAmong(
    sql`(from_collection || ' ' || CASE from_collection WHEN 'globals' THEN from_id || ' ' ELSE '' END || field)`,
    param('except'),
  )}${sql.join([sql``, ...conditions], sql` AND `)}`
const referrersStatement = (dialect: Dialect, conditions: ReferrerConditions) => sql<Referrer>`
  SELECT DISTINCT from_collection AS collection, from_id AS id, field ${fromReferences(dialect, conditions)}
  ORDER BY from_collection, from_id, field LIMIT ${param('limit')} OFFSET ${param('offset')}`
const referredToStatement = ({ isAmong }: Dialect) => sql<{ id: string }>`
  SELECT DISTINCT to_id AS id FROM daybook$refs
  WHERE to_collection = ${param('collection')} AND ${isAmong(sql.ref('to_id'), param('ids'))}
  AND NOT ${sql.raw(IS_LINK_SQL)}`
const countReferrersStatement = (dialect: Dialect, conditions: ReferrerConditions) => sql<{ total: number }>`
  SELECT count(*) AS total FROM (
    SELECT DISTINCT from_collection, from_id, field ${fromReferences(dialect, conditions)}
  ) AS referring`
