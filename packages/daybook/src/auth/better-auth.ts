import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { bearer } from 'better-auth/plugins'
import type { Caller } from './adapter.ts'

/** How long a session lasts, in seconds: seven days. */
const SESSION_SECONDS = 7 * 24 * 60 * 60

/** How accounts are kept. */
export interface AccountsOptions {
  readonly basePath: string
  /** The name of the session cookie. */
  readonly cookie: string
  /** Signs cookies. */
  readonly secret: string
  /** Whether anyone may make an account. */
  readonly isOpen: boolean
  /** In characters. */
  readonly passwordLength: { readonly min: number; readonly max: number }
  /** Called after each change of accounts or sessions. */
  readonly onChange: () => void
}

/** A session that was just begun. */
export interface Signed {
  readonly caller: Caller
  readonly token: string
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

/** Accounts with e-mail address and password. */
export interface Accounts {
  /** Whose session the credential in these headers is. */
  session(headers: Headers): Promise<Caller | null>
  /** `undefined`: no account has this address with this password. Takes as long for one as for the other. */
  signIn(body: { readonly email: string; readonly password: string }, headers: Headers): Promise<Signed | undefined>
  signUp(
    body: { readonly name: string; readonly email: string; readonly password: string },
    headers: Headers,
  ): Promise<Signed | 'taken' | 'invalid'>
  /** Ends the session of these headers; answers what clears its cookies. */
  signOut(headers: Headers): Promise<readonly string[]>
  /** Answers the provider's own routes. */
  handle(request: Request): Promise<Response>
}

/** Opens accounts that live in memory. */
export function openAccounts(options: AccountsOptions): Accounts {
  const auth = makeAuth(options)
  const session = async (headers: Headers): Promise<Caller | null> => {
    const found = await auth.api.getSession({ headers })
    return found && toCaller(found)
  }
  const begun = async (response: Response): Promise<Signed> => {
    const { token } = (await response.json()) as { token: string }
    const caller = await session(new Headers({ Authorization: `Bearer ${token}` }))
    if (!caller) throw new Error('A session that was just begun is not there.')
    return { caller, token, cookies: response.headers.getSetCookie() }
  }
  return {
    session,
    async signIn(body, headers) {
      const response = await auth.api.signInEmail({ body: { ...body }, headers: plain(headers), asResponse: true })
      // An address that is none has no account.
      if (response.status === 401 || response.status === 400) return undefined
      return begun(demandOk(response))
    },
    async signUp(body, headers) {
      const response = await auth.api.signUpEmail({ body: { ...body }, headers: plain(headers), asResponse: true })
      if (response.status === 422) return 'taken'
      if (response.status === 400) return 'invalid'
      return begun(demandOk(response))
    },
    async signOut(headers) {
      return demandOk(await auth.api.signOut({ headers, asResponse: true })).headers.getSetCookie()
    },
    handle: (request) => auth.handler(request),
  }
}

function makeAuth({ basePath, cookie, secret, isOpen, passwordLength: { min, max }, onChange }: AccountsOptions) {
  const open = memoryAdapter({ user: [], session: [], account: [], verification: [] })
  return betterAuth({
    basePath,
    secret,
    database: (given: BetterAuthOptions) => watched(open(given), onChange),
    emailAndPassword: {
      enabled: true,
      disableSignUp: !isOpen,
      minPasswordLength: min,
      maxPasswordLength: max,
      revokeSessionsOnPasswordReset: true,
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // The service counts attempts on all nodes together, and looks at origins, before anything comes here.
    rateLimit: { enabled: false },
    advanced: {
      disableCSRFCheck: true,
      // Addresses to go back to are looked at all the same; left out, not while tests run.
      disableOriginCheck: false,
      useSecureCookies: false,
      cookies: { session_token: { name: cookie } },
      ipAddress: { disableIpTracking: true },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [bearer()],
  })
}

/** Headers without credentials: who signs in begins anew. */
function plain(headers: Headers): Headers {
  const all = new Headers(headers)
  for (const name of ['authorization', 'cookie']) all.delete(name)
  return all
}

function demandOk(response: Response): Response {
  if (response.ok) return response
  throw new Error(`better-auth answered ${response.status}.`)
}

/** What better-auth says of a session, as far as it is used. */
interface Found {
  readonly session: { readonly id: string; readonly expiresAt: Date }
  readonly user: { readonly id: string; readonly email: string; readonly name: string; readonly emailVerified: boolean }
}

function toCaller({ session, user: { id, email, name, emailVerified } }: Found): Caller {
  return {
    principal: { id, email, name },
    identity: {
      provider: 'better-auth',
      subject: id,
      sessionId: session.id,
      actorType: 'human',
      expiresAt: session.expiresAt.toISOString(),
      claims: { email, name, emailVerified },
      roles: ['user'],
    },
  }
}

const CHANGING: ReadonlySet<PropertyKey> = new Set(['create', 'update', 'updateMany', 'delete', 'deleteMany'])

/** The same adapter, which says so after each change. */
function watched<A extends object>(adapter: A, onChange: () => void): A {
  return new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'transaction') {
        return (work: (inner: object) => unknown) =>
          member.call(target, (inner: object) => work(watched(inner, onChange)))
      }
      if (!CHANGING.has(name)) return member.bind(target)
      return async (...given: readonly unknown[]) => {
        try {
          return await member.apply(target, given)
        } finally {
          onChange()
        }
      }
    },
  })
}
