import type { Reference } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { FieldReference } from '../../store/reads/rows.ts'
import type { FieldRights } from '../access/field-access.ts'
import { servedKeysOf, type Values } from '../documents/document.ts'
import { allReferences } from '../documents/row.ts'
import type { Engine } from '../engine.ts'
import type { Canonical } from '../locales/localized.ts'
import { referenceOwner } from './references.ts'
import { released } from './referrers.ts'

/**
 * Returns the fields of a patch that the caller may read. The others hold values of another author when the caller replaces a whole
 * document, for example by publishing a draft, and no response may reveal them.
 */
export function writableIn(document: DocumentModel, patch: Values, { hidden }: FieldRights): Values {
  const unread = servedKeysOf(document, hidden)
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !unread.has(key)))
}

/** A whole document, and its fields that differ from the stored document. */
export interface WholeDocument {
  readonly canonical: Canonical
  readonly patch: Values
}

/**
 * Removes references to deleted entries from some fields. A deletion removes references from stored documents, but not from drafts and
 * earlier versions that are stored later.
 *
 * @param keys the fields, such as those that the caller may not read and so cannot correct
 * @param isComing returns true if an entry will exist after the transaction
 */
export async function dropDangling(
  engine: Engine,
  read: Reader,
  collection: CollectionModel,
  { canonical, patch }: WholeDocument,
  keys: ReadonlySet<string>,
  isComing: (entry: Reference) => boolean = () => false,
): Promise<WholeDocument> {
  if (keys.size === 0) return { canonical, patch }
  const references = allReferences(engine.model, collection, canonical).filter(
    (reference) => keys.has(referenceOwner(reference)) && !isComing(reference),
  )
  const dangling = await findDangling(engine, read, references)
  if (dangling.length === 0) return { canonical, patch }
  const left = dangling.reduce((current, reference) => released(engine, collection, current, reference), canonical)
  const entries = Object.entries(patch).map(([key, value]) => [key, keys.has(key) ? left.values[key] : value] as const)
  // Values that are not fields, such as times, stay.
  const values = { ...canonical.values, ...left.values }
  return { canonical: { ...left, values }, patch: Object.fromEntries(entries) }
}

/** Returns the references whose targets do not exist. */
async function findDangling(
  { model }: Engine,
  read: Reader,
  references: readonly FieldReference[],
): Promise<readonly FieldReference[]> {
  const groups = [...Map.groupBy(references, ({ collection }) => collection)]
  const dangling = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = model.collections.get(key)
      const ids = [...new Set(group.map(({ id }) => id))]
      const existing = new Set(target && (await read.entries.statuses(target, ids)).map(({ id }) => id))
      return group.filter(({ id }) => !existing.has(id))
    }),
  )
  return dangling.flat()
}
