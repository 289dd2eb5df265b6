import { DaybookError } from '../../errors.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import { parseWhole } from '../../store/journal.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import { workingCopyOf } from '../../store/working-copy.ts'
import type { Access } from '../access/access.ts'
import { fieldRights } from '../access/field-access.ts'
import type { EntryAnswer } from '../answer.ts'
import { type Preconditions, requirePreconditions } from '../etags.ts'
import type { Canonical } from '../locales/localized.ts'
import { storedValues, tagOf } from '../reads/present.ts'
import type { WriteContext } from '../writes/context.ts'
import type { PreparedWrite } from '../writes/prepared.ts'
import { toCanonical } from '../writes/row.ts'
import { prepareWhole } from '../writes/whole.ts'
import { draftAnswer } from './draft-answer.ts'
import { draftCanonical, draftRevision, isSameContent, toWorkingCopy } from './draft-row.ts'
import { prepareEntryWork } from './entry-work.ts'
import { inDefaultLocale } from './publish.ts'

/**
 * Prepares to bring the content of an earlier revision back: into the working copy, or, in a collection without a status, as a new
 * revision. Fields that the caller may not read, or not write, stay as
 * they are.
 *
 * @param revision a number of the journal, of a version of the entry
 * @throws as changes of entries do; NOT_FOUND when the entry has no such version, or it was erased
 */
export async function prepareRestore(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  revision: number,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryAnswer>> {
  return collection.status
    ? restoreToCopy(context, collection, id, revision, options)
    : restoreWhole(context, collection, id, revision, options)
}

async function restoreToCopy(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  revision: number,
  options: Preconditions,
): Promise<PreparedWrite<EntryAnswer>> {
  const { engine, access, actor, person } = context
  const rights = fieldRights(collection, access)
  return prepareEntryWork(context, collection, id, async (writer, entry) => {
    const before = draftRevision(engine.model, collection, entry)
    const { seq } = before.row
    requirePreconditions(options, seq, tagOf(collection, seq, rights), collection.requireIfMatch)
    const present = draftCanonical(collection, before)
    const version = await versionOf(writer.read, collection, entry, revision)
    const canonical = withPresent(collection, version, present, closedFields(collection, access))
    const shown = (one: StoredEntry): Promise<EntryAnswer> =>
      draftAnswer(inDefaultLocale(context), writer.read, collection, one, rights)
    if (isSameContent(collection, present, canonical)) return shown(entry)
    const at = new Date().toISOString()
    const copy = toWorkingCopy(collection, entry, canonical, before.orphaned, { at, by: person, isAutosave: false })
    const saved = await writer.writeDraft(collection, entry, copy, { at, actor })
    return shown({ ...entry, draft: JSON.stringify({ seq: saved, ...copy }) })
  })
}

function restoreWhole(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  revision: number,
  options: Preconditions,
): Promise<PreparedWrite<EntryAnswer>> {
  const closed = closedFields(collection, context.access)
  const write = {
    action: 'restore',
    revisionOf: ({ seq }: StoredEntry) => seq,
    propose: async (read: Reader, entry: StoredEntry) => {
      const present = toCanonical(storedValues(collection, entry), entry.locales)
      const canonical = withPresent(collection, await versionOf(read, collection, entry, revision), present, closed)
      if (isSameContent(collection, present, canonical)) return undefined
      return { canonical, orphaned: null, draft: entry.draft, isComplete: true }
    },
  } as const
  return prepareWhole(inDefaultLocale(context), collection, id, write, options)
}

/** Fields that the caller may not read, or may not write. */
function closedFields(collection: CollectionModel, access: Access): ReadonlySet<string> {
  const closed = collection.fields.filter((field) => !access.mayWriteField(collection, field))
  return new Set([...access.hidden(collection), ...closed.map(({ key }) => key)])
}

/**
 * What an entry said in one of its versions, as the present config has it.
 *
 * @throws NOT_FOUND
 */
async function versionOf(
  read: Reader,
  collection: CollectionModel,
  entry: StoredEntry,
  revision: number,
): Promise<Canonical> {
  const copy = workingCopyOf(entry)
  const text = await read.journal.versionText(collection.key, entry.id, revision)
  const present = [entry, ...(copy ? [copy] : [])].find(({ seq }) => seq === revision)
  if (present) return toCanonical(storedValues(collection, present), present.locales)
  if (text === undefined)
    throw new DaybookError('NOT_FOUND', `The entry has no version ${revision} that could be restored.`)
  const { values, locales, orphaned } = parseWhole(text)
  const row = { doc: '', schema_hash: '', orphaned, created_by: null, updated_by: null }
  return toCanonical(storedValues(collection, row, values), locales)
}

/** A version with what the caller may not read, and what the service alone makes, as they are now. */
export function withPresent(
  { fields, status, made, localized }: DocumentModel & Pick<CollectionModel, 'status'>,
  version: Canonical,
  present: Canonical,
  hidden: ReadonlySet<string>,
): Canonical {
  const stays = fields.filter(({ key }) => hidden.has(key) || made.has(key) || key === status?.key)
  const values = Object.fromEntries(
    stays.flatMap(({ servedKeys }) => servedKeys).map((key) => [key, present.values[key]] as const),
  )
  const isKept = (path: string): boolean => stays.some(({ key }) => localized.has(key) && path.split('/')[0] === key)
  const locales = [...new Set([...Object.keys(version.translations), ...Object.keys(present.translations)])]
  const translations = locales.map((locale) => {
    const own = Object.entries(version.translations[locale] ?? {}).filter(([path]) => !isKept(path))
    const kept = Object.entries(present.translations[locale] ?? {}).filter(([path]) => isKept(path))
    return [locale, Object.fromEntries([...own, ...kept])] as const
  })
  const filled = translations.filter(([, said]) => Object.keys(said).length > 0)
  const { publishedLocales } = status ? present : version
  return {
    values: { ...version.values, ...values },
    translations: Object.fromEntries(filled),
    ...(publishedLocales ? { publishedLocales } : {}),
  }
}
