import type { JournalDocument } from '../store/reads/history-reader.ts'
import type { Store } from '../store/store.ts'

/**
 * Erases the content of all former versions of a document, in one transaction. What the document is now stays, and so does its
 * working copy; the journal keeps every record, and gets one of the erasure.
 *
 * @param actor the subject that the journal names
 * @returns how many versions had content
 */
export function eraseHistory(store: Store, document: JournalDocument, actor: string): Promise<number> {
  return store.transaction(async (writer) => {
    const erased = await writer.history.erase(document)
    await writer.journal.append({ ...document, actor, action: 'erase', at: new Date().toISOString() })
    return erased
  })
}
