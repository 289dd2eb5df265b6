import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { isSecureUrl } from './jwt-options.ts'

/** How old keys are when newer ones are asked for, in milliseconds; until those are there, the old ones count. */
const FRESH_MS = 10 * 60_000
/** How old keys are when they count no more, in milliseconds, for the time that the issuer cannot be reached. */
const MAX_KEY_SET_AGE_MS = 60 * 60_000
/** How long after a load no unknown key is a reason for another one, in milliseconds: any client can invent a key's name. */
const COOL_DOWN_MS = 30_000
/** How long a failed load answers for the next ones, in milliseconds. */
const FAILURE_MS = 1000
/** How long a load may take, in milliseconds. Requests do not wait as long; the ones after them find what came. */
const KEY_SET_LOAD_MS = 5000
/** The largest document of an issuer, in bytes. */
const MAX_KEY_SET_BYTES = 1024 * 1024

/** The keys of an issuer, as it published them at one time. */
export interface KeySet {
  /** The document that it came as. */
  readonly text: string
  readonly find: JWTVerifyGetKey
}

/** The public keys of an issuer: fetched when they are first needed, renewed before they are old. */
export class IssuerKeys {
  readonly #issuer: string
  readonly #jwksUrl: string | undefined
  #set: KeySet | undefined
  /** When {@link #set} was last confirmed, on the clock of `performance.now()`. */
  #loadedAt = 0
  #failure: { readonly error: unknown; readonly until: number } | undefined
  #pending: Promise<KeySet> | undefined
  #closing = new AbortController()

  /** @param jwksUrl where the keys are; without it, the issuer is asked */
  constructor(issuer: string, jwksUrl: string | undefined) {
    this.#issuer = issuer
    this.#jwksUrl = jwksUrl
  }

  /** The keys that count now, or `undefined` when there are none. Newer ones come in the background. */
  get current(): KeySet | undefined {
    if (!this.#set || this.#age > MAX_KEY_SET_AGE_MS) return undefined
    // A failure here is retried; requests fail only when the keys have expired.
    if (this.#age > FRESH_MS) this.#renew().catch(() => {})
    return this.#set
  }

  /**
   * The keys among which that of a token is, and the key.
   *
   * @throws {errors.JWKSNoMatchingKey} when the issuer has no such key; {Error} when its keys cannot be had
   */
  async find(
    ...[header, token]: Parameters<JWTVerifyGetKey>
  ): Promise<{ set: KeySet; key: Awaited<ReturnType<JWTVerifyGetKey>> }> {
    const set = this.current ?? (await this.#renew())
    try {
      return { set, key: await set.find(header, token) }
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#age < COOL_DOWN_MS) throw error
    }
    const newer = await this.#renew()
    return { set: newer, key: await newer.find(header, token) }
  }

  /** Gives up a load that is under way. */
  close(): void {
    this.#closing.abort(new Error('The service ends.'))
    this.#closing = new AbortController()
  }

  get #age(): number {
    return performance.now() - this.#loadedAt
  }

  /** Loads the keys; concurrent requests share one load. */
  async #renew(): Promise<KeySet> {
    if (this.#failure && this.#failure.until > performance.now()) throw this.#failure.error
    this.#pending ??= this.#load().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #load(): Promise<KeySet> {
    const signal = AbortSignal.any([AbortSignal.timeout(KEY_SET_LOAD_MS), this.#closing.signal])
    try {
      const text = await fetchKeySet(this.#jwksUrl ?? (await this.#discover(signal)), signal)
      // The same text is the same set, so that what was verified with it stays verified.
      if (this.#set?.text !== text) this.#set = { text, find: createLocalJWKSet(JSON.parse(text)) }
      this.#loadedAt = performance.now()
      this.#failure = undefined
      return this.#set
    } catch (cause) {
      const error = new Error(`The keys of ${this.#issuer} cannot be had.`, { cause })
      this.#failure = { error, until: performance.now() + FAILURE_MS }
      throw error
    }
  }

  /** Where the issuer says that its keys are (OpenID Connect Discovery 1.0, section 4). */
  async #discover(signal: AbortSignal): Promise<string> {
    const url = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const { issuer, jwks_uri: found } = Object(JSON.parse(await fetchKeySet(url, signal)))
    // Section 4.3: an answer for another issuer counts for none.
    if (issuer !== this.#issuer) throw new Error(`${url} is about the issuer ${issuer}. Write that as issuer.`)
    if (!isSecureUrl(found)) throw new Error(`${url} names no jwks_uri that begins with https://.`)
    return found
  }
}

/** The text at an address, and at no other: a redirect may lead anywhere. */
async function fetchKeySet(url: string, signal: AbortSignal): Promise<string> {
  const { status, body } = await fetch(url, { signal, redirect: 'error', headers: { Accept: 'application/json' } })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_KEY_SET_BYTES) throw new Error(`${url} answered more than ${MAX_KEY_SET_BYTES} bytes.`)
    chunks.push(chunk)
  }
  if (status !== 200) throw new Error(`${url} answered ${status}.`)
  return Buffer.concat(chunks).toString()
}
