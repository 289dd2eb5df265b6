import type { CollectionModel } from '../../model/model.ts'
import type { Preconditions } from '../reads/etags.ts'
import { resolveListQuery } from '../reads/list.ts'
import { type BulkResult, type BulkSelection, BulkWrite, type EntryWrite } from './bulk-write.ts'
import { hooksFor, type WriteContext } from './context.ts'
import { prepareDelete } from './delete.ts'
import { dryRun, retryStale } from './pipeline.ts'
import { parseUpdate, prepareUpdate } from './update.ts'

/**
 * Merges a body into all entries that match (RFC 7396) in one transaction: all of them, or none.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the update of an entry throws, with `details.refused`
 */
export async function bulkUpdate(
  context: WriteContext,
  entries: BulkSelection,
  body: unknown,
  preconditions: Preconditions = {},
): Promise<BulkResult> {
  const { collection } = entries
  const update = parseUpdate(context, collection, body, { isMerge: true })
  const options = { ...preconditions, releasesSnapshot: true }
  // A generated slug depends on the slugs that are taken.
  const makesSlug = collection.slug !== undefined && Object.hasOwn(update.fields, collection.slug.key)
  // A parent is valid depending on those that the same write changes.
  const changesParent = collection.parent !== undefined && Object.hasOwn(update.fields, collection.parent)
  const isIndependent = !makesSlug && !changesParent && !hasHooks(context, collection)
  return writeBulk(context, entries, 'update', {
    areIndependent: async () => isIndependent,
    prepare: (target) => prepareUpdate(context, target, update, options),
  })
}

/**
 * Deletes all entries that match, in one transaction: all of them, or none.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the deletion of an entry throws, with `details.refused`
 */
export async function bulkDelete(
  context: WriteContext,
  entries: BulkSelection,
  preconditions: Preconditions = {},
): Promise<BulkResult> {
  const { collection } = entries
  const isHooked = hasHooks(context, collection)
  let referredIds: ReadonlySet<string> = new Set()
  return writeBulk(context, entries, 'delete', {
    // A deletion removes references from other entries, which may be written after it.
    areIndependent: async (read, ids) => {
      if (isHooked) return false
      referredIds = await read.references.referredTo(collection.key, ids)
      return referredIds.size === 0
    },
    prepare: (target, isWritten) =>
      prepareDelete(context, target, {
        ...preconditions,
        mayHaveReferrers: () => isHooked || referredIds.has(target.id),
        isAlsoDeleted: (other) => other.collection === collection.key && isWritten(other.id),
      }),
  })
}

/** True if hooks run inside the transaction, which may write other entries. */
const hasHooks = (context: WriteContext, collection: CollectionModel): boolean =>
  hooksFor(context, collection, 'beforeChange', 'beforeValidate', 'validate') !== undefined

async function writeBulk(
  context: WriteContext,
  entries: BulkSelection,
  action: 'update' | 'delete',
  write: EntryWrite,
): Promise<BulkResult> {
  const { content, access } = context
  const { collection } = entries
  const query = await resolveListQuery(content, access, collection, entries.query)
  // A caller who may write no entry at all is rejected, also if none matches.
  await access.authorizeSomeWrite(collection, action)
  const bulk = new BulkWrite(context, entries, query, write)
  const isDry = entries.query.values.dryRun === 'true'
  const transact = isDry ? dryRun(context.transact) : context.transact
  return retryStale(async () => {
    await bulk.prepare()
    return transact((writer) => bulk.commit(writer), { exclusive: true })
  }, 'The entries keep changing. Try again.')
}
