import type { BlobHeaders } from '../../assets/blob-store.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { EntryAnswer } from '../answer.ts'
import type { WriteContext } from '../writes/context.ts'
import { prepareCreate } from '../writes/entries.ts'
import { carryOut } from '../writes/prepared.ts'
import type { Files } from './files.ts'

/** An uploaded file, and the asset that it is to become. */
export interface NewAsset {
  /** The name under which it is staged. */
  readonly staged: string
  /** What the bytes are. */
  readonly facts: AssetFacts
  readonly place: AssetPlace
  /** What a store of files tells of it. */
  readonly headers: BlobHeaders
  /** What the uploader says of it: `alt`, `focalPoint`. */
  readonly data: Readonly<Record<string, unknown>>
}

/** What is known of a file. */
export interface AssetFacts {
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The digest of the bytes, in hex. */
  readonly sha256: string
  /** Of an image, in pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** Of an image, as a `data:` URL. */
  readonly placeholder?: string | undefined
}

/** Where a file is to lie. */
export interface AssetPlace {
  readonly directory: string
  readonly filename: string
}

/**
 * Stores a staged file and its asset, both or neither.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; CONFLICT with `details.field` when there is a file of that name
 */
export function createAsset(
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  { staged, facts, place, headers, data }: NewAsset,
): Promise<EntryAnswer> {
  const path = pathOf(place)
  const values = { ...facts, filename: place.filename, path, url: `/uploads/${path}` }
  return files.place({ staged, path, headers }, (settle) =>
    carryOut(context, () => prepareCreate(context, assets, data, { made: { values, settle } })),
  )
}

/** The path of a file. */
export const pathOf = ({ directory, filename }: AssetPlace): string =>
  directory === '' ? filename : `${directory}/${filename}`
