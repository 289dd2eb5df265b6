import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { StartupError } from '../../errors.ts'
import { param, prepareSql } from '../compile.ts'
import type { Connection } from '../connection.ts'
import { COPY_NOTE } from '../notes.ts'
import { HEAD, type JournalRecord } from '../writes/commit-batch.ts'
import type { RawRow } from './copy-tables.ts'

/** The origin of a copy, and its time: the last number of its journal, and a digest that tells that record from others. */
export interface Origin {
  readonly head: number
  readonly digest: string
}

/** How far the copy of a table has come. */
export interface TableNote {
  readonly rows: number
  /** The key of the last row. */
  readonly after?: RawRow | undefined
  readonly isDone: boolean
}

/** How far a copy has come. It lies in the target and is changed together with what it tells of. */
export interface CopyNote {
  readonly origin: Origin
  /** By the names of tables; those that are missing have not begun. */
  readonly tables: Readonly<Record<string, TableNote>>
}

const COPIED_RECORD = prepareSql(
  sql<JournalRecord>`SELECT seq, id, at, actor, action, collection FROM daybook$journal WHERE seq = ${param('seq')}`,
)
const CHANGED = prepareSql(
  sql<{ key: string }>`SELECT DISTINCT collection AS key FROM daybook$journal WHERE seq > ${param('seq')}`,
)
const MOVE_COPY_NOTE = prepareSql(
  sql`UPDATE daybook$meta SET value = ${param('next')} WHERE key = ${COPY_NOTE} AND value = ${param('before')}`,
)

/** The origin of a copy of this store, as it was at a number of its journal. */
export async function copyOrigin(source: Connection, collections: readonly string[], head?: number): Promise<Origin> {
  const seq = head ?? (await source.get(HEAD))?.seq ?? 0
  const record = await source.get(COPIED_RECORD, { seq })
  const digest = createHash('sha256')
    .update(JSON.stringify([record ?? null, collections]))
    .digest('base64url')
  return { head: seq, digest }
}

/** The collections, and `globals`, that have changed since a number of the journal. */
export async function changedSince(source: Connection, seq: number): Promise<ReadonlySet<string>> {
  return new Set((await source.all(CHANGED, { seq })).map(({ key }) => key))
}

/** Changes the note, unless another process did. */
export async function moveNote(target: Connection, before: CopyNote, next: CopyNote): Promise<void> {
  const values = { before: JSON.stringify(before), next: JSON.stringify(next) }
  if ((await target.run(MOVE_COPY_NOTE, values)) === 1) return
  throw new StartupError('Another daybook copy writes into the same target. Let it end.')
}
