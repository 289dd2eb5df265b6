import { StartupError } from '../../errors.ts'
import { formatIssueMessage } from '../../issues.ts'
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
  /** The way to register an account: open to anyone, by invitation, or closed. @default 'open' */
  readonly registration?: Registration
  /**
   * Accepts that with open registration, every account can write to documents without access rules. Otherwise such a service listens only on
   * this machine, and does not start with `NODE_ENV=production`. @default false
   */
  readonly anyoneMayWrite?: boolean
  /** The secret that signs cookies, at least 32 characters. A change ends all sessions by cookie. @default generated once, and stored in the database */
  readonly secret?: string | undefined
  /**
   * The public origin of the service, such as `https://cms.example.org`. Required with `sendPasswordReset`, `socialProviders` and `plugins`,
   * because links in mails begin with it, whatever host a request has. With `https:`, every cookie is `Secure`. @default none
   */
  readonly baseURL?: string | undefined
  /**
   * The prefix of cookie names, of letters, digits, `-` and `_`. Browsers send cookies to all ports of a host, so that two services on one
   * host need different prefixes. A change ends all sessions by cookie. @default `better-auth`; with a `baseURL` on this machine, and in
   * `daybook dev`, with the port: `better-auth-3000`
   */
  readonly cookiePrefix?: string | undefined
  /** Further origins for redirects after signing in, each in full, without `*`. @default none */
  readonly trustedOrigins?: readonly string[]
  /** Sends a user the link to set a new password, given `{ email, name, token, url }`. @default passwords cannot be reset by mail */
  readonly sendPasswordReset?: (reset: PasswordReset) => Promise<void>
  /** Social providers by name, with the options of better-auth. @default none */
  readonly socialProviders?: SocialProviders
  /** Plugins of better-auth, such as passkeys and two factors. They store their data in the service's database. @default none */
  readonly plugins?: readonly AuthPlugin[]
}

const MIN_SECRET_LENGTH = 32
const OPEN_REGISTRATION =
  "Anyone can register, and every account can write unless an access rule says otherwise. To invite people instead: betterAuth({ registration: 'invite' })"
/** The delay of loading the code after the start, in milliseconds, so that neither the first response nor the first session waits. */
const WARM_AFTER_MS = 500

/**
 * Creates accounts with e-mail address and password, through better-auth, in the service's own database. Users, sessions and data of plugins
 * survive a restart, and are shared by all nodes. A session that ends on one node is invalid on the others within a second.
 *
 * @throws {StartupError} if an option is invalid, with advice
 *
 * @example
 * ```ts
 * export default defineConfig({ auth: betterAuth({ registration: 'invite' }), collections })
 * ```
 */
export function betterAuth(options: BetterAuthOptions = {}): AuthSource {
  const stored = readBetterAuthOptions(options)
  return {
    missingSecrets: findMissingSecrets(options),
    registersAnyone: stored.registration === 'open' && !(options.anyoneMayWrite ?? false),
    open(host) {
      if (stored.registration === 'open') host.log.warn({}, OPEN_REGISTRATION)
      const cookiePrefix = stored.cookiePrefix ?? findLocalPrefix(stored.baseURL)
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

/** Returns the cookie prefix of a service with an address on this machine. */
function findLocalPrefix(baseURL: string | undefined): string | undefined {
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
  const fail = (path: string, message: string): never => {
    throw new StartupError(`betterAuth: ${formatIssueMessage(path, message)}`)
  }
  if (!['open', 'invite', 'closed'].includes(registration)) fail('registration', 'must be "open", "invite" or "closed"')
  if (typeof anyoneMayWrite !== 'boolean') fail('anyoneMayWrite', 'must be true or false')
  if (secret !== undefined && secret.length < MIN_SECRET_LENGTH) {
    fail('secret', `must have at least ${MIN_SECRET_LENGTH} characters, such as the output of: openssl rand -hex 32`)
  }
  const baseURLFault = baseURL === undefined ? undefined : findOriginFault(baseURL)
  if (baseURLFault) fail('baseURL', `must be scheme and host, such as https://cms.example.org. ${baseURLFault}`)
  const prefixFault = cookiePrefix === undefined ? undefined : findCookiePrefixFault(cookiePrefix)
  if (prefixFault) fail('cookiePrefix', prefixFault)
  const originFaults = findOriginsFault(trustedOrigins)
  if (originFaults) fail('trustedOrigins', originFaults)
  // Any plugin of better-auth may send links.
  const linkOptions = Object.entries({ sendPasswordReset, socialProviders, plugins: plugins[0] })
  const [linking] = linkOptions.find(([, value]) => value !== undefined) ?? []
  if (linking !== undefined && baseURL === undefined)
    fail(
      'baseURL',
      `is required, because ${linking} makes links, which would lead to whatever host a request names. Write the URL under which people reach the service, such as https://cms.example.org`,
    )
  return {
    registration,
    secret,
    plugins,
    trustedOrigins,
    cookiePrefix,
    ...(sendPasswordReset ? { sendPasswordReset } : {}),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(socialProviders ? { socialProviders: selectComplete(socialProviders) } : {}),
  }
}

const isProviderComplete = (provider: SocialProvider): boolean =>
  Boolean(provider.clientId) && (!Object.hasOwn(provider, 'clientSecret') || Boolean(provider.clientSecret))

/** Removes providers without a credential, which better-auth would otherwise use. */
const selectComplete = (providers: SocialProviders): SocialProviders =>
  Object.fromEntries(Object.entries(providers).filter(([, provider]) => isProviderComplete(provider)))

/** Returns the providers without an id or a secret, with advice. */
function findMissingSecrets({ socialProviders = {} }: BetterAuthOptions): Readonly<Record<string, string>> {
  const incomplete = Object.entries(socialProviders).filter(([, provider]) => !isProviderComplete(provider))
  return Object.fromEntries(
    incomplete.map(([name]) => [
      `socialProviders.${name}`,
      'register the service with the provider, which gives clientId and clientSecret. For now, nobody signs in with it',
    ]),
  )
}
