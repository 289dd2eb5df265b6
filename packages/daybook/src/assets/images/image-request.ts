import { createHmac, timingSafeEqual } from 'node:crypto'
import { type DaybookError, validationErrorAt } from '../../errors.ts'
import type { ImageFit, ImageFormat } from './processor/job.ts'

export const IMAGE_FITS: readonly ImageFit[] = ['cover', 'contain', 'inside']

export const IMAGE_FORMATS: readonly ImageFormat[] = ['avif', 'webp', 'jpeg', 'png']

/** The allowed sizes and qualities of requests without a signature. */
export interface ImageRules {
  /** In pixels; with a height as well, only squares. @default 16 to 3840, those of `next/image` */
  readonly widths: readonly number[]
  /** Further sizes, each `WIDTHxHEIGHT` in pixels, such as `1200x630`. @default [] */
  readonly sizes: readonly string[]
  /** From 1 to 100. @default [50, 75, 90] */
  readonly qualities: readonly number[]
  /** The key of signatures. Requests with a signature may have any size and quality. @default none, without signatures */
  readonly secret?: string | undefined
}

export const DEFAULT_IMAGE_RULES: ImageRules = {
  widths: [16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840],
  sizes: [],
  qualities: [50, 75, 90],
}

const MIN_SECRET_LENGTH = 32
/** The maximum side of a picture, in pixels. */
export const MAX_SIDE = 4096

/** The parameters of a picture, by their names in the query. */
export interface ImageParameters {
  /** In pixels. */
  readonly w?: number
  /** In pixels. */
  readonly h?: number
  /** @default 'cover' */
  readonly fit?: ImageFit
  /** `auto` chooses a format that the client accepts. @default 'auto' */
  readonly format?: ImageFormat | 'auto'
  /** From 1 to 100. @default depends on the format */
  readonly q?: number
}

export interface ImageRequest extends ImageParameters {
  readonly signature?: string
}

/** The signed parameters in order. */
const SIGNED = ['w', 'h', 'fit', 'format', 'q'] as const

function createSignature(secret: string, id: string, parameters: ImageParameters): string {
  const parts = SIGNED.flatMap((name) => (parameters[name] === undefined ? [] : [`${name}=${parameters[name]}`]))
  return createHmac('sha256', secret)
    .update(`${id}?${parts.join('&')}`)
    .digest('base64url')
}

/**
 * Signs the query of a picture in any size up to 4096 pixels, with HMAC-SHA-256 (RFC 2104).
 *
 * @param secret of `assets.images`
 * @param id of the asset
 * @throws {TypeError} if the secret is missing or too short
 * @example
 * ```ts
 * const query = signImage(secret, asset.id, { w: 300, h: 200, fit: 'cover' })
 * const src = `/api/assets/${asset.id}/image?${query}`
 * ```
 */
export function signImage(secret: string | undefined, id: string, parameters: ImageParameters): string {
  if (secret === undefined || secret.length < MIN_SECRET_LENGTH)
    throw new TypeError('signImage() needs the secret of assets.images, of at least 32 characters.')
  const query = new URLSearchParams()
  for (const name of SIGNED) if (parameters[name] !== undefined) query.set(name, String(parameters[name]))
  query.set('signature', createSignature(secret, id, parameters))
  return query.toString()
}

/**
 * Requires that a request is signed, or satisfies the rules.
 *
 * @throws VALIDATION_ERROR with the values that the rules allow
 */
export function requireAllowedImage(id: string, request: ImageRequest, rules: ImageRules): void {
  requireBounds(request)
  if (request.signature !== undefined) requireSignature(id, request, request.signature, rules.secret)
  else {
    requireAllowedSize(request, rules)
    const { q } = request
    if (q !== undefined && !rules.qualities.includes(q)) throw notListed('q', rules.qualities)
  }
}

function requireBounds({ w, h, q }: ImageRequest): void {
  for (const [name, side] of [
    ['w', w],
    ['h', h],
  ] as const) {
    if (side !== undefined && !isWithin(side, MAX_SIDE)) throw outOfRange(name, MAX_SIDE)
  }
  if (q !== undefined && !isWithin(q, 100)) throw outOfRange('q', 100)
}

const outOfRange = (name: string, maximum: number): DaybookError =>
  validationErrorAt(name, 'range', `must be from 1 to ${maximum}`, { minimum: 1, maximum })

const isWithin = (value: number, max: number): boolean => Number.isInteger(value) && value >= 1 && value <= max

function requireSignature(id: string, request: ImageRequest, signature: string, secret: string | undefined): void {
  if (secret === undefined)
    throw validationErrorAt(
      'signature',
      'unknown_param',
      'is not allowed, because this service has no secret for images. Leave it out.',
    )
  const expected = Buffer.from(createSignature(secret, id, request))
  const actual = Buffer.from(signature)
  const isEqual = actual.length === expected.length && timingSafeEqual(actual, expected)
  if (!isEqual) throw validationErrorAt('signature', 'signature', 'does not match this asset and these parameters')
}

function requireAllowedSize({ w, h }: ImageRequest, { widths, sizes }: ImageRules): void {
  if (w !== undefined && h !== undefined && sizes.includes(`${w}x${h}`)) return
  if (w !== undefined && !widths.includes(w)) throw notListed('w', widths)
  if (h === undefined || h === w) return
  const alternatives = sizes.length > 0 ? `, or one of the sizes ${sizes.join(', ')}` : ''
  throw validationErrorAt('h', 'size', `must be equal to w${alternatives}. Other sizes require a signature.`, {
    values: sizes,
  })
}

const notListed = (name: string, values: readonly number[]): DaybookError =>
  validationErrorAt(name, 'enum', `must be one of ${values.join(', ')}. Other values require a signature.`, { values })

/** Formats that only newer clients support, the smallest files first. */
const NEWER_FORMATS = ['avif', 'webp'] as const

/** The format for clients that accept none of the newer ones, by the type of the original. */
const FALLBACK_FORMATS: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/apng': 'png',
  'image/gif': 'png',
  'image/webp': 'webp',
}

/**
 * Chooses the format for a client by its `Accept` (RFC 9110, section 12.5.1). Only a format that the client names counts as accepted,
 * because a client that sends a wildcard may support neither AVIF nor WebP.
 *
 * @param type the media type of the original
 */
export function negotiateFormat(accept: string | undefined, type: string): ImageFormat {
  const accepted = new Set((accept ?? '').toLowerCase().split(',').flatMap(parseRange))
  return NEWER_FORMATS.find((format) => accepted.has(`image/${format}`)) ?? FALLBACK_FORMATS[type] ?? 'jpeg'
}

function parseRange(range: string): readonly string[] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  return isRefused ? [] : [type]
}
