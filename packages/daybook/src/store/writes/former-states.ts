import { wholeOf } from '../journal.ts'
import type { StoredEntry, WrittenEntry } from '../reads/rows.ts'
import { workingCopyOf } from '../working-copy.ts'

/** A state that goes into the journal, under the number of the change that made it. */
export interface FormerState {
  readonly seq: number
  readonly doc: string
}

/** What a change of an entry takes from its table: the document, and the working copy unless it stays. */
export function formerStates(
  before: StoredEntry,
  after: Pick<WrittenEntry, 'draft'> | undefined,
): readonly FormerState[] {
  const copy = before.draft === after?.draft ? undefined : workingCopyOf(before)
  return [before, ...(copy ? [copy] : [])].map((one) => ({ seq: one.seq, doc: wholeOf(one) }))
}
