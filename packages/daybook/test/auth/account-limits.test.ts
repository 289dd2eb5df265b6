import { genericOAuth } from 'better-auth/plugins'
import { defineConfig, type Service, SILENT } from 'daybook'
import { type BetterAuthOptions, betterAuth } from 'daybook/better-auth'
import { createTestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountManager } from '../../src/auth/account-manager.ts'
import type { AuthSource } from '../../src/auth/adapter.ts'
import type { Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, ORIGIN, PASSWORD } from './browser.ts'

const collections = {}
const limits = { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000 }
/** A profile of a social provider with values that are too long. */
const PROFILE = { id: '1', email: 'social@example.org', name: '😀'.repeat(300_000), image: 'x'.repeat(900_000) }
let profile: typeof PROFILE = PROFILE

const options: BetterAuthOptions = {
  baseURL: ORIGIN,
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'work',
          clientId: 'a',
          clientSecret: 'b',
          authorizationUrl: 'https://id.example/authorize',
          tokenUrl: 'https://id.example/token',
          getToken: async () => ({ accessToken: 'a' }),
          getUserInfo: async () => ({ ...profile, emailVerified: true }),
        },
      ],
    }),
  ],
}

const json = ({ text }: { readonly text: string }) => JSON.parse(text)
const addressOf = (length: number, first = 'a'): string =>
  `${first.padEnd(length - '@example.org'.length, 'a')}@example.org`

const TOO_LONG = { name: 'x'.repeat(201), email: addressOf(255), image: `https://a.example/${'x'.repeat(2031)}` }
const FITTING = { name: '😀'.repeat(200), image: `https://a.example/${'x'.repeat(2030)}` }

/** Requests that set a field of an account: the path, and the body around the field. */
type Request = readonly [path: string, field: keyof typeof TOO_LONG | 'newEmail', body: (value: unknown) => object]

const person = { name: 'Eve', email: 'eve@example.org', password: PASSWORD }
const PUBLIC: readonly Request[] = [
  ['/api/cms/auth/actions/register', 'name', (name) => ({ ...person, name })],
  ['/api/cms/auth/actions/register', 'email', (email) => ({ ...person, email })],
  ['/api/cms/auth/actions/login', 'email', (email) => ({ ...person, email })],
  ['/api/auth/sign-up/email', 'name', (name) => ({ ...person, name })],
  ['/api/auth/sign-up/email', 'email', (email) => ({ ...person, email })],
  ['/api/auth/sign-up/email', 'image', (image) => ({ ...person, image })],
  ['/api/auth/sign-in/email', 'email', (email) => ({ ...person, email })],
  ['/api/auth/request-password-reset', 'email', (email) => ({ email, redirectTo: '/' })],
]
const OF_SESSION: readonly Request[] = [
  ['/api/auth/update-user', 'name', (name) => ({ name })],
  ['/api/auth/update-user', 'image', (image) => ({ image })],
  ['/api/auth/change-email', 'newEmail', (newEmail) => ({ newEmail })],
]
const ofAdministrator = (userId: string): readonly Request[] => [
  ['/api/auth/admin/create-user', 'name', (name) => ({ ...person, name })],
  ['/api/auth/admin/create-user', 'email', (email) => ({ ...person, email })],
  ['/api/auth/admin/create-user', 'image', (image) => ({ ...person, data: { image } })],
  ['/api/auth/admin/update-user', 'name', (name) => ({ userId, data: { name } })],
  ['/api/auth/admin/update-user', 'email', (email) => ({ userId, data: { email } })],
  ['/api/auth/admin/update-user', 'image', (image) => ({ userId, data: { image } })],
  ['/api/cms/auth/invitations', 'email', (email) => ({ email })],
]

async function expectRefused(browser: Browser, requests: readonly Request[]): Promise<void> {
  for (const [path, field, body] of requests) {
    const sent = body(TOO_LONG[field === 'newEmail' ? 'email' : field])
    const response = await browser.send(path, { json: sent })
    const [issue] = json(response).details?.issues ?? []
    const pointer = 'data' in sent ? `/data/${field}` : `/${field}`
    expect([path, field, response.status, json(response).code, issue?.path]).toEqual([
      path,
      field,
      400,
      'VALIDATION_ERROR',
      pointer,
    ])
    expect(issue.message).toMatch(/at most (?:200|254|2048) characters/)
  }
}

