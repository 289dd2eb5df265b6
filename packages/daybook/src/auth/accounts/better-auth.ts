import { randomUUID } from 'node:crypto'
import { type BetterAuthOptions, type BetterAuthPlugin, betterAuth } from 'better-auth'
import type { DBAdapterInstance } from 'better-auth/adapters'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { admin } from 'better-auth/plugins/admin'
import { bearer } from 'better-auth/plugins/bearer'
import pLimit from 'p-limit'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import type { Account, NewAccount } from '../account-manager.ts'
import { ANONYMOUS, type Caller } from '../adapter.ts'
import { DuplicateKeyError } from '../records.ts'
import {
  type AuthPlugin,
  BASE_PATH,
  findTooLongField,
  PASSWORD_LENGTH,
  type PasswordReset,
  type Registration,
  requireAccountLimits,
  requirePassword,
  type SocialProviders,
  truncateAccount,
} from './account-rules.ts'
import { findVerificationOwner, OWNER_FIELDS } from './revocation.ts'
import { findNamedSession } from './session-tokens.ts'

/** How long a session lasts, in seconds: seven days. */
const SESSION_SECONDS = 7 * 24 * 60 * 60
/** The most accounts that are listed. */
const MAX_LISTED_ACCOUNTS = 1_000_000

/** How accounts are kept. */
export interface AccountsOptions {
  /** Signs cookies. */
  readonly secret: string
  readonly registration: Registration
  /** The start of the names of all cookies. */
  readonly cookiePrefix: string
  readonly database: DBAdapterInstance
  readonly baseURL?: string
  readonly trustedOrigins?: readonly string[]
  readonly socialProviders?: SocialProviders
  readonly plugins?: readonly AuthPlugin[]
  /** Sends a user the link for setting a new password. Absent: passwords cannot be reset by mail. */
  readonly sendPasswordReset?: (reset: PasswordReset) => Promise<void>
  /** Told of errors in work that no request waits for. */
  readonly onError?: (error: unknown) => void
}

