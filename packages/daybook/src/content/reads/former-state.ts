import type { DocumentModel } from '../../model/model.ts'
import type { Canonical } from '../locales/localized.ts'
import { moveDocument, moveTranslations } from '../transfer/move-document.ts'
import { withSystem } from './present.ts'

/**
 * A state that the journal has of a document, as the present config has it: values of renamed fields under their new keys.
 *
 * @param text JSON, with what the other locales say under `@locales`
 */
export function formerState(document: DocumentModel, text: string): Canonical {
  const { '@locales': translations, ...stored } = JSON.parse(text)
  const { values } = moveDocument(document, { doc: JSON.stringify(stored), orphaned: null })
  const locales = translations === undefined ? null : JSON.stringify(translations)
  return moveTranslations(document, withSystem(document, stored, values), locales)
}
