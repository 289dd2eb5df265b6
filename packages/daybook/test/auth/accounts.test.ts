import { type AuthAdapter, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { createTestService, type TestService } from 'daybook/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { requestedOptions } from '../support/auth/quick-passwords.ts'
import { RecordingLog } from '../support/recording-log.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, PASSWORD } from './browser.ts'

const config = defineConfig({
  collections: { notes: defineCollection({ fields: { title: f.text({ required: true }), state: f.status() } }) },
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
})

let service: TestService<typeof config>
let browser: Browser

beforeEach(async () => {
  service = await createTestService(config)
  browser = new Browser(service)
  return () => service.close()
})

const COOKIE = 'better-auth.session_token'
const json = ({ text }: { readonly text: string }) => JSON.parse(text)
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe('a request without a session', () => {
  test('reads an empty session without a credential', async () => {
    const response = await browser.send('/api/cms/auth/session')
    expect(json(response)).toEqual({ authenticated: false, principal: null, identity: null })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('may not write', async () => {
    const response = await browser.send('/api/notes', { json: { title: 'A' } })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="daybook"'])
  })
})

describe('the actions of a service', () => {
  const actionsOf = async (auth: DaybookConfig['auth']): Promise<object> => {
    await using other = await createTestService({ ...config, ...(auth ? { auth } : {}) })
    return json(await new Browser(other).send('/api/cms/auth/actions')).actions
  }

  test('are listed for sign-in pages', async () => {
    const actions = { login: { input: { required: ['email', 'password'] } }, register: {}, logout: {} }
    expect(await actionsOf(undefined)).toMatchObject(actions)
    expect(await actionsOf(betterAuth({ registration: 'invite' }))).toMatchObject({
      register: { input: { required: ['name', 'email', 'password', 'invitation'] } },
    })
    expect(Object.keys(await actionsOf({ registration: 'closed' }))).toEqual(['login', 'setup', 'logout'])
  })

  test('are those of the adapter: the usual ones by default, none without invoke', async () => {
    const adapter: AuthAdapter = {
      getCapabilities: () => ({ provider: 'own', providerRoutes: { enabled: false } }),
      getPrincipal: async () => null,
      getIdentity: async () => null,
    }
    expect(await actionsOf(adapter)).toEqual({})
    expect(await actionsOf({ ...adapter, invoke: async () => null })).toEqual({ login: {}, register: {}, logout: {} })
  })
})

describe('register', () => {
  test('creates an account and a session: 201 with identity, token and cookie', async () => {
    const response = await browser.register()
    expect(response.status).toBe(201)
    const { authenticated, principal, identity, token } = json(response)
    expect({ authenticated, principal }).toEqual({
      authenticated: true,
      principal: { id: expect.any(String), email: 'ines@example.org', name: 'Inés' },
    })
    expect(identity).toEqual({
      provider: 'better-auth',
      subject: principal.id,
      sessionId: expect.any(String),
      actorType: 'human',
      expiresAt: expect.any(String),
      claims: { email: 'ines@example.org', name: 'Inés', emailVerified: false },
      roles: ['user'],
    })
    const days = (Date.parse(identity.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThanOrEqual(7)
    expect(await browser.session()).toMatchObject({ authenticated: true, principal })
    expect(json(await new Browser(service).send('/api/cms/auth/session', bearer(token)))).toMatchObject({ principal })
  })

  test('sets a cookie that is HttpOnly, SameSite and, over TLS, Secure', async () => {
    await browser.register()
    const [cookie = ''] = browser.lastSet
    expect(cookie).toMatch(
      /^better-auth\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    const plain = await service.fetch(
      new Request('http://localhost/api/cms/auth/actions/login', {
        method: 'POST',
        body: new URLSearchParams({ email: 'ines@example.org', password: PASSWORD }),
      }),
    )
    expect(plain.headers.getSetCookie()[0]).not.toContain('Secure')
  })

  test('rejects an address that has an account, in any spelling: 409', async () => {
    await browser.register('ines@example.org')
    for (const email of ['ines@example.org', 'INES@example.org', 'Ines@Example.ORG']) {
      const response = await new Browser(service).register(email)
      expect([response.status, json(response).code]).toEqual([409, 'CONFLICT'])
    }
  })

  const WRONG: Readonly<Record<string, readonly [input: unknown, path: string]>> = {
    'no password': [{ name: 'A', email: 'a@example.org' }, '/password'],
    'a short password': [{ name: 'A', email: 'a@example.org', password: '1234567' }, '/password'],
    'a password of seven characters that take fourteen units': [
      { name: 'A', email: 'a@example.org', password: '😀'.repeat(7) },
      '/password',
    ],
    'a password of a megabyte': [{ name: 'A', email: 'a@example.org', password: 'x'.repeat(1e6) }, '/password'],
    'a password that is a list': [{ name: 'A', email: 'a@example.org', password: ['x'] }, '/password'],
    'an address that is none': [{ name: 'A', email: 'example', password: PASSWORD }, '/email'],
    'an empty name': [{ name: ' ', email: 'a@example.org', password: PASSWORD }, '/name'],
    'a list': [[], ''],
    null: [null, ''],
  }

  test.each(Object.entries(WRONG))('rejects %s: 400', async (_what, [input, path]) => {
    const response = await browser.action('register', input)
    expect([response.status, json(response).code, json(response).details.issues[0].path]).toEqual([
      400,
      'VALIDATION_ERROR',
      path,
    ])
    expect(browser.cookies.size).toBe(0)
  })

  test('counts Unicode characters of a password: 128 of two code units each are accepted', async () => {
    const account = { name: 'A', email: 'a@example.org', password: '😀'.repeat(128) }
    expect((await browser.action('register', account)).status).toBe(201)
    expect((await new Browser(service).action('login', account)).status).toBe(200)
  })

  test('hashes the password by scrypt with 32 MiB and 16,384 rounds', async () => {
    requestedOptions.length = 0
    await browser.register()
    expect(requestedOptions).toEqual([expect.objectContaining({ N: 16_384, r: 16, p: 1 })])
  })

  test('ignores everything from the client except name, address and password', async () => {
    const input = { name: 'A', email: 'a@example.org', password: PASSWORD, id: 'me', role: 'admin', roles: ['service'] }
    const response = await browser.action('register', { ...input, emailVerified: true, actorType: 'service' })
    expect(response.status).toBe(201)
    const { principal, identity } = json(response)
    expect(principal.id).not.toBe('me')
    expect(identity).toMatchObject({ actorType: 'human', roles: ['user'], claims: { emailVerified: false } })
  })
})

describe('login', () => {
  beforeEach(async () => {
    await new Browser(service).register()
  })

  test('returns 200 with the session, a token and a cookie', async () => {
    const response = await browser.login()
    expect(response.status).toBe(200)
    expect(json(response)).toMatchObject({ authenticated: true, principal: { email: 'ines@example.org' } })
    expect(await browser.session()).toMatchObject({ authenticated: true })
  })

  test('accepts a form like JSON', async () => {
    const parts = new FormData()
    for (const [name, value] of Object.entries({ email: 'ines@example.org', password: PASSWORD }))
      parts.set(name, value)
    for (const form of [{ email: 'ines@example.org', password: PASSWORD }, parts]) {
      expect((await new Browser(service).send('/api/cms/auth/actions/login', { form })).status).toBe(200)
    }
  })

  test('hashes once with the same cost, with and without an account', async () => {
    const worked = async (email: string): Promise<unknown> => {
      requestedOptions.length = 0
      await browser.action('login', { email, password: 'not the one' })
      return [...requestedOptions]
    }
    const withAccount = await worked('ines@example.org')
    expect(withAccount).toEqual([expect.objectContaining({ N: 16_384, r: 16, p: 1 })])
    expect(await worked('nobody@example.org')).toEqual(withAccount)
  })

  test('gets the same 401 for a wrong password and an unknown address', async () => {
    const said = async (email: string) => {
      const { status, text } = await new Browser(service).login(email, 'wrong password')
      const { requestId, ...rest } = JSON.parse(text)
      return { status, rest, hasId: requestId !== undefined }
    }
    const withAccount = await said('ines@example.org')
    expect(withAccount).toMatchObject({ status: 401, rest: { code: 'UNAUTHORIZED' } })
    expect(await said('nobody@example.org')).toEqual(withAccount)
    expect(await said('no address')).toEqual(withAccount)
  })

  test('starts a new session, whatever cookie the request has', async () => {
    browser.cookies.set(COOKIE, 'planted.value')
    await browser.login()
    expect(browser.cookies.get(COOKIE)).not.toBe('planted.value')
    const other = new Browser(service)
    other.cookies.set(COOKIE, 'planted.value')
    expect(await other.session()).toMatchObject({ authenticated: false })
  })

  test('rejects bodies that are no objects', async () => {
    const send = (body: string, type: string) =>
      service.request('/api/cms/auth/actions/login', { method: 'POST', body, headers: { 'Content-Type': type } })
    expect((await send('{"email":', 'application/json')).status).toBe(400)
    expect((await send('email=a', 'text/plain')).status).toBe(415)
    expect((await send('x', 'multipart/form-data; boundary=y')).status).toBe(400)
    const file = new FormData()
    file.set('email', new File(['x'], 'x.txt'))
    expect((await browser.send('/api/cms/auth/actions/login', { form: file })).status).toBe(400)
  })
})

describe('logout', () => {
  test('ends the session for cookie and token, and clears the cookie: 204', async () => {
    const { token } = json(await browser.register())
    const cookie = `${COOKIE}=${browser.cookies.get(COOKIE)}`
    const response = await browser.action('logout')
    expect([response.status, response.text]).toEqual([204, ''])
    expect(browser.cookies.has(COOKIE)).toBe(false)
    for (const headers of [{ Cookie: cookie }, { Authorization: `Bearer ${token}` }]) {
      expect(await new Browser(service).session({ headers })).toMatchObject({ authenticated: false })
      const write = await new Browser(service).send('/api/notes', { json: { title: 'A' }, headers })
      expect(write.status).toBe(401)
    }
  })

  test('without a session is 401, and other sessions stay', async () => {
    expect((await browser.action('logout')).status).toBe(401)
    await browser.register('one@example.org')
    const other = new Browser(service)
    await other.register('two@example.org')
    await other.action('logout')
    expect(await browser.session()).toMatchObject({ authenticated: true })
  })
})

test('an action that the adapter does not know is 404', async () => {
  for (const name of ['impersonate', 'toString', '__proto__', '%2e%2e', 'a%2Fb']) {
    const response = await browser.action(name)
    expect([response.status, json(response).code], name).toEqual([404, 'NOT_FOUND'])
  }
})

describe('a session', () => {
  test('writes and sees drafts, in private responses', async () => {
    await browser.register()
    const created = await browser.send('/api/notes', { json: { title: 'A', state: 'draft' } })
    expect(created.status).toBe(201)
    const list = await browser.send('/api/notes')
    expect([json(list).total, list.headers.get('cache-control')]).toEqual([1, 'private, no-store'])
    expect(json(await new Browser(service).send('/api/notes')).total).toBe(0)
  })

  test('in Authorization takes precedence over a cookie, even if it is invalid', async () => {
    await browser.register('cookie@example.org')
    const { token } = json(await new Browser(service).register('token@example.org'))
    expect(await browser.session(bearer(token))).toMatchObject({ principal: { email: 'token@example.org' } })
    expect(await browser.session(bearer('made-up'))).toMatchObject({ authenticated: false })
    expect(await browser.session({ headers: { Authorization: 'Basic YTpi' } })).toMatchObject({ authenticated: false })
  })

  test('with a tampered cookie is invalid', async () => {
    await browser.register()
    const value = browser.cookies.get(COOKIE) ?? ''
    const flipped = `${value[0] === 'a' ? 'b' : 'a'}${value.slice(1)}`
    const [token = ''] = decodeURIComponent(value).split('.')
    for (const wrong of [flipped, token, `${value}x`, '', '.', '%', 'a.b', 'x'.repeat(8192)]) {
      browser.cookies.set(COOKIE, wrong)
      expect(await browser.session(), wrong.slice(0, 50)).toMatchObject({ authenticated: false })
    }
  })
})

describe("the provider's own routes", () => {
  test('share the sessions', async () => {
    await browser.register()
    const response = await browser.send('/api/auth/get-session')
    expect(json(response)).toMatchObject({ user: { email: 'ines@example.org' } })
    expect(response.headers.get('cache-control')).toContain('no-store')
    const out = await browser.send('/api/auth/sign-out', { json: {} })
    expect(out.status).toBe(200)
    expect(await browser.session()).toMatchObject({ authenticated: false })
  })

  test('a change of the password ends the other sessions at once', async () => {
    await browser.register()
    const other = new Browser(service)
    await other.login()
    expect(await other.session()).toMatchObject({ authenticated: true })
    const change = { currentPassword: PASSWORD, newPassword: 'another long one', revokeOtherSessions: true }
    expect((await browser.send('/api/auth/change-password', { json: change })).status).toBe(200)
    expect(await other.session()).toMatchObject({ authenticated: false })
    expect((await other.login()).status).toBe(401)
    expect((await other.login('ines@example.org', 'another long one')).status).toBe(200)
  })

  test('do not redirect to other sites', async () => {
    for (const callbackURL of [
      '//evil.example',
      'https://evil.example',
      'https://cms.example@evil.example',
      'javascript:1',
    ]) {
      const body = { email: 'x@example.org', password: PASSWORD, name: 'X', callbackURL }
      const response = await browser.send('/api/auth/sign-up/email', { json: body })
      expect(response.status, callbackURL).toBe(403)
      expect(response.headers.has('location')).toBe(false)
    }
  })
})

test('with open registration, the start logs that accounts are in memory', async () => {
  const log = new RecordingLog()
  await using _open = await createTestService(config, { log })
  expect(log.take()).toEqual([expect.stringMatching(/^warn Accounts are kept in memory: .*registration: 'closed'/)])
  await using _closed = await createTestService({ ...config, auth: { registration: 'closed' } }, { log })
  expect(log.take()).toEqual([])
})

test('with open registration, the start logs that anyone can register', async () => {
  const log = new RecordingLog()
  await using _open = await createTestService({ ...config, auth: betterAuth() }, { log })
  expect(log.take()).toEqual([expect.stringMatching(/^warn Anyone can register.*registration: 'invite'/)])
  await using _invited = await createTestService({ ...config, auth: betterAuth({ registration: 'invite' }) }, { log })
  expect(log.take()).toEqual([])
})

test('with closed registration, no route creates an account', async () => {
  await using closed = await createTestService({ ...config, auth: { registration: 'closed' } })
  const visitor = new Browser(closed)
  expect([(await visitor.register()).status, visitor.cookies.size]).toEqual([403, 0])
  const body = { email: 'x@example.org', password: PASSWORD, name: 'X' }
  expect((await visitor.send('/api/auth/sign-up/email', { json: body })).status).toBe(404)
  expect((await visitor.login('x@example.org')).status).toBe(401)
  const headers = { Authorization: `Bearer ${closed.token}` }
  expect((await visitor.send('/api/notes', { json: { title: 'A' }, headers })).status).toBe(201)
})