/** The data of a new account. */
export interface NewUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The result of a sign-in: a new session, or the step that is still missing. */
export interface SignInResult {
  readonly caller: Caller
  readonly token?: string
  /** Another factor is needed; better-auth's plugin for it goes on. */
  readonly twoFactorRedirect?: true
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

/** Accounts with e-mail address and password. */
export interface Accounts {
  /** The session that belongs to the credential in these headers. */
  findSessionCaller(headers: Headers): Promise<Caller | null>
  /** `wrong`: no account has this address with this password. Takes as long for one as for the other. */
  signIn(user: Omit<NewUser, 'name'>, headers: Headers): Promise<SignInResult | 'wrong' | 'banned'>
  /** @throws CONFLICT when the address has an account, VALIDATION_ERROR */
  signUp(user: NewUser, headers: Headers): Promise<SignInResult>
  /** Ends the session of these headers; answers what clears its cookies. */
  signOut(headers: Headers): Promise<readonly string[]>
  /** @throws VALIDATION_ERROR for what no account may have */
  validateNewUser(user: NewUser): void
  /** Makes an account, also where registration is closed. @throws CONFLICT when the address has one, VALIDATION_ERROR */
  create(account: NewAccount): Promise<Account>
  /** All of them, the oldest first. */
  list(): Promise<readonly Account[]>
  /** `undefined`: no account has this address. */
  find(email: string): Promise<Account | undefined>
  /** The caller whose account has this id; `null`: there is none, or it is banned. */
  findCaller(id: string): Promise<Caller | null>
  /** Names by id. An account whose name is its address has none. */
  findNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  setRoles(id: string, roles: readonly string[]): Promise<void>
  setPassword(id: string, password: string): Promise<void>
  /** @returns how many sessions a ban has ended */
  setBanned(id: string, isBanned: boolean): Promise<number>
  /** Answers the provider's own routes. */
  handle(request: Request): Promise<Response>
}

/** Opens accounts. */
export function openAccounts(options: AccountsOptions): Accounts {
  const auth = makeAuth(options)
  const session = async (headers: Headers): Promise<Caller | null> => {
    const found = await auth.api.getSession({ headers })
    return found && callerOfSession(found as FoundSession)
  }
  const begun = async (response: Response): Promise<SignInResult> => {
    const { token, twoFactorRedirect } = (await response.json()) as { token?: string; twoFactorRedirect?: boolean }
    const cookies = response.headers.getSetCookie()
    if (twoFactorRedirect === true) return { caller: ANONYMOUS, twoFactorRedirect, cookies }
    const caller = await session(new Headers({ Authorization: `Bearer ${token}` }))
    if (!caller || token === undefined) throw new Error('A session that was just begun is not there.')
    return { caller, token, cookies }
  }
  return {
    findSessionCaller: session,
    validateNewUser: requireNewUser,
    async signIn({ email, password }, headers) {
      const asked = { body: { email, password }, headers: withoutCredentials(headers), asResponse: true } as const
      const response = await auth.api.signInEmail(asked)
      // An address that is none has no account.
      if (response.status === 401 || response.status === 400) return 'wrong'
      return response.status === 403 ? 'banned' : begun(requireOk(response))
    },
    async signUp(user, headers) {
      requireNewUser(user)
      const asked = { body: { ...user }, headers: withoutCredentials(headers), asResponse: true } as const
      const response = await auth.api.signUpEmail(asked)
      if (response.status === 422) throw taken()
      if (response.status === 400) throw notAnAddress()
      return begun(requireOk(response))
    },
    async signOut(headers) {
      return requireOk(await auth.api.signOut({ headers, asResponse: true })).headers.getSetCookie()
    },
    handle: (request) => auth.handler(request),
    async create({ email, name, password, roles }) {
      requireNewUser({ email, name, password })
      const { internalAdapter } = await auth.$context
      if (await internalAdapter.findUserByEmail(email)) throw taken()
      // The plugin's types name the roles that it brings; any may be set.
      const body = { email, name, password, role: [...roles] as ('admin' | 'user')[] }
      const made = await auth.api.createUser({ body, asResponse: true }).catch((error) => {
        throw error instanceof DuplicateKeyError ? taken() : error
      })
      const found = await internalAdapter.findUserByEmail(email)
      // Another request was faster.
      if (made.status === 400) throw found ? taken() : notAnAddress()
      if (!found) throw new Error(`An account was to be made, and better-auth answered ${made.status}.`)
      return toAccount(found.user as StoredUser)
    },
    async list() {
      const { internalAdapter } = await auth.$context
      const users = await internalAdapter.listUsers(MAX_LISTED_ACCOUNTS, 0, { field: 'createdAt', direction: 'asc' })
      return users.map((user) => toAccount(user as StoredUser))
    },
    async find(email) {
      const found = await (await auth.$context).internalAdapter.findUserByEmail(email)
      return found ? toAccount(found.user as StoredUser) : undefined
    },
    async findCaller(id) {
      const user = await (await auth.$context).internalAdapter.findUserById(id)
      return user && callerOfUser(user as StoredUser)
    },
    async findNames(ids) {
      const where = [{ field: 'id', operator: 'in' as const, value: [...ids] }]
      const users = await (await auth.$context).internalAdapter.listUsers(ids.length, 0, undefined, where)
      return new Map(users.filter(({ name, email }) => name !== email).map(({ id, name }) => [id, name]))
    },
    async setRoles(id, roles) {
      await (await auth.$context).internalAdapter.updateUser(id, { role: roles.join(',') })
    },
    async setPassword(id, password) {
      requirePassword(password)
      const { internalAdapter, password: passwords } = await auth.$context
      const hash = await passwords.hash(password)
      if (await internalAdapter.findCredentialAccount(id)) await internalAdapter.updatePassword(id, hash)
      else await internalAdapter.linkAccount({ providerId: 'credential', accountId: id, userId: id, password: hash })
    },
    async setBanned(id, isBanned) {
      const { internalAdapter } = await auth.$context
      const sessions = isBanned ? await internalAdapter.listSessions(id) : []
      await internalAdapter.updateUser(id, { banned: isBanned, banReason: null, banExpires: null })
      return sessions.length
    },
  }
}

function makeAuth({ secret, registration, cookiePrefix, database, plugins = [], ...options }: AccountsOptions) {
  const { baseURL, trustedOrigins = [], socialProviders, sendPasswordReset, onError = () => {} } = options
  return betterAuth({
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(socialProviders ? { socialProviders: socialProviders as BetterAuthOptions['socialProviders'] } : {}),
    trustedOrigins: [...trustedOrigins],
    basePath: BASE_PATH,
    secret,
    database,
    // The action that takes invitations and the manager ask better-auth past its routes.
    disabledPaths: registration === 'open' ? [] : ['/sign-up/email'],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      // It counts what JavaScript does.
      maxPasswordLength: 2 * PASSWORD_LENGTH.max,
      password: new Passwords(),
      revokeSessionsOnPasswordReset: true,
      ...(sendPasswordReset
        ? {
            sendResetPassword: ({ user: { email, name }, token, url }) =>
              sendPasswordReset({ email, name, token, url }),
          }
        : {}),
    },
    databaseHooks: {
      user: {
        create: { before: async (user, ctx) => isAdmitted(registration, ctx?.path) && fitUser(user) },
        update: { before: async (user) => fitUser(user) },
      },
      verification: {
        create: { before: async ({ value }, ctx) => ({ data: findVerificationOwner(value, ctx?.body) }) },
      },
    },
    hooks: { before: beforeRoutes },
    // The service sends its errors as it sends all others.
    onAPIError: {
      onError: (error) => {
        if (error instanceof DaybookError) throw error
      },
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // A leaked database holds no usable links for setting passwords. The service sweeps expired ones.
    verification: { storeIdentifier: 'hashed', disableCleanup: true, additionalFields: OWNER_FIELDS },
    // The service counts attempts on all nodes together, and looks at origins, before anything comes here.
    rateLimit: { enabled: false },
    advanced: {
      disableCSRFCheck: true,
      // Addresses to go back to are looked at all the same; left out, not while tests run.
      disableOriginCheck: false,
      useSecureCookies: false,
      cookiePrefix,
      ipAddress: { disableIpTracking: true },
      // Whether an address has an account is not to be told by how long an answer takes.
      backgroundTasks: { handler: (task) => void task.catch(onError) },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [bearer(), admin(), ...(plugins as readonly BetterAuthPlugin[])],
  })
}

/** True if an account may be created. Every way of registering checks this, social providers included. */
function isAdmitted(registration: Registration, path: string | undefined): boolean {
  // better-auth lets administrators alone do that, and checks no permission when it is called from inside.
  return registration === 'open' || path === '/admin/create-user'
}

/** Fits an account into the limits before it is stored, from wherever it comes. @throws {APIError} for another field that is too long */
function fitUser(user: Readonly<Record<string, unknown>>): { readonly data: object } {
  const long = findTooLongField(user)
  if (long) {
    const message = `${long.field} must have at most ${long.max} characters.`
    throw new APIError('BAD_REQUEST', { code: 'VALIDATION_ERROR', message })
  }
  return { data: truncateAccount(user) }
}

const beforeRoutes = createAuthMiddleware(async ({ path, body, query, context: { adapter, internalAdapter } }) => {
  if (path === '/error') return errorPage(query?.error)
  requireAccountLimits(body)
  // With a new password all sessions end; the one that set it gets another.
  if (path === '/change-password') return { context: { body: { ...body, revokeOtherSessions: true } } }
  if (path === '/request-password-reset') await evenOut(internalAdapter, body?.email)
  const named = findNamedSession(path, body)
  if (!named) return undefined
  const where = [{ field: 'id', value: named.sessionId }]
  const session = await adapter.findOne<{ readonly token: string }>({ model: 'session', where })
  // No session has an empty token.
  return { context: { body: { ...body, [named.field]: session?.token ?? '' } } }
})

/** The page to which a sign-in by a social provider leads when it fails: a text, as nothing of the request may run in the page. */
function errorPage(error: unknown): Response {
  const code = typeof error === 'string' && /^[\w-]{1,100}$/.test(error) ? error : 'unknown'
  return new Response(`The sign-in failed (${code}). Go back to the page that you came from, and try again.\n`, {
    status: 400,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  })
}

type InternalAdapter = Awaited<ReturnType<typeof makeAuth>['$context']>['internalAdapter']

/** An address costs the same work with and without an account: otherwise the time that an answer takes would tell. */
async function evenOut(internalAdapter: InternalAdapter, email: unknown): Promise<void> {
  if (typeof email !== 'string') return
  const identifier = `nobody ${randomUUID()}`
  if (await internalAdapter.findUserByEmail(email)) await internalAdapter.findVerificationValue(identifier)
  else await internalAdapter.createVerificationValue({ identifier, value: '', expiresAt: new Date() })
}

function requireNewUser({ email, name, password }: NewUser): void {
  if (name.trim() === '') throw validationErrorAt('/name', 'required', 'must be a text')
  if (email.trim() === '') throw notAnAddress()
  requireAccountLimits({ name, email })
  requirePassword(password)
}

const taken = (): DaybookError =>
  new DaybookError('CONFLICT', 'There is an account with this address.', { field: 'email' })

const notAnAddress = (): DaybookError =>
  validationErrorAt('/email', 'format', 'must be an e-mail address', { format: 'email' })

/** Headers without credentials: a sign-in begins a new session. */
function withoutCredentials(headers: Headers): Headers {
  const all = new Headers(headers)
  for (const name of ['authorization', 'cookie']) all.delete(name)
  return all
}

function requireOk(response: Response): Response {
  if (response.ok) return response
  throw new Error(`better-auth answered ${response.status}.`)
}

/** A user as better-auth keeps it, as far as it is used. */
interface StoredUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly emailVerified: boolean
  readonly createdAt: Date
  /** Several are separated by commas. */
  readonly role?: string | null
  readonly banned?: boolean | null
  readonly banExpires?: Date | null
}

/** A session as better-auth describes it, as far as it is used. */
interface FoundSession {
  readonly session: { readonly id: string; readonly expiresAt: Date; readonly impersonatedBy?: string | null }
  readonly user: StoredUser
}

function callerOfSession({ session, user }: FoundSession): Caller | null {
  const { id, expiresAt, impersonatedBy } = session
  return callerOfUser(user, {
    id,
    expiresAt: expiresAt.toISOString(),
    claims: impersonatedBy ? { impersonatedBy } : {},
  })
}

/** @param session absent: the caller is named without one, and the id of the account stands for it */
function callerOfUser(
  user: StoredUser,
  session: { readonly id: string; readonly expiresAt: string | null; readonly claims: object } = {
    id: user.id,
    expiresAt: null,
    claims: {},
  },
): Caller | null {
  if (isBanned(user)) return null
  const { id, email, name, emailVerified } = user
  return {
    principal: { id, email, name },
    identity: {
      provider: 'better-auth',
      subject: id,
      sessionId: session.id,
      actorType: 'human',
      expiresAt: session.expiresAt,
      claims: { email, name, emailVerified, ...session.claims },
      roles: userRoles(user),
    },
  }
}

const userRoles = ({ role }: StoredUser): readonly string[] => (role || 'user').split(',').map((one) => one.trim())

const isBanned = ({ banned, banExpires }: StoredUser): boolean =>
  banned === true && !(banExpires && banExpires.getTime() <= Date.now())

function toAccount(user: StoredUser): Account {
  const { id, email, name, createdAt } = user
  return { id, email, name, roles: userRoles(user), isBanned: isBanned(user), createdAt: createdAt.toISOString() }
}

/** How many passwords are hashed at once: cookies are signed on the same threads, of which Node has four. */
const AT_ONCE = 2
/** How many may wait: more would wait longer than clients wait for an answer. */
const MAX_WAITING = 30

/** Hashes and compares passwords as better-auth does, a few at a time, in the order in which they come. */
export class Passwords {
  readonly #turn = pLimit(AT_ONCE)

  /** @throws SERVICE_UNAVAILABLE when too many wait */
  readonly hash = (password: string): Promise<string> => this.#inTurn(() => hashPassword(password))

  /** @throws SERVICE_UNAVAILABLE when too many wait */
  readonly verify = (given: { readonly hash: string; readonly password: string }): Promise<boolean> =>
    this.#inTurn(() => verifyPassword(given))

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#turn.pendingCount >= MAX_WAITING) throw tooManyHashes()
    return this.#turn(work)
  }
}

const tooManyHashes = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'Too many people sign in right now; retry as Retry-After says.')
