import { emailOTP, genericOAuth, magicLink } from 'better-auth/plugins'
import { defineConfig, type Service, SILENT } from 'daybook'
import { type BetterAuthOptions, betterAuth } from 'daybook/better-auth'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AccountManager } from '../../src/auth/account-manager.ts'
import type { AuthSource } from '../../src/auth/adapter.ts'
import type { Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, ORIGIN, PASSWORD } from './browser.ts'

const INES = 'ines@example.org'
const NEW_PASSWORD = 'another long one'

/** The messages that the service has sent, by receiver: tokens of links, and codes. */
const resets = new Map<string, string[]>()
const links = new Map<string, string>()
const codes = new Map<string, string>()

const options: BetterAuthOptions = {
  baseURL: ORIGIN,
  sendPasswordReset: async ({ email, token }) => void resets.set(email, [...(resets.get(email) ?? []), token]),
  plugins: [
    magicLink({ sendMagicLink: async ({ email, token }) => void links.set(email, token) }),
    emailOTP({ sendVerificationOTP: async ({ email, otp }) => void codes.set(email, otp) }),
    genericOAuth({
      config: [
        {
          providerId: 'work',
          clientId: 'a',
          clientSecret: 'b',
          authorizationUrl: 'https://id.example/authorize',
          tokenUrl: 'https://id.example/token',
          getToken: async () => ({ accessToken: 'a' }),
          getUserInfo: async () => ({ id: '1', email: INES, name: 'Inés', emailVerified: true }),
        },
      ],
    }),
  ],
}

const source: AuthSource = betterAuth(options)
const config = defineConfig({
  auth: source,
  collections: {},
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000 },
})

