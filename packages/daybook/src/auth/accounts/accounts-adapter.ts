import { DaybookError, validationError, validationErrorAt } from '../../errors.ts'
import { createIssue, type Issue } from '../../issues.ts'
import {
  type AuthAction,
  type AuthAdapter,
  type AuthCapabilities,
  type AuthContext,
  type Caller,
  IDENTITY_SCHEMA,
  isAuthenticated,
} from '../adapter.ts'
import { getSessionCookieName } from '../cookie-prefix.ts'
import type { AuthRecords } from '../records.ts'
import { readBearerToken } from '../service-token.ts'
import type { SessionCache } from '../session-cache.ts'
import { ACCOUNT_LIMITS, BASE_PATH, PASSWORD_LENGTH, type Registration } from './account-rules.ts'
import type { Accounts, NewUser, SignInResult } from './better-auth.ts'
import type { Invitations } from './invitations.ts'
import { withoutSessionTokens } from './session-tokens.ts'
import type { Setup } from './setup.ts'

const objectSchema = (properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** The schema of a text that is not blank. */
const TEXT = { type: 'string', pattern: '\\S' }
const NAME = { ...TEXT, maxLength: ACCOUNT_LIMITS.name }
const EMAIL = { type: 'string', format: 'email', maxLength: ACCOUNT_LIMITS.email }
const NEW_PASSWORD = { ...TEXT, minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max }

const SIGNED_IN = {
  ...objectSchema({
    authenticated: { const: true },
    principal: objectSchema({ id: { type: 'string' }, email: { type: 'string' }, name: { type: 'string' } }),
    identity: IDENTITY_SCHEMA,
    token: {
      type: 'string',
      description: 'The credential, for clients that send a bearer token instead of the cookie.',
    },
  }),
  additionalProperties: false,
}

const SECOND_FACTOR = {
  ...objectSchema({
    authenticated: { const: false },
    principal: { type: 'null' },
    identity: { type: 'null' },
    twoFactorRedirect: { const: true },
  }),
  description: 'A second factor is required.',
  additionalProperties: false,
}

/** The input of a registration, with an invitation if one is needed. */
const newAccount = (registration: Registration): Readonly<Record<string, unknown>> => ({
  name: NAME,
  email: EMAIL,
  password: NEW_PASSWORD,
  ...(registration === 'invite' ? { invitation: TEXT } : {}),
})

const registerAction = ({
  registration,
  hasPlugins,
}: Pick<AccountsParts, 'registration' | 'hasPlugins'>): AuthAction => ({
  description: 'Makes an account, and signs in.',
  input: objectSchema(newAccount(registration)),
  output: hasPlugins ? { oneOf: [SIGNED_IN, SECOND_FACTOR] } : SIGNED_IN,
  status: 201,
})

/** Describes the adapter. A plugin of better-auth may require another factor. */
const createCapabilities = ({ registration, cookiePrefix, hasPlugins = false }: AccountsParts): AuthCapabilities => ({
  provider: 'better-auth',
  providerRoutes: { enabled: true, basePath: BASE_PATH },
  sessionCookie: getSessionCookieName(cookiePrefix),
  actions: {
    login: {
      description: 'Signs in with e-mail address and password.',
      input: objectSchema({ email: { ...TEXT, maxLength: ACCOUNT_LIMITS.email }, password: TEXT }),
      output: hasPlugins ? { oneOf: [SIGNED_IN, SECOND_FACTOR] } : SIGNED_IN,
      status: 200,
    },
    ...(registration === 'closed' ? {} : { register: registerAction({ registration, hasPlugins }) }),
    setup: {
      description:
        'Makes the first account, an administrator, with the secret that the start of the service prints, and signs in.',
      input: objectSchema({ name: NAME, email: EMAIL, password: NEW_PASSWORD, setup: TEXT }),
      output: hasPlugins ? { oneOf: [SIGNED_IN, SECOND_FACTOR] } : SIGNED_IN,
      status: 201,
    },
    logout: { description: 'Ends the session.', status: 204 },
  },
})

const SETUP_CLOSED =
  'This link was used or replaced, or there is an account already. Without an account, start the service again for a new link.'

export interface AccountsParts {
  readonly registration: Registration
  readonly cookiePrefix: string
  /** Loads the code of the accounts with the first credential or action. Returns the function that opens them. */
  load(): Promise<() => Promise<Accounts>>
  /** Cleared whenever accounts or sessions change. */
  readonly sessions: SessionCache
  /** The records of the accounts, which report changes of sessions on all nodes. */
  readonly records: Pick<AuthRecords, 'onSessionChange'>
  /** The creation of the first administrator. */
  readonly setup: Setup
  /** Required if registration is by invitation. */
  readonly invitations?: Invitations
  /** True if there are plugins of better-auth. @default false */
  readonly hasPlugins?: boolean
  /** The public origin of the service. @default the origin of each request */
  readonly baseURL?: string | undefined
}

/** Sessions of accounts with e-mail address and password, through better-auth. */
export class AccountsAdapter implements AuthAdapter {
  readonly #parts: AccountsParts
  #accounts: Promise<Accounts> | undefined

  constructor(parts: AccountsParts) {
    this.#parts = parts
  }

  getCapabilities(): AuthCapabilities {
    return createCapabilities(this.#parts)
  }

  hasCredential({ headers }: AuthContext): boolean {
    return this.#readCredential(headers) !== undefined
  }

  async load(): Promise<void> {
    await this.#parts.load()
  }

  async getPrincipal(context: AuthContext): Promise<Caller['principal']> {
    return (await this.#findCaller(context))?.principal ?? null
  }

  async getIdentity(context: AuthContext): Promise<Caller['identity']> {
    return (await this.#findCaller(context))?.identity ?? null
  }

  async invoke(
    action: string,
    input: Readonly<Record<string, unknown>>,
    context: AuthContext,
  ): Promise<Response | null> {
    if (action === 'login') return this.#login(input, context)
    if (action === 'register') return this.#register(input, context)
    if (action === 'setup') return this.#setUp(input, context)
    if (action === 'logout') return this.#logout(context)
    return null
  }

  async getNames(subjects: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return (await this.#open()).findNames(subjects)
  }

  async getCaller(subject: string): Promise<Caller | null> {
    return (await this.#open()).findCaller(subject)
  }

  onSessionChange(listener: () => void): () => void {
    const { records, sessions } = this.#parts
    return records.onSessionChange(() => {
      sessions.clear()
      listener()
    })
  }

  openSetup(secret: string): Promise<boolean> {
    return this.#parts.setup.open(secret)
  }

  async handleRequest(request: Request, { headers, origin }: AuthContext): Promise<Response> {
    const response = await (await this.#open()).handle(request)
    return this.#secureCookies(await withoutSessionTokens(response, this.#readCredential(headers)), origin)
  }

  /** Opens the accounts before the first request needs them. */
  async warm(): Promise<void> {
    await this.#open()
  }

  #open(): Promise<Accounts> {
    this.#accounts ??= this.#loadAndOpen().catch((error) => {
      // The next call tries again, for example when the database is back.
      this.#accounts = undefined
      throw error
    })
    return this.#accounts
  }

  async #loadAndOpen(): Promise<Accounts> {
    const open = await this.#parts.load()
    return open()
  }

  async #findCaller({ headers }: AuthContext): Promise<Caller | null> {
    const credential = this.#readCredential(headers)
    if (credential === undefined) return null
    return this.#parts.sessions.get(credential, async () => (await this.#open()).findSessionCaller(headers))
  }

  async #login(input: Readonly<Record<string, unknown>>, { headers, origin }: AuthContext): Promise<Response> {
    const { email = '', password = '' } = readTexts(input, ['email', 'password'])
    const result = await (await this.#open()).signIn({ email, password }, headers)
    if (result === 'wrong') throw new DaybookError('UNAUTHORIZED', 'The e-mail address or the password is incorrect.')
    if (result === 'banned') throw new DaybookError('FORBIDDEN', 'This account is not allowed to sign in.')
    return this.#secureCookies(createSessionResponse(200, result), origin)
  }

  async #register(input: Readonly<Record<string, unknown>>, { headers, origin }: AuthContext): Promise<Response> {
    const { registration, invitations } = this.#parts
    if (registration === 'closed') throw new DaybookError('FORBIDDEN', 'Registration is closed.')
    const { name = '', email = '', password = '' } = readTexts(input, ['name', 'email', 'password'])
    const accounts = await this.#open()
    const user: NewUser = { name, email, password }
    if (registration === 'open')
      return this.#secureCookies(
        createSessionResponse(201, requireSignedIn(await accounts.signUp(user, headers))),
        origin,
      )
    if (!invitations) throw new Error('This service does not accept invitations.')
    const { invitation = '' } = readTexts(input, ['invitation'])
    accounts.validateNewUser(user)
    const claimed = await invitations.claim(invitation, email)
    if (!claimed) throw validationErrorAt('/invitation', 'invitation', 'is not valid for this address')
    try {
      await accounts.create({ ...user, roles: claimed.roles })
    } catch (error) {
      await claimed.release()
      throw error
    }
    return this.#secureCookies(
      createSessionResponse(201, requireSignedIn(await accounts.signIn(user, headers))),
      origin,
    )
  }

  async #setUp(input: Readonly<Record<string, unknown>>, { headers, origin }: AuthContext): Promise<Response> {
    const names = ['name', 'email', 'password', 'setup'] as const
    const { name = '', email = '', password = '', setup = '' } = readTexts(input, names)
    const accounts = await this.#open()
    const user: NewUser = { name, email, password }
    accounts.validateNewUser(user)
    const claimed = await this.#parts.setup.claim(setup)
    if (!claimed) throw new DaybookError('FORBIDDEN', SETUP_CLOSED)
    try {
      await accounts.create({ ...user, roles: ['admin'] })
    } catch (error) {
      await claimed.release()
      throw error
    }
    return this.#secureCookies(
      createSessionResponse(201, requireSignedIn(await accounts.signIn(user, headers))),
      origin,
    )
  }

  async #logout(context: AuthContext): Promise<Response> {
    if (!(await this.#findCaller(context))) throw new DaybookError('UNAUTHORIZED')
    const cookies = await (await this.#open()).signOut(context.headers)
    const response = new Response(null, { status: 204, headers: cookies.map((cookie) => ['Set-Cookie', cookie]) })
    return this.#secureCookies(response, context.origin)
  }

  /** Returns the value of a request that may be the credential of an account's session. */
  #readCredential(headers: Headers): string | undefined {
    return readBearerToken(headers) ?? readCookie(headers, getSessionCookieName(this.#parts.cookiePrefix))
  }

  /** Marks cookies as `Secure` over TLS (RFC 6265, section 5.4). */
  #secureCookies(response: Response, requestOrigin: string): Response {
    const cookies = response.headers.getSetCookie()
    // A proxy may terminate TLS for a service that does not trust its headers.
    const isTls = [requestOrigin, this.#parts.baseURL ?? ''].some((origin) => origin.startsWith('https:'))
    if (cookies.length === 0 || !isTls) return response
    const { status, body } = response
    const headers = new Headers(response.headers)
    headers.delete('set-cookie')
    for (const cookie of cookies)
      headers.append('Set-Cookie', /;\s*secure/i.test(cookie) ? cookie : `${cookie}; Secure`)
    return new Response(body, { status, headers })
  }
}

/** @throws {Error} if a new account cannot sign in */
function requireSignedIn(result: SignInResult | 'wrong' | 'banned'): SignInResult {
  if (typeof result === 'string') throw new Error(`A new account could not sign in: ${result}.`)
  return result
}

/** Creates the response to a sign-in, with the session or the missing step. */
function createSessionResponse(status: number, { caller, cookies, ...more }: SignInResult): Response {
  const { principal, identity } = caller
  const json = { authenticated: isAuthenticated(caller), principal, identity, ...more }
  const headers = cookies.map((cookie): [string, string] => ['Set-Cookie', cookie])
  return Response.json(json, { status, headers })
}

/** Returns the value of a cookie, if the request has it. */
function readCookie(headers: Headers, name: string): string | undefined {
  const start = `${name}=`
  const cookies = headers
    .get('cookie')
    ?.split(';')
    .map((cookie) => cookie.trim())
  // An empty value is no credential.
  return cookies?.find((cookie) => cookie.startsWith(start))?.slice(start.length) || undefined
}

/**
 * Reads texts of an input, and ignores its other members.
 *
 * @throws VALIDATION_ERROR
 */
function readTexts(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const issues = names.flatMap((name): Issue[] => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    if (typeof value === 'string' && value.trim() !== '') return []
    const isMissing = value === undefined || value === ''
    if (isMissing) return [createIssue(`/${name}`, 'required', 'is required')]
    return [createIssue(`/${name}`, 'type', 'must be a string', { types: ['string'] })]
  })
  if (issues.length > 0) throw validationError(issues)
  return Object.fromEntries(names.map((name) => [name, String(input[name])]))
}
