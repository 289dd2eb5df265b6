import { DaybookError } from '@daybook/client'
import type { StudioClient } from '../api/client.ts'

export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  /** Roles, separated by commas. */
  readonly role: string | null
  readonly banned: boolean | null
  /** ISO 8601. */
  readonly createdAt: string
}

export interface AccountPage {
  readonly users: readonly Account[]
  readonly total: number
}

export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly roles: readonly string[]
}

export const ACCOUNTS_PAGE_SIZE = 50

export const makeAccountsApi = (client: Pick<StudioClient, 'request'>) => {
  const post = (name: string, body: object): Promise<unknown> =>
    client.request({ method: 'POST', path: `/api/auth/admin/${name}`, body })
  return {
    list(search: string, offset: number, signal: AbortSignal, limit = ACCOUNTS_PAGE_SIZE): Promise<AccountPage> {
      const filter = search === '' ? {} : { searchValue: search, searchField: 'email', searchOperator: 'contains' }
      const query = { limit, offset, sortBy: 'createdAt', sortDirection: 'desc', ...filter }
      return client.request<AccountPage>({ path: '/api/auth/admin/list-users', query, signal })
    },
    create: ({ roles, ...account }: NewAccount) => post('create-user', { ...account, role: roles }),
    setRoles: (userId: string, roles: readonly string[]) => post('set-role', { userId, role: roles }),
    setPassword: (userId: string, newPassword: string) => post('set-user-password', { userId, newPassword }),
    ban: (userId: string) => post('ban-user', { userId }),
    unban: (userId: string) => post('unban-user', { userId }),
  }
}

/** Parses roles separated by commas or spaces. */
export const parseRoles = (text: string | null): readonly string[] => [
  ...new Set((text ?? '').split(/[\s,]+/).filter((role) => role !== '')),
]

const CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Makes a random password without characters that look alike. */
export const makePassword = (): string =>
  [...crypto.getRandomValues(new Uint32Array(20))].map((value) => CHARACTERS[value % CHARACTERS.length]).join('')

/** An unused invitation. */
export interface Invitation {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
  /** ISO 8601. */
  readonly expiresAt: string
}

/** An access token without its secret. */
export interface Token {
  readonly id: string
  readonly name: string
  /** The first characters of the secret. */
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
  /** ISO 8601, like the other times. */
  readonly createdAt: string
  /** `null` if it does not expire. */
  readonly expiresAt: string | null
  /** Exact to the minute; `null` if never used. */
  readonly lastUsedAt: string | null
}

interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
  /** `undefined` if it does not expire. */
  readonly days: number | undefined
}

const INVITATIONS = ['api', 'cms', 'auth', 'invitations'] as const
const TOKENS = ['api', 'cms', 'auth', 'tokens'] as const

export const grantKeys = { invitations: ['invitations'], tokens: ['tokens'] } as const

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

/** True if the name is already in use. */
export const isConflict = (error: unknown): boolean => error instanceof DaybookError && error.code === 'CONFLICT'
