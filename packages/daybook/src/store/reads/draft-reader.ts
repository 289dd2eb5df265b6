import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { param, prepareSql, type WhereSql } from '../statement.ts'
import { toWhereSql } from '../where-sql.ts'

export interface DraftSummary {
  readonly id: string
  /** The revision of the draft. */
  readonly seq: number
  /** The time of the last save; ISO 8601. */
  readonly at: string
  /** The subject of the author; `null` if unknown. */
  readonly actor: string | null
}

export interface DraftListQuery {
  /** The filter on the entries. */
  readonly where: Condition | undefined
  /** Only drafts last saved by this subject. */
  readonly actor: string | undefined
  /** Only drafts with a revision below this. */
  readonly before: number
  readonly limit: number
}

export class DraftReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Returns drafts of a collection, the last saved first. */
  async list(
    collection: CollectionModel,
    { where: filter, actor, ...query }: DraftListQuery,
  ): Promise<readonly DraftSummary[]> {
    const { dialect, statements, background } = this.#source
    const { key } = collection
    const where = filter && toWhereSql(dialect, filter, { key, table: key })
    const hasActor = actor !== undefined
    const statement = statements.get(`drafts ${key} ${hasActor} ${where?.cacheKey}`, () =>
      prepareSql(draftStatement(dialect, collection, hasActor, where)),
    )
    return background.all(statement, { ...query, ...where?.values, ...(hasActor ? { actor } : {}) })
  }
}

function draftStatement({ schema }: Dialect, { key }: CollectionModel, hasActor: boolean, where: WhereSql | undefined) {
  const [seq, at, by] = (['seq', 'at', 'by'] as const).map((key) => sql.raw(schema.draftValue(key)))
  const conditions = [
    sql`draft IS NOT NULL`,
    sql`${seq} < ${param('before')}`,
    ...(hasActor ? [sql`${by} = ${param('actor')}`] : []),
    ...(where ? [where.build()] : []),
  ]
  return sql<DraftSummary>`SELECT id, ${seq} AS seq, ${at} AS at, ${by} AS actor FROM ${sql.table(key)} AS entry
    WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${seq} DESC LIMIT ${param('limit')}`
}
