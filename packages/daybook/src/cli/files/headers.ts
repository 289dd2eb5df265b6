import type { BlobHeaders } from '../../assets/blob-store.ts'
import { dispositionOf } from '../../assets/disposition.ts'
import { servedType } from '../../assets/media-type.ts'
import type { StoredFile } from '../../content/assets/stored-files.ts'

/** What a store of files tells of an asset's file. */
export const headersOf = ({ mimeType, filename, originalName }: StoredFile): BlobHeaders => ({
  type: servedType(mimeType),
  disposition: dispositionOf(mimeType, filename, originalName),
})
