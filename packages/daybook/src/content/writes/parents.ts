import { validationErrorAt } from '../../errors.ts'
import { MAX_TREE_DEPTH } from '../../fields/parent.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { Values } from '../documents/document.ts'

/**
 * Checks the parent of an entry. In a transaction, no other write runs between this check and the change.
 *
 * @param id the entry; `undefined` for a new one
 * @param before the stored values of the entry
 * @throws VALIDATION_ERROR if the entry would be its own ancestor, or the tree would have too many levels
 */
export async function requireParent(
  read: Reader,
  collection: CollectionModel,
  values: Values,
  id: string | undefined,
  before: Values = {},
): Promise<void> {
  const { parent } = collection
  const parentId = parent === undefined ? undefined : values[parent]
  if (parent === undefined || typeof parentId !== 'string' || parentId === before[parent]) return
  const ancestors = await read.order.ancestors(collection, parentId, MAX_TREE_DEPTH)
  if (id !== undefined && (parentId === id || ancestors.includes(id))) {
    const message = 'must not be the entry itself, or an entry below it. Choose another parent, or leave it empty.'
    throw validationErrorAt(`/${parent}`, 'cycle', message, { id: parentId })
  }
  const height = id === undefined ? 0 : await read.order.height(collection, id, MAX_TREE_DEPTH)
  if (ancestors.length + 1 + height <= MAX_TREE_DEPTH) return
  const message = `must not make the tree deeper than ${MAX_TREE_DEPTH} levels. Choose a parent nearer to a root.`
  throw validationErrorAt(`/${parent}`, 'depth', message, { limit: MAX_TREE_DEPTH })
}
