import { build, param, prepare } from './compile.ts'
import type { Connection } from './connection.ts'
import { preparePut } from './tables/row-statements.ts'

/** The note of the locale that documents hold without saying so: the default one when the first of them was written. */
export const DEFAULT_LOCALE_NOTE = 'home locale'

/** The note that a new store was filled. */
export const SEED_NOTE = 'seeded'

/** The note of a copy into this store that has not ended. */
export const COPY_NOTE = 'copy'

/** The note of a restore into this store. */
export const RESTORE_NOTE = 'restore'

/** The note of the key that seals tokens of the changes feed, the same on all nodes. */
export const FEED_KEY_NOTE = 'feed key'

/** The note of the last number that the journal has been pruned up to. */
export const JOURNAL_FLOOR_NOTE = 'journal floor'

/** The note of how far the retention of history has come. */
export const RETENTION_NOTE = 'retention'

/** The note of the fields that hid stored values when the collection's config came to be what it is, as JSON. */
export const hiddenNote = (collection: string): string => `hidden ${collection}`

/** A note that the store keeps about itself. */
export async function readNote(connection: Connection, key: string): Promise<string | undefined> {
  return (await connection.get(READ_NOTE, { key }))?.value
}

/** Sets a note that the store keeps about itself. */
export async function writeNote(connection: Connection, key: string, value: string): Promise<void> {
  await connection.run(WRITE_NOTE, { key, value })
}

const READ_NOTE = prepare(build.selectFrom('daybook$meta').select('value').where('key', '=', param<string>('key')))
const WRITE_NOTE = preparePut('daybook$meta')
