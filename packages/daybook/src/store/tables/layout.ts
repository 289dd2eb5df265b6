import { StartupError } from '../../errors.ts'
import { bare } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { COPY_NOTE, readNote } from '../notes.ts'

/** The number of the layout of the tables. A database with another one was made by another version of Daybook. */
export const LAYOUT = 1

/** True if the database has none of Daybook's tables yet. */
export async function isBlankDatabase(connection: Connection, { schema }: Dialect): Promise<boolean> {
  return (await connection.get(bare(schema.marker))) === undefined
}

/**
 * True if the database has tables that a service may use.
 *
 * @throws {StartupError} if their layout is unknown, or a copy into them was begun and has not ended
 */
export async function hasTables(connection: Connection, dialect: Dialect): Promise<boolean> {
  if (await isBlankDatabase(connection, dialect)) return false
  const layout = await readNote(connection, 'layout')
  // The end of a copy makes the first note, in the transaction that removes the note of the copy.
  if (layout === undefined && (await readNote(connection, COPY_NOTE)) === undefined) return false
  if (layout === undefined) {
    throw new StartupError(
      'This database holds an unfinished copy of another one. Run the same daybook copy again: it goes on where it stopped.',
    )
  }
  if (Number(layout) !== LAYOUT) throw new StartupError(unknownLayout('This database', layout))
  return true
}

/** @param what the database that cannot be used */
export const unknownLayout = (what: string, layout: string | undefined): string =>
  `${what} was made by another version of Daybook (layout ${layout}, and this one knows ${LAYOUT}). Update Daybook, or use that version.`
