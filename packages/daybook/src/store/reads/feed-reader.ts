import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { StoreReadContext } from '../connection.ts'
import type { EntryRow } from '../rows.ts'
import { param, prepare, prepareSql, type StatementValues } from '../statement.ts'
import type { EntryTable } from '../tables/tables.ts'
import { isSelfContained, toWhereSql } from '../where-sql.ts'
import type { EntryReadOptions } from './entry-reader.ts'
import { type EntrySelect, selectFromTable, servedColumns } from './page.ts'

/** An entry with the columns for an item of the changes feed. */
export type FeedRow = EntryRow & Pick<EntryTable, 'pk' | 'slug'>

export class FeedReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Reads the next entries that match a filter, in the order of their `pk`. */
  after(collection: CollectionModel, pk: number, limit: number, seen: EntryReadOptions): Promise<readonly FeedRow[]> {
    return this.#rows(collection, seen, 'after', { pk, limit }, nextAfter)
  }

  /** Reads those of these entries that match a filter, in no order. */
  byIds(collection: CollectionModel, ids: readonly string[], seen: EntryReadOptions): Promise<readonly FeedRow[]> {
    const { dialect } = this.#source
    const among = dialect.isAmong(sql.ref('id'), param('ids'))
    const name = ids.length > FEW ? 'among' : 'few'
    return this.#rows(collection, seen, name, { ids: JSON.stringify(ids) }, (query) => query.where(among))
  }

  /**
   * Reads the authors of documents: `created_by` of existing ones, and the actor of the first change of deleted ones. A deleted document
   * whose first change the journal no longer has is left out.
   */
  async authors({ key }: CollectionModel, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const { dialect, connection, statements } = this.#source
    const statement = statements.get(`feed authors ${key}`, () =>
      prepareSql(sql<AuthorRow>`SELECT first.id, first.action, first.actor, present.id AS present, present.created_by
        FROM (SELECT min(seq) AS seq FROM daybook$journal WHERE collection = ${param('key')}
          AND ${dialect.isAmong(sql.ref('id'), param('ids'))} GROUP BY id) AS firsts
        JOIN daybook$journal AS first ON first.seq = firsts.seq
        LEFT JOIN ${sql.table(key)} AS present ON present.id = first.id`),
    )
    const rows: readonly AuthorRow[] = await connection.all(statement, { key, ids: JSON.stringify(ids) })
    const complete = rows.filter(({ present, action }) => present !== null || action === 'create')
    return new Map(complete.map((row) => [row.id, row.present === null ? row.actor : row.created_by]))
  }

  #rows(
    collection: CollectionModel,
    { where, hasAuthors = false }: EntryReadOptions,
    name: string,
    values: StatementValues,
    narrow: (query: EntrySelect<FeedRow>) => EntrySelect<FeedRow>,
  ): Promise<readonly FeedRow[]> {
    const { key } = collection
    const condition = where && toWhereSql(this.#source.dialect, where, { key, table: key })
    const cacheKey = `feed ${name} ${key} ${hasAuthors} ${condition?.cacheKey}`
    const statement = this.#source.statements.get(cacheKey, () => {
      const query = narrow(
        selectFromTable(key).select(['pk', 'slug', ...servedColumns(hasAuthors)]) as EntrySelect<FeedRow>,
      )
      return prepare(condition ? query.where(condition.build()) : query)
    })
    const isQuick = name === 'few' && (!where || isSelfContained(where))
    const { connection, background } = this.#source
    return (isQuick ? connection : background).all(statement, { ...values, ...condition?.values })
  }
}

/** The maximum number of entries that are read on the connection of short statements. */
const FEW = 64

interface AuthorRow {
  readonly id: string
  readonly action: string
  readonly actor: string
  /** The id; `null` if the document was deleted. */
  readonly present: string | null
  readonly created_by: string | null
}

const nextAfter = (query: EntrySelect<FeedRow>): EntrySelect<FeedRow> =>
  query.where('pk', '>', param<number>('pk')).orderBy('pk').limit(param<number>('limit'))
