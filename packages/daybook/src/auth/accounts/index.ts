import { StartupError } from '../../errors.ts'
import { findOriginFault, findOriginsFault } from '../../origins.ts'
import type { AuthHost, AuthSource } from '../adapter.ts'
import { cookiePrefixForPort, findCookiePrefixFault } from '../cookie-prefix.ts'
import type { AuthPlugin, PasswordReset, Registration, SocialProvider, SocialProviders } from './account-rules.ts'
import type { AccountsAdapter } from './accounts-adapter.ts'
import { openAccountManager, openAccountsAdapter, type StoredAccountsOptions } from './stored-accounts.ts'

export type {
  AuthPlugin,
  PasswordReset,
  Registration,
  SocialProvider,
  SocialProviders,
} from './account-rules.ts'

/** The options of {@link betterAuth}. */
export interface BetterAuthOptions {
  /** How accounts are registered: by anyone, by invitation, or not at all. @default 'open' */
  readonly registration?: Registration
  /**
   * Accepts that with open registration, everyone who registers can write whatever has no access rule. Without it, such a service listens
   * on this machine alone, and does not start with `NODE_ENV=production`. @default false
   */
  readonly anyoneMayWrite?: boolean
  /** The secret that signs cookies, at least 32 characters; another one ends all sessions by cookie. @default generated once, and stored in the database */
  readonly secret?: string | undefined
  /**
   * Scheme, host and port under which people reach the service, such as `https://cms.example.org`. Required with
   * `sendPasswordReset`, `socialProviders` and `plugins`: links in mails begin with it, whatever host a request names. With `https:`,
   * every cookie is `Secure`. @default none
   */
  readonly baseURL?: string | undefined
  /**
   * The start of the names of cookies, which browsers send to all ports of a host: two services on one host need two. Letters, digits, `-`
   * and `_`; another one ends all sessions by cookie. @default `better-auth`; with a `baseURL` on this machine, and in `daybook dev`, with
   * the port: `better-auth-3000`
   */
  readonly cookiePrefix?: string | undefined
  /** Other origins that people may be sent back to after signing in, each written in full, without `*`. @default none */
  readonly trustedOrigins?: readonly string[]
  /** Sends a user the link for setting a new password, of `{ email, name, token, url }`. @default passwords cannot be reset by mail */
  readonly sendPasswordReset?: (reset: PasswordReset) => Promise<void>
  /** Social providers by name, as better-auth has them. @default none */
  readonly socialProviders?: SocialProviders
  /** Plugins of better-auth, such as passkeys and two factors. What they keep is in the service's database, too. @default none */
  readonly plugins?: readonly AuthPlugin[]
}

const MIN_SECRET_LENGTH = 32
const OPEN_REGISTRATION =
  "Anyone can register, and every account can write unless an access rule says otherwise. To invite people instead: betterAuth({ registration: 'invite' })"
/** How long after a start its code is loaded, in milliseconds: neither the first answer nor the first session waits. */
const WARM_AFTER_MS = 500

/**
 * Accounts with e-mail address and password, by better-auth, in the service's own database: users, sessions and what its
 * plugins keep outlive a restart and hold for all nodes. A session that is ended on one node is over on the others within a
 * second.
 *
 * @throws {StartupError} when an option is wrong, with what to write instead
 *
 * @example
 * ```ts
 * export default defineConfig({ auth: betterAuth({ registration: 'invite' }), collections })
 * ```
 */
export function betterAuth(options: BetterAuthOptions = {}): AuthSource {
  const stored = readBetterAuthOptions(options)
  return {
    missingSecrets: missingProviderSecrets(options),
    registersAnyone: stored.registration === 'open' && !(options.anyoneMayWrite ?? false),
    open(host) {
      if (stored.registration === 'open') host.log.warn({}, OPEN_REGISTRATION)
      const cookiePrefix = stored.cookiePrefix ?? localPrefix(stored.baseURL)
      const adapter = openAccountsAdapter(host, { ...stored, cookiePrefix })
      warm(adapter, host)
      return adapter
    },
    manage: (host) => openAccountManager(host, stored),
  }
}

