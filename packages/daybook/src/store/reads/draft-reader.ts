import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { param, prepareSql, type WhereSql } from '../statement.ts'
import { toWhereSql } from '../where-sql.ts'

/** A working copy, as far as it is looked for. */
export interface DraftSummary {
  /** Of its entry. */
  readonly id: string
  /** The change that saved it. */
  readonly seq: number
  /** When it was saved; ISO 8601. */
  readonly at: string
  /** The subject of who saved it; `null`: nobody is known. */
  readonly actor: string | null
}

/** Which working copies of a collection are listed. */
export interface DraftListQuery {
  /** What their entries must hold. */
  readonly where: Condition | undefined
  /** Only those that this subject saved last. */
  readonly actor: string | undefined
  /** Only those that were saved before this change. */
  readonly before: number
  readonly limit: number
}

/** Reads which entries have working copies. */
export class DraftReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Working copies of a collection, those that were saved last first. */
  async list(
    collection: CollectionModel,
    { where: asked, actor, ...query }: DraftListQuery,
  ): Promise<readonly DraftSummary[]> {
    const { dialect, statements, background } = this.#source
    const { key } = collection
    const where = asked && toWhereSql(dialect, asked, { key, table: key })
    const isOfOne = actor !== undefined
    const statement = statements.get(`drafts ${key} ${isOfOne} ${where?.cacheKey}`, () =>
      prepareSql(draftStatement(dialect, collection, isOfOne, where)),
    )
    return background.all(statement, { ...query, ...where?.values, ...(isOfOne ? { actor } : {}) })
  }
}

function draftStatement({ schema }: Dialect, { key }: CollectionModel, isOfOne: boolean, where: WhereSql | undefined) {
  const [seq, at, by] = (['seq', 'at', 'by'] as const).map((key) => sql.raw(schema.draftValue(key)))
  const conditions = [
    sql`draft IS NOT NULL`,
    sql`${seq} < ${param('before')}`,
    ...(isOfOne ? [sql`${by} = ${param('actor')}`] : []),
    ...(where ? [where.build()] : []),
  ]
  return sql<DraftSummary>`SELECT id, ${seq} AS seq, ${at} AS at, ${by} AS actor FROM ${sql.table(key)} AS entry
    WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${seq} DESC LIMIT ${param('limit')}`
}
