import { createHmac, timingSafeEqual } from 'node:crypto'
import { DaybookError, type PluginRoute } from '../../index.ts'

/** The path to which the `url` of assets leads. */
export const DEFAULT_PATH = '/uploads'
/** The shortest secret, in characters. */
export const MIN_SECRET = 32

/** True for a secret that is long enough not to be guessed. */
export const isSecret = (secret: unknown): secret is string => typeof secret === 'string' && secret.length >= MIN_SECRET

/** Options of `signUpload()`. */
export interface SignUploadOptions {
  /** The lifetime of the URL in seconds, from 1 to 604,800 (a week). @default 300 */
  readonly expiresIn?: number
  /** The `path` of `serveUploads()`. @default '/uploads' */
  readonly base?: string
}

/** A URL that expires. */
export interface SignedUpload {
  /** Without scheme and host: `/uploads/contract.pdf?expires=…&signature=…`. */
  readonly url: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** In seconds. */
const DEFAULT_EXPIRY = 300
/** In seconds. */
const MAX_EXPIRY = 7 * 24 * 60 * 60

/**
 * Signs a URL that shows a private file to everyone who has the URL, until it expires.
 *
 * @param secret that of `serveUploads()`
 * @param path the asset's `path`
 * @throws {TypeError} for a short secret, a path that no asset has, or an expiry out of range
 *
 * @example
 * ```ts
 * const { url } = signUpload(secret, asset.path, { expiresIn: 60 })
 * ```
 */
export function signUpload(
  secret: string | undefined,
  path: string,
  { expiresIn = DEFAULT_EXPIRY, base = DEFAULT_PATH }: SignUploadOptions = {},
): SignedUpload {
  if (!isSecret(secret)) throw new TypeError('signUpload() needs the secret of serveUploads().')
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(path)) {
    throw new TypeError(`signUpload() needs the path of an asset, such as images/cat.png, not ${JSON.stringify(path)}.`)
  }
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_EXPIRY) {
    throw new TypeError(`expiresIn of signUpload() must be a number of seconds from 1 to ${MAX_EXPIRY}.`)
  }
  const expires = Math.floor(Date.now() / 1000) + expiresIn
  const signature = createSignature(secret, path, expires)
  return {
    url: `${base}/${path}?expires=${expires}&signature=${signature}`,
    expiresAt: new Date(expires * 1000).toISOString(),
  }
}

/** True if a signature belongs to a path and an expiry, in seconds since 1970, and has not expired. */
export function isSigned(secret: string, path: string, expires: number, signature: string): boolean {
  const expected = Buffer.from(createSignature(secret, path, expires))
  const actual = Buffer.from(signature)
  const isEqual = actual.length === expected.length && timingSafeEqual(actual, expected)
  return isEqual && expires * 1000 > Date.now()
}

/** The prefix makes signatures for other purposes invalid, even if they use the same secret. */
const createSignature = (secret: string, path: string, expires: number): string =>
  createHmac('sha256', secret).update(`daybook upload\n${expires}\n${path}`).digest('base64url')

/** The route that signs URLs, for callers who may read the asset. */
export function signedUrlRoute(base: string, secret: string): PluginRoute {
  return {
    method: 'POST',
    path: '/api/assets/:id/url',
    operationId: 'signAssetUrl',
    summary: 'Creates an address that shows the file of an asset to everyone who has it, until it expires.',
    protection: 'session',
    pathParameters: { id: { description: 'The id of the asset.', schema: { type: 'string', format: 'uuid' } } },
    body: {
      schema: {
        type: 'object',
        properties: {
          expiresIn: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_EXPIRY,
            default: DEFAULT_EXPIRY,
            description: 'The time until the address expires, in seconds.',
          },
        },
        additionalProperties: false,
      },
    },
    responses: {
      200: {
        description: 'The address, without scheme and host, and the time when it expires.',
        schema: {
          type: 'object',
          properties: { url: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } },
          required: ['url', 'expiresAt'],
        },
      },
    },
    async run({ path: { id = '' }, body, content }) {
      const asset = await content.get('assets', id)
      if (!asset) throw new DaybookError('NOT_FOUND')
      const { expiresIn = DEFAULT_EXPIRY } = body as { readonly expiresIn?: number }
      return Response.json(signUpload(secret, String(asset.path), { expiresIn, base }))
    },
  }
}
