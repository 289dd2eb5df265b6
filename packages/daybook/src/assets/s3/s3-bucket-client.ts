import type * as Sdk from '@aws-sdk/client-s3'
import { DaybookError, StartupError } from '../../errors.ts'
import { withTimeout } from '../../with-timeout.ts'
import { DEFAULT_S3_TIMEOUT_MS, requireBucket, requireKeyPrefix, type S3Options } from './s3-options.ts'

/** The maximum number of connections to S3. */
const MAX_SOCKETS = 64
/** The maximum delay of a timer, in milliseconds. */
const NEVER_MS = 2 ** 31 - 1

type Command<Input extends Sdk.ServiceInputTypes, Output extends Sdk.ServiceOutputTypes> = Sdk.$Command<
  Input,
  Output,
  Sdk.S3ClientResolvedConfig,
  Sdk.ServiceInputTypes,
  Sdk.ServiceOutputTypes
>

/** A client for one bucket of S3, with a timeout for each call. */
export class S3BucketClient {
  /** The commands of the SDK. */
  readonly sdk: typeof Sdk
  readonly bucket: string
  /** The prefix of all keys in the bucket: empty, or a path that ends with a slash. */
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
   * Loads the SDK, an optional peer dependency.
   *
   * @throws {StartupError} if it is not installed, or an option is invalid
   */
  static async load(options: S3Options): Promise<S3BucketClient> {
    return new S3BucketClient(await loadSdk(), options)
  }

  /**
   * Sends a command.
   *
   * @param signal aborts the call
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

  /** Sends a command. Returns `undefined` if S3 responds with one of the statuses, such as 404. */
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
    const timeout = new AbortController()
    const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
    return await withTimeout(
      this.#timeoutMs,
      () => this.#client.send(command, { abortSignal }),
      () => timeout.abort(),
    )
  }
}

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (error) {
    throw new StartupError(
      `The client for S3 is required. Run: npm install @aws-sdk/client-s3 (${(error as Error).message})`,
    )
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
      // Calls that wait for a connection have a timeout. The SDK would also write to the console.
      socketAcquisitionWarningTimeout: NEVER_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  }
  if (credentials) config.credentials = credentials
  if (region !== undefined) config.region = region
  if (endpoint === undefined) return config
  // Other servers support only the checksums that S3 has had from the start, and often no region.
  const checksums = 'WHEN_REQUIRED'
  return {
    ...config,
    endpoint,
    region: region ?? 'us-east-1',
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
  }
}

/** An error of S3 or of its client. */
interface S3Failure {
  readonly name: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Names of errors for a full disk or an exhausted quota. */
const FULL: readonly string[] = ['XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'QuotaExceeded']

const ACCESS_KEY =
  'S3 does not accept the access key. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or s3({ credentials }).'
const REGION = 'The bucket of files is in another region. Set that region in s3({ region }).'

/** Advice about settings, by name of the error. */
const SETTINGS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'The bucket of files does not exist. Create it, or set another one in s3({ bucket }).',
  InvalidBucketName: 'The name of the bucket is invalid. Set another one in s3({ bucket }).',
  InvalidAccessKeyId: ACCESS_KEY,
  SignatureDoesNotMatch: ACCESS_KEY,
  ExpiredToken: ACCESS_KEY,
  AccessDenied:
    'The access key is not allowed to use the bucket of files. Allow it to list, read, write and delete objects there.',
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  CredentialsProviderError:
    'An access key for S3 is required. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or s3({ credentials }).',
}

const asFailure = (error: unknown): S3Failure | undefined => (error instanceof Error ? error : undefined)

/** Returns the HTTP status of an error, or `undefined` without a response. */
const getStatus = (error: unknown): number | undefined => asFailure(error)?.$metadata?.httpStatusCode

/** Converts an error to that of a `BlobStore`. The message contains neither bucket nor endpoint; the cause is for the log. */
function toS3Error(error: unknown): DaybookError {
  const name = asFailure(error)?.name ?? ''
  if (getStatus(error) === 507 || FULL.includes(name))
    return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  const message = Object.hasOwn(SETTINGS, name)
    ? SETTINGS[name]
    : 'The file store does not respond. Retry after the seconds in Retry-After.'
  return new DaybookError('SERVICE_UNAVAILABLE', message, {}, error)
}
