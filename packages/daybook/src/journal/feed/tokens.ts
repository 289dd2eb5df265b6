import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { invalidAt } from '../../errors.ts'
import { FEED_KEY_NOTE } from '../../store/notes.ts'
import type { Store } from '../../store/store.ts'
import type { CollectionPosition, FeedPosition, ToldView, ViewRule } from './position.ts'

/** The longest token, in characters: one fits into a query string beside other parameters. */
export const MAX_TOKEN_LENGTH = 7600
/** The longest content of a token, in bytes. */
const MAX_CONTENT_BYTES = 5600
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

type PackedView = readonly [
  name: string,
  rule: ViewRule,
  isPublicOnly: 0 | 1,
  from: number,
  to?: number | null,
  isNarrowing?: 1,
]
type PackedCollection = readonly [views: readonly PackedView[], walked?: number | null, settledAt?: number]

interface PackedPosition {
  readonly s: number
  /** Where it is another number than `s`. */
  readonly t?: number
  readonly d?: readonly [end: number, collection: string, pk: number]
  readonly c: Readonly<Record<string, PackedCollection>>
}

/**
 * Positions as tokens: encrypted and authenticated, so that their holders can neither read nor change them. Equal positions
 * have equal tokens, on all nodes of a store.
 */
export class FeedTokens {
  readonly #store: Pick<Store, 'noteOnce'>
  #keys: Promise<Keys> | undefined

  constructor(store: Pick<Store, 'noteOnce'>) {
    this.#store = store
  }

  /**
   * The token of a position.
   *
   * @throws VALIDATION_ERROR when it would be about more collections than a token can name
   */
  async seal(position: FeedPosition): Promise<string> {
    const { cipherKey, ivKey } = await this.#load()
    const content = contentOf(position)
    // The initialization vector is made from the content (RFC 8452 has the idea): equal vectors mean equal contents.
    const iv = createHmac('sha256', ivKey).update(content).digest().subarray(0, IV_BYTES)
    const cipher = createCipheriv(CIPHER, cipherKey, iv)
    const sealed = Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64url')
  }

  /**
   * The position of a token.
   *
   * @param name of the parameter or header that it came in
   * @throws VALIDATION_ERROR when no node of this store has made it
   */
  async open(token: string, name: string): Promise<FeedPosition> {
    const { cipherKey } = await this.#load()
    try {
      const sealed = Buffer.from(token, 'base64url')
      if (token.length > MAX_TOKEN_LENGTH || sealed.toString('base64url') !== token) throw new Error('no token')
      const decipher = createDecipheriv(CIPHER, cipherKey, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const content = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
      return unpack(JSON.parse(Buffer.concat([content, decipher.final()]).toString()))
    } catch {
      throw invalidAt(name, 'token', 'must be a token that this service has given; leave it out to begin anew')
    }
  }

  /** Read, or made, once; after a failure the next request tries again. */
  #load(): Promise<Keys> {
    this.#keys ??= this.#store
      .noteOnce(FEED_KEY_NOTE, () => randomBytes(KEY_BYTES).toString('base64url'))
      .then(deriveKeys)
      .catch((error) => {
        this.#keys = undefined
        throw error
      })
    return this.#keys
  }
}

interface Keys {
  readonly cipherKey: Buffer
  readonly ivKey: Buffer
}

/** Two keys of one secret (RFC 5869). */
function deriveKeys(secret: string): Keys {
  const derived = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', use, KEY_BYTES))
  return { cipherKey: derived('daybook feed cipher'), ivKey: derived('daybook feed iv') }
}

/** A position as JSON. The longest rules are left out where it would be too long: should they change, their holder begins anew. */
function contentOf(position: FeedPosition): Buffer {
  for (let packed = pack(position); ; packed = withoutLongestRule(packed)) {
    const content = Buffer.from(JSON.stringify(packed))
    if (content.length <= MAX_CONTENT_BYTES) return content
  }
}

function pack({ seq, told, dependents, collections }: FeedPosition): PackedPosition {
  const packed = Object.entries(collections).map(([key, one]) => [key, packCollection(one)] as const)
  const rest = dependents && ([dependents.end, dependents.collection, dependents.pk] as const)
  return { s: seq, ...(told === seq ? {} : { t: told }), ...(rest ? { d: rest } : {}), c: Object.fromEntries(packed) }
}

function packCollection({ views, walked, settledAt }: CollectionPosition): PackedCollection {
  const packed = views.map(({ name, rule, isPublicOnly, from, to, isNarrowing }): PackedView => {
    const view = [name, rule, isPublicOnly ? 1 : 0, from] as const
    if (isNarrowing) return [...view, to ?? null, 1]
    return to === undefined ? view : [...view, to]
  })
  if (settledAt !== undefined) return [packed, walked ?? null, settledAt]
  return walked === undefined ? [packed] : [packed, walked]
}

const withoutRule = ([name, , ...rest]: PackedView): PackedView => [name, null, ...rest]

const ruleLength = ([, rule]: PackedView): number => (typeof rule === 'string' ? rule.length : 0)

function withoutLongestRule({ c, ...rest }: PackedPosition): PackedPosition {
  const longest = Math.max(...Object.values(c).flatMap(([views]) => views.map(ruleLength)))
  if (!(longest > 0))
    throw invalidAt('collections', 'too_large', 'must name fewer collections: a token cannot hold as many')
  const shortened = Object.entries(c).map(([key, [views, ...more]]) => {
    const left = views.map((view): PackedView => (ruleLength(view) === longest ? withoutRule(view) : view))
    return [key, [left, ...more] as PackedCollection] as const
  })
  return { ...rest, c: Object.fromEntries(shortened) }
}

function unpack({ s, t = s, d, c }: PackedPosition): FeedPosition {
  const collections = Object.entries(c).map(([key, [views, walked, settledAt]]) => {
    const unpacked = views.map(
      ([name, rule, isPublicOnly, from, to, isNarrowing]): ToldView => ({
        name,
        rule,
        isPublicOnly: isPublicOnly === 1,
        from,
        to: to ?? undefined,
        isNarrowing: isNarrowing === 1,
      }),
    )
    return [key, { views: unpacked, walked: walked ?? undefined, settledAt }] as const
  })
  const dependents = d && { end: d[0], collection: d[1], pk: d[2] }
  return { seq: s, told: t, dependents, collections: Object.fromEntries(collections) }
}
