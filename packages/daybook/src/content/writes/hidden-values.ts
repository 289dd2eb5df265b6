import type { Reference } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { FieldReference } from '../../store/reads/rows.ts'
import type { FieldRights } from '../access/field-access.ts'
import { servedKeysOf, type Values } from '../document.ts'
import type { Engine } from '../engine.ts'
import type { Canonical } from '../locales/localized.ts'
import { referenceOwner } from './references.ts'
import { released } from './referrers.ts'
import { allReferences } from './row.ts'

/**
 * What a writer gives who puts a whole document in place, such as a working copy: the fields that they may read. The others
 * hold what somebody else has said, and no answer may tell of it.
 */
export function writableIn(document: DocumentModel, patch: Values, { hidden }: FieldRights): Values {
  const unread = servedKeysOf(document, hidden)
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !unread.has(key)))
}

/** A whole document, and the fields of it that differ from what is stored. */
export interface WholeDocument {
  readonly canonical: Canonical
  readonly patch: Values
}

/**
 * A document without the references of some fields to what is gone: a deletion takes references out of what is stored, and not
 * out of what is put in place later.
 *
 * @param keys the fields, such as those that the writer may not read and so cannot correct
 * @param isComing whether an entry will be there when the transaction ends
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
  const references = allReferences(engine.model, collection, canonical).filter((one) => keys.has(referenceOwner(one)))
  const gone = await goneOf(
    engine,
    read,
    references.filter((one) => !isComing(one)),
  )
  if (gone.length === 0) return { canonical, patch }
  const left = gone.reduce((current, one) => released(engine, collection, current, one), canonical)
  const named = Object.entries(patch).map(([key, value]) => [key, keys.has(key) ? left.values[key] : value] as const)
  // What the document has besides its fields stays.
  const values = { ...canonical.values, ...left.values }
  return { canonical: { ...left, values }, patch: Object.fromEntries(named) }
}

async function goneOf(
  { model }: Engine,
  read: Reader,
  references: readonly FieldReference[],
): Promise<readonly FieldReference[]> {
  const groups = [...Map.groupBy(references, ({ collection }) => collection)]
  const gone = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = model.collections.get(key)
      const ids = [...new Set(group.map(({ id }) => id))]
      const found = new Set(target && (await read.entries.statuses(target, ids)).map(({ id }) => id))
      return group.filter(({ id }) => !found.has(id))
    }),
  )
  return gone.flat()
}
