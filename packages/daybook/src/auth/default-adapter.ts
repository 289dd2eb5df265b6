import { randomBytes } from 'node:crypto'
import type { AccountsConfig } from '../config/config.ts'
import { DaybookError, type Issue, invalid } from '../errors.ts'
import type { AuthAdapter, AuthCapabilities, AuthContext, Caller } from './adapter.ts'
import type { Accounts, Signed } from './better-auth.ts'
import { bearerToken } from './service-token.ts'
import { SessionCache } from './session-cache.ts'

/** The cookie that holds a session. */
const COOKIE = 'better-auth.session_token'
const SESSION_COOKIE = new RegExp(`(?:^|;)\\s*${COOKIE.replaceAll('.', '\\.')}=([^;]+)`)
const BASE_PATH = '/api/auth'
/** In characters. */
const PASSWORD_LENGTH = { min: 8, max: 128 }

const TEXT = { type: 'string' }
const SESSION = { type: 'object' }
const CAPABILITIES: AuthCapabilities = {
  provider: 'better-auth',
  providerRoutes: { enabled: true, basePath: BASE_PATH },
  actions: {
    login: {
      description: 'Signs in with e-mail address and password.',
      input: { type: 'object', properties: { email: TEXT, password: TEXT }, required: ['email', 'password'] },
      output: SESSION,
    },
    register: {
      description: 'Makes an account, and signs in.',
      input: {
        type: 'object',
        properties: { name: TEXT, email: TEXT, password: TEXT },
        required: ['name', 'email', 'password'],
      },
      output: SESSION,
    },
    logout: { description: 'Ends the session.' },
  },
}

/**
 * The adapter that a service has when its config names no other: accounts with e-mail address and password, by better-auth.
 * They live in memory and go with the process. Its code is loaded with the first credential or action.
 */
export class DefaultAuthAdapter implements AuthAdapter {
  readonly #isOpen: boolean
  readonly #sessions = new SessionCache()
  #accounts: Promise<Accounts> | undefined

  constructor({ registration = 'open' }: AccountsConfig) {
    this.#isOpen = registration === 'open'
  }

  getCapabilities(): AuthCapabilities {
    return CAPABILITIES
  }

  async getPrincipal(context: AuthContext): Promise<Caller['principal']> {
    return (await this.#find(context))?.principal ?? null
  }

  async getIdentity(context: AuthContext): Promise<Caller['identity']> {
    return (await this.#find(context))?.identity ?? null
  }

  async invoke(
    action: string,
    input: Readonly<Record<string, unknown>>,
    context: AuthContext,
  ): Promise<Response | null> {
    if (action === 'login') return this.#login(input, context)
    if (action === 'register') return this.#register(input, context)
    if (action === 'logout') return this.#logout(context)
    return null
  }

  async handleRequest(request: Request, { origin }: AuthContext): Promise<Response> {
    return secured(await (await this.#load()).handle(request), origin)
  }

  #load(): Promise<Accounts> {
    this.#accounts ??= import('./better-auth.ts').then(({ openAccounts }) =>
      openAccounts({
        basePath: BASE_PATH,
        cookie: COOKIE,
        secret: randomBytes(32).toString('base64url'),
        isOpen: this.#isOpen,
        passwordLength: PASSWORD_LENGTH,
        onChange: () => this.#sessions.clear(),
      }),
    )
    return this.#accounts
  }

  async #find({ headers }: AuthContext): Promise<Caller | null> {
    const credential = bearerToken(headers) ?? cookieValue(headers)
    if (credential === undefined) return null
    return this.#sessions.get(credential, async () => (await this.#load()).session(headers))
  }

  async #login(input: Readonly<Record<string, unknown>>, { headers, origin }: AuthContext): Promise<Response> {
    const { email = '', password = '' } = readTexts(input, ['email', 'password'])
    const signed = await (await this.#load()).signIn({ email, password }, headers)
    if (!signed) throw new DaybookError('UNAUTHORIZED', 'The e-mail address or the password is not right.')
    return toResponse(200, signed, origin)
  }

  async #register(input: Readonly<Record<string, unknown>>, { headers, origin }: AuthContext): Promise<Response> {
    if (!this.#isOpen) throw new DaybookError('FORBIDDEN', 'Registration is closed.')
    const { name = '', email = '', password = '' } = readTexts(input, ['name', 'email', 'password'])
    const { min, max } = PASSWORD_LENGTH
    if (password.length < min || password.length > max) {
      throw invalid([{ path: '/password', code: 'length', message: `must have ${min} to ${max} characters` }])
    }
    const signed = await (await this.#load()).signUp({ name, email, password }, headers)
    if (signed === 'taken')
      throw new DaybookError('CONFLICT', 'There is an account with this address.', { field: 'email' })
    if (signed === 'invalid') throw invalid([{ path: '/email', code: 'format', message: 'must be an e-mail address' }])
    return toResponse(201, signed, origin)
  }

  async #logout(context: AuthContext): Promise<Response> {
    if (!(await this.#find(context))) throw new DaybookError('UNAUTHORIZED')
    const cookies = await (await this.#load()).signOut(context.headers)
    return secured(
      new Response(null, { status: 204, headers: cookies.map((one) => ['Set-Cookie', one]) }),
      context.origin,
    )
  }
}

/** What a session is answered with after signing in. */
function toResponse(
  status: number,
  { caller: { principal, identity }, token, cookies }: Signed,
  origin: string,
): Response {
  const json = { authenticated: true, principal, identity, token }
  const headers = cookies.map((one): [string, string] => ['Set-Cookie', one])
  return secured(Response.json(json, { status, headers }), origin)
}

/** Cookies that came over TLS go nowhere else (RFC 6265, section 5.4). */
function secured(response: Response, origin: string): Response {
  const cookies = response.headers.getSetCookie()
  if (cookies.length === 0 || !origin.startsWith('https:')) return response
  const { status, body } = response
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  for (const cookie of cookies) headers.append('Set-Cookie', /;\s*secure/i.test(cookie) ? cookie : `${cookie}; Secure`)
  return new Response(body, { status, headers })
}

/** The session cookie, if the request has one. */
function cookieValue(headers: Headers): string | undefined {
  const all = headers.get('cookie')
  return all === null ? undefined : SESSION_COOKIE.exec(all)?.[1]
}

/**
 * Texts of an input; others in it are not looked at.
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
    return [{ path: `/${name}`, code: isMissing ? 'required' : 'type', message: 'must be a text' }]
  })
  if (issues.length > 0) throw invalid(issues)
  return Object.fromEntries(names.map((name) => [name, String(input[name])]))
}
