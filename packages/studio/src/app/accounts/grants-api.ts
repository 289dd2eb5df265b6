import type { StudioClient } from '../talk/client.ts'

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
export interface NewToken {
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
export const grantsApi = (client: Pick<StudioClient, 'request'>) => ({
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
