import type { CollectionModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'
import { requirementsOf } from '../access/requirements.ts'
import type { WriteContext } from './context.ts'

/**
 * Checks a new entry against what the rule about new entries requires.
 *
 * @throws UNAUTHORIZED; FORBIDDEN, which names what the entry would have to hold in the fields that the caller may read
 */
export async function requireAllowed(
  { access, scope }: WriteContext,
  read: Reader,
  collection: CollectionModel,
  id: string,
  filter: AccessFilter | undefined,
): Promise<void> {
  if (!filter) return
  await access.requireMatch(read, collection, id, filter, () => requirementsOf(filter.where, collection, scope))
}
