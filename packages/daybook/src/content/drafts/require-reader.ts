import { isAuthenticated } from '../../auth/adapter.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { DraftQuery } from '../../query/draft-query.ts'
import type { Access } from '../access/access.ts'
import { refuseCaller } from '../access/rules.ts'

/**
 * Lets a read of working copies through, or refuses it.
 *
 * @returns whether it is one
 * @throws UNAUTHORIZED without a session; FORBIDDEN when the token's scopes do not cover the collection
 */
export function requireDraftReader(access: Access, collection: CollectionModel, { draft }: DraftQuery): boolean {
  if (draft !== 'true') return false
  if (!isAuthenticated(access.callerFor(collection)))
    refuseCaller(access.caller, `the scopes of your token do not cover ${collection.key}`)
  return true
}
