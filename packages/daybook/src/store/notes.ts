import { sql } from 'kysely'
import { StartupError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { build, param, prepare, preparePut, prepareSql } from './statement.ts'

/** The note of the locale that document columns hold: the default locale when the first document was written. */
export const DEFAULT_LOCALE_NOTE = 'home locale'

/** The note that the seed has run. */
export const SEED_NOTE = 'seeded'

/** The note of an unfinished copy into this store. */
export const COPY_NOTE = 'copy'

export const RESTORE_NOTE = 'restore'

/** The note of the key that seals tokens of the changes feed, the same on all nodes. */
export const FEED_KEY_NOTE = 'feed key'

/** The note of the number up to which the journal has been pruned. */
export const JOURNAL_FLOOR_NOTE = 'journal floor'

export const RETENTION_NOTE = 'retention'

/** Returns the key of the note of the fields that hid stored values when the collection's config last changed, as JSON. */
export const hiddenFieldsNote = (collection: string): string => `hidden ${collection}`

export async function readNote(connection: Connection, key: string): Promise<string | undefined> {
  return (await connection.get(READ_NOTE, { key }))?.value
}

export async function writeNote(connection: Connection, key: string, value: string): Promise<void> {
  await connection.run(WRITE_NOTE, { key, value })
}

const READ_NOTE = prepare(build.selectFrom('daybook$meta').select('value').where('key', '=', param<string>('key')))
const WRITE_NOTE = preparePut('daybook$meta')

/** The progress of a restore, updated in the transactions that store the content. */
export interface RestoreNote {
  /** SHA-256 of the file, in base64url. */
  readonly digest: string
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

/** Reads the note of the last restore into this store; `undefined` if there was none. */
export async function readRestoreNote(connection: Connection): Promise<RestoreNote | undefined> {
  const text = await readNote(connection, RESTORE_NOTE)
  return text === undefined ? undefined : (JSON.parse(text) as RestoreNote)
}

/**
 * Updates the note of a restore.
 *
 * @param before the stored note; `undefined` if there is none yet
 */
export async function advanceRestoreNote(
  connection: Connection,
  before: RestoreNote | undefined,
  next: RestoreNote,
): Promise<void> {
  const values = { before: JSON.stringify(before), next: JSON.stringify(next) }
  const moved = await connection.run(before ? MOVE_RESTORE_NOTE : ADD_NOTE, values)
  if (moved !== 1) throw new StartupError('Another daybook import restores into the same store. Let it end.')
}
