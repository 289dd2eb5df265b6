import { StartupError } from '../../errors.ts'
import { isBlobKey } from '../blob-store.ts'

/** Which bucket holds the files, and how it is reached. */
export interface S3Options {
  /** The name of the bucket, which has to be there, such as that of a variable `S3_BUCKET`. */
  readonly bucket: string | undefined
  /** The region of the bucket. @default as the AWS SDK finds it (`AWS_REGION`); with an `endpoint`, `us-east-1` */
  readonly region?: string
  /** The URL of a server other than Amazon's: `https://s3.example.com`. @default `AWS_ENDPOINT_URL_S3`, or Amazon's own */
  readonly endpoint?: string
  /** What all keys in the bucket begin with, at most 100 bytes: `site/uploads`. @default nothing */
  readonly prefix?: string
  /** The access key. @default as the AWS SDK finds it: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, a role */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
  /** Whether URLs name the bucket in their path instead of their host. @default with an `endpoint`, `true` */
  readonly forcePathStyle?: boolean
  /** How long S3 may take to answer a call, with its repetitions, or be silent within a file, in milliseconds. @default 15,000 */
  readonly timeoutMs?: number
}

/** How long S3 may take to answer, where nothing else is said, in milliseconds. */
export const DEFAULT_S3_TIMEOUT_MS = 15_000
const MAX_PREFIX = 100

/** @throws {StartupError} if there is no bucket */
export function requireBucket({ bucket }: S3Options): string {
  if (bucket) return bucket
  throw new StartupError('s3({ bucket }) is empty. Name the bucket that is to hold the files, such as with S3_BUCKET.')
}

/**
 * What keys in the bucket begin with, as they are stored: empty, or ending in a slash.
 *
 * @throws {StartupError} when the prefix is none
 */
export function requireKeyPrefix({ prefix = '' }: S3Options): string {
  const inner = prefix.replace(/\/$/, '')
  if (inner === '') return ''
  if (isBlobKey(inner) && inner.length <= MAX_PREFIX) return `${inner}/`
  throw new StartupError(
    `s3({ prefix }) is ${JSON.stringify(prefix)}. Write at most ${MAX_PREFIX} of A-Z a-z 0-9 . _ -, parted by slashes: 'site/uploads'.`,
  )
}
