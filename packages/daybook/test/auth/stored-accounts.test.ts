import { createHmac } from 'node:crypto'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import { type Service, SILENT } from 'daybook'
import { type BetterAuthOptions, betterAuth, type PasswordReset } from 'daybook/better-auth'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { AccountManager } from '../../src/auth/account-manager.ts'
import type { AuthSource } from '../../src/auth/adapter.ts'
import type { Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { bearer, configOf, json } from './accounts-config.ts'
import { Browser, ORIGIN, PASSWORD } from './browser.ts'

const times = <T>(count: number, work: () => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, work))

/** An administrator. */
const ROOT = { email: 'root@example.org', name: 'Root', password: PASSWORD, roles: ['admin'] }

describe.each(STORES)('accounts in the database on $name', ({ at }) => {
  let place: Place
  const services: Service[] = []

  beforeEach(async () => {
    place = await at()
    return async () => {
      for (const service of services.splice(0)) await service.close()
      await place[Symbol.asyncDispose]()
    }
  })

  async function node(options?: BetterAuthOptions): Promise<Service> {
    const service = await place.open(configOf(options))
    services.push(service)
    return service
  }

  /** Manages the accounts without a service, as the command line does. */
  async function manage<T>(options: BetterAuthOptions, work: (accounts: AccountManager) => Promise<T>): Promise<T> {
    const store = await place.store()
    try {
      const source: AuthSource = betterAuth(options)
      const accounts = await source.manage?.({ records: store.records, log: SILENT })
      if (!accounts) throw new Error('There is nothing to manage.')
      return await work(accounts)
    } finally {
      await store.close()
    }
  }

  const addAdmin = (options: BetterAuthOptions = {}) => manage(options, (accounts) => accounts.create(ROOT))

  async function signedIn(service: Service, email: string): Promise<Browser> {
    const browser = new Browser(service)
    expect((await browser.login(email)).status).toBe(200)
    return browser
  }

  /** The session as a browser and as a program with its token see it. */
  async function holds(browser: Browser, token: string): Promise<readonly boolean[]> {
    const byCookie = await browser.session()
    const byToken = await new Browser(services.at(-1) as Service).session(bearer(token))
    return [byCookie.authenticated, byToken.authenticated]
  }

  test('outlive a restart, with their sessions', async () => {
    const first = await node()
    const browser = new Browser(first)
    const { token } = json(await browser.register())
    const cookies = [...browser.cookies]
    await services.pop()?.close()
    const again = new Browser(await node())
    for (const [name, value] of cookies) again.cookies.set(name, value)
    expect(await again.session()).toMatchObject({ authenticated: true, principal: { email: 'ines@example.org' } })
    expect(await new Browser(services[0] as Service).session(bearer(token))).toMatchObject({ authenticated: true })
    expect((await new Browser(services[0] as Service).login()).status).toBe(200)
    expect((await again.register()).status).toBe(409)
  })

  test('are valid on all nodes at once, and so is the end of a session', async () => {
    const [first, second] = [await node(), await node()]
    const browser = new Browser(first)
    const { token } = json(await browser.register())
    const elsewhere = new Browser(second)
    expect(await elsewhere.session(bearer(token))).toMatchObject({ authenticated: true })
    expect((await browser.action('logout')).status).toBe(204)
    expect(await new Browser(first).session(bearer(token))).toMatchObject({ authenticated: false })
    await expect.poll(async () => (await elsewhere.session(bearer(token))).authenticated).toBe(false)
  })

  test('take two queries to look up a session that is not cached', async () => {
    const token = json(await new Browser(await node()).register()).token
    const other = await node()
    // Loads the code first.
    await new Browser(other).session(bearer('nobody'))
    const before = other.statements()
    expect((await new Browser(other).session(bearer(token))).authenticated).toBe(true)
    expect(other.statements() - before).toBe(2)
  })

  test('hash the passwords of fifty concurrent sign-ins in a queue, without delaying other requests', async () => {
    const service = await node()
    const { token } = json(await new Browser(service).register())
    const other = await node()
    await new Browser(other).session(bearer('nobody'))
    const signIns = times(50, () => new Browser(other).login())
    // This node has not cached the session, so it checks the signature.
    expect((await new Browser(other).session(bearer(token))).authenticated).toBe(true)
    const statuses = (await signIns).map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  })

  test('begin with one administrator, created once with the newest secret, on any node', async () => {
    const [first, second] = [await node({ registration: 'closed' }), await node({ registration: 'closed' })]
    const setUp = (service: Service, setup: string, email = ROOT.email) =>
      new Browser(service).action('setup', { name: 'Root', email, password: PASSWORD, setup })
    // Without a secret, nobody creates an account.
    expect((await setUp(first, 'undefined')).status).toBe(403)
    expect(await first.openSetup('replaced')).toBe(true)
    expect(await second.openSetup('secret')).toBe(true)
    expect((await setUp(first, 'replaced')).status).toBe(403)
    // A rejected request does not use the secret up.
    const short = await new Browser(first).action('setup', { ...ROOT, password: 'short', setup: 'secret' })
    expect(short.status).toBe(400)
    const claims = [0, 1, 2, 3].map((index) =>
      setUp(index % 2 === 0 ? first : second, 'secret', `r${index}@example.org`),
    )
    const statuses = (await Promise.all(claims)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 403, 403, 403])
    expect(await manage({}, (accounts) => accounts.list())).toMatchObject([{ roles: ['admin'] }])
    expect(await first.openSetup('again')).toBe(false)
    expect((await setUp(second, 'again')).status).toBe(403)
  })

  test('cannot begin with a secret once somebody has an account', async () => {
    const service = await node()
    expect(await service.openSetup('secret')).toBe(true)
    await new Browser(service).register()
    const response = await new Browser(service).action('setup', { ...ROOT, setup: 'secret' })
    expect(response.status).toBe(403)
  })

  test('are unique by address, even if it registers concurrently on several nodes', async () => {
    const nodes = [await node(), await node()]
    // Loads the code first.
    for (const service of nodes) expect((await new Browser(service).login()).status).toBe(401)
    const responses = await Promise.all(nodes.flatMap((service) => [0, 1].map(() => new Browser(service).register())))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, 409, 409, 409])
    expect(await manage({}, (accounts) => accounts.list())).toHaveLength(1)
  })

  describe('a session ends for cookie and token with the next request after', () => {
    let service: Service
    let browser: Browser
    let token: string
    const resets: PasswordReset[] = []
    const options: BetterAuthOptions = {
      baseURL: ORIGIN,
      sendPasswordReset: async (reset) => void resets.push(reset),
    }

    beforeEach(async () => {
      resets.length = 0
      service = await node(options)
      browser = new Browser(service)
      token = json(await browser.register()).token
      expect(await holds(browser, token)).toEqual([true, true])
    })

    test('logout', async () => {
      const cookies = new Map(browser.cookies)
      await browser.action('logout')
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      expect(await holds(browser, token)).toEqual([false, false])
    })

    test('a change of the password, which starts a new session for its caller', async () => {
      const other = await signedIn(service, 'ines@example.org')
      const input = { currentPassword: PASSWORD, newPassword: 'another long one', revokeOtherSessions: false }
      expect((await browser.send('/api/auth/change-password', { json: input })).status).toBe(200)
      expect((await other.session()).authenticated).toBe(false)
      expect(await holds(browser, token)).toEqual([true, false])
      expect((await new Browser(service).login()).status).toBe(401)
      expect((await new Browser(service).login('ines@example.org', 'another long one')).status).toBe(200)
    })

    test('a reset of the password', async () => {
      const address = { email: 'ines@example.org', redirectTo: '/' }
      expect((await new Browser(service).send('/api/auth/request-password-reset', { json: address })).status).toBe(200)
      await expect.poll(() => resets.length).toBe(1)
      expect(resets[0]).toMatchObject({ email: 'ines@example.org', url: expect.stringContaining(ORIGIN) })
      const input = { token: resets[0]?.token, newPassword: 'another long one' }
      expect((await new Browser(service).send('/api/auth/reset-password', { json: input })).status).toBe(200)
      expect(await holds(browser, token)).toEqual([false, false])
    })

    test('a ban by an administrator; the account can sign in once the ban is over', async () => {
      await addAdmin()
      const admin = await signedIn(service, 'root@example.org')
      const { principal } = (await browser.session()) as unknown as { principal: { id: string } }
      const about = { json: { userId: principal.id } }
      expect((await admin.send('/api/auth/admin/ban-user', about)).status).toBe(200)
      expect(await holds(browser, token)).toEqual([false, false])
      expect((await new Browser(service).login()).status).toBe(403)
      expect((await admin.send('/api/auth/admin/unban-user', about)).status).toBe(200)
      expect((await new Browser(service).login()).status).toBe(200)
    })

    test('a ban from the command line, within a second', async () => {
      await manage({}, (accounts) => accounts.setBanned('ines@example.org', true))
      await expect.poll(() => holds(browser, token)).toEqual([false, false])
    })

    test('a removed role loses its rights at once', async () => {
      const post = () => browser.send('/api/news', { json: { title: 'A' } })
      expect((await post()).status).toBe(403)
      await manage({}, (accounts) => accounts.setRoles('ines@example.org', ['editor']))
      await expect.poll(async () => (await post()).status).toBe(201)
      await manage({}, (accounts) => accounts.setRoles('ines@example.org', ['user']))
      await expect.poll(async () => (await post()).status).toBe(403)
    })

    test('a sign-in without the second factor gives no session', async () => {
      const guarded = await node({ baseURL: ORIGIN, plugins: [twoFactor({ issuer: 'Notes' })] })
      const person = await signedIn(guarded, 'ines@example.org')
      const { totpURI } = json(await person.send('/api/auth/two-factor/enable', { json: { password: PASSWORD } }))
      const code = () => ({ json: { code: totp(new URL(totpURI).searchParams.get('secret') ?? '') } })
      expect((await person.send('/api/auth/two-factor/verify-totp', code())).status).toBe(200)
      const later = new Browser(guarded)
      const response = await later.login()
      expect([response.status, json(response)]).toEqual([
        200,
        { authenticated: false, principal: null, identity: null, twoFactorRedirect: true },
      ])
      expect((await later.session()).authenticated).toBe(false)
      expect((await later.send('/api/auth/two-factor/verify-totp', code())).status).toBe(200)
      expect(await later.session()).toMatchObject({ authenticated: true, principal: { email: 'ines@example.org' } })
    })
  })

  describe('a link to set a new password', () => {
    const resets: PasswordReset[] = []
    const options: BetterAuthOptions = {
      baseURL: ORIGIN,
      sendPasswordReset: async (reset) => void resets.push(reset),
    }
    let service: Service
    const set = (token: unknown, newPassword: unknown = 'another long one') =>
      new Browser(service).send('/api/auth/reset-password', { json: { token, newPassword } })
    const sendRequest = (email: string) =>
      new Browser(service).send('/api/auth/request-password-reset', { json: { email, redirectTo: '/' } })

    beforeEach(async () => {
      resets.length = 0
      service = await node(options)
      await new Browser(service).register()
      await sendRequest('ines@example.org')
      await expect.poll(() => resets.length).toBe(1)
    })

    test('works once, even with concurrent uses on several nodes', async () => {
      const [first, second] = [service, await node(options)]
      const input = { token: resets[0]?.token, newPassword: 'another long one' }
      const responses = await times(25, () =>
        Promise.all(
          [first, second].map((service) => new Browser(service).send('/api/auth/reset-password', { json: input })),
        ),
      )
      const statuses = responses.flat().map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(new Set(statuses)).toEqual(new Set([200, 400]))
      expect((await set(resets[0]?.token)).status).toBe(400)
    })

    test.each([
      ['an empty text', ''],
      ['an object', {}],
      ['a list', []],
      ['one that was never given', 'A'.repeat(24)],
    ])('is rejected with %s: 400', async (_what, token) => {
      expect((await set(token)).status).toBe(400)
      expect((await new Browser(service).login()).status).toBe(200)
    })

    test('expires after an hour', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 })
      try {
        expect((await set(resets[0]?.token)).status).toBe(400)
      } finally {
        vi.useRealTimers()
      }
    })

    test('is not used up by a password that is too short', async () => {
      expect((await set(resets[0]?.token, 'short')).status).toBe(400)
      expect((await set(resets[0]?.token)).status).toBe(200)
    })

    test('gets the same response for an address without an account, and sends no mail', async () => {
      const [forAccount, forStranger] = [await sendRequest('ines@example.org'), await sendRequest('nobody@example.org')]
      expect([forStranger.status, forStranger.text]).toEqual([forAccount.status, forAccount.text])
      await expect.poll(() => resets.length).toBe(2)
      expect(resets.map(({ email }) => email)).toEqual(['ines@example.org', 'ines@example.org'])
    })

    test('is sent to the address of the account, never to a look-alike in the request', async () => {
      for (const email of ['INES@EXAMPLE.ORG', 'Ines@example.org']) expect((await sendRequest(email)).status).toBe(200)
      await expect.poll(() => resets.length).toBe(3)
      for (const email of ['inés@example.org', 'ınes@example.org', 'ines@example.org\u200b', 'ines@exämple.org']) {
        expect([200, 400], email).toContain((await sendRequest(email)).status)
      }
      await sendRequest('ines@example.org')
      await expect.poll(() => resets.length).toBe(4)
      expect(new Set(resets.map(({ email }) => email))).toEqual(new Set(['ines@example.org']))
    })

    test('cannot be recovered from the database', async () => {
      const rows = await place.rows<{ doc: string }>('SELECT doc FROM daybook$records')
      const stored = JSON.stringify(rows)
      expect(stored).toContain('ines@example.org')
      expect(stored).not.toContain(resets[0]?.token)
      expect(stored).not.toContain(PASSWORD)
    })
  })

  describe('by invitation', () => {
    const options: BetterAuthOptions = { registration: 'invite' }
    const inAWeek = () => new Date(Date.now() + 604_800_000).toISOString()
    const invite = (email = 'ines@example.org', expiresAt = inAWeek()) =>
      manage(options, async (accounts) => (await accounts.invite({ email, roles: ['editor'], expiresAt })).secret)
    let service: Service
    const register = (input: object) =>
      new Browser(service).action('register', {
        name: 'Inés',
        email: 'ines@example.org',
        password: PASSWORD,
        ...input,
      })

    beforeEach(async () => {
      service = await node(options)
    })

    test('a new account gets the roles of the invitation', async () => {
      const response = await register({ invitation: await invite() })
      expect(response.status).toBe(201)
      expect(json(response)).toMatchObject({ authenticated: true, identity: { roles: ['editor'] } })
    })

    test('concurrent uses of an invitation create one account', async () => {
      const invitation = await invite()
      const statuses = (await times(20, () => register({ invitation }))).map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      expect(new Set(statuses)).toEqual(new Set([201, 400]))
    })

    test('registering without an invitation, with another address, or with an expired or replaced one is 400', async () => {
      const [invitation, over] = [await invite(), await invite('over@example.org', new Date(0).toISOString())]
      const replaced = await invite('new@example.org')
      const fresh = await invite('new@example.org')
      for (const input of [
        {},
        { invitation: 'x' },
        { invitation: [invitation] },
        { email: 'eve@example.org', invitation },
        { email: 'over@example.org', invitation: over },
        { email: 'new@example.org', invitation: replaced },
      ]) {
        const response = await register(input)
        expect([response.status, json(response).details.issues[0].path]).toEqual([400, '/invitation'])
      }
      expect((await register({ email: 'new@example.org', invitation: fresh })).status).toBe(201)
    })

    test('invalid input does not use up the invitation', async () => {
      const invitation = await invite()
      for (const wrong of [{ password: 'short' }, { name: ' ' }, { email: 'ines' }]) {
        expect((await register({ ...wrong, invitation })).status).toBe(400)
      }
      expect((await register({ invitation })).status).toBe(201)
    })

    test('the provider’s own routes create no account', async () => {
      const body = { email: 'x@example.org', password: PASSWORD, name: 'X' }
      for (const path of ['/api/auth/sign-up/email', '/api/auth//sign-up/email', '/api/auth/sign-up/email/']) {
        expect((await new Browser(service).send(path, { json: body })).status, path).toBe(404)
      }
      expect(await manage(options, (accounts) => accounts.list())).toEqual([])
    })
  })

  describe('by a social provider', () => {
    const getToken = async () => ({ accessToken: 'canary-of-the-provider' })
    const getUserInfo = async () => ({ id: '1', email: 'ines@work.example', name: 'Inés', emailVerified: true })
    const work = {
      providerId: 'work',
      clientId: 'a',
      clientSecret: 'b',
      authorizationUrl: 'https://id.example/authorize',
      tokenUrl: 'https://id.example/token',
    }
    const options: BetterAuthOptions = {
      baseURL: 'https://public.example',
      plugins: [genericOAuth({ config: [{ ...work, getToken, getUserInfo }] })],
    }

    /** Goes to the provider and comes back. Returns the final redirect. */
    async function signIn(browser: Browser): Promise<URL> {
      const begun = await browser.send('/api/auth/sign-in/social', { json: { provider: 'work', callbackURL: '/' } })
      const { searchParams } = new URL(json(begun).url)
      // Not the address of the request: a forged one would receive the code.
      expect(searchParams.get('redirect_uri')).toBe('https://public.example/api/auth/callback/work')
      const back = await browser.send(`/api/auth/callback/work?code=1&state=${searchParams.get('state')}`)
      expect(back.status).toBe(302)
      return new URL(back.headers.get('location') ?? '', ORIGIN)
    }

    test('open registration creates an account', async () => {
      const browser = new Browser(await node(options))
      expect((await signIn(browser)).pathname).toBe('/')
      expect(await browser.session()).toMatchObject({ authenticated: true, principal: { email: 'ines@work.example' } })
    })

    test.each(['invite', 'closed'] as const)('registration: %j creates no account', async (registration) => {
      const browser = new Browser(await node({ ...options, registration }))
      expect((await signIn(browser)).searchParams.get('error')).toMatch(/./)
      expect((await browser.session()).authenticated).toBe(false)
      expect(await manage({}, (accounts) => accounts.list())).toEqual([])
    })

    test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
      'there is no redirect to %j',
      async (callbackURL) => {
        const browser = new Browser(await node(options))
        const response = await browser.send('/api/auth/sign-in/social', { json: { provider: 'work', callbackURL } })
        expect([400, 403]).toContain(response.status)
        expect(response.headers.has('location')).toBe(false)
      },
    )
  })

  describe('the first administrator', () => {
    test('is created once, even by concurrent commands', async () => {
      await node()
      const make = () =>
        addAdmin().then(
          () => 'made',
          ({ code }: { readonly code: string }) => code,
        )
      const outcomes = await times(10, make)
      expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(1)
      expect(new Set([...outcomes, await make()])).toEqual(new Set(['made', 'CONFLICT']))
      expect(await manage({}, (accounts) => accounts.list())).toMatchObject([
        { email: 'root@example.org', roles: ['admin'] },
      ])
    })

    test('alone creates accounts and grants roles', async () => {
      const service = await node({ registration: 'closed' })
      await addAdmin()
      const admin = await signedIn(service, 'root@example.org')
      const create = (browser: Browser, email: string, role: string) =>
        browser.send('/api/auth/admin/create-user', { json: { email, name: 'X', password: PASSWORD, role } })
      expect((await create(admin, 'ann@example.org', 'editor')).status).toBe(200)
      const ann = await signedIn(service, 'ann@example.org')
      const { principal, identity } = (await ann.session()) as unknown as {
        principal: { id: string }
        identity: { roles: string[] }
      }
      expect(identity.roles).toEqual(['editor'])
      const attempts = [
        await create(ann, 'eve@example.org', 'admin'),
        await ann.send('/api/auth/admin/set-role', { json: { userId: principal.id, role: 'admin' } }),
        await ann.send('/api/auth/admin/update-user', { json: { userId: principal.id, data: { role: 'admin' } } }),
        await ann.send('/api/auth/update-user', { json: { role: 'admin', name: 'Ann' } }),
        await ann.send('/api/auth/admin/list-users'),
        await ann.send('/api/auth/admin/impersonate-user', { json: { userId: principal.id } }),
      ]
      for (const { status } of attempts) expect([400, 403]).toContain(status)
      expect(await ann.session()).toMatchObject({ identity: { roles: ['editor'] } })
    })
  })
})

/** The code of a second factor (RFC 6238), as apps compute it: SHA-1, six digits, every thirty seconds. */
function totp(secret: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret.replace(/=+$/, '')]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
