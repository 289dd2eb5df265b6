import type { CollectionModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import { type CompleteFile, prepareRestore, type RestoredVersion } from '../drafts/restore-entry.ts'
import type { Preconditions } from '../reads/etags.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from '../writes/context.ts'
import { execute } from '../writes/pipeline.ts'
import { bytesGoneError } from './deleted-files.ts'
import type { EndClaim } from './files.ts'

/**
 * Restores an earlier revision of an asset, or a deleted asset with its file, both or neither.
 *
 * @throws as {@link prepareRestore}; NOT_FOUND if the bytes are no longer kept; CONFLICT with `details.field` if another file has
 * the path; FORBIDDEN, PAYLOAD_TOO_LARGE with `details.limit` if the quota of its uploader is exceeded; SERVICE_UNAVAILABLE;
 * {Error} in a hook inside a transaction, which would stay open while the file moves
 */
export async function restoreAsset(
  context: WriteContext,
  assets: CollectionModel,
  id: string,
  version: RestoredVersion,
  options: Preconditions,
): Promise<EntryResponse> {
  const { content, author, isDry } = context
  const { files } = content
  const exists = (await content.store.read.entries.stored(assets, id.toLowerCase())) !== undefined
  if (!files || exists || !isUuidShaped(id))
    return execute(context, () => prepareRestore(context, assets, id, version, options))
  if (content.isInTransaction)
    throw new Error('A hook inside a transaction cannot restore files. Restore them in afterCommit.')
  const commit = (endClaim: EndClaim): Promise<EntryResponse> => {
    const completeFile: CompleteFile = async (writer, createdBy) => {
      if (createdBy !== null) await files.requireQuota(writer.read, createdBy, createdBy === author)
      await endClaim(writer)
    }
    return execute(context, () => prepareRestore(context, assets, id, version, { ...options, completeFile }))
  }
  // Prepare first, so that the file only moves for a caller who may restore the asset.
  await prepareRestore(context, assets, id, version, { ...options, completeFile: async () => {} })
  const file = await files.deleted.findByAsset(id.toLowerCase())
  if (!file) throw bytesGoneError()
  if (!isDry) return files.restore(file, commit)
  if (!(await files.deleted.hasBytes(file))) throw bytesGoneError()
  return commit(async () => {})
}
