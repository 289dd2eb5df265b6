import { openAccountsAdapter } from '../auth/accounts/stored-accounts.ts'
import type { AuthAdapter, AuthHost } from '../auth/adapter.ts'
import { Administration, type AdministrationParts } from '../auth/administration.ts'
import { ApiTokens } from '../auth/api-tokens.ts'
import { AuthGuard } from '../auth/guard.ts'
import { SignInLimiter } from '../auth/sign-in-limiter.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { ContentContext } from '../content/context.ts'
import type { Log } from '../log.ts'
import { MemoryDatabase } from '../store/sqlite/memory-database.ts'
import { Store } from '../store/store.ts'

const DEFAULT_SIGN_INS = 10
const DEFAULT_ACCOUNT_MESSAGES = 10

const ACCOUNTS_WARNING =
  'Accounts are kept in memory: a restart deletes them, and each process has its own. Anyone may register, and write. ' +
  "To close registration, add to the config: auth: { registration: 'closed' }"

/** The options of {@link openAuth}. */
interface AuthOptions {
  readonly serviceToken: string | undefined
  readonly cookiePrefix: string | undefined
  readonly log: Log
}

interface Auth {
  /** Identifies callers: by the adapter of the config or the default one, and by tokens. */
  readonly auth: AuthGuard
  /** Absent unless accounts are in the service's own database. */
  readonly administration: Administration | undefined
  readonly signIns: SignInLimiter
}

/** Opens the adapter of a config, or the default one. */
export function openAuth(
  config: DaybookConfig,
  { model, store }: ContentContext,
  { serviceToken, cookiePrefix, log }: AuthOptions,
): Auth {
  const { limits = {} } = config
  const host: AuthHost = { records: store.records, log, cookiePrefix }
  const tokens = new ApiTokens(host.records, (err) =>
    log.warn({ err }, 'auth: the use of a token could not be recorded'),
  )
  const documents = [...model.collections.values(), ...model.globals.values()]
  const { signInsPerMinute = DEFAULT_SIGN_INS, accountMessagesPerHour = DEFAULT_ACCOUNT_MESSAGES } = limits
  const { accountSignInsPerMinute = 2 * signInsPerMinute } = limits
  return {
    auth: new AuthGuard(adapterOf(config, host), serviceToken, tokens, limits.authMs),
    administration: openAdministration(config, host, { tokens, documents }),
    signIns: new SignInLimiter((attempt) => store.transaction((writer) => writer.rateLimits.take(attempt)), {
      perClient: signInsPerMinute,
      perAccount: accountSignInsPerMinute,
      messagesPerAccount: accountMessagesPerHour,
    }),
  }
}

function openAdministration(
  { auth = {} }: DaybookConfig,
  host: AuthHost,
  parts: Omit<AdministrationParts, 'openAccountManager'>,
): Administration | undefined {
  if (!('open' in auth)) return undefined
  const manage = auth.manage?.bind(auth)
  return manage && new Administration({ ...parts, openAccountManager: () => manage(host) })
}

function adapterOf({ auth = {} }: DaybookConfig, host: AuthHost): AuthAdapter {
  if ('getCapabilities' in auth) return auth
  if ('open' in auth) return auth.open(host)
  // With closed registration, there are no accounts to lose.
  if (auth.registration !== 'closed') host.log.warn({}, ACCOUNTS_WARNING)
  const store = new Store(new MemoryDatabase())
  const { registration = 'open', cookiePrefix } = auth
  const adapter = openAccountsAdapter({ ...host, records: store.records }, { registration, cookiePrefix })
  return Object.assign(adapter, { close: () => store.close() })
}