describe.each(POLICY_STORES)('names, addresses and images of accounts on $name', ({ at }) => {
  const source: AuthSource = betterAuth(options)
  let place: Place
  let service: Service
  let admin: Browser
  let ines: Browser
  let inesId: string

  beforeAll(async () => {
    place = await at()
    service = await place.open(defineConfig({ auth: source, collections, limits }))
    await manage((accounts) => accounts.create({ ...person, email: 'root@example.org', roles: ['admin'] }))
    admin = new Browser(service)
    ines = new Browser(service)
    expect((await admin.login('root@example.org')).status).toBe(200)
    inesId = json(await ines.register()).principal.id
  })
  afterAll(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  async function manage<T>(work: (accounts: AccountManager) => Promise<T>, from = source): Promise<T> {
    const store = await place.store()
    try {
      const accounts = await from.manage?.({ records: store.records, log: SILENT })
      if (!accounts) throw new Error('The config has no accounts to manage.')
      return await work(accounts)
    } finally {
      await store.close()
    }
  }

  const storedUser = async (email: string) => {
    const rows = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'better-auth user'")
    return rows.map(({ doc }) => JSON.parse(doc)).find((user) => user.email === email)
  }

  test('are rejected with 400 at every route if they are too long, and nothing is stored', async () => {
    await expectRefused(new Browser(service), PUBLIC)
    await expectRefused(ines, OF_SESSION)
    await expectRefused(admin, ofAdministrator(inesId))
    expect((await manage((accounts) => accounts.list())).map(({ email }) => email)).toEqual([
      'root@example.org',
      'ines@example.org',
    ])
  })

  test('are rejected on the command line', async () => {
    const details = (path: string) => ({ code: 'VALIDATION_ERROR', details: { issues: [{ path }] } })
    const account = { ...person, roles: ['user'] }
    await expect(manage((accounts) => accounts.create({ ...account, name: TOO_LONG.name }))).rejects.toMatchObject(
      details('/name'),
    )
    await expect(manage((accounts) => accounts.create({ ...account, email: TOO_LONG.email }))).rejects.toMatchObject(
      details('/email'),
    )
    const invitation = { email: TOO_LONG.email, roles: ['user'], expiresAt: new Date().toISOString() }
    const invites = betterAuth({ registration: 'invite' })
    await expect(manage((accounts) => accounts.invite(invitation), invites)).rejects.toMatchObject(details('/email'))
  })

  test('are accepted up to the limits', async () => {
    const browser = new Browser(service)
    const account = { name: FITTING.name, email: addressOf(254), password: PASSWORD }
    expect((await browser.action('register', account)).status).toBe(201)
    expect((await browser.send('/api/auth/update-user', { json: FITTING })).status).toBe(200)
    expect(await storedUser(account.email)).toMatchObject(FITTING)
    expect((await new Browser(service).action('login', account)).status).toBe(200)
  })

  test('of a social provider are truncated, and the image is left out', async () => {
    profile = PROFILE
    const browser = new Browser(service)
    const begun = await browser.send('/api/auth/sign-in/social', { json: { provider: 'work', callbackURL: '/' } })
    const state = new URL(json(begun).url).searchParams.get('state')
    expect((await browser.send(`/api/auth/callback/work?code=1&state=${state}`)).status).toBe(302)
    expect(await browser.session()).toMatchObject({ authenticated: true, principal: { name: FITTING.name } })
    expect(await storedUser(PROFILE.email)).toMatchObject({ name: FITTING.name, image: null })
  })

  test('of a social provider create no account if the address is too long', async () => {
    profile = { ...PROFILE, id: '2', email: addressOf(255, 'b') }
    const browser = new Browser(service)
    const begun = await browser.send('/api/auth/sign-in/social', { json: { provider: 'work', callbackURL: '/' } })
    const state = new URL(json(begun).url).searchParams.get('state')
    const back = await browser.send(`/api/auth/callback/work?code=1&state=${state}`)
    expect([302, 400]).toContain(back.status)
    expect(back.text + back.headers.get('location')).toMatch(/254|error=/)
    expect((await browser.session()).authenticated).toBe(false)
    expect(await storedUser(profile.email)).toBeUndefined()
  })

  test('are limited like other texts of an account', async () => {
    const ban = { userId: inesId, banReason: 'x'.repeat(2049) }
    const response = await admin.send('/api/auth/admin/ban-user', { json: ban })
    expect([response.status, json(response)]).toEqual([
      400,
      { code: 'VALIDATION_ERROR', message: 'banReason must be at most 2048 characters long.' },
    ])
    expect((await ines.session()).authenticated).toBe(true)
  })

  test('have their limits in the description of the actions', async () => {
    const { actions } = json(await new Browser(service).send('/api/cms/auth/actions'))
    expect(actions).toMatchObject({
      login: { input: { properties: { email: { maxLength: 254 } } } },
      register: { input: { properties: { name: { maxLength: 200 }, email: { maxLength: 254 } } } },
    })
  })
})

test('names, addresses and images of accounts in memory are rejected with 400 if they are too long', async () => {
  await using service = await createTestService({ collections, limits })
  await expectRefused(new Browser(service), PUBLIC)
  const browser = new Browser(service)
  await browser.register()
  await expectRefused(browser, OF_SESSION)
})
