import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { ChangeTarget } from '../writes/change.ts'
import type { WriteContext } from '../writes/context.ts'
import { entryTarget } from '../writes/entries.ts'
import type { PreparedWrite } from '../writes/pipeline.ts'
import { requireVisibleDraft } from './draft-access.ts'

/**
 * Finds an entry on whose draft the caller may work: the rule for updates and the one about drafts are asked.
 *
 * @param target see {@link entryTarget}
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function requireEditableDraft(
  { access }: WriteContext,
  collection: CollectionModel,
  target: Pick<ChangeTarget<StoredEntry, unknown>, 'load' | 'parse' | 'requireChange'>,
  read: Reader,
): Promise<StoredEntry> {
  const entry = await target.load(read)
  await target.requireChange(read, target.parse(entry))
  await requireVisibleDraft(access, read, collection, entry.id)
  return entry
}

/**
 * Prepares work beside an entry that the caller may change. The rules are asked before the transaction, and in it again when the entry
 * has changed meanwhile.
 *
 * @throws as {@link requireEditableDraft}; its commit also what `commit` throws
 */
export async function prepareEntryWork<Result>(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  commit: (writer: Writer, entry: StoredEntry) => Promise<Result>,
): Promise<PreparedWrite<Result>> {
  const target = entryTarget(context, collection, id)
  await requireEditableDraft(context, collection, target, context.engine.store.read)
  return {
    isAlone: false,
    commit: async ({ writer }) => commit(writer, await requireEditableDraft(context, collection, target, writer.read)),
  }
}
