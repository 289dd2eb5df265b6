import { parseWhole } from '../store/journal.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import type { Store } from '../store/store.ts'

/** A document as the journal has it, in the default locale. */
export type DocumentValues = Readonly<Record<string, unknown>>

/** The states of a document around one change; each is read when it is asked for. */
export interface RecordStates {
  /** `undefined`: there was no document, or that state was erased. */
  before(): Promise<DocumentValues | undefined>
  /** `undefined`: the change deleted the document, or its state was erased. */
  after(): Promise<DocumentValues | undefined>
}

/** The states of a record's document. */
export function statesOf({ journal }: Pick<Store, 'journal'>, { collection, id, seq }: JournalRow): RecordStates {
  const at = async (position: number): Promise<DocumentValues | undefined> => {
    const state = await journal.stateAt(collection, id, position)
    if (state?.doc === undefined) return undefined
    return parseWhole(state.doc).values
  }
  return { before: () => at(seq - 1), after: () => at(seq) }
}
