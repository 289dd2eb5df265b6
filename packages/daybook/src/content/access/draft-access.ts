import { isAuthenticated } from '../../auth/adapter.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { DraftQuery } from '../../query/draft-query.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { EntryRow } from '../../store/rows.ts'
import { StoredRevision } from '../documents/row.ts'
import type { Access } from './access.ts'
import { refuseCaller } from './rules.ts'

/**
 * Authorizes a request that may ask for drafts, which need a session.
 *
 * @returns true if the request asks for drafts
 * @throws UNAUTHORIZED without a session; FORBIDDEN if the token's scopes do not cover the collection
 */
export function authorizeDraftRequest(access: Access, collection: CollectionModel, { draft }: DraftQuery): boolean {
  if (draft !== 'true') return false
  requireSession(access, collection)
  return true
}

/** @throws UNAUTHORIZED without a session; FORBIDDEN if the token's scopes do not cover the collection */
export function requireSession(access: Access, collection: CollectionModel): void {
  if (isAuthenticated(access.callerFor(collection))) return
  refuseCaller(access.caller, `the scopes of your token do not include ${collection.key}`)
}

/**
 * Finds the entries whose drafts exist for the caller by the rule for drafts.
 *
 * @param collection in any locale; the rule is evaluated in the default locale
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function findVisibleDrafts(
  access: Access,
  read: Reader,
  { key }: CollectionModel,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { model } = access
  const collection = model.collections.get(key)
  const result = collection && ids.length > 0 ? await access.evaluateDraftAccess(collection) : false
  if (!collection || result === false) return new Set()
  if (result === true) return new Set(ids)
  if (result !== 'entry')
    return new Set((await read.entries.statuses(collection, ids, result.where)).map(({ id }) => id))
  const visible = new Set<string>()
  for (const entry of await read.entries.storedByIds(collection, ids)) {
    const entryResult = await access.evaluateWrite(
      collection,
      'update',
      new StoredRevision(model, collection, entry).valuesWithAuthors,
    )
    const matches =
      typeof entryResult === 'boolean' ? [] : await read.entries.statuses(collection, [entry.id], entryResult.where)
    if (entryResult === true || matches.length > 0) visible.add(entry.id)
  }
  return visible
}

/**
 * Returns true if deleted entries exist for the caller, who must be able to read all entries and drafts: a rule's `where` cannot be
 * compared with a deleted entry.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function canSeeDeleted(access: Access, collection: CollectionModel): Promise<boolean> {
  return (await access.evaluateRead(collection)) === true && (await access.evaluateDraftAccess(collection)) === true
}

/**
 * Rejects work on a draft that the caller cannot see.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; INTERNAL_ERROR if a rule fails
 */
export async function authorizeDraft(
  access: Access,
  read: Reader,
  collection: CollectionModel,
  id: string,
): Promise<void> {
  if ((await findVisibleDrafts(access, read, collection, [id])).has(id)) return
  refuseCaller(access.caller, `the access rules do not allow you to see drafts of that entry of ${collection.key}`)
}

/**
 * Returns true if an entry that matches the read rule exists for the caller: it is published, or the caller can see its draft.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function canSeeEntry(
  access: Access,
  read: Reader,
  collection: CollectionModel,
  { id, status }: Pick<EntryRow, 'id' | 'status'>,
): Promise<boolean> {
  if (!collection.status || status === PUBLISHED) return true
  return (await findVisibleDrafts(access, read, collection, [id])).has(id)
}
