import type { CollectionModel } from '../../model/model.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import { mergeFields, type Values } from '../documents/document.ts'
import { draftCanonical, draftRevision, isSameContent, toWorkingCopy } from '../documents/draft-row.ts'
import { writeTranslation } from '../locales/localized.ts'
import type { WriteContext } from './context.ts'

/**
 * Applies an update of an entry to its draft: publishing the draft would revert the update otherwise.
 *
 * @param patch the fields that the update names, in their stored form
 * @param mayBeSame true if nothing is stored when the draft holds the same; false for an update that names hidden fields
 */
export async function rebaseDraft(
  { engine: { model }, actor, person, locale }: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  entry: StoredEntry,
  patch: Values,
  mayBeSame: boolean,
): Promise<void> {
  const before = draftRevision(model, collection, entry)
  const values = mergeFields(collection, before.own(locale), patch)
  const canonical = writeTranslation(collection, before.canonical, values, locale, model.locales?.default)
  if (mayBeSame && isSameContent(collection, draftCanonical(collection, before), canonical)) return
  const at = new Date().toISOString()
  const copy = toWorkingCopy(collection, entry, canonical, before.orphaned, { at, by: person, isAutosave: false })
  await writer.drafts.write(collection, entry, copy, { at, actor })
}
