import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { isSecureUrl } from './jwt-options.ts'

/** The age at which keys are reloaded, in milliseconds. The old keys are used until then. */
const FRESH_MS = 10 * 60_000
/** The age at which keys expire while the issuer cannot be reached, in milliseconds. */
const MAX_KEY_SET_AGE_MS = 60 * 60_000
/** The time after a load in which an unknown key causes no other load, in milliseconds: any client can invent a key id. */
const COOL_DOWN_MS = 30_000
/** The time after a failed load in which no other is tried, in milliseconds. */
const FAILURE_MS = 1000
/** The timeout of a load, in milliseconds. Requests time out earlier; later ones use its result. */
const KEY_SET_LOAD_MS = 5000
/** The maximum size of an issuer's document, in bytes. */
const MAX_KEY_SET_BYTES = 1024 * 1024

export interface KeySet {
  /** The published document. */
  readonly text: string
  readonly find: JWTVerifyGetKey
}

/** The public keys of an issuer, which are loaded when they are first needed, and reloaded before they expire. */
export class IssuerKeys {
  readonly #issuer: string
  readonly #jwksUrl: string | undefined
  #set: KeySet | undefined
  /** The time of the last load, on the clock of `performance.now()`. */
  #loadedAt = 0
  #failure: { readonly error: unknown; readonly until: number } | undefined
  #pending: Promise<KeySet> | undefined
  #closing = new AbortController()

  /** @param jwksUrl the URL of the keys; by default, that in the issuer's metadata */
  constructor(issuer: string, jwksUrl: string | undefined) {
    this.#issuer = issuer
    this.#jwksUrl = jwksUrl
  }

  /** The valid keys, or `undefined` if there are none. They are reloaded in the background. */
  get current(): KeySet | undefined {
    if (!this.#set || this.#age > MAX_KEY_SET_AGE_MS) return undefined
    // A failure is retried. Requests fail only after the keys have expired.
    if (this.#age > FRESH_MS) this.#renew().catch(() => {})
    return this.#set
  }

  /**
   * Returns the key of a token, with its key set.
   *
   * @throws {errors.JWKSNoMatchingKey} if the issuer has no such key; {Error} if its keys cannot be loaded
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

  /** Aborts a running load. */
  close(): void {
    this.#closing.abort(new Error('The service is shutting down.'))
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
      // The same text keeps the same set, so that the tokens that were verified with it stay cached.
      if (this.#set?.text !== text) this.#set = { text, find: createLocalJWKSet(JSON.parse(text)) }
      this.#loadedAt = performance.now()
      this.#failure = undefined
      return this.#set
    } catch (cause) {
      const error = new Error(`The keys of ${this.#issuer} cannot be loaded.`, { cause })
      this.#failure = { error, until: performance.now() + FAILURE_MS }
      throw error
    }
  }

  /** Returns the URL of the keys in the issuer's metadata (OpenID Connect Discovery 1.0, section 4). */
  async #discover(signal: AbortSignal): Promise<string> {
    const url = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const { issuer, jwks_uri: jwksUrl } = Object(JSON.parse(await fetchKeySet(url, signal)))
    // Section 4.3 requires the metadata to have the same issuer.
    if (issuer !== this.#issuer) throw new Error(`${url} describes the issuer ${issuer}. Set issuer to it.`)
    if (!isSecureUrl(jwksUrl)) throw new Error(`${url} has no jwks_uri that begins with https://.`)
    return jwksUrl
  }
}

/** Loads the text at a URL. Redirects are errors, because they may lead anywhere. */
async function fetchKeySet(url: string, signal: AbortSignal): Promise<string> {
  const { status, body } = await fetch(url, { signal, redirect: 'error', headers: { Accept: 'application/json' } })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_KEY_SET_BYTES) throw new Error(`${url} responded with more than ${MAX_KEY_SET_BYTES} bytes.`)
    chunks.push(chunk)
  }
  if (status !== 200) throw new Error(`${url} responded with ${status}.`)
  return Buffer.concat(chunks).toString()
}
