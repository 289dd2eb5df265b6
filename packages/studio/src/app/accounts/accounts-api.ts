import { DaybookError } from '@daybook/client'
import type { StudioClient } from '../api/client.ts'

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
export const ACCOUNTS_PAGE_SIZE = 50

/** The routes of the service's accounts, which are for administrators. */
export const makeAccountsApi = (client: Pick<StudioClient, 'request'>) => {
  const post = (name: string, body: object): Promise<unknown> =>
    client.request({ method: 'POST', path: `/api/auth/admin/${name}`, body })
  return {
    list(search: string, offset: number, signal: AbortSignal): Promise<AccountPage> {
      const found = search === '' ? {} : { searchValue: search, searchField: 'email', searchOperator: 'contains' }
      const query = { limit: ACCOUNTS_PAGE_SIZE, offset, sortBy: 'createdAt', sortDirection: 'desc', ...found }
      return client.request<AccountPage>({ path: '/api/auth/admin/list-users', query, signal })
    },
    create: ({ roles, ...account }: NewAccount) => post('create-user', { ...account, role: roles }),
    setRoles: (userId: string, roles: readonly string[]) => post('set-role', { userId, role: roles }),
    ban: (userId: string) => post('ban-user', { userId }),
    unban: (userId: string) => post('unban-user', { userId }),
  }
}

/** Roles in a text, with commas or spaces between. */
export const parseRoles = (text: string | null): readonly string[] => [
  ...new Set((text ?? '').split(/[\s,]+/).filter((role) => role !== '')),
]

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password that nobody guesses, in letters that are not taken for others. */
export const makePassword = (): string =>
  [...crypto.getRandomValues(new Uint32Array(20))].map((one) => LETTERS[one % LETTERS.length]).join('')

/** An invitation that can still be used. */
export interface Invitation {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
  /** ISO 8601. */
  readonly expiresAt: string
}

/** A token of a program, without its secret. */
export interface Token {
  readonly id: string
  readonly name: string
  /** How it begins. */
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
  /** ISO 8601, as the others. */
  readonly createdAt: string
  /** `null`: it does not expire. */
  readonly expiresAt: string | null
  /** To the minute; `null`: never. */
  readonly lastUsedAt: string | null
}

/** What a new token is made of. */
interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
  /** `undefined`: until it is revoked. */
  readonly days: number | undefined
}

const INVITATIONS = ['api', 'cms', 'auth', 'invitations'] as const
const TOKENS = ['api', 'cms', 'auth', 'tokens'] as const

/** Keys of what is kept of the answers. */
export const grantKeys = { invitations: ['invitations'], tokens: ['tokens'] } as const

/** The routes of invitations and tokens, which are for administrators. */
export const makeGrantsApi = (client: Pick<StudioClient, 'request'>) => ({
  invitations: (signal: AbortSignal) =>
    client.request<{ readonly items: readonly Invitation[] }>({ path: INVITATIONS, signal }),
  invite: (body: { readonly email: string; readonly roles: readonly string[]; readonly days: number }) =>
    client.request<Invitation & { readonly secret: string }>({ method: 'POST', path: INVITATIONS, body }),
  withdraw: (id: string) => client.request<void>({ method: 'DELETE', path: [...INVITATIONS, id] }),
  tokens: (signal: AbortSignal) => client.request<{ readonly items: readonly Token[] }>({ path: TOKENS, signal }),
  createToken: (body: NewToken) =>
    client.request<Token & { readonly token: string }>({ method: 'POST', path: TOKENS, body }),
  revoke: (id: string) => client.request<void>({ method: 'DELETE', path: [...TOKENS, id] }),
})

/** Whether the service has something of that name already. */
export const isConflict = (error: unknown): boolean => error instanceof DaybookError && error.code === 'CONFLICT'
