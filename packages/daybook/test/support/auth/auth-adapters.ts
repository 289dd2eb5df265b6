import { type AuthAdapter, SILENT, serviceTokenAdapter } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { jwt } from 'daybook/jwt'
import type { AuthAdapterSubject } from 'daybook/testing'
import { openAccountsAdapter } from '../../../src/auth/accounts/stored-accounts.ts'
import { MemoryDatabase } from '../../../src/store/sqlite/memory-database.ts'
import { Store } from '../../../src/store/store.ts'
import { Folder } from '../stores/folder.ts'
import { Issuer, makeKey, type TokenParts } from './issuer.ts'

/** A kind of auth adapter, with valid credentials. */
export interface AdapterKind {
  readonly name: string
  open(): Promise<AuthAdapterSubject & AsyncDisposable>
}

const serviceToken: AdapterKind = {
  name: 'service token',
  async open() {
    const token = 'token-of-the-conformance-suite-0123456789'
    return {
      adapter: serviceTokenAdapter(token),
      valid: () => ({ authorization: `Bearer ${token}` }),
      invalid: {
        'the token without its last character': () => ({ authorization: `Bearer ${token.slice(0, -1)}` }),
        'the token with one more': () => ({ authorization: `Bearer ${token}0` }),
        'the token in capitals': () => ({ authorization: `Bearer ${token.toUpperCase()}` }),
        'the token as a password': () => ({ authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` }),
        'the token as a cookie': () => ({ cookie: `token=${token}` }),
      },
      [Symbol.asyncDispose]: async () => {},
    }
  },
}

const identityProvider: AdapterKind = {
  name: 'jwt',
  async open() {
    const issuer = await Issuer.make()
    const adapter = jwt({ issuer: issuer.url, audience: issuer.audience, roles: 'roles' })
    const bearer = async (parts?: TokenParts): Promise<Record<string, string>> => ({
      authorization: `Bearer ${await issuer.token(parts)}`,
    })
    return {
      adapter,
      valid: () => bearer({ claims: { roles: ['editor'], sid: 's-1' } }),
      other: () => bearer({ claims: { sub: 'ann', sid: 's-2' } }),
      invalid: {
        'a token that is over': () => bearer({ claims: { exp: 1 } }),
        'a token for somebody else': () => bearer({ claims: { aud: 'https://other.example.org' } }),
        'a token of another issuer': async () => bearer({ key: await makeKey() }),
      },
      [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose](),
    }
  },
}

/** Registers two people at an adapter with accounts. */
async function subjectOf(adapter: AuthAdapter): Promise<AuthAdapterSubject> {
  const register = async (name: string): Promise<Response> => {
    const input = { name, email: `${name}@example.org`, password: 'a long one of mine' }
    const context = { headers: new Headers(), address: null, origin: 'https://cms.example' }
    return (await adapter.invoke?.('register', input, context)) ?? Response.error()
  }
  const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const ann = cookieOf(await register('ann'))
  const { token } = (await (await register('ben')).json()) as { readonly token: string }
  return {
    adapter,
    valid: () => ({ cookie: ann }),
    other: () => ({ authorization: `Bearer ${token}` }),
    invalid: {
      'a cookie without its signature': () => ({ cookie: ann.replace(/\..*$/, '') }),
      'a cookie of another name': () => ({ cookie: ann.replace('session_token', 'session') }),
      'a token without its last character': () => ({ authorization: `Bearer ${token.slice(0, -1)}` }),
      'a token as a cookie': () => ({ cookie: `better-auth.session_token=${token}` }),
    },
  }
}

const accounts: AdapterKind = {
  name: 'accounts in memory',
  async open() {
    const store = new Store(new MemoryDatabase())
    const adapter = openAccountsAdapter({ records: store.records, log: SILENT }, { registration: 'open' })
    return { ...(await subjectOf(adapter)), [Symbol.asyncDispose]: () => store.close() }
  },
}

const storedAccounts: AdapterKind = {
  name: 'accounts in the database',
  async open() {
    const place = await Folder.make()
    await place.start({ collections: {} })
    const store = await place.store()
    const adapter = betterAuth().open({ records: store.records, log: SILENT })
    const close = async (): Promise<void> => {
      await store.close()
      await place[Symbol.asyncDispose]()
    }
    return { ...(await subjectOf(adapter)), [Symbol.asyncDispose]: close }
  },
}

/** Every adapter that Daybook ships. A new one is one line here. */
export const ADAPTERS: readonly AdapterKind[] = [serviceToken, identityProvider, accounts, storedAccounts]
