import { IMAGE_VARIANTS_PREFIX } from '../../assets/blob-store.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { ContentContext } from '../context.ts'
import { StoredRevision } from '../documents/row.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { toProjectionTag } from '../reads/present.ts'
import { hooksFor, type WriteContext } from './context.ts'
import type { EntryTarget } from './entry-target.ts'
import type { PreparedWrite } from './pipeline.ts'
import { removeReferences, resolveReferrerAccess } from './referrers.ts'
import { runBeforeDelete } from './run-hooks.ts'

export interface DeleteOptions extends Preconditions {
  /** Returns false if no document refers to the entry. @default references are looked for */
  mayHaveReferrers?(): boolean
  /** Returns true if another entry is deleted in the same transaction. @default no other entry is deleted */
  isAlsoDeleted?(entry: { readonly collection: string; readonly id: string }): boolean
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
  const { content, access, actor } = context
  const { document: collection } = target
  const { mayHaveReferrers = () => true, isAlsoDeleted = () => false } = options
  const rights = { hidden: access.hidden(collection), hasAuthors: access.canSeeAuthors(collection) }
  await access.authorizeRead(collection)
  const referrers = await resolveReferrerAccess(context)
  // A rule takes its time, so it is evaluated before the transaction, and in it only if the entry has changed.
  if (collection.access.delete) {
    const entry = await target.load(content.store.read)
    await target.evaluateRule('delete', new StoredRevision(content.model, collection, entry))
  }
  const hooks = hooksFor(context, collection, 'beforeChange')
  return {
    exclusive: hooks !== undefined,
    commit: async (transaction) => {
      const { writer, addLastStep } = transaction
      const revision = new StoredRevision(content.model, collection, await target.load(writer.read))
      const { row } = revision
      const { id, seq } = row
      await target.authorizeDelete(writer.read, revision)
      requirePreconditions(options, seq, toProjectionTag(collection, seq, rights), collection.requireIfMatch)
      if (hooks) {
        const change = { context, transaction, action: 'delete', id, system: revision.valuesWithAuthors } as const
        await runBeforeDelete(hooks, change, revision)
      }
      const deletion = { content, collection, id, actor, access: referrers, isAlsoDeleted }
      if (mayHaveReferrers()) addLastStep(await removeReferences(deletion, writer))
      const deletedSeq = await writer.entries.delete(collection, row, new Date().toISOString(), actor)
      if (collection.holdsFiles) await claimFiles(content, writer, row, deletedSeq)
      return { seq: deletedSeq }
    },
  }
}

/** Claims the path of a deleted asset and its pictures for removal after the deletion is stored. */
async function claimFiles(
  { files }: ContentContext,
  writer: Writer,
  { doc }: StoredEntry,
  deletion: number,
): Promise<void> {
  const { path, sha256 } = JSON.parse(doc)
  const variants = `${IMAGE_VARIANTS_PREFIX}${sha256}`
  await writer.fileClaims.markDeleted(path, deletion)
  await writer.fileClaims.markDeleted(variants, 0)
  for (const blobPath of [path, variants]) files?.clearAfterDeletion(blobPath)
}
