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

/** A link to a document that does not exist. */
export interface BrokenLink extends Referrer {
  /** The collection of the target. */
  readonly target: string
  /** The id of the target, or the address of a file. */
  readonly targetId: string
}

/** The entries of a collection that exist for a caller. */
export interface LinkTargets {
  readonly collection: CollectionModel
  readonly where: Condition | undefined
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

  /** Returns links to documents outside of the targets, in the order of the keys of their documents. */
  brokenLinks(
    filter: ReferrerFilter,
    targets: readonly LinkTargets[],
    limit: number,
    offset: number,
  ): Promise<readonly BrokenLink[]> {
    const { name, values, from } = this.#translateBroken(filter, targets)
    const statement = this.#source.statements.get(`broken links${name}`, () =>
      prepareSql(sql<BrokenLink>`SELECT from_collection AS collection, from_id AS id, field, to_collection AS target,
        to_id AS ${sql.ref('targetId')} ${from()} ORDER BY from_collection, from_id, field, position
        LIMIT ${param('limit')} OFFSET ${param('offset')}`),
    )
    return this.#source.background.all(statement, { limit, offset, ...values })
  }

  async countBrokenLinks(filter: ReferrerFilter, targets: readonly LinkTargets[]): Promise<number> {
    const { name, values, from } = this.#translateBroken(filter, targets)
    const statement = this.#source.statements.get(`count broken links${name}`, () =>
      prepareSql(sql<{ total: number }>`SELECT count(*) AS total ${from()}`),
    )
    return (await this.#source.background.get(statement, values))?.total ?? 0
  }

  #translateBroken(filter: ReferrerFilter, targets: readonly LinkTargets[]) {
    const { dialect } = this.#source
    const { name, values, conditions } = this.#translate(filter)
    const translated = targets.map(({ collection, where }, index) => ({
      collection,
      condition: where && toWhereSql(dialect, where, collection, { prefix: `target${index}x` }),
    }))
    const keys = translated.map(({ collection, condition }) => ` ${collection.table} ${condition?.cacheKey ?? ''}`)
    return {
      name: `${name};${keys.join()}`,
      values: {
        except: values.except,
        ...Object.fromEntries(Object.entries(values).filter(([key]) => /^filter\d/.test(key))),
        ...Object.assign({}, ...translated.map(({ condition }) => condition?.values)),
      } as StatementValues,
      from: () => {
        const exists = translated.map(({ collection, condition }) =>
          targetExists(dialect, collection, condition?.build()),
        )
        return sql`FROM daybook$refs WHERE ${sql.raw(IS_LINK_SQL)} AND ${notExcepted(dialect)}${sql.join(
          [sql``, ...conditions()],
          sql` AND `,
        )} AND NOT (${sql.join([sql`1 = 0`, ...exists], sql` OR `)})`
      },
    }
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
/** Matches links whose target is an entry of a collection, by its id, or by the address of a file. */
function targetExists(
  dialect: Dialect,
  collection: CollectionModel,
  condition: RawBuilder<SqlBool> | undefined,
): RawBuilder<SqlBool> {
  const path = collection.holdsFiles ? collection.filterableFields.get('path') : undefined
  const hasAddress = path && dialect.comparedValue(path, { alias: 'entry', isLong: false }).compare('=', FILE_PATH)
  const isTarget = hasAddress ? sql`(entry.id = to_id OR ${hasAddress})` : sql`entry.id = to_id`
  return sql`(to_collection = ${sql.lit(collection.key)} AND EXISTS (
    SELECT 1 FROM ${sql.table(collection.table)} AS entry WHERE ${isTarget}${condition ? sql` AND ${condition}` : sql``}
  ))`
}

/** The path of the file in an address such as `/uploads/images/cat.jpg`. */
const FILE_PATH = sql<string>`substr(to_id, 10)`
const notExcepted = ({ isAmong }: Dialect): RawBuilder<SqlBool> =>
  sql`NOT ${isAmong(
    sql`(from_collection || ' ' || CASE from_collection WHEN 'globals' THEN from_id || ' ' ELSE '' END || field)`,
    param('except'),
  )}`
const fromReferences = (dialect: Dialect, conditions: ReferrerConditions) => sql`FROM daybook$refs
  WHERE to_collection = ${param('collection')} AND to_id IN (${param('id')}, ${param('address')})
  AND (${param('links')} = 1 OR NOT ${sql.raw(IS_LINK_SQL)}) AND ${notExcepted(dialect)}${sql.join([sql``, ...conditions], sql` AND `)}`
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
