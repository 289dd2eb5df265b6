import type { StudioClient } from '../talk/client.ts'

/** An account, as administrators know it. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  /** Roles with commas between. */
  readonly role: string | null
  readonly banned: boolean | null
  /** ISO 8601. */
  readonly createdAt: string
}

/** A page of accounts. */
export interface AccountPage {
  readonly users: readonly Account[]
  readonly total: number
}

/** What a new account is made of. */
export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly roles: readonly string[]
}

/** How many accounts are asked for at once. */
export const ACCOUNTS_AT_ONCE = 50

/** The routes of the service's accounts, which are for administrators. */
export const accountsApi = (client: Pick<StudioClient, 'request'>) => {
  const post = (name: string, body: object): Promise<unknown> =>
    client.request({ method: 'POST', path: `/api/auth/admin/${name}`, body })
  return {
    list(search: string, offset: number, signal: AbortSignal): Promise<AccountPage> {
      const found = search === '' ? {} : { searchValue: search, searchField: 'email', searchOperator: 'contains' }
      const query = { limit: ACCOUNTS_AT_ONCE, offset, sortBy: 'createdAt', sortDirection: 'desc', ...found }
      return client.request<AccountPage>({ path: '/api/auth/admin/list-users', query, signal })
    },
    create: ({ roles, ...account }: NewAccount) => post('create-user', { ...account, role: roles }),
    setRoles: (userId: string, roles: readonly string[]) => post('set-role', { userId, role: roles }),
    ban: (userId: string) => post('ban-user', { userId }),
    unban: (userId: string) => post('unban-user', { userId }),
  }
}

/** Roles in a text, with commas or spaces between. */
export const rolesIn = (text: string | null): readonly string[] => [
  ...new Set((text ?? '').split(/[\s,]+/).filter((role) => role !== '')),
]

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password that nobody guesses, in letters that are not taken for others. */
export const makePassword = (): string =>
  [...crypto.getRandomValues(new Uint32Array(20))].map((one) => LETTERS[one % LETTERS.length]).join('')
