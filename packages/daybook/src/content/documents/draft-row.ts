import type { CollectionModel, Model } from '../../model/model.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import { type WorkingCopy, workingCopyOf } from '../../store/working-copy.ts'
import type { Canonical } from '../locales/localized.ts'
import { mergeFields, stillOrphaned } from './document.ts'
import { Revision, toCanonical, translationsOf, withSystem } from './row.ts'

/** An entry as its working copy has it; one without a working copy as it is. Its `seq` is the revision that a save is based on. */
export interface DraftRow extends StoredEntry {
  /** The entry itself. */
  readonly entry: StoredEntry
}

/** What an editor sees of an entry. */
export function draftRow(entry: StoredEntry): DraftRow {
  const copy = workingCopyOf(entry)
  if (!copy) return { ...entry, entry }
  const { seq, schema_hash, orphaned, locales, doc, at, by } = copy
  return { ...entry, seq, schema_hash, orphaned, locales, doc, updated_at: at, updated_by: by, entry }
}

/** The revision that the working copy of an entry is; that of the entry where it has none. */
export const draftRevision = (model: Model, collection: CollectionModel, entry: StoredEntry): Revision<DraftRow> =>
  new Revision(model, collection, draftRow(entry))

/** A document with the status of an entry in each locale, which only publishing changes. */
export function withStatusOf(
  { status }: CollectionModel,
  { values, translations }: Canonical,
  entry: Pick<StoredEntry, 'status' | 'locales'>,
): Canonical {
  if (!status) return { values, translations }
  return { ...toCanonical({ ...values, [status.key]: entry.status }, entry.locales), translations }
}

/** The values of a draft in all locales. Its status is always that of the entry. */
export function draftCanonical(collection: CollectionModel, { canonical, row }: Revision<DraftRow>): Canonical {
  const { values, ...languages } = withStatusOf(collection, canonical, row.entry)
  return { ...languages, values: { ...values, updatedAt: row.updated_at } }
}

/** Who saves a working copy, when, and whether on their behalf. */
export type CopySave = Pick<WorkingCopy, 'at' | 'by' | 'isAutosave'>

/** A working copy, as it is stored. */
export function toWorkingCopy(
  collection: CollectionModel,
  { id, created_at: createdAt }: Pick<StoredEntry, 'id' | 'created_at'>,
  canonical: Canonical,
  orphaned: string | null,
  save: CopySave,
): Omit<WorkingCopy, 'seq'> {
  const system = { id, createdAt, updatedAt: save.at }
  const value = withSystem(collection, system, mergeFields(collection, {}, canonical.values))
  const doc = JSON.stringify(value)
  return {
    ...save,
    schema_hash: collection.schemaHash,
    orphaned: stillOrphaned(collection, value, orphaned),
    locales: translationsOf(canonical),
    doc,
  }
}

/** Whether two documents say the same in every language, whenever they were written. */
export function isSameContent(collection: CollectionModel, one: Canonical, other: Canonical): boolean {
  const textOf = ({ values, translations }: Canonical): string => {
    const fields = mergeFields(collection, {}, values)
    if (collection.status) delete fields[collection.status.key]
    return JSON.stringify([fields, translations])
  }
  return textOf(one) === textOf(other)
}