describe.each(STORES)('outstanding links of an account on $name', ({ at }) => {
  let place: Place
  let service: Service

  beforeEach(async () => {
    for (const messages of [resets, links, codes]) messages.clear()
    place = await at()
    service = await place.open(config)
    await manage((accounts) =>
      accounts.create({ email: 'root@example.org', name: 'Root', password: PASSWORD, roles: ['admin'] }),
    )
  })
  afterEach(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  const post = (path: string, json: unknown, browser = new Browser(service)) =>
    browser.send(`/api/auth${path}`, { json })

  async function manage(work: (accounts: AccountManager) => Promise<unknown>): Promise<void> {
    const store = await place.store()
    try {
      const accounts = await source.manage?.({ records: store.records, log: SILENT })
      if (!accounts) throw new Error('The config has no accounts to manage.')
      await work(accounts)
    } finally {
      await store.close()
    }
  }

  async function person(email: string): Promise<{ readonly browser: Browser; readonly userId: string }> {
    const browser = new Browser(service)
    const { principal } = JSON.parse((await browser.register(email)).text)
    return { browser, userId: principal.id }
  }

  /** Requests two links to set a password, a link to sign in, and a code to set a password. */
  async function requestAll(email: string): Promise<void> {
    for (const count of [1, 2]) {
      await post('/request-password-reset', { email, redirectTo: '/' })
      await expect.poll(() => resets.get(email)?.length).toBe(count)
    }
    await post('/sign-in/magic-link', { email, name: 'X' })
    await post('/email-otp/request-password-reset', { email })
    await expect.poll(() => [links.has(email), codes.has(email)]).toEqual([true, true])
  }

  /** The links and codes of {@link requestAll} that still work. The check uses them up. */
  async function stillWork(email: string): Promise<readonly string[]> {
    const working: string[] = []
    const visitor = new Browser(service)
    await visitor.send(`/api/auth/magic-link/verify?token=${links.get(email)}&callbackURL=/`)
    if ((await visitor.session()).authenticated) working.push('sign-in link')
    const otp = codes.get(email)
    const byCode = await post('/email-otp/reset-password', { email, otp, password: 'set by a code' })
    if (byCode.status === 200) working.push('code')
    for (const token of resets.get(email) ?? []) {
      const byLink = await post('/reset-password', { token, newPassword: 'set by a link' })
      if (byLink.status === 200) working.push('link')
    }
    return working
  }

  async function administrator(): Promise<Browser> {
    const browser = new Browser(service)
    expect((await browser.login('root@example.org')).status).toBe(200)
    return browser
  }

  const WAYS: Readonly<
    Record<string, (person: { readonly browser: Browser; readonly userId: string }) => Promise<void>>
  > = {
    'a reset by one of the links': async () => {
      const token = resets.get(INES)?.[0]
      expect((await post('/reset-password', { token, newPassword: NEW_PASSWORD })).status).toBe(200)
    },
    'a reset by a code': async () => {
      const reset = { email: INES, otp: codes.get(INES), password: NEW_PASSWORD }
      expect((await post('/email-otp/reset-password', reset)).status).toBe(200)
    },
    'a change of the password': async ({ browser }) => {
      const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
      expect((await post('/change-password', change, browser)).status).toBe(200)
    },
    'a password from the command line': async () => {
      await manage((accounts) => accounts.setPassword(INES, NEW_PASSWORD))
    },
    'a password from an administrator': async ({ userId }) => {
      const change = { userId, newPassword: NEW_PASSWORD }
      expect((await post('/admin/set-user-password', change, await administrator())).status).toBe(200)
    },
    'a ban by an administrator': async ({ userId }) => {
      expect((await post('/admin/ban-user', { userId }, await administrator())).status).toBe(200)
      await manage((accounts) => accounts.setBanned(INES, false))
    },
    'a ban by an update of an administrator': async ({ userId }) => {
      const update = { userId, data: { banned: true } }
      expect((await post('/admin/update-user', update, await administrator())).status).toBe(200)
      await manage((accounts) => accounts.setBanned(INES, false))
    },
    'a ban from the command line': async () => {
      await manage((accounts) => accounts.setBanned(INES, true))
      await manage((accounts) => accounts.setBanned(INES, false))
    },
    'a removal, also of a new account with the same address': async ({ userId }) => {
      expect((await post('/admin/remove-user', { userId }, await administrator())).status).toBe(200)
    },
    'a new e-mail address': async ({ userId }) => {
      const update = { userId, data: { email: 'new@example.org' } }
      expect((await post('/admin/update-user', update, await administrator())).status).toBe(200)
    },
  }

  test.each(Object.entries(WAYS))('are deleted by %s; those of other accounts still work', async (_name, act) => {
    const ines = await person(INES)
    await person('ben@example.org')
    for (const email of [INES, 'ben@example.org']) await requestAll(email)
    await act(ines)
    expect(await stillWork(INES)).toEqual([])
    expect((await stillWork('ben@example.org'))[0]).toBe('sign-in link')
  })

  test('work until then', async () => {
    await person(INES)
    await requestAll(INES)
    expect(await stillWork(INES)).toEqual(['sign-in link', 'code'])
  })

  test('include a social account that is being linked', async () => {
    const { browser } = await person(INES)
    const begun = await post('/link-social', { provider: 'work', callbackURL: '/', email: 'x@example.org' }, browser)
    const state = new URL(JSON.parse(begun.text).url).searchParams.get('state')
    await manage((accounts) => accounts.setPassword(INES, NEW_PASSWORD))
    const back = await browser.send(`/api/auth/callback/work?code=1&state=${state}`)
    expect(back.headers.get('location')).toContain('error=')
    const rows = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'better-auth account'")
    expect(rows.map(({ doc }) => JSON.parse(doc).providerId)).toEqual(['credential', 'credential'])
  })

  test('end with the sessions, whoever sets the password', async () => {
    const { browser, userId } = await person(INES)
    const admin = await administrator()
    await post('/admin/set-user-password', { userId, newPassword: NEW_PASSWORD }, admin)
    expect((await browser.session()).authenticated).toBe(false)
    expect((await admin.session()).authenticated).toBe(true)
  })
})
