import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Caller, createServiceCaller } from './adapter.ts'
import type { AuthRecord, AuthRecords, RecordReader } from './records.ts'
import type { Scope } from './scopes.ts'
import { readBearerToken } from './service-token.ts'
import { SessionCache } from './session-cache.ts'

/** A token without its secret, which is shown once, when the token is made. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  /** How the token begins. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  readonly roles: readonly string[]
  /** ISO 8601 in UTC, as the others. */
  readonly createdAt: string
  /** `null`: it does not expire. */
  readonly expiresAt: string | null
  /** To the minute; `null`: never. */
  readonly lastUsedAt: string | null
}

/** A new token. */
export interface CreatedToken extends ApiToken {
  /** The credential. It is told this once. */
  readonly token: string
}

/** The data of a new token. */
export type NewApiToken = Pick<ApiToken, 'name' | 'scopes' | 'roles' | 'expiresAt'>

const TOKEN_KIND = 'token'
export const API_TOKEN_PROVIDER = 'api-token'
const API_TOKEN_ID_FORMAT = /^[0-9a-f]{12}$/
const API_TOKEN_FORMAT = /^daybook_([0-9a-f]{12})_[\w-]{43}$/
/** How exactly it is kept when a token was used, in milliseconds: each time is a write. */
const USE_MS = 60_000

const digestApiToken = (text: string): Buffer => createHash('sha256').update(text).digest()
const prefixOf = (id: string): string => `daybook_${id}`

/** A credential that only these tokens look like, whether or not it is one. */
export function readApiToken(headers: Headers): string | undefined {
  const token = readBearerToken(headers)
  return token?.startsWith('daybook_') ? token : undefined
}

/** Named tokens of programs. Their digests are kept, not they. */
export class ApiTokens {
  readonly #records: AuthRecords
  readonly #known = new SessionCache()
  readonly #onError: (error: unknown) => void
  #noting: Promise<unknown> = Promise.resolve()

  /** @param onError told of errors in work that no request waits for */
  constructor(records: AuthRecords, onError: (error: unknown) => void = () => {}) {
    this.#records = records
    this.#onError = onError
  }

  /**
   * Makes a token.
   *
   * @throws {DuplicateKey} when there is one of this name
   */
  async create({ name, scopes, roles, expiresAt }: NewApiToken): Promise<CreatedToken> {
    const id = randomBytes(6).toString('hex')
    const token = `${prefixOf(id)}_${randomBytes(32).toString('base64url')}`
    const createdAt = new Date().toISOString()
    const told = { id, name, scopes, roles, createdAt, expiresAt, lastUsedAt: null }
    const record = { ...told, digest: digestApiToken(token).toString('base64url') }
    await this.#records.transaction((writer) => writer.put(TOKEN_KIND, record, { keys: { name }, unique: ['name'] }))
    return { ...told, prefix: prefixOf(id), token }
  }

  /** All tokens, the newest first. */
  async list(): Promise<readonly ApiToken[]> {
    const all = (await this.#records.list(TOKEN_KIND)).map(toToken)
    return all.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
  }

  /** Ends a token; answers whether there was one. */
  async revoke(nameOrId: string): Promise<boolean> {
    return this.#delete(async (reader) => {
      const [named] = await reader.find(TOKEN_KIND, 'name', nameOrId)
      return named?.id ?? nameOrId
    })
  }

  /** The same by its id alone. */
  async revokeById(id: string): Promise<boolean> {
    return this.#delete(async () => id)
  }

  async #delete(findId: (reader: RecordReader) => Promise<string>): Promise<boolean> {
    const isDeleted = await this.#records.transaction(async (writer) => {
      const wasThere = await writer.delete(TOKEN_KIND, await findId(writer))
      if (wasThere) await writer.noteSessionChange()
      return wasThere
    })
    this.#known.clear()
    return isDeleted
  }

  /** Calls `listener` when tokens may have been revoked, on any node; the returned function stops that. */
  onSessionChange(listener: () => void): () => void {
    return this.#records.onSessionChange(() => {
      this.#known.clear()
      listener()
    })
  }

  /** The caller that a token stands for. */
  async findCaller(token: string): Promise<Caller | null> {
    return this.#known.get(token, async () => {
      const id = API_TOKEN_FORMAT.exec(token)?.[1]
      const record = id === undefined ? undefined : await this.#records.get(TOKEN_KIND, id)
      if (!record || !isSameToken(token, record) || isOver(record)) return null
      this.#noteUse(record)
      return callerOfToken(toToken(record))
    })
  }

  /** The caller that the token with this id stands for; `null`: it was revoked, or has expired. */
  async findCallerById(id: string): Promise<Caller | null> {
    const record = API_TOKEN_ID_FORMAT.test(id) ? await this.#records.get(TOKEN_KIND, id) : undefined
    return record && !isOver(record) ? callerOfToken(toToken(record)) : null
  }

  /** The names of tokens by their ids, which are the subjects of their holders. */
  async findNames(subjects: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const ids = subjects.filter((subject) => API_TOKEN_ID_FORMAT.test(subject))
    const records = await Promise.all(ids.map((id) => this.#records.get(TOKEN_KIND, id)))
    return new Map(records.flatMap((record) => (record ? [[record.id, String(record.name)] as const] : [])))
  }

  /** Waits for what is still to be written. */
  async close(): Promise<void> {
    await this.#noting
  }

  /** Runs in the background: no request waits for it. */
  #noteUse({ id, lastUsedAt }: AuthRecord): void {
    if (typeof lastUsedAt === 'string' && Date.parse(lastUsedAt) > Date.now() - USE_MS) return
    this.#noting = this.#records
      .transaction(async (writer) => {
        const record = await writer.get(TOKEN_KIND, id)
        if (record) await writer.put(TOKEN_KIND, { ...record, lastUsedAt: new Date().toISOString() }, keyed(record))
      })
      .catch(this.#onError)
  }
}

const keyed = ({ name }: AuthRecord) => ({ keys: { name: String(name) }, unique: ['name'] })

const isSameToken = (token: string, record: AuthRecord): boolean =>
  timingSafeEqual(digestApiToken(token), Buffer.from(String(record.digest), 'base64url'))

const isOver = ({ expiresAt }: AuthRecord): boolean =>
  typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.now()

function toToken({ digest: _digest, ...record }: AuthRecord): ApiToken {
  return { ...(record as unknown as Omit<ApiToken, 'prefix'>), prefix: prefixOf(record.id) }
}

function callerOfToken({ id, name, scopes, roles, expiresAt }: ApiToken): Caller {
  const { principal, identity } = createServiceCaller(API_TOKEN_PROVIDER, id)
  return Object.freeze({
    principal: Object.freeze({ ...principal, name }),
    identity: identity && Object.freeze({ ...identity, roles, expiresAt, claims: Object.freeze({ name, scopes }) }),
    scopes,
  })
}
