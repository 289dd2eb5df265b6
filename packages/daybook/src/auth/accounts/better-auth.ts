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

const SESSION_SECONDS = 7 * 24 * 60 * 60
const MAX_LISTED_ACCOUNTS = 1_000_000

/** Options of {@link openAccounts}. */
export interface AccountsOptions {
  readonly secret: string
  readonly registration: Registration
  /** The prefix of all cookie names. */
  readonly cookiePrefix: string
  readonly database: DBAdapterInstance
  readonly baseURL?: string
  readonly trustedOrigins?: readonly string[]
  readonly socialProviders?: SocialProviders
  readonly plugins?: readonly AuthPlugin[]
  /** Sends a user the link to set a new password. Without it, passwords cannot be reset by mail. */
  readonly sendPasswordReset?: (reset: PasswordReset) => Promise<void>
  /** Called with errors of work that no request waits for. */
  readonly onError?: (error: unknown) => void
}

export interface NewUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The result of a sign-in: a new session, or the missing step. */
export interface SignInResult {
  readonly caller: Caller
  readonly token?: string
  /** True if another factor is needed, which a plugin of better-auth handles. */
  readonly twoFactorRedirect?: true
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

/** Accounts with e-mail address and password. */
export interface Accounts {
  findSessionCaller(headers: Headers): Promise<Caller | null>
  /** Signs in. `wrong` if no account has this address and password, with equal timing for both. */
  signIn(user: Omit<NewUser, 'name'>, headers: Headers): Promise<SignInResult | 'wrong' | 'banned'>
  /** Creates an account, and signs in. @throws CONFLICT if the address has an account, VALIDATION_ERROR */
  signUp(user: NewUser, headers: Headers): Promise<SignInResult>
  /** Ends the session of these headers. Returns the `Set-Cookie` values that clear its cookies. */
  signOut(headers: Headers): Promise<readonly string[]>
  /** @throws VALIDATION_ERROR for invalid data */
  validateNewUser(user: NewUser): void
  /** Creates an account, even if registration is closed. @throws CONFLICT if the address has one, VALIDATION_ERROR */
  create(account: NewAccount): Promise<Account>
  /** Lists all accounts, the oldest first. */
  list(): Promise<readonly Account[]>
  /** Returns the account with an address. */
  find(email: string): Promise<Account | undefined>
  /** Returns the caller with the account of this id, or `null` if it does not exist or is banned. */
  findCaller(id: string): Promise<Caller | null>
  /** Returns names by account id, without names that are the address of the account. */
  findNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  setRoles(id: string, roles: readonly string[]): Promise<void>
  setPassword(id: string, password: string): Promise<void>
  /** @returns the number of sessions that a ban has ended */
  setBanned(id: string, isBanned: boolean): Promise<number>
  /** Handles the provider's own routes. */
  handle(request: Request): Promise<Response>
}

export function openAccounts(options: AccountsOptions): Accounts {
  const auth = makeAuth(options)
  const findSessionCaller = async (headers: Headers): Promise<Caller | null> => {
    const session = await auth.api.getSession({ headers })
    return session && toSessionCaller(session as StoredSession)
  }
  const readSignIn = async (response: Response): Promise<SignInResult> => {
    const { token, twoFactorRedirect } = (await response.json()) as { token?: string; twoFactorRedirect?: boolean }
    const cookies = response.headers.getSetCookie()
    if (twoFactorRedirect === true) return { caller: ANONYMOUS, twoFactorRedirect, cookies }
    const caller = await findSessionCaller(new Headers({ Authorization: `Bearer ${token}` }))
    if (!caller || token === undefined) throw new Error('A session that was just created does not exist.')
    return { caller, token, cookies }
  }
  return {
    findSessionCaller,
    validateNewUser: requireNewUser,
    async signIn({ email, password }, headers) {
      const request = { body: { email, password }, headers: withoutCredentials(headers), asResponse: true } as const
      const response = await auth.api.signInEmail(request)
      // A malformed address has no account.
      if (response.status === 401 || response.status === 400) return 'wrong'
      return response.status === 403 ? 'banned' : readSignIn(requireOk(response))
    },
    async signUp(user, headers) {
      requireNewUser(user)
      const request = { body: { ...user }, headers: withoutCredentials(headers), asResponse: true } as const
      const response = await auth.api.signUpEmail(request)
      if (response.status === 422) throw addressConflict()
      if (response.status === 400) throw notAnAddress()
      return readSignIn(requireOk(response))
    },
    async signOut(headers) {
      return requireOk(await auth.api.signOut({ headers, asResponse: true })).headers.getSetCookie()
    },
    handle: (request) => auth.handler(request),
    async create({ email, name, password, roles }) {
      requireNewUser({ email, name, password })
      const { internalAdapter } = await auth.$context
      if (await internalAdapter.findUserByEmail(email)) throw addressConflict()
      // The types list the plugin's default roles, but any role may be set.
      const body = { email, name, password, role: [...roles] as ('admin' | 'user')[] }
      const response = await auth.api.createUser({ body, asResponse: true }).catch((error) => {
        throw error instanceof DuplicateKeyError ? addressConflict() : error
      })
      const created = await internalAdapter.findUserByEmail(email)
      // A concurrent request may have created the account.
      if (response.status === 400) throw created ? addressConflict() : notAnAddress()
      if (!created) throw new Error(`better-auth did not create an account, with status ${response.status}.`)
      return toAccount(created.user as StoredUser)
    },
    async list() {
      const { internalAdapter } = await auth.$context
      const users = await internalAdapter.listUsers(MAX_LISTED_ACCOUNTS, 0, { field: 'createdAt', direction: 'asc' })
      return users.map((user) => toAccount(user as StoredUser))
    },
    async find(email) {
      const match = await (await auth.$context).internalAdapter.findUserByEmail(email)
      return match ? toAccount(match.user as StoredUser) : undefined
    },
    async findCaller(id) {
      const user = await (await auth.$context).internalAdapter.findUserById(id)
      return user && toCaller(user as StoredUser)
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
    // Registration by invitation and the account manager call better-auth directly.
    disabledPaths: registration === 'open' ? [] : ['/sign-up/email'],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      // better-auth counts code units of JavaScript.
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
        create: { before: async (user, ctx) => isAdmitted(registration, ctx?.path) && truncateUser(user) },
        update: { before: async (user) => truncateUser(user) },
      },
      verification: {
        create: { before: async ({ value }, ctx) => ({ data: findVerificationOwner(value, ctx?.body) }) },
      },
    },
    hooks: { before: beforeRoutes },
    // The service sends its own errors.
    onAPIError: {
      onError: (error) => {
        if (error instanceof DaybookError) throw error
      },
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // With hashed identifiers, a leaked database contains no usable links to set passwords. The service sweeps expired ones.
    verification: { storeIdentifier: 'hashed', disableCleanup: true, additionalFields: OWNER_FIELDS },
    // The service limits attempts on all nodes together, and checks origins.
    rateLimit: { enabled: false },
    advanced: {
      disableCSRFCheck: true,
      // Checks redirect targets. better-auth would skip the check in tests if this were absent.
      disableOriginCheck: false,
      useSecureCookies: false,
      cookiePrefix,
      ipAddress: { disableIpTracking: true },
      // Background tasks keep the timing of a response from revealing whether an address has an account.
      backgroundTasks: { handler: (task) => void task.catch(onError) },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [bearer(), admin(), ...(plugins as readonly BetterAuthPlugin[])],
  })
}

/** Returns true if an account may be created. Every registration checks this, with social providers as well. */
function isAdmitted(registration: Registration, path: string | undefined): boolean {
  // better-auth admits only administrators to this route, and in-process calls without a permission.
  return registration === 'open' || path === '/admin/create-user'
}

/** Truncates an account before it is stored. @throws {APIError} for a field that cannot be truncated */
function truncateUser(user: Readonly<Record<string, unknown>>): { readonly data: object } {
  const tooLong = findTooLongField(user)
  if (tooLong) {
    const message = `${tooLong.field} must be at most ${tooLong.max} characters long.`
    throw new APIError('BAD_REQUEST', { code: 'VALIDATION_ERROR', message })
  }
  return { data: truncateAccount(user) }
}

const beforeRoutes = createAuthMiddleware(async ({ path, body, query, context: { adapter, internalAdapter } }) => {
  if (path === '/error') return createErrorPage(query?.error)
  requireAccountLimits(body)
  // A new password ends all sessions, and its request gets a new one.
  if (path === '/change-password') return { context: { body: { ...body, revokeOtherSessions: true } } }
  if (path === '/request-password-reset') await equalizeTiming(internalAdapter, body?.email)
  const named = findNamedSession(path, body)
  if (!named) return undefined
  const where = [{ field: 'id', value: named.sessionId }]
  const session = await adapter.findOne<{ readonly token: string }>({ model: 'session', where })
  // No session has an empty token.
  return { context: { body: { ...body, [named.field]: session?.token ?? '' } } }
})

/** The page for a failed sign-in with a social provider. It is plain text, so that nothing of the request can run in it. */
function createErrorPage(error: unknown): Response {
  const code = typeof error === 'string' && /^[\w-]{1,100}$/.test(error) ? error : 'unknown'
  return new Response(`The sign-in failed (${code}). Go back to the page that you came from, and try again.\n`, {
    status: 400,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  })
}

type InternalAdapter = Awaited<ReturnType<typeof makeAuth>['$context']>['internalAdapter']

/** Does the same work for an address with and without an account, so that timing does not reveal accounts. */
async function equalizeTiming(internalAdapter: InternalAdapter, email: unknown): Promise<void> {
  if (typeof email !== 'string') return
  const identifier = `nobody ${randomUUID()}`
  if (await internalAdapter.findUserByEmail(email)) await internalAdapter.findVerificationValue(identifier)
  else await internalAdapter.createVerificationValue({ identifier, value: '', expiresAt: new Date() })
}

function requireNewUser({ email, name, password }: NewUser): void {
  if (name.trim() === '') throw validationErrorAt('/name', 'required', 'is required')
  if (email.trim() === '') throw notAnAddress()
  requireAccountLimits({ name, email })
  requirePassword(password)
}

const addressConflict = (): DaybookError =>
  new DaybookError('CONFLICT', 'This e-mail address is already used by another account.', { field: 'email' })

const notAnAddress = (): DaybookError =>
  validationErrorAt('/email', 'format', 'must be an e-mail address', { format: 'email' })

/** Removes credentials, so that a sign-in starts a new session. */
function withoutCredentials(headers: Headers): Headers {
  const all = new Headers(headers)
  for (const name of ['authorization', 'cookie']) all.delete(name)
  return all
}

function requireOk(response: Response): Response {
  if (response.ok) return response
  throw new Error(`better-auth responded with ${response.status}.`)
}

interface StoredUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly emailVerified: boolean
  readonly createdAt: Date
  /** Roles, separated by commas. */
  readonly role?: string | null
  readonly banned?: boolean | null
  readonly banExpires?: Date | null
}

