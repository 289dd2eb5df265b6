import { StartupError } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import type { Snapshot } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { COPY_NOTE, readNote, readRestoreNote } from '../notes.ts'
import { rawStatement } from '../statement.ts'

/** The number of the layout of the tables. A database with another one was made by another version of Daybook. */
export const LAYOUT = 1

/** True if the database has none of Daybook's tables yet. */
export async function isBlankDatabase(connection: Connection, { schema }: Dialect): Promise<boolean> {
  return (await connection.get(rawStatement(schema.tablesExistQuery))) === undefined
}

/**
 * True if the database has tables that a service may use.
 *
 * @throws {StartupError} if their layout is unknown, or a copy into them is unfinished
 */
export async function hasTables(connection: Connection, dialect: Dialect): Promise<boolean> {
  if (await isBlankDatabase(connection, dialect)) return false
  const layout = await readNote(connection, 'layout')
  // The end of a copy writes the first note, in the transaction that deletes the note of the copy.
  if (layout === undefined && (await readNote(connection, COPY_NOTE)) === undefined) return false
  if (layout === undefined) {
    throw new StartupError(
      'This database holds an unfinished copy of another one. Run the same daybook copy again: it goes on where it stopped.',
    )
  }
  if (Number(layout) !== LAYOUT) throw new StartupError(unknownLayoutMessage('This database', layout))
  return true
}

/** @param what the name of the database, for the message */
const unknownLayoutMessage = (what: string, layout: string | undefined): string =>
  `${what} was made by another version of Daybook (layout ${layout}, and this one knows ${LAYOUT}). Update Daybook, or use that version.`

/** @param shown the name of the store, for the message */
export const unfinishedRestoreMessage = (shown: string): string =>
  `${shown} holds an unfinished restore. Run the same daybook import again: it goes on where it stopped.`

/**
 * Returns the reason why a store cannot be copied or compared, with advice; `undefined` if it can.
 *
 * @param shown the name of the store, for the message
 */
export async function findCopyObstacle(snapshot: Snapshot, shown: string): Promise<string | undefined> {
  if (await isBlankDatabase(snapshot, snapshot.dialect))
    return `${shown} does not contain a Daybook store. Check the address.`
  if ((await readNote(snapshot, COPY_NOTE)) !== undefined) {
    return `${shown} is an unfinished copy. Finish it first: run the daybook copy that began it again.`
  }
  if ((await readRestoreNote(snapshot))?.isDone === false) return unfinishedRestoreMessage(shown)
  const layout = await readNote(snapshot, 'layout')
  return Number(layout) === LAYOUT ? undefined : unknownLayoutMessage(shown, layout)
}
