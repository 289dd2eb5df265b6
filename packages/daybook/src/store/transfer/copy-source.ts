import type { Snapshot } from '../database.ts'
import { COPY_NOTE, readNote } from '../notes.ts'
import { isBlankDatabase, LAYOUT, unknownLayout } from '../tables/layout.ts'
import { readRestoreNote } from './restore-note.ts'

/** @param shown the name of a store that was not restored to the end, for people */
export const unfinishedRestore = (shown: string): string =>
  `${shown} holds an unfinished restore. Run the same daybook import again: it goes on where it stopped.`

/**
 * Why a store cannot be copied or compared as it stands, and what to do about it; `undefined`: it can.
 *
 * @param shown its name, for people
 */
export async function whyNotCopied(snapshot: Snapshot, shown: string): Promise<string | undefined> {
  if (await isBlankDatabase(snapshot, snapshot.dialect))
    return `${shown} holds no store of Daybook. Is the address right?`
  if ((await readNote(snapshot, COPY_NOTE)) !== undefined) {
    return `${shown} is an unfinished copy. Finish it first: run the daybook copy that began it again.`
  }
  if ((await readRestoreNote(snapshot))?.isDone === false) return unfinishedRestore(shown)
  const layout = await readNote(snapshot, 'layout')
  return Number(layout) === LAYOUT ? undefined : unknownLayout(shown, layout)
}
