import { createHmac, timingSafeEqual } from 'node:crypto'
import { isSecret, UPLOADS } from './options.ts'

/** How long a signed address holds, and where it leads. */
export interface SignUploadOptions {
  /** In seconds, from 1 to 604,800 (a week). @default 300 */
  readonly expiresIn?: number
  /** The `path` of `serveUploads()`. @default '/uploads' */
  readonly base?: string
}

/** An address that holds for a while. */
export interface SignedUpload {
  /** Without scheme and host: `/uploads/contract.pdf?expires=…&signature=…`. */
  readonly url: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** How long an address holds where nothing is said, and at most, in seconds. */
export const DEFAULT_EXPIRY = 300
export const MAX_EXPIRY: number = 7 * 24 * 60 * 60

/**
 * Makes an address that shows a private file to everyone who has it, for a while.
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
  { expiresIn = DEFAULT_EXPIRY, base = UPLOADS }: SignUploadOptions = {},
): SignedUpload {
  if (!isSecret(secret)) throw new TypeError('signUpload() needs the secret of serveUploads().')
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(path)) {
    throw new TypeError(`signUpload() needs the path of an asset, such as images/cat.png, not ${JSON.stringify(path)}.`)
  }
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_EXPIRY) {
    throw new TypeError(`expiresIn of signUpload() is a number of seconds from 1 to ${MAX_EXPIRY}.`)
  }
  const expires = Math.floor(Date.now() / 1000) + expiresIn
  const signature = digestOf(secret, path, expires)
  return {
    url: `${base}/${path}?expires=${expires}&signature=${signature}`,
    expiresAt: new Date(expires * 1000).toISOString(),
  }
}

/** Whether a signature was made for a path and an expiry, and has not expired. */
export function isSigned(secret: string, path: string, expires: number, signature: string): boolean {
  const expected = Buffer.from(digestOf(secret, path, expires))
  const given = Buffer.from(signature)
  const isEqual = given.length === expected.length && timingSafeEqual(given, expected)
  return isEqual && expires * 1000 > Date.now()
}

/** The name keeps signatures of other purposes with the same secret apart. */
const digestOf = (secret: string, path: string, expires: number): string =>
  createHmac('sha256', secret).update(`daybook upload\n${expires}\n${path}`).digest('base64url')
