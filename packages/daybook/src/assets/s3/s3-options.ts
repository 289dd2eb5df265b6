import { StartupError } from '../../errors.ts'
import { isBlobKey } from '../blob-store.ts'

/** Options of `s3()`. */
export interface S3Options {
  /** The name of an existing bucket, such as from a variable `S3_BUCKET`. */
  readonly bucket: string | undefined
  /** The region of the bucket. @default that of the AWS SDK (`AWS_REGION`); with an `endpoint`, `us-east-1` */
  readonly region?: string
  /** The URL of a server other than Amazon's: `https://s3.example.com`. @default `AWS_ENDPOINT_URL_S3`, or Amazon's own */
  readonly endpoint?: string
  /** The prefix of all keys in the bucket, at most 100 bytes, such as `site/uploads`. @default none */
  readonly prefix?: string
  /** The access key. @default that of the AWS SDK: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile or a role */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
  /** True if the bucket is in the path of URLs instead of in the host. @default true with an `endpoint` */
  readonly forcePathStyle?: boolean
  /** The timeout of a call with its retries, and of a pause within a file, in milliseconds. @default 15,000 */
  readonly timeoutMs?: number
}

export const DEFAULT_S3_TIMEOUT_MS = 15_000
const MAX_PREFIX = 100

/** @throws {StartupError} if there is no bucket */
export function requireBucket({ bucket }: S3Options): string {
  if (bucket) return bucket
  throw new StartupError('s3({ bucket }) is empty. Set it to the bucket for the files, such as with S3_BUCKET.')
}

/**
 * Returns the prefix of stored keys: empty, or ending with a slash.
 *
 * @throws {StartupError} if the prefix is invalid
 */
export function requireKeyPrefix({ prefix = '' }: S3Options): string {
  const inner = prefix.replace(/\/$/, '')
  if (inner === '') return ''
  if (isBlobKey(inner) && inner.length <= MAX_PREFIX) return `${inner}/`
  throw new StartupError(
    `s3({ prefix }) is invalid: ${JSON.stringify(prefix)}. Write at most ${MAX_PREFIX} characters of A-Z a-z 0-9 . _ -, separated by slashes: 'site/uploads'.`,
  )
}
