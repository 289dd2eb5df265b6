import { twoFactor } from 'better-auth/plugins'
import { createService, type DaybookConfig, defineCollection, defineConfig, f, type Service } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { describe, expect, test } from 'vitest'
import { SQLITE } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { PASSWORD } from './browser.ts'

const configOf = (auth: NonNullable<DaybookConfig['auth']>) =>
  defineConfig({
    auth,
    collections: { notes: defineCollection({ fields: { title: f.text() } }) },
    limits: SLOW_MACHINE_LIMITS,
  })

const ANN = { name: 'Ann', email: 'ann@example.org', password: PASSWORD }

/** A browser with the cookies of one host. Cookies ignore ports. */
class Jar {
  readonly #cookies = new Map<string, string>()

  get names(): readonly string[] {
    return [...this.#cookies.keys()]
  }

  async send(service: Service, path: string, json?: unknown): Promise<Response> {
    const headers = {
      Cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
      'Content-Type': 'application/json',
    }
    const init = json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) }
    const response = await service.fetch(new Request(`http://localhost${path}`, init))
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/)
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }

  async isSignedIn(service: Service): Promise<boolean> {
    const response = await this.send(service, '/api/cms/auth/session')
    return ((await response.json()) as { readonly authenticated: boolean }).authenticated
  }
}

describe('two services on one host', () => {
  test.each([
    ['of the default adapter', configOf({ cookiePrefix: 'one' }), configOf({ cookiePrefix: 'two' })],
    [
      'with accounts that last',
      configOf(betterAuth({ cookiePrefix: 'one' })),
      configOf(betterAuth({ cookiePrefix: 'two' })),
    ],
    [
      'that know their ports',
      configOf(betterAuth({ baseURL: 'http://localhost:3000' })),
      configOf(betterAuth({ baseURL: 'http://localhost:3001' })),
    ],
  ])('%s keep separate sessions in a browser', async (_, first, second) => {
    await using service = await SQLITE.open(first)
    await using two = await SQLITE.open(second)
    const browser = new Jar()
    await browser.send(service, '/api/cms/auth/actions/register', ANN)
    await browser.send(two, '/api/cms/auth/actions/register', ANN)
    expect([await browser.isSignedIn(service), await browser.isSignedIn(two)]).toEqual([true, true])
    expect((await browser.send(two, '/api/cms/auth/actions/logout', {})).status).toBe(204)
    expect([await browser.isSignedIn(service), await browser.isSignedIn(two)]).toEqual([true, false])
    const name = browser.names[0] ?? ''
    const document = await (await browser.send(service, '/openapi.json')).json()
    expect(document).toMatchObject({ components: { securitySchemes: { sessionCookie: { name } } } })
  })

  test('have separate cookies of plugins', async () => {
    const baseURL = 'http://localhost:3000'
    await using service = await SQLITE.open(
      configOf(betterAuth({ baseURL, cookiePrefix: 'one', plugins: [twoFactor()] })),
    )
    const browser = new Jar()
    await browser.send(service, '/api/cms/auth/actions/register', ANN)
    const { password } = ANN
    await browser.send(service, '/api/auth/two-factor/enable', { password })
    expect(browser.names.filter((name) => !name.startsWith('one.'))).toEqual([])
  })
})

test('the name is the documented one, unless an option or a local address changes it', async () => {
  for (const [auth, name] of [
    [{}, 'better-auth.session_token'],
    [betterAuth(), 'better-auth.session_token'],
    [betterAuth({ baseURL: 'https://cms.example.org:8443' }), 'better-auth.session_token'],
    [betterAuth({ baseURL: 'http://127.0.0.1:4000' }), 'better-auth-4000.session_token'],
  ] as const) {
    await using service = await SQLITE.open(configOf(auth))
    const browser = new Jar()
    await browser.send(service, '/api/cms/auth/actions/register', ANN)
    expect(browser.names).toEqual([name])
  }
})

test.each(['', 'with space', 'a;b', 'a'.repeat(65)])(
  'a prefix that no cookie may have is refused: %j',
  async (cookiePrefix) => {
    expect(() => betterAuth({ cookiePrefix })).toThrow('cookiePrefix must be 1 to 64 letters')
    await expect(createService(configOf({ cookiePrefix }))).rejects.toThrow('auth.cookiePrefix')
  },
)
