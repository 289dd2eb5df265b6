import { randomBytes } from 'node:crypto'
import type { AccountsConfig } from '../../config/config.ts'
import type { AuthHost } from '../adapter.ts'
import { COOKIE_PREFIX } from '../cookie-prefix.ts'
import { AccountsAdapter } from './accounts-adapter.ts'
import { MemoryRecords } from './memory-records.ts'
import { SessionCache } from './session-cache.ts'

/**
 * The adapter that a service has when its config names no other: accounts that live in memory and go with the process.
 * Its code is loaded with the first credential or action.
 */
export function defaultAdapter(
  { registration = 'open', ...options }: AccountsConfig,
  host: Pick<AuthHost, 'cookiePrefix'>,
): AccountsAdapter {
  const cookiePrefix = options.cookiePrefix ?? host.cookiePrefix ?? COOKIE_PREFIX
  const sessions = new SessionCache()
  const records = new MemoryRecords()
  return new AccountsAdapter({
    registration,
    cookiePrefix,
    sessions,
    records,
    load: async () => {
      const [{ openAccounts }, { recordDatabase }] = await Promise.all([
        import('./better-auth.ts'),
        import('./record-database.ts'),
      ])
      return async () =>
        openAccounts({
          secret: randomBytes(32).toString('base64url'),
          registration,
          cookiePrefix,
          database: recordDatabase(records, () => sessions.clear()),
        })
    },
  })
}