interface StoredSession {
  readonly session: { readonly id: string; readonly expiresAt: Date; readonly impersonatedBy?: string | null }
  readonly user: StoredUser
}

function toSessionCaller({ session, user }: StoredSession): Caller | null {
  const { id, expiresAt, impersonatedBy } = session
  return toCaller(user, {
    id,
    expiresAt: expiresAt.toISOString(),
    claims: impersonatedBy ? { impersonatedBy } : {},
  })
}

/** @param session without one, the id of the account is the session id */
function toCaller(
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
      roles: parseRoles(user),
    },
  }
}

const parseRoles = ({ role }: StoredUser): readonly string[] => (role || 'user').split(',').map((name) => name.trim())

const isBanned = ({ banned, banExpires }: StoredUser): boolean =>
  banned === true && !(banExpires && banExpires.getTime() <= Date.now())

function toAccount(user: StoredUser): Account {
  const { id, email, name, createdAt } = user
  return { id, email, name, roles: parseRoles(user), isBanned: isBanned(user), createdAt: createdAt.toISOString() }
}

/** The number of passwords that are hashed at once. Cookies are signed on the same four threads of Node. */
const HASH_CONCURRENCY = 2
/** The maximum number of waiting passwords. More would exceed the timeout of the clients. */
const MAX_WAITING = 30

/** Hashes and compares passwords like better-auth, a few at a time, in order of arrival. */
export class Passwords {
  readonly #limit = pLimit(HASH_CONCURRENCY)

  /** @throws SERVICE_UNAVAILABLE if too many passwords wait */
  readonly hash = (password: string): Promise<string> => this.#run(() => hashPassword(password))

  /** @throws SERVICE_UNAVAILABLE if too many passwords wait */
  readonly verify = (credential: { readonly hash: string; readonly password: string }): Promise<boolean> =>
    this.#run(() => verifyPassword(credential))

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#limit.pendingCount >= MAX_WAITING) throw tooManyHashes()
    return this.#limit(work)
  }
}

const tooManyHashes = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'Too many people are signing in. Retry after the seconds in Retry-After.')
