import type { CollectionModel, Model } from '../../model/model.ts'
import { type Draft, parseDraft, type StoredEntry } from '../../store/rows.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { keepOrphaned } from './orphaned-values.ts'
import { mergeFields } from './prepare-fields.ts'
import { StoredRevision, serializeTranslations, toCanonical, withSystemKeys } from './row.ts'

/** The draft of an entry, or the entry itself if it has no draft. Its `seq` is the revision on which a save is based. */
export interface DraftRow extends StoredEntry {
  readonly entry: StoredEntry
}

/** Replaces the columns of an entry with those of its draft. */
export function toDraftRow(entry: StoredEntry): DraftRow {
  const draft = parseDraft(entry)
  if (!draft) return { ...entry, entry }
  const { seq, schema_hash, orphaned, locales, doc, at, by } = draft
  return { ...entry, seq, schema_hash, orphaned, locales, doc, updated_at: at, updated_by: by, entry }
}

/** Returns the stored revision of a draft, or of the entry if it has no draft. */
export const getDraftRevision = (
  model: Model,
  collection: CollectionModel,
  entry: StoredEntry,
): StoredRevision<DraftRow> => new StoredRevision(model, collection, toDraftRow(entry))

/** Gives a document the status of an entry in each locale, which only a publication changes. */
export function withStatusFrom(
  { status }: CollectionModel,
  { values, translations }: CanonicalDocument,
  entry: Pick<StoredEntry, 'status' | 'locales'>,
): CanonicalDocument {
  if (!status) return { values, translations }
  return { ...toCanonical({ ...values, [status.key]: entry.status }, entry.locales), translations }
}

/** Returns the values of a draft in all locales. Its status is always that of the entry. */
export function toDraftCanonical(
  collection: CollectionModel,
  { canonical, row }: StoredRevision<DraftRow>,
): CanonicalDocument {
  const { values, ...locales } = withStatusFrom(collection, canonical, row.entry)
  return { ...locales, values: { ...values, updatedAt: row.updated_at } }
}

/** The author and the time of a saved draft. */
export type DraftSave = Pick<Draft, 'at' | 'by' | 'isAutosave'>

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

/** Returns true if two documents have the same content in every locale, apart from their status. */
export function hasSameContent(collection: CollectionModel, a: CanonicalDocument, b: CanonicalDocument): boolean {
  const toComparableText = ({ values, translations }: CanonicalDocument): string => {
    const fields = mergeFields(collection, {}, values)
    if (collection.status) delete fields[collection.status.key]
    return JSON.stringify([fields, translations])
  }
  return toComparableText(a) === toComparableText(b)
}
