import type { DocumentModel } from '../../model/model.ts'
import { parseWhole } from '../../store/journal.ts'
import type { Canonical } from '../locales/localized.ts'
import { moveDocument, moveTranslations } from '../transfer/move-document.ts'
import { withSystem } from './present.ts'

/**
 * A state that the journal has of a document, as the present config has it: values of renamed fields under their new keys.
 *
 * @param text as {@link parseWhole} takes it
 */
export function formerState(document: DocumentModel, text: string): Canonical {
  const { values: stored, locales, orphaned } = parseWhole(text)
  const { values } = moveDocument(document, { doc: JSON.stringify(stored), orphaned })
  return moveTranslations(document, withSystem(document, stored, values), locales)
}
