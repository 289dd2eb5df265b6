import { magicLink, twoFactor } from 'better-auth/plugins'
import { defineCollection, defineConfig, f, type Service } from 'daybook'
import { type BetterAuthOptions, betterAuth } from 'daybook/better-auth'
import { describe, expect, test } from 'vitest'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { PASSWORD } from './browser.ts'

const PUBLIC = 'https://cms.example.org'
/** The origin of requests, as behind a proxy that sends no forwarding headers. */
const INNER = 'http://daybook:3000'

const configOf = (auth: BetterAuthOptions) =>
  defineConfig({
    auth: betterAuth({ baseURL: PUBLIC, ...auth }),
    collections: { notes: defineCollection({ fields: { title: f.text() } }) },
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000 },
  })

const ANN = { name: 'Ann', email: 'ann@example.org', password: PASSWORD }

const post = (service: Service, path: string, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  service.fetch(
    new Request(INNER + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(json),
    }),
  )

/** Forged headers that would make links in mails lead to another host. */
const FORGED = [
  { Host: 'evil.example' },
  { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
  { Forwarded: 'host=evil.example;proto=https' },
] as const

describe.each(POLICY_STORES)('the public address of accounts on $name', (store) => {
  test.each(FORGED)('is the origin of links in mails, despite the headers %o', async (forged) => {
    const links: string[] = []
    const mail = async ({ url }: { readonly url: string }) => void links.push(url)
    await using service = await store.open(
      configOf({ sendPasswordReset: mail, plugins: [magicLink({ sendMagicLink: mail })] }),
    )
    await post(service, '/api/cms/auth/actions/register', ANN)
    await post(service, '/api/auth/request-password-reset', { email: ANN.email }, forged)
    await post(service, '/api/auth/sign-in/magic-link', { email: ANN.email }, forged)
    await expect.poll(() => links.length).toBe(2)
    for (const link of links) expect(new URL(link).origin).toBe(PUBLIC)
  })

  test('makes cookies Secure if and only if it is https', async () => {
    for (const [baseURL, isSecure] of [
      [PUBLIC, true],
      ['http://cms.example.org', false],
    ] as const) {
      await using service = await store.open(configOf({ baseURL, plugins: [twoFactor()] }))
      const { email, password } = ANN
      const responses = [
        await post(service, '/api/cms/auth/actions/register', ANN),
        await post(service, '/api/cms/auth/actions/login', { email, password }),
        await post(service, '/api/auth/sign-in/email', { email, password }),
      ]
      const [cookie = ''] = responses.flatMap(({ headers }) => headers.getSetCookie())
      responses.push(await post(service, '/api/cms/auth/actions/logout', {}, { Cookie: cookie.split(';')[0] ?? '' }))
      for (const { status, headers } of responses) {
        expect([200, 201, 204]).toContain(status)
        const cookies = headers.getSetCookie()
        expect(cookies.length).toBeGreaterThan(0)
        for (const each of cookies) expect(/; Secure(?:;|$)/.test(each)).toBe(isSecure)
      }
    }
  })
})

const wrong = (options: unknown): BetterAuthOptions => options as BetterAuthOptions

describe('options that would allow redirects elsewhere are rejected with advice', () => {
  test.each([
    ['mails', { sendPasswordReset: async () => {} }, 'sendPasswordReset makes links'],
    ['providers', { socialProviders: { github: { clientId: 'a', clientSecret: 'b' } } }, 'socialProviders makes links'],
    ['plugins', { plugins: [magicLink({ sendMagicLink: () => {} })] }, 'plugins makes links'],
    ['plugins without an address', { baseURL: undefined, plugins: [twoFactor()] }, 'https://cms.example.org'],
    ['an empty address', { baseURL: '' }, 'does not begin with http:// or https://'],
    ['an address without a scheme', { baseURL: 'cms.example.org' }, 'does not begin with http:// or https://'],
    ['an address of files', { baseURL: 'file:///srv' }, 'does not begin with http:// or https://'],
    ['an address with a path', { baseURL: `${PUBLIC}/path` }, `Write "${PUBLIC}" in place of "${PUBLIC}/path"`],
    ['an address that is a pattern', { baseURL: 'https://*.example.org' }, 'is a pattern'],
  ] satisfies [string, BetterAuthOptions, string][])('%s', (_what, options, message) => {
    expect(() => betterAuth(options)).toThrow(/^betterAuth: baseURL (?:must be scheme and host|is required), /)
    expect(() => betterAuth(options)).toThrow(message)
  })

  test.each([
    ['everyone', ['*'], '"*" does not begin with'],
    ['every subdomain', ['https://www.example.org', 'https://*.example.org'], '"https://*.example.org" is a pattern'],
    ['every port', ['http://localhost:*'], '"http://localhost:*" does not begin with'],
    ['an address with a slash', ['https://a.example/'], 'Write "https://a.example" in place of "https://a.example/"'],
    ['one text', 'https://a.example', 'such as ["https://www.example.org"]'],
  ])('trustedOrigins of %s', (_what, trustedOrigins, message) => {
    expect(() => betterAuth(wrong({ trustedOrigins }))).toThrow(
      /^betterAuth: trustedOrigins must be a list of exact origins/,
    )
    expect(() => betterAuth(wrong({ trustedOrigins }))).toThrow(message)
  })
})
