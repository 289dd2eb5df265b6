import { IMAGES } from '../../assets/blob-store.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import { Revision } from '../documents/row.ts'
import type { Engine } from '../engine.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { tagOf } from '../reads/present.ts'
import { hooksFor, type WriteContext } from './context.ts'
import type { EntryTarget } from './entry-target.ts'
import { runBeforeDelete } from './hooks/run-hooks.ts'
import type { PreparedWrite } from './pipeline.ts'
import { referrerAccess, releaseReferrers } from './referrers.ts'

/** The options of a deletion. */
export interface DeleteOptions extends Preconditions {
  /** Returns false if no document refers to the entry. @default references are looked for */
  mayBeReferredTo?(): boolean
  /** Returns true if another entry is deleted in the same transaction. @default no other entry is deleted */
  isDeletedToo?(entry: { readonly collection: string; readonly id: string }): boolean
}

/**
 * Prepares the deletion of an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND; its commit also PRECONDITION_REQUIRED, PRECONDITION_FAILED, CONFLICT
 */
export async function prepareDelete(
  context: WriteContext,
  target: EntryTarget,
  options: DeleteOptions = {},
): Promise<PreparedWrite<{ readonly seq: number }>> {
  const { engine, access, actor } = context
  const { document: collection } = target
  const { mayBeReferredTo = () => true, isDeletedToo = () => false } = options
  const rights = { hidden: access.hidden(collection), hasPeople: access.seesPeople(collection) }
  await access.requireRead(collection)
  const referrers = await referrerAccess(context)
  // A rule takes its time, so it is evaluated before the transaction, and in it only if the entry has changed.
  if (collection.access.delete) {
    const entry = await target.load(engine.store.read)
    await target.evaluateRule('delete', new Revision(engine.model, collection, entry))
  }
  const hooks = hooksFor(context, collection, 'beforeChange')
  return {
    exclusive: hooks !== undefined,
    commit: async (transaction) => {
      const { writer, atEnd } = transaction
      const revision = new Revision(engine.model, collection, await target.load(writer.read))
      const { row } = revision
      const { id, seq } = row
      await target.authorizeDelete(writer.read, revision)
      requirePreconditions(options, seq, tagOf(collection, seq, rights), collection.requireIfMatch)
      if (hooks) {
        const change = { context, transaction, action: 'delete', id, system: revision.told } as const
        await runBeforeDelete(hooks, change, revision)
      }
      const deletion = { engine, collection, id, actor, access: referrers, isDeletedToo }
      if (mayBeReferredTo()) atEnd(await releaseReferrers(deletion, writer))
      const deletedSeq = await writer.entries.delete(collection, row, new Date().toISOString(), actor)
      if (collection.holdsFiles) await leaveFile(engine, writer, row, deletedSeq)
      return { seq: deletedSeq }
    },
  }
}

/** Claims the path of a deleted asset and its pictures for removal after the deletion is stored. */
async function leaveFile({ files }: Engine, writer: Writer, { doc }: StoredEntry, deletion: number): Promise<void> {
  const { path, sha256 } = JSON.parse(doc)
  const pictures = `${IMAGES}${sha256}`
  await writer.fileClaims.leave(path, deletion)
  await writer.fileClaims.leave(pictures, 0)
  for (const left of [path, pictures]) files?.clearSoon(left)
}
