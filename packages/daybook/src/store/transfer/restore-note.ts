import { sql } from 'kysely'
import { StartupError } from '../../errors.ts'
import { param, prepareSql } from '../compile.ts'
import type { Connection } from '../connection.ts'
import { RESTORE_NOTE, readNote } from '../notes.ts'

/** How far a restore has come. It lies in the store and is changed together with what it tells of. */
export interface RestoreNote {
  /** SHA-256 of the file, in base64url. */
  readonly digest: string
  /** How many lines have arrived, the first one of the file included. */
  readonly lines: number
  /** The last number of the journal that the restore has written. */
  readonly seq: number
  readonly isDone: boolean
}

const ADD_NOTE = prepareSql(
  sql`INSERT INTO daybook$meta (key, value) VALUES (${RESTORE_NOTE}, ${param('next')}) ON CONFLICT DO NOTHING`,
)
const MOVE_RESTORE_NOTE = prepareSql(
  sql`UPDATE daybook$meta SET value = ${param('next')} WHERE key = ${RESTORE_NOTE} AND value = ${param('before')}`,
)

/** The note about a restore into this store; `undefined`: there was none. */
export async function readRestoreNote(connection: Connection): Promise<RestoreNote | undefined> {
  const text = await readNote(connection, RESTORE_NOTE)
  return text === undefined ? undefined : (JSON.parse(text) as RestoreNote)
}

/**
 * Changes the note, unless another process did.
 *
 * @param before `undefined`: there is none yet
 */
export async function moveRestoreNote(
  connection: Connection,
  before: RestoreNote | undefined,
  next: RestoreNote,
): Promise<void> {
  const values = { before: JSON.stringify(before), next: JSON.stringify(next) }
  const moved = await connection.run(before ? MOVE_RESTORE_NOTE : ADD_NOTE, values)
  if (moved !== 1) throw new StartupError('Another daybook import restores into the same store. Let it end.')
}
