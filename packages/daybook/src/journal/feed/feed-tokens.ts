import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { validationErrorAt } from '../../errors.ts'
import { FEED_KEY_NOTE } from '../../store/notes.ts'
import type { Store } from '../../store/store.ts'

export interface FeedPosition {
  /** The last record of the journal that the copy includes. Entries of the copy may be newer. */
  readonly seq: number
  /** The fingerprint of the view that the copy was created with. */
  readonly view: string
  /** The position of the walk through all documents; `undefined` when it is over. */
  readonly walk?: WalkPosition | undefined
}

/** The next documents of a walk. */
export interface WalkPosition {
  /** A key of a collection, or `globals`. */
  readonly key: string
  /** The `pk` of the last entry, or the number of previous globals. */
  readonly after: number
}

const MAX_TOKEN_LENGTH = 1024
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

type SealedPosition = readonly [seq: number, view: string, key?: string, after?: number]

/**
 * Seals positions into tokens: encrypted and authenticated, so that clients can neither read nor change them. Equal positions
 * have equal tokens, on all nodes of a store.
 */
export class FeedTokens {
  readonly #store: Pick<Store, 'getOrCreateNote'>
  #keys: Promise<Keys> | undefined

  constructor(store: Pick<Store, 'getOrCreateNote'>) {
    this.#store = store
  }

  async seal({ seq, view, walk }: FeedPosition): Promise<string> {
    const { cipherKey, ivKey } = await this.#load()
    const sealed: SealedPosition = walk ? [seq, view, walk.key, walk.after] : [seq, view]
    const content = Buffer.from(JSON.stringify(sealed))
    // The initialization vector derives from the content, as in RFC 8452, so that equal vectors mean equal contents.
    const iv = createHmac('sha256', ivKey).update(content).digest().subarray(0, IV_BYTES)
    const cipher = createCipheriv(CIPHER, cipherKey, iv)
    return Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  /**
   * Opens a token.
   *
   * @param name the parameter or header of the token
   * @throws VALIDATION_ERROR for a token of another store, and a forged one
   */
  async open(token: string, name: string): Promise<FeedPosition> {
    const { cipherKey } = await this.#load()
    try {
      const sealed = Buffer.from(token, 'base64url')
      if (token.length > MAX_TOKEN_LENGTH || sealed.toString('base64url') !== token) throw new Error('no token')
      const decipher = createDecipheriv(CIPHER, cipherKey, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const content = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
      const [seq, view, key, after = 0]: SealedPosition = JSON.parse(content.toString())
      return { seq, view, walk: key === undefined ? undefined : { key, after } }
    } catch {
      throw validationErrorAt(name, 'token', 'is invalid. Leave it out to start from the beginning.')
    }
  }

  /** Reads or generates the keys once; after a failure, the next request retries. */
  #load(): Promise<Keys> {
    this.#keys ??= this.#store
      .getOrCreateNote(FEED_KEY_NOTE, () => randomBytes(KEY_BYTES).toString('base64url'))
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

/** Derives two keys from one secret (RFC 5869). */
function deriveKeys(secret: string): Keys {
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', use, KEY_BYTES))
  return { cipherKey: derive('daybook feed cipher'), ivKey: derive('daybook feed iv') }
}
