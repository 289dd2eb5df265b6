import { type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import { param, prepare, prepareSql, type StatementValues } from '../compile.ts'
import type { EntryTable } from '../tables/tables.ts'
import { isOwn } from '../where.ts'
import { toWhereSql } from '../where-forms.ts'
import type { SeenEntries } from './entry-reader.ts'
import { type EntrySelect, entryTable, shownColumns } from './page.ts'
import type { ReadSource } from './read-source.ts'
import type { EntryRow } from './rows.ts'

/** An entry as the changes feed tells it. */
export type FeedRow = EntryRow & Pick<EntryTable, 'pk' | 'slug'>

/** An entry by its id, and its place in the order of arrival. */
export type FeedPlace = Pick<EntryTable, 'pk' | 'id'>

/** Reads sets of entries for readers of the journal. */
export class FeedReader {
  readonly #source: ReadSource

  constructor(source: ReadSource) {
    this.#source = source
  }

  /** The next entries that hold a condition, in order of arrival. */
  after(collection: CollectionModel, pk: number, limit: number, seen: SeenEntries): Promise<readonly FeedRow[]> {
    return this.#rows(collection, seen, 'after', { pk, limit }, nextAfter)
  }

  /** Those of these entries that hold a condition, in no order. */
  byIds(collection: CollectionModel, ids: readonly string[], seen: SeenEntries): Promise<readonly FeedRow[]> {
    const { dialect } = this.#source
    const among = dialect.isAmong(sql.ref('id'), param('ids'))
    const name = ids.length > FEW ? 'among' : 'few'
    return this.#rows(collection, seen, name, { ids: JSON.stringify(ids) }, (query) => query.where(among))
  }

  /** The next entries that hold a condition, in order of arrival, and nothing else of them. */
  placesAfter(
    { key }: CollectionModel,
    pk: number,
    limit: number,
    where: Condition | undefined,
  ): Promise<readonly FeedPlace[]> {
    const condition = where && toWhereSql(this.#source.dialect, where, { key, table: key })
    const statement = this.#source.statements.get(`feed places ${key} ${condition?.cacheKey}`, () => {
      const next = nextAfter(entryTable(key).select(['pk', 'id']))
      return prepare(condition ? next.where(condition.build()) : next)
    })
    return this.#source.background.all(statement, { pk, limit, ...condition?.values })
  }

  /** The next entries of a collection that refer to any of these documents, in order of arrival. */
  referrersAfter(
    { key }: CollectionModel,
    targets: readonly string[],
    pk: number,
    limit: number,
  ): Promise<readonly FeedPlace[]> {
    const { dialect } = this.#source
    const statement = this.#source.statements.get(`feed referrers ${key}`, () => {
      const referring = sql<SqlBool>`entry.id IN (SELECT m.from_id FROM daybook$refs AS m
        WHERE m.from_collection = ${sql.lit(key)} AND ${dialect.isAmong(sql.ref('m.to_id'), param('targets'))})`
      return prepare(nextAfter(entryTable(key).select(['pk', 'id'])).where(referring))
    })
    return this.#source.background.all(statement, { pk, limit, targets: JSON.stringify(targets) })
  }

  /**
   * Who made these documents: what their rows say, and the actor of the first change where they are gone. One is left out
   * whose first change the journal no longer has.
   */
  async makers({ key }: CollectionModel, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const { dialect, connection, statements } = this.#source
    const statement = statements.get(`feed makers ${key}`, () =>
      prepareSql(sql<MakerRow>`SELECT first.id, first.action, first.actor, present.id AS present, present.created_by
        FROM (SELECT min(seq) AS seq FROM daybook$journal WHERE collection = ${param('key')}
          AND ${dialect.isAmong(sql.ref('id'), param('ids'))} GROUP BY id) AS made
        JOIN daybook$journal AS first ON first.seq = made.seq
        LEFT JOIN ${sql.table(key)} AS present ON present.id = first.id`),
    )
    const rows: readonly MakerRow[] = await connection.all(statement, { key, ids: JSON.stringify(ids) })
    const known = rows.filter(({ present, action }) => present !== null || action === 'create')
    return new Map(known.map((row) => [row.id, row.present === null ? row.actor : row.created_by]))
  }

  #rows(
    collection: CollectionModel,
    { where, hasPeople = false }: SeenEntries,
    name: string,
    values: StatementValues,
    narrow: (query: EntrySelect<FeedRow>) => EntrySelect<FeedRow>,
  ): Promise<readonly FeedRow[]> {
    const { key } = collection
    const condition = where && toWhereSql(this.#source.dialect, where, { key, table: key })
    const cacheKey = `feed ${name} ${key} ${hasPeople} ${condition?.cacheKey}`
    const statement = this.#source.statements.get(cacheKey, () => {
      const query = narrow(entryTable(key).select(['pk', 'slug', ...shownColumns(hasPeople)]) as EntrySelect<FeedRow>)
      return prepare(condition ? query.where(condition.build()) : query)
    })
    const isQuick = name === 'few' && (!where || isOwn(where))
    const { connection, background } = this.#source
    return (isQuick ? connection : background).all(statement, { ...values, ...condition?.values })
  }
}

/** So many entries are read at once: the way to another connection and back would cost more. */
const FEW = 64

interface MakerRow {
  readonly id: string
  readonly action: string
  readonly actor: string
  /** Absent where the row is gone. */
  readonly present: string | null
  readonly created_by: string | null
}

const nextAfter = <Row>(query: EntrySelect<Row>): EntrySelect<Row> =>
  query.where('pk', '>', param<number>('pk')).orderBy('pk').limit(param<number>('limit'))
