import type { CollectionModel, Model } from '../../model/model.ts'
import type { StoredEntry } from '../../store/rows.ts'
import { type Draft, parseDraft } from '../../store/rows.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { keepOrphaned, mergeFields } from './document.ts'
import { StoredRevision, serializeTranslations, toCanonical, withSystemKeys } from './row.ts'

/** An entry as its working copy has it; one without a working copy as it is. Its `seq` is the revision that a save is based on. */
export interface DraftRow extends StoredEntry {
  /** The entry itself. */
  readonly entry: StoredEntry
}

/** What an editor sees of an entry. */
export function toDraftRow(entry: StoredEntry): DraftRow {
  const copy = parseDraft(entry)
  if (!copy) return { ...entry, entry }
  const { seq, schema_hash, orphaned, locales, doc, at, by } = copy
  return { ...entry, seq, schema_hash, orphaned, locales, doc, updated_at: at, updated_by: by, entry }
}

/** The revision that the working copy of an entry is; that of the entry where it has none. */
export const getDraftRevision = (
  model: Model,
  collection: CollectionModel,
  entry: StoredEntry,
): StoredRevision<DraftRow> => new StoredRevision(model, collection, toDraftRow(entry))

/** A document with the status of an entry in each locale, which only publishing changes. */
export function withStatusFrom(
  { status }: CollectionModel,
  { values, translations }: CanonicalDocument,
  entry: Pick<StoredEntry, 'status' | 'locales'>,
): CanonicalDocument {
  if (!status) return { values, translations }
  return { ...toCanonical({ ...values, [status.key]: entry.status }, entry.locales), translations }
}

/** The values of a draft in all locales. Its status is always that of the entry. */
export function toDraftCanonical(
  collection: CollectionModel,
  { canonical, row }: StoredRevision<DraftRow>,
): CanonicalDocument {
  const { values, ...languages } = withStatusFrom(collection, canonical, row.entry)
  return { ...languages, values: { ...values, updatedAt: row.updated_at } }
}

/** Who saves a working copy, when, and whether on their behalf. */
export type DraftSave = Pick<Draft, 'at' | 'by' | 'isAutosave'>

/** A working copy, as it is stored. */
export function toDraft(
  collection: CollectionModel,
  { id, created_at: createdAt }: Pick<StoredEntry, 'id' | 'created_at'>,
  canonical: CanonicalDocument,
  orphaned: string | null,
  save: DraftSave,
): Omit<Draft, 'seq'> {
  const system = { id, createdAt, updatedAt: save.at }
  const value = withSystemKeys(collection, system, mergeFields(collection, {}, canonical.values))
  const doc = JSON.stringify(value)
  return {
    ...save,
    schema_hash: collection.schemaHash,
    orphaned: keepOrphaned(collection, value, orphaned),
    locales: serializeTranslations(canonical),
    doc,
  }
}

/** Whether two documents say the same in every language, whenever they were written. */
export function hasSameContent(collection: CollectionModel, one: CanonicalDocument, other: CanonicalDocument): boolean {
  const textOf = ({ values, translations }: CanonicalDocument): string => {
    const fields = mergeFields(collection, {}, values)
    if (collection.status) delete fields[collection.status.key]
    return JSON.stringify([fields, translations])
  }
  return textOf(one) === textOf(other)
}
