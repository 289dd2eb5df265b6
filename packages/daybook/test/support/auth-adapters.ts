import { serviceTokenAdapter } from 'daybook'
import { jwt } from 'daybook/jwt'
import type { AuthAdapterSubject } from 'daybook/testing'
import { Issuer, makeKey, type TokenParts } from './issuer.ts'

/** A kind of auth adapter, with who gets in by it. */
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

/** Every adapter that Daybook brings; a new one is one line here. */
export const ADAPTERS: readonly AdapterKind[] = [serviceToken, identityProvider]
