import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Caller, createServiceCaller } from './adapter.ts'
import type { AuthRecord, AuthRecords, RecordReader } from './records.ts'
import type { Scope } from './scopes.ts'
import { readBearerToken } from './service-token.ts'
import { SessionCache } from './session-cache.ts'

/** A token without its secret, which is returned only when the token is created. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  /** The first characters of the token. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  readonly roles: readonly string[]
  /** ISO 8601 in UTC, like the other times. */
  readonly createdAt: string
  /** `null` if it does not expire. */
  readonly expiresAt: string | null
  /** Exact to the minute; `null` if it was never used. */
  readonly lastUsedAt: string | null
}

export interface CreatedToken extends ApiToken {
  /** The credential. It is returned only now. */
  readonly token: string
}

/** The data of a new token. */
export type NewApiToken = Pick<ApiToken, 'name' | 'scopes' | 'roles' | 'expiresAt'>

const TOKEN_KIND = 'token'
export const API_TOKEN_PROVIDER = 'api-token'
const API_TOKEN_ID_FORMAT = /^[0-9a-f]{12}$/
const API_TOKEN_FORMAT = /^daybook_([0-9a-f]{12})_[\w-]{43}$/
/** The resolution of `lastUsedAt`, in milliseconds: each update is a write. */
const USE_RESOLUTION_MS = 60_000

const digestApiToken = (text: string): Buffer => createHash('sha256').update(text).digest()
const prefixFor = (id: string): string => `daybook_${id}`

/** Returns the credential of a request if it has the form of these tokens, valid or not. */
export function readApiToken(headers: Headers): string | undefined {
  const token = readBearerToken(headers)
  return token?.startsWith('daybook_') ? token : undefined
}

/** Named tokens of programs. Only their digests are stored. */
export class ApiTokens {
  readonly #records: AuthRecords
  readonly #cache = new SessionCache()
  readonly #onError: (error: unknown) => void
  #lastUseUpdate: Promise<unknown> = Promise.resolve()

  /** @param onError called with errors of work that no request waits for */
  constructor(records: AuthRecords, onError: (error: unknown) => void = () => {}) {
    this.#records = records
    this.#onError = onError
  }

  /**
   * Creates a token.
   *
   * @throws {DuplicateKeyError} if there is one with this name
   */
  async create({ name, scopes, roles, expiresAt }: NewApiToken): Promise<CreatedToken> {
    const id = randomBytes(6).toString('hex')
    const token = `${prefixFor(id)}_${randomBytes(32).toString('base64url')}`
    const createdAt = new Date().toISOString()
    const data = { id, name, scopes, roles, createdAt, expiresAt, lastUsedAt: null }
    const record = { ...data, digest: digestApiToken(token).toString('base64url') }
    await this.#records.transaction((writer) => writer.put(TOKEN_KIND, record, { keys: { name }, unique: ['name'] }))
    return { ...data, prefix: prefixFor(id), token }
  }

  /** Lists all tokens, the newest first. */
  async list(): Promise<readonly ApiToken[]> {
    const tokens = (await this.#records.list(TOKEN_KIND)).map(toToken)
    return tokens.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  }

  /** Revokes a token. Returns false if there was none. */
  async revoke(nameOrId: string): Promise<boolean> {
    return this.#delete(async (reader) => {
      const [named] = await reader.find(TOKEN_KIND, 'name', nameOrId)
      return named?.id ?? nameOrId
    })
  }

  /** Revokes a token by its id. Returns false if there was none. */
  async revokeById(id: string): Promise<boolean> {
    return this.#delete(async () => id)
  }

  async #delete(findId: (reader: RecordReader) => Promise<string>): Promise<boolean> {
    const isDeleted = await this.#records.transaction(async (writer) => {
      const existed = await writer.delete(TOKEN_KIND, await findId(writer))
      if (existed) await writer.noteSessionChange()
      return existed
    })
    this.#cache.clear()
    return isDeleted
  }

  /** Calls `listener` when tokens may have been revoked, on any node. Returns a function that stops the calls. */
  onSessionChange(listener: () => void): () => void {
    return this.#records.onSessionChange(() => {
      this.#cache.clear()
      listener()
    })
  }

  /** Returns the caller with a token, or `null` if the token is invalid. */
  async findCaller(token: string): Promise<Caller | null> {
    return this.#cache.get(token, async () => {
      const id = API_TOKEN_FORMAT.exec(token)?.[1]
      const record = id === undefined ? undefined : await this.#records.get(TOKEN_KIND, id)
      if (!record || !isSameToken(token, record) || isExpired(record)) return null
      this.#updateLastUse(record)
      return toCaller(toToken(record))
    })
  }

  /** Returns the caller with the token of this id, or `null` if it was revoked or has expired. */
  async findCallerById(id: string): Promise<Caller | null> {
    const record = API_TOKEN_ID_FORMAT.test(id) ? await this.#records.get(TOKEN_KIND, id) : undefined
    return record && !isExpired(record) ? toCaller(toToken(record)) : null
  }

  /** Returns the names of tokens by their ids, which are the subjects of their callers. */
  async findNames(subjects: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const ids = subjects.filter((subject) => API_TOKEN_ID_FORMAT.test(subject))
    const records = await Promise.all(ids.map((id) => this.#records.get(TOKEN_KIND, id)))
    return new Map(records.flatMap((record) => (record ? [[record.id, String(record.name)] as const] : [])))
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await this.#lastUseUpdate
  }

  /** Updates `lastUsedAt` in the background. */
  #updateLastUse({ id, lastUsedAt }: AuthRecord): void {
    if (typeof lastUsedAt === 'string' && Date.parse(lastUsedAt) > Date.now() - USE_RESOLUTION_MS) return
    this.#lastUseUpdate = this.#records
      .transaction(async (writer) => {
        const record = await writer.get(TOKEN_KIND, id)
        if (record)
          await writer.put(TOKEN_KIND, { ...record, lastUsedAt: new Date().toISOString() }, indexByName(record))
      })
      .catch(this.#onError)
  }
}

const indexByName = ({ name }: AuthRecord) => ({ keys: { name: String(name) }, unique: ['name'] })

const isSameToken = (token: string, record: AuthRecord): boolean =>
  timingSafeEqual(digestApiToken(token), Buffer.from(String(record.digest), 'base64url'))

const isExpired = ({ expiresAt }: AuthRecord): boolean =>
  typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.now()

function toToken({ digest: _digest, ...record }: AuthRecord): ApiToken {
  return { ...(record as unknown as Omit<ApiToken, 'prefix'>), prefix: prefixFor(record.id) }
}

function toCaller({ id, name, scopes, roles, expiresAt }: ApiToken): Caller {
  const { principal, identity } = createServiceCaller(API_TOKEN_PROVIDER, id)
  return Object.freeze({
    principal: Object.freeze({ ...principal, name }),
    identity: identity && Object.freeze({ ...identity, roles, expiresAt, claims: Object.freeze({ name, scopes }) }),
    scopes,
  })
}
