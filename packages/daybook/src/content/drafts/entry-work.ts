import type { CollectionModel } from '../../model/model.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { WriteContext } from '../writes/context.ts'
import { entryTarget } from '../writes/entries.ts'
import type { PreparedWrite } from '../writes/prepared.ts'

/**
 * Finds an entry that the caller may change: the rule for updates is asked.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function requireChangeable(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
): Promise<StoredEntry> {
  const target = entryTarget(context, collection, id)
  const { read } = context.engine.store
  const entry = await target.load(read)
  await target.requireChange(read, target.parse(entry))
  return entry
}

/**
 * Prepares work beside an entry that the caller may change. The rules are asked before the transaction, and in it again when the entry
 * has changed meanwhile.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND; its commit also what `commit` throws
 */
export async function prepareEntryWork<Result>(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  commit: (writer: Writer, entry: StoredEntry) => Promise<Result>,
): Promise<PreparedWrite<Result>> {
  const target = entryTarget(context, collection, id)
  const { read } = context.engine.store
  await target.requireChange(read, target.parse(await target.load(read)))
  return {
    isAlone: false,
    commit: async ({ writer }) => {
      const entry = await target.load(writer.read)
      await target.requireChange(writer.read, target.parse(entry))
      return commit(writer, entry)
    },
  }
}
