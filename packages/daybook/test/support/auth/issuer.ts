import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** A key that an issuer signs with. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** Creates a key, with an id that counts the keys. */
export async function makeKey(alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  keyCount += 1
  const kid = `key-${keyCount}`
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}
let keyCount = 0

/** The path of an issuer's metadata. */
export const METADATA = '/.well-known/openid-configuration'

/** The parts of a token: claims to add, or to leave out if `undefined`, and the same for its header. */
export interface TokenParts {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly head?: Readonly<Record<string, unknown>>
  readonly key?: SigningKey
}

/** An OpenID Connect provider on this machine that signs tokens, and serves its metadata and keys. */
export class Issuer implements AsyncDisposable {
  readonly audience = 'https://cms.example.org'
  /** The paths of its requests, in order. */
  readonly requestedPaths: string[] = []
  /** The published keys. It signs with the first. */
  keys: readonly SigningKey[]
  /** Responds instead of the issuer. */
  instead: ((incoming: IncomingMessage, response: ServerResponse) => void) | undefined
  readonly #server: Server
  readonly #port: number

  private constructor(server: Server, key: SigningKey) {
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.keys = [key]
    server.on('request', (incoming, response) => this.#handle(incoming, response))
  }

  static async make(alg?: string): Promise<Issuer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Issuer(server, await makeKey(alg))
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get jwksUrl(): string {
    return `${this.url}/keys`
  }

  /** The number of requests for its keys. */
  get loads(): number {
    return this.requestedPaths.filter((path) => path === '/keys').length
  }

  /** Creates a token that expires in five minutes. */
  async token({ claims, head, key = this.keys[0] as SigningKey }: TokenParts = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: this.url, aud: this.audience, sub: 'mia', iat: now, exp: now + 300 }
    return new SignJWT(defined({ ...usual, ...claims }))
      .setProtectedHeader({ alg: key.alg, ...defined({ kid: key.kid, ...head }) })
      .sign(key.privateKey)
  }

  /** Stops listening, so that connections are refused. */
  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  /** Listens again on the same port. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.stop()
  }

  #handle(incoming: IncomingMessage, response: ServerResponse): void {
    this.requestedPaths.push(incoming.url ?? '')
    if (this.instead) this.instead(incoming, response)
    else this.respond(incoming, response)
  }

  /** Sends the usual response. */
  respond(incoming: IncomingMessage, response: ServerResponse): void {
    if (incoming.url === METADATA) send(response, this.metadata())
    else if (incoming.url === '/keys') send(response, this.jwks())
    else response.writeHead(404).end()
  }

  /** Its keys (RFC 7517, section 5). */
  jwks(): object {
    return { keys: this.keys.map(({ jwk }) => jwk) }
  }

  /** Its metadata (OpenID Connect Discovery 1.0, section 3). */
  metadata(): object {
    return { issuer: this.url, jwks_uri: this.jwksUrl }
  }
}

const send = (response: ServerResponse, json: object): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(json))
}

const defined = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
