import type { BlobStoreOption } from '../blob-store.ts'
import { S3Calls } from './s3-calls.ts'
import type { S3Options } from './s3-options.ts'
import { S3BlobStore } from './s3-store.ts'

/**
 * Keeps files in a bucket of S3, or of another server that speaks its protocol. Needs the package `@aws-sdk/client-s3`.
 *
 * @example
 * ```ts
 * import { s3 } from 'daybook/s3'
 *
 * defineConfig({ assets: { store: s3({ bucket: 'my-files', region: 'eu-central-1' }) } })
 * ```
 */
export function s3(options: S3Options): BlobStoreOption {
  return {
    name: `s3 ${options.bucket}`,
    open: async () => new S3BlobStore(await S3Calls.load(options)),
  }
}
