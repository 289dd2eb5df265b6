import type * as Sdk from '@aws-sdk/client-s3'
import { DaybookError, StartupError } from '../../errors.ts'
import { withTimeout } from '../../with-timeout.ts'
import { DEFAULT_S3_TIMEOUT_MS, requireBucket, requireKeyPrefix, type S3Options } from './s3-options.ts'

/** The connections to S3 at once, in all. */
const MAX_SOCKETS = 64
/** The longest time that a timer takes, in milliseconds. */
const NEVER_MS = 2 ** 31 - 1

/** A command of the SDK, and what S3 answers to it. */
type Command<Input extends Sdk.ServiceInputTypes, Output extends Sdk.ServiceOutputTypes> = Sdk.$Command<
  Input,
  Output,
  Sdk.S3ClientResolvedConfig,
  Sdk.ServiceInputTypes,
  Sdk.ServiceOutputTypes
>

/** Calls of S3 in one bucket, each with a time limit. */
export class S3BucketClient {
  /** The commands of the SDK. */
  readonly sdk: typeof Sdk
  readonly bucket: string
  /** What keys in the bucket begin with: nothing, or a path that ends in a slash. */
  readonly prefix: string
  readonly #client: Sdk.S3Client
  readonly #timeoutMs: number

  private constructor(sdk: typeof Sdk, options: S3Options) {
    this.sdk = sdk
    this.bucket = requireBucket(options)
    this.prefix = requireKeyPrefix(options)
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_S3_TIMEOUT_MS
    this.#client = new sdk.S3Client(clientConfig(options, this.#timeoutMs))
  }

  /**
   * Loads the SDK, which is an optional peer.
   *
   * @throws {StartupError} when it is not installed, or an option is wrong
   */
  static async load(options: S3Options): Promise<S3BucketClient> {
    return new S3BucketClient(await loadSdk(), options)
  }

  /**
   * Sends a command.
   *
   * @param signal ends it early
   * @throws SERVICE_UNAVAILABLE, INSUFFICIENT_STORAGE
   */
  async send<Input extends Sdk.ServiceInputTypes, Output extends Sdk.ServiceOutputTypes>(
    command: Command<Input, Output>,
    signal?: AbortSignal,
  ): Promise<Output> {
    try {
      return await this.#send(command, signal)
    } catch (error) {
      throw toS3Error(error)
    }
  }

  /** The same; `undefined` where S3 answers with one of the statuses, such as 404. */
  async sendUnless<Input extends Sdk.ServiceInputTypes, Output extends Sdk.ServiceOutputTypes>(
    statuses: readonly number[],
    command: Command<Input, Output>,
  ): Promise<Output | undefined> {
    try {
      return await this.#send(command)
    } catch (error) {
      if (statuses.includes(getStatus(error) ?? 0)) return undefined
      throw toS3Error(error)
    }
  }

  close(): void {
    this.#client.destroy()
  }

  async #send<Input extends Sdk.ServiceInputTypes, Output extends Sdk.ServiceOutputTypes>(
    command: Command<Input, Output>,
    signal?: AbortSignal,
  ): Promise<Output> {
    const late = new AbortController()
    const abortSignal = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    return await withTimeout(
      this.#timeoutMs,
      () => this.#client.send(command, { abortSignal }),
      () => late.abort(),
    )
  }
}

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (error) {
    throw new StartupError(`S3 needs its client. Run: npm install @aws-sdk/client-s3 (${(error as Error).message})`)
  }
}

function clientConfig(options: S3Options, timeoutMs: number): Sdk.S3ClientConfig {
  const { region = process.env.AWS_REGION, endpoint = process.env.AWS_ENDPOINT_URL_S3, credentials } = options
  const { forcePathStyle = endpoint !== undefined } = options
  const agent = { maxSockets: MAX_SOCKETS, keepAlive: true }
  const config: Sdk.S3ClientConfig = {
    forcePathStyle,
    requestHandler: {
      connectionTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Calls that wait for a connection have a time limit; the SDK would also write to the console.
      socketAcquisitionWarningTimeout: NEVER_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  }
  if (credentials) config.credentials = credentials
  if (region !== undefined) config.region = region
  if (endpoint === undefined) return config
  // Servers of others know the checksums that S3 has had from the start, and often no region.
  const checksums = 'WHEN_REQUIRED'
  return {
    ...config,
    endpoint,
    region: region ?? 'us-east-1',
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
  }
}

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
const getStatus = (error: unknown): number | undefined => failureOf(error)?.$metadata?.httpStatusCode

/** A failed call as {@link BlobStore} reports it. Neither bucket nor endpoint is in the message; the cause is for the log. */
function toS3Error(error: unknown): DaybookError {
  const name = failureOf(error)?.name ?? ''
  if (getStatus(error) === 507 || FULL.includes(name))
    return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  const message = Object.hasOwn(SETTINGS, name)
    ? SETTINGS[name]
    : 'The store of files does not answer; retry as Retry-After says.'
  return new DaybookError('SERVICE_UNAVAILABLE', message, {}, error)
}
