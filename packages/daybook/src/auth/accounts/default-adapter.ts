import { randomBytes } from 'node:crypto'
import type { AccountsConfig } from '../../config/config.ts'
import { AccountsAdapter } from './accounts-adapter.ts'
import { SessionCache } from './session-cache.ts'

/**
 * The adapter that a service has when its config names no other: accounts that live in memory and go with the process.
 * Its code is loaded with the first credential or action.
 */
export function defaultAdapter({ registration = 'open' }: AccountsConfig): AccountsAdapter {
  const sessions = new SessionCache()
  return new AccountsAdapter({
    registration,
    sessions,
    load: async () => {
      const [{ openAccounts }, { recordDatabase }, { MemoryRecords }] = await Promise.all([
        import('./better-auth.ts'),
        import('./record-database.ts'),
        import('./memory-records.ts'),
      ])
      return async () =>
        openAccounts({
          secret: randomBytes(32).toString('base64url'),
          registration,
          database: recordDatabase(new MemoryRecords(), () => sessions.clear()),
        })
    },
  })
}
