import { type Asking, askService } from '../talk/ask-service.ts'

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

const INVITATIONS = '/api/cms/auth/invitations'
const TOKENS = '/api/cms/auth/tokens'

/** Keys of what is kept of the answers. */
export const grantKeys = { invitations: ['invitations'], tokens: ['tokens'] } as const

/** The routes of invitations and tokens, which are for administrators. */
export const grantsApi = (studio: Asking) => ({
  invitations: (signal: AbortSignal) =>
    askService<{ readonly items: readonly Invitation[] }>(studio, { path: INVITATIONS, signal }),
  invite: (body: { readonly email: string; readonly roles: readonly string[]; readonly days: number }) =>
    askService<Invitation & { readonly secret: string }>(studio, { method: 'POST', path: INVITATIONS, body }),
  withdraw: (id: string) =>
    askService<void>(studio, { method: 'DELETE', path: `${INVITATIONS}/${encodeURIComponent(id)}` }),
  tokens: (signal: AbortSignal) => askService<{ readonly items: readonly Token[] }>(studio, { path: TOKENS, signal }),
  createToken: ({ days, ...body }: NewToken) =>
    askService<Token & { readonly token: string }>(studio, {
      method: 'POST',
      path: TOKENS,
      body: { ...body, ...(days === undefined ? {} : { days }) },
    }),
  revoke: (id: string) => askService<void>(studio, { method: 'DELETE', path: `${TOKENS}/${encodeURIComponent(id)}` }),
})
