import { build, param, prepare, prepareSql } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldMember } from '../tables/members.ts'

/** The members of many-valued fields of one entry. */
export interface EntryMembers {
  /** The key of its collection. */
  readonly collection: string
  readonly id: string
  readonly members: readonly FieldMember[]
}

/** Statements that store members: one where the engine takes many rows at once. */
export function choiceSteps(
  connection: Pick<Connection, 'run'>,
  dialect: Dialect,
  { collection, id, members }: EntryMembers,
): readonly (() => Promise<unknown>)[] {
  const [first, ...others] = members
  if (!first) return []
  const rows = members.map(({ field, value }) => ({ from_collection: collection, from_id: id, field, value }))
  const insertAll = others.length > 0 && dialect.insertAll?.('daybook$choices', COLUMNS)
  if (insertAll) return [() => connection.run(prepareSql(insertAll), { rows: JSON.stringify(rows) })]
  return rows.map((row) => () => connection.run(ADD_CHOICE, row))
}

const COLUMNS = ['from_collection', 'from_id', 'field', 'value'] as const

const ADD_CHOICE = prepare(
  build.insertInto('daybook$choices').values({
    from_collection: param<string>('from_collection'),
    from_id: param<string>('from_id'),
    field: param<string>('field'),
    value: param<string>('value'),
  }),
)