function warm(adapter: AccountsAdapter, { log }: AuthHost): void {
  const load = (): void => void adapter.warm().catch((err) => log.warn({ err }, 'auth: accounts cannot be opened yet'))
  setTimeout(load, WARM_AFTER_MS).unref()
}

/** The prefix of a service whose address is on this machine. */
function localPrefix(baseURL: string | undefined): string | undefined {
  if (baseURL === undefined) return undefined
  const { hostname, port } = new URL(baseURL)
  const isLocal = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return isLocal && port !== '' ? cookiePrefixForPort(port) : undefined
}

function readBetterAuthOptions({
  registration = 'open',
  anyoneMayWrite = false,
  secret,
  baseURL,
  cookiePrefix,
  trustedOrigins = [],
  socialProviders,
  sendPasswordReset,
  plugins = [],
}: BetterAuthOptions): StoredAccountsOptions {
  const fault = (path: string, message: string): never => {
    throw new StartupError(`betterAuth: ${path}: ${message}`)
  }
  if (!['open', 'invite', 'closed'].includes(registration)) fault('registration', "write 'open', 'invite' or 'closed'")
  if (typeof anyoneMayWrite !== 'boolean') fault('anyoneMayWrite', 'write true or false')
  if (secret !== undefined && secret.length < MIN_SECRET_LENGTH) {
    fault('secret', `give at least ${MIN_SECRET_LENGTH} characters, for instance the output of: openssl rand -hex 32`)
  }
  const baseURLFault = baseURL === undefined ? undefined : findOriginFault(baseURL)
  if (baseURLFault) fault('baseURL', `write scheme and host, such as https://cms.example.org: ${baseURLFault}`)
  const prefixFault = cookiePrefix === undefined ? undefined : findCookiePrefixFault(cookiePrefix)
  if (prefixFault) fault('cookiePrefix', prefixFault)
  const originFaults = findOriginsFault(trustedOrigins)
  if (originFaults) fault('trustedOrigins', originFaults)
  // better-auth does not say which of its plugins send links.
  const linkOptions = Object.entries({ sendPasswordReset, socialProviders, plugins: plugins[0] })
  const [linking] = linkOptions.find(([, value]) => value !== undefined) ?? []
  if (linking !== undefined && baseURL === undefined)
    fault(
      'baseURL',
      `write the address under which people reach the service, such as https://cms.example.org: ${linking} makes links, which lead to whatever host a request names without it`,
    )
  return {
    registration,
    secret,
    plugins,
    trustedOrigins,
    cookiePrefix,
    ...(sendPasswordReset ? { sendPasswordReset } : {}),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(socialProviders ? { socialProviders: withSecrets(socialProviders) } : {}),
  }
}

const isProviderComplete = (provider: SocialProvider): boolean =>
  Boolean(provider.clientId) && (!Object.hasOwn(provider, 'clientSecret') || Boolean(provider.clientSecret))

/** The providers that can be used: better-auth would answer for the others without a credential. */
const withSecrets = (providers: SocialProviders): SocialProviders =>
  Object.fromEntries(Object.entries(providers).filter(([, provider]) => isProviderComplete(provider)))

/** The providers that lack an id or a secret, each with where it comes from. */
function missingProviderSecrets({ socialProviders = {} }: BetterAuthOptions): Readonly<Record<string, string>> {
  const incomplete = Object.entries(socialProviders).filter(([, provider]) => !isProviderComplete(provider))
  return Object.fromEntries(
    incomplete.map(([name]) => [
      `socialProviders.${name}`,
      'register the service with the provider, which gives clientId and clientSecret. For now, nobody signs in with it',
    ]),
  )
}
