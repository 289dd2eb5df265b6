import { type RawBuilder, sql } from 'kysely'
import { RANK } from '../../fields/rank.ts'
import type { CollectionModel, FilterableField } from '../../model/model.ts'
import type { StoreReadContext } from '../connection.ts'
import { param, prepareSql } from '../statement.ts'

/** An entry at its position in the order by hand. */
export interface RankedEntry {
  readonly id: string
  readonly rank: string
}

/** A text that sorts after every rank. */
const AFTER_ALL = '~'

interface RanksQuery {
  /** The rank from which the ranks are read. @default the end of the order in that direction */
  readonly from?: string | undefined
  /** True to include the entries with the rank itself. @default false */
  readonly isIncluded?: boolean
  readonly limit: number
  /** The id of an entry to leave out. @default none */
  readonly except?: string | undefined
}

/** Reads the order by hand of a collection, and the tree of its entries. */
export class OrderReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Returns the next entries after a rank, in the order by hand. */
  after(collection: CollectionModel, query: RanksQuery): Promise<readonly RankedEntry[]> {
    return this.#ranks(collection, 'after', query)
  }

  /** Returns the previous entries before a rank, the nearest first. */
  before(collection: CollectionModel, query: RanksQuery): Promise<readonly RankedEntry[]> {
    return this.#ranks(collection, 'before', query)
  }

  #ranks(
    collection: CollectionModel,
    direction: 'after' | 'before',
    { from, isIncluded = false, limit, except = '' }: RanksQuery,
  ): Promise<readonly RankedEntry[]> {
    const { key } = collection
    const { dialect, connection, statements } = this.#source
    const statement = statements.get(`ranks ${key} ${direction} ${isIncluded}`, () => {
      const by = getFilterable(collection, RANK)
      const rank = dialect.indexedValue(by, 'entry')
      const symbol = sql.raw(`${direction === 'after' ? '>' : '<'}${isIncluded ? '=' : ''}`)
      const order = sql.raw(direction === 'after' ? 'ASC' : 'DESC')
      return prepareSql(sql<RankedEntry>`SELECT entry.id AS id, ${rank} AS rank FROM ${sql.table(key)} AS entry
        WHERE ${rank} ${symbol} ${dialect.indexedParameter(by, 'from')} AND entry.id <> ${param('except')}
        ORDER BY ${rank} ${order}, entry.id ${order} LIMIT ${param('limit')}`)
    })
    return connection.all(statement, { from: from ?? (direction === 'after' ? '' : AFTER_ALL), limit, except })
  }

  /** Returns the ids of an entry and of its ancestors, from the entry up to a root, at most `limit`. */
  async ancestors(collection: CollectionModel, id: string, limit: number): Promise<readonly string[]> {
    const { key, parent = '' } = collection
    const { dialect, connection, statements } = this.#source
    const statement = statements.get(`ancestors ${key}`, () => {
      const parentId = dialect.indexedValue(getFilterable(collection, parent), 'entry')
      return prepareSql(sql<{ id: string }>`WITH RECURSIVE ancestors (id, parent, level) AS (
          ${selectNode(key, parentId, sql`1`)} WHERE entry.id = ${param('id')}
          UNION ALL
          ${selectNode(key, parentId, sql`ancestors.level + 1`)}
          JOIN ancestors ON entry.id = ancestors.parent WHERE ancestors.level < ${param('limit')}
        ) SELECT id FROM ancestors ORDER BY level`)
    })
    return (await connection.all(statement, { id, limit })).map((row) => row.id)
  }

  /** Returns the number of levels below an entry, at most `limit`. */
  async height(collection: CollectionModel, id: string, limit: number): Promise<number> {
    const { key, parent = '' } = collection
    const { dialect, connection, statements } = this.#source
    const statement = statements.get(`height ${key}`, () => {
      const parentId = dialect.indexedValue(getFilterable(collection, parent), 'entry')
      return prepareSql(sql<{ height: number | null }>`WITH RECURSIVE descendants (id, level) AS (
          SELECT entry.id, 1 FROM ${sql.table(key)} AS entry WHERE ${parentId} = ${param('id')}
          UNION ALL
          SELECT entry.id, descendants.level + 1 FROM descendants
          JOIN ${sql.table(key)} AS entry ON ${parentId} = descendants.id WHERE descendants.level < ${param('limit')}
        ) SELECT max(level) AS height FROM descendants`)
    })
    return Number((await connection.get(statement, { id, limit }))?.height ?? 0)
  }
}

const selectNode = (key: string, parentId: RawBuilder<unknown>, level: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`SELECT entry.id, ${parentId}, ${level} FROM ${sql.table(key)} AS entry`

/** @throws {Error} if the field cannot be filtered by */
function getFilterable({ key, filterableFields }: CollectionModel, path: string): FilterableField {
  const by = filterableFields.get(path)
  if (!by) throw new Error(`${key}.${path} has no index`)
  return by
}
