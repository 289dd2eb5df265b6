import { DaybookError } from '../../errors.ts'

/** What S3, or its client, says of a failed call. */
interface S3Failure {
  readonly name: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Names that servers give to a full disk or a used-up quota. */
const FULL: readonly string[] = ['XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'QuotaExceeded']

const ACCESS_KEY =
  'S3 does not accept the access key. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or s3({ credentials }).'
const REGION = 'The bucket of files is in another region. Name it in s3({ region }).'

/** What is wrong with the settings, in an operator's words, by the name of the failure. */
const SETTINGS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'The bucket of files does not exist. Create it, or name another one in s3({ bucket }).',
  InvalidBucketName: 'No bucket can have that name. Name another one in s3({ bucket }).',
  InvalidAccessKeyId: ACCESS_KEY,
  SignatureDoesNotMatch: ACCESS_KEY,
  ExpiredToken: ACCESS_KEY,
  AccessDenied: 'The access key may not use the bucket of files. Let it list, read, write and delete there.',
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  CredentialsProviderError:
    'S3 needs an access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or s3({ credentials }).',
}

const failureOf = (error: unknown): S3Failure | undefined => (error instanceof Error ? error : undefined)

/** The status that S3 answered with; `undefined`: it did not answer. */
export const statusOf = (error: unknown): number | undefined => failureOf(error)?.$metadata?.httpStatusCode

/** A failed call as {@link BlobStore} reports it. Neither bucket nor endpoint is in the message; the cause is for the log. */
export function toS3Fault(error: unknown): DaybookError {
  const name = failureOf(error)?.name ?? ''
  if (statusOf(error) === 507 || FULL.includes(name))
    return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  const message = Object.hasOwn(SETTINGS, name)
    ? SETTINGS[name]
    : 'The store of files does not answer; retry as Retry-After says.'
  return new DaybookError('SERVICE_UNAVAILABLE', message, {}, error)
}
