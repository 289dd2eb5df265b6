import type { BlobHeaders } from '../../assets/blob-store.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { EntryAnswer } from '../reads/answer.ts'
import type { WriteContext } from '../writes/context.ts'
import { parseCreate, prepareCreate } from '../writes/create.ts'
import { execute } from '../writes/pipeline.ts'
import type { Files } from './files.ts'
import type { ImageFacts } from './image-facts.ts'

/** An uploaded file, and the asset that it is to become. */
export interface NewAsset {
  /** The name under which it is staged. */
  readonly staged: string
  /** What the bytes are. */
  readonly facts: AssetFacts
  readonly place: AssetPlace
  /** What a store of files tells of it. */
  readonly headers: BlobHeaders
  /** Finds out more, once the file has its path. */
  describe(path: string): Promise<ImageFacts | undefined>
  /** What the uploader says of it: `alt`, `focalPoint`. */
  readonly data: Readonly<Record<string, unknown>>
}

/** What is known of a file. */
export interface AssetFacts extends ImageFacts {
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The digest of the bytes, in hex. */
  readonly sha256: string
}

/** Where a file is to lie; its asset begins in the same directory. */
export interface AssetPlace {
  readonly directory: string
  readonly filename: string
}

/**
 * Stores a staged file and its asset, both or neither.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PAYLOAD_TOO_LARGE; CONFLICT with `details.field` when there is a file of that name
 */
export function createAsset(
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  { staged, facts, place, headers, describe, data }: NewAsset,
): Promise<EntryAnswer> {
  const path = pathOf(place)
  return files.place({ staged, path, headers }, async (endClaim) => {
    const asset = { facts: { ...facts, ...(await describe(path)) }, place, data }
    return storeAsset(context, files, assets, asset, endClaim)
  })
}

/**
 * Does everything to make an asset of a staged file but move the file: of a dry run.
 *
 * @throws as {@link createAsset}
 */
export const tryAsset = (
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  asset: NewAsset,
): Promise<EntryAnswer> => storeAsset(context, files, assets, asset, async () => {})

async function storeAsset(
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  { facts, place, data }: Pick<NewAsset, 'facts' | 'place' | 'data'>,
  endClaim: (writer: Writer) => Promise<void>,
): Promise<EntryAnswer> {
  const path = pathOf(place)
  const complete = async (writer: Writer): Promise<void> => {
    if (context.person !== null) await files.requireRoom(writer.read, context.person)
    await endClaim(writer)
  }
  const { directory, filename } = place
  const values = { ...facts, filename, path, url: `/uploads/${path}` }
  const options = { upload: { values, complete } }
  const body = parseCreate(context, assets, { directory, ...data }, options)
  return execute(context, () => prepareCreate(context, assets, body, options))
}

/** The path of a file. */
export const pathOf = ({ directory, filename }: AssetPlace): string =>
  directory === '' ? filename : `${directory}/${filename}`
