import { randomBytes } from 'node:crypto'
import { DaybookError } from '../../errors.ts'
import type { AccountManager } from '../account-manager.ts'
import type { AuthHost } from '../adapter.ts'
import { COOKIE_PREFIX } from '../cookie-prefix.ts'
import type { AuthRecords } from '../records.ts'
import { SessionCache } from '../session-cache.ts'
import { requireAccountLimits } from './account-rules.ts'
import { AccountsAdapter } from './accounts-adapter.ts'
import type { Accounts, AccountsOptions } from './better-auth.ts'
import { Invitations } from './invitations.ts'
import { Setup } from './setup.ts'

/** The options of accounts in the host's records. */
export type StoredAccountsOptions = Omit<AccountsOptions, 'secret' | 'cookiePrefix' | 'database' | 'onError'> & {
  readonly cookiePrefix?: string | undefined
  readonly secret?: string | undefined
}

/** Opens the adapter of accounts in the host's records, whose code is loaded with the first credential or action. */
export function openAccountsAdapter(host: AuthHost, options: StoredAccountsOptions): AccountsAdapter {
  const cookiePrefix = options.cookiePrefix ?? host.cookiePrefix ?? COOKIE_PREFIX
  const sessions = new SessionCache()
  return new AccountsAdapter({
    registration: options.registration,
    cookiePrefix,
    sessions,
    records: host.records,
    invitations: new Invitations(host.records),
    setup: new Setup(host.records),
    hasPlugins: (options.plugins ?? []).length > 0,
    baseURL: options.baseURL,
    load: () => loadStoredAccounts(host, { ...options, cookiePrefix }, () => sessions.clear()),
  })
}

/** Loads the code of accounts in the host's records. Returns the function that opens them. */
async function loadStoredAccounts(
  { records, log }: AuthHost,
  { secret, cookiePrefix = COOKIE_PREFIX, ...options }: StoredAccountsOptions,
  onChange: () => void,
): Promise<() => Promise<Accounts>> {
  const [{ openAccounts }, { recordDatabase }] = await Promise.all([
    import('./better-auth.ts'),
    import('./record-database.ts'),
  ])
  return async () =>
    openAccounts({
      ...options,
      cookiePrefix,
      secret: secret ?? (await getSharedSecret(records)),
      database: recordDatabase(records, onChange),
      onError: (err) => log.error({ err }, 'auth: background work failed'),
    })
}

/** Returns the secret that signs cookies on all nodes, generated once for each store. */
async function getSharedSecret(records: AuthRecords): Promise<string> {
  const stored = await records.get('secret', 'cookies')
  if (stored) return String(stored.value)
  return records.transaction(async (writer) => {
    const committed = await writer.get('secret', 'cookies')
    if (committed) return String(committed.value)
    const value = randomBytes(32).toString('base64url')
    await writer.put('secret', { id: 'cookies', value })
    return value
  })
}

/** Opens the management of accounts in the service's own database. */
export async function openAccountManager(host: AuthHost, options: StoredAccountsOptions): Promise<AccountManager> {
  const open = await loadStoredAccounts(host, options, () => {})
  const accounts = await open()
  const invitations = new Invitations(host.records)
  const getId = async (email: string): Promise<string> => {
    const account = await accounts.find(email)
    if (!account) throw new DaybookError('NOT_FOUND', `The account ${email} does not exist.`)
    return account.id
  }
  return {
    list: () => accounts.list(),
    create: (account) => accounts.create(account),
    setRoles: async (email, roles) => accounts.setRoles(await getId(email), roles),
    setPassword: async (email, password) => accounts.setPassword(await getId(email), password),
    async setBanned(email, isBanned) {
      const id = await getId(email)
      return { id, endedSessions: await accounts.setBanned(id, isBanned) }
    },
    async invite(invitation) {
      if (options.registration !== 'invite') {
        throw new DaybookError(
          'CONFLICT',
          "Registration by invitation is off. Set registration: 'invite' in the options of betterAuth().",
        )
      }
      requireAccountLimits({ email: invitation.email })
      if (await accounts.find(invitation.email)) {
        throw new DaybookError('CONFLICT', 'This e-mail address is already used by another account.', {
          field: 'email',
        })
      }
      return invitations.create(invitation)
    },
    listInvitations: () => invitations.list(),
    async withdrawInvitation(id) {
      if (!(await invitations.withdraw(id))) throw new DaybookError('NOT_FOUND', 'The invitation does not exist.')
    },
  }
}
