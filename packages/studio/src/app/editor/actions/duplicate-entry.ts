import type { StudioCollection } from '../../model/studio-model.ts'
import { beginEntry } from '../document/begin-entry.ts'
import { listLeaves, readLeaf } from '../saving/document-fields.ts'
import type { Values } from '../saving/field-values.ts'

/** Returns the keys of fields whose values no two entries may share. */
const listUniqueKeys = ({ fields, slugField, statusField }: StudioCollection): readonly string[] =>
  fields.filter(({ key, unique }) => unique || key === slugField || key === statusField).map(({ key }) => key)

/**
 * Creates a new entry from the shown values of another, as a local copy in this browser. The service stores it once the user saves it.
 *
 * @returns the `newId` of the duplicate
 */
export async function duplicateEntry(
  collection: StudioCollection,
  values: Values,
  person: string,
  formatTitle: (title: string) => string,
): Promise<string> {
  const leaves = [...listLeaves(collection.fields, { except: listUniqueKeys(collection) }).values()]
  const edits = leaves.flatMap((leaf): [string, unknown][] => {
    const value = leaf.toPlain(readLeaf(values, leaf)) ?? null
    if (value === null) return []
    const isTitle = leaf.path === collection.titleField && typeof value === 'string'
    return [[leaf.path, isTitle ? formatTitle(value) : value]]
  })
  return beginEntry(collection, new Map(edits), person)
}
