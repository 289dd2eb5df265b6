import type { BlobHeaders } from '../../assets/blob-store.ts'
import { createFilename, findDirectoryViolation, findFilenameViolation } from '../../assets/file-names.ts'
import type { StagedFile } from '../../assets/intake.ts'
import { formatDisposition, servedType } from '../../assets/media-type.ts'
import { validationError } from '../../errors.ts'
import { createIssue, type Issue } from '../../issues.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from '../writes/context.ts'
import { parseCreate, prepareCreate } from '../writes/create.ts'
import { execute } from '../writes/pipeline.ts'
import type { Files, ImageMetadata } from './files.ts'

/** An uploaded file, and the values of its future asset. */
export interface NewAsset {
  readonly staged: string
  readonly metadata: AssetMetadata
  readonly place: AssetPlace
  /** The headers with which a store of files serves the file. */
  readonly headers: BlobHeaders
  /** Describes an image, once the file has its path. */
  describe(path: string): Promise<ImageMetadata | undefined>
  /** The values of the uploader: `alt`, `focalPoint`. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface AssetMetadata extends ImageMetadata {
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The digest of the bytes, in hex. */
  readonly sha256: string
}

/** The future place of a file, and the initial directory of its asset. */
export interface AssetPlace {
  readonly directory: string
  readonly filename: string
}

/**
 * Stores a staged file and its asset, both or neither.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PAYLOAD_TOO_LARGE; CONFLICT with `details.field` if a file has that name
 */
export function createAsset(
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  { staged, metadata, place, headers, describe, data }: NewAsset,
): Promise<EntryResponse> {
  const path = getAssetPath(place)
  return files.place({ staged, path, headers }, async (endClaim) => {
    const asset = { metadata: { ...metadata, ...(await describe(path)) }, place, data }
    return storeAsset(context, files, assets, asset, endClaim)
  })
}

/**
 * Creates an asset in a dry run: everything except moving the staged file.
 *
 * @throws as {@link createAsset}
 */
export const dryRunAsset = (
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  asset: NewAsset,
): Promise<EntryResponse> => storeAsset(context, files, assets, asset, async () => {})

async function storeAsset(
  context: WriteContext,
  files: Files,
  assets: CollectionModel,
  { metadata, place, data }: Pick<NewAsset, 'metadata' | 'place' | 'data'>,
  endClaim: (writer: Writer) => Promise<void>,
): Promise<EntryResponse> {
  const path = getAssetPath(place)
  const complete = async (writer: Writer): Promise<void> => {
    if (context.author !== null) await files.requireQuota(writer.read, context.author)
    await endClaim(writer)
  }
  const { directory, filename } = place
  const values = { ...metadata, filename, path, url: `/uploads/${path}` }
  const options = { upload: { values, complete } }
  const body = parseCreate(context, assets, { directory, ...data }, options)
  return execute(context, () => prepareCreate(context, assets, body, options))
}

export const getAssetPath = ({ directory, filename }: AssetPlace): string =>
  directory === '' ? filename : `${directory}/${filename}`

export interface UploadFields {
  readonly directory?: string | undefined
  readonly filename?: string | undefined
  readonly alt?: string | undefined
}

/**
 * Creates the values of an asset for a staged file.
 *
 * @throws VALIDATION_ERROR with one issue for each invalid field
 */
export function toNewAsset(file: StagedFile, fields: UploadFields, files: Files): NewAsset {
  const { stagedName, originalName, mimeType, size, sha256, image } = file
  const { directory = '', filename = createFilename(originalName), alt } = fields
  validatePlace(directory, filename)
  return {
    staged: stagedName,
    metadata: { originalName, mimeType, size, sha256, ...image },
    place: { directory, filename },
    headers: { type: servedType(mimeType), disposition: formatDisposition(mimeType, filename, originalName) },
    describe: (path) => files.describe(path, mimeType),
    data: alt === undefined ? {} : { alt },
  }
}

/** @throws VALIDATION_ERROR with one issue for an invalid directory and for an invalid filename */
export function validatePlace(directory: string, filename: string): void {
  const issues: Issue[] = []
  const directoryViolation = directory === '' ? undefined : findDirectoryViolation(directory)
  if (directoryViolation) issues.push(createIssue('/directory', ...directoryViolation))
  const filenameViolation = findFilenameViolation(filename)
  if (filenameViolation) issues.push(createIssue('/filename', ...filenameViolation))
  if (issues.length > 0) throw validationError(issues)
}
