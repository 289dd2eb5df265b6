import { defineCollection, defineConfig, f, type Service, SILENT } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuthSource } from '../../src/auth/adapter.ts'
import { expectDocumented } from '../support/scenarios/documented.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'
import type { Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, PASSWORD, type Sent } from './browser.ts'

const auth: AuthSource = betterAuth({ registration: 'invite' })
const collections = { notes: defineCollection({ fields: { title: f.text(), status: f.status({ default: 'draft' }) } }) }
const limits = { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000 }
const config = defineConfig({ auth, collections, limits })
const closed = defineConfig({ auth: betterAuth({ registration: 'closed' }), collections, limits })

const INVITATIONS = '/api/cms/auth/invitations'
const TOKENS = '/api/cms/auth/tokens'
const OUTSTANDING = '/api/cms/auth/outstanding'
const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'
const json = ({ text }: TestResponse) => JSON.parse(text)
const bearer = (token: string): Sent => ({ headers: { Authorization: `Bearer ${token}` } })
const pathsOf = (response: TestResponse): readonly string[] =>
  json(response).details.issues.map(({ path }: { path: string }) => path)

describe.each(POLICY_STORES)('administration over HTTP on $name', ({ at }) => {
  let place: Place
  let service: Service
  let admin: Browser
  let user: Browser

  beforeEach(async () => {
    place = await at()
    service = await place.open(config)
    await addAccounts()
    admin = new Browser(service)
    user = new Browser(service)
    expect((await admin.login('root@example.org')).status).toBe(200)
    expect((await user.login('ines@example.org')).status).toBe(200)
  })
  afterEach(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  async function addAccounts(): Promise<void> {
    const store = await place.store()
    const accounts = await auth.manage?.({ records: store.records, log: SILENT })
    await accounts?.create({ email: 'root@example.org', name: 'Root', password: PASSWORD, roles: ['admin'] })
    await accounts?.create({ email: 'ines@example.org', name: 'Inés', password: PASSWORD, roles: ['editor'] })
    await store.close()
  }

  test('is described to each caller, with the settings for operators alone', async () => {
    const path = '/api/cms/administration'
    expect((await new Browser(service).send(path)).status).toBe(401)
    expect(json(await user.send(path))).toEqual({ accounts: false, audit: false })
    const described = json(await sendRequest('GET', path))
    expect(described).toMatchObject({
      accounts: true,
      audit: true,
      settings: {
        storage: 'folder',
        locales: [],
        plugins: [],
        provider: 'better-auth',
        actions: ['login', 'register', 'setup', 'logout'],
        retention: { versions: null, days: null },
      },
    })
  })

  /** Sends a request as the administrator, and checks the response against the OpenAPI document. */
  async function sendRequest(method: string, path: string, body?: unknown): Promise<TestResponse> {
    const response = await admin.send(path, { method, ...(body === undefined ? {} : { json: body }) })
    const headers = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
    const cookies = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    await expectDocumented(
      service,
      {
        method,
        path,
        headers: { ...headers, Cookie: cookies },
        body: body === undefined ? undefined : JSON.stringify(body),
      },
      response,
    )
    return response
  }

  test('is reserved to people with the role admin', async () => {
    const { token } = json(await sendRequest('POST', TOKENS, { name: 'all', scopes: ['*'], roles: ['admin'] }))
    const requests: readonly (readonly [string, Sent, number])[] = [
      [INVITATIONS, {}, 200],
      [INVITATIONS, { method: 'POST', json: { email: 'new@example.org' } }, 201],
      [`${INVITATIONS}/${ABSENT}`, { method: 'DELETE' }, 404],
      [TOKENS, {}, 200],
      [TOKENS, { method: 'POST', json: { name: 'build', scopes: ['*:read'] } }, 201],
      [`${TOKENS}/${ABSENT}`, { method: 'DELETE' }, 404],
      [`${OUTSTANDING}?subject=${ABSENT}`, {}, 200],
    ]
    for (const [path, sent, done] of requests) {
      const program: Sent = { ...sent, ...bearer(token) }
      const statuses = [
        await new Browser(service).send(path, sent),
        await user.send(path, sent),
        await new Browser(service).send(path, program),
        await admin.send(path, sent),
      ].map(({ status }) => status)
      expect([sent.method ?? 'GET', path, ...statuses]).toEqual([sent.method ?? 'GET', path, 401, 403, 403, done])
    }
  })

  test('is absent with an adapter without account management', async () => {
    await place.serve({ collections, limits }, async (other) => {
      for (const path of [INVITATIONS, TOKENS]) expect((await new Browser(other).send(path)).status, path).toBe(404)
    })
  })

  test("lists an account's previews and scheduled changes, which end with a ban", async () => {
    const { subject } = json(await user.send('/api/cms/auth/session')).identity
    const { id } = json(await user.send('/api/notes', { json: { title: 'A' } }))
    const publishAt = '2999-01-01T00:00:00.000Z'
    expect((await user.send(`/api/notes/${id}/publish`, { json: { publishAt } })).status).toBe(200)
    const { token, expiresAt } = json(await user.send(`/api/notes/${id}/preview`, { json: {} }))
    const shown = async (): Promise<number> =>
      (await new Browser(service).send(`/api/notes/${id}?preview=${token}`)).status
    expect(json(await sendRequest('GET', `${OUTSTANDING}?subject=${subject}`))).toEqual({
      previews: [{ collection: 'notes', id, expiresAt }],
      schedules: [{ collection: 'notes', id, action: 'publish', at: publishAt }],
      totals: { previews: 1, schedules: 1 },
    })
    expect((await sendRequest('GET', OUTSTANDING)).status).toBe(400)
    expect(await shown()).toBe(200)
    expect((await admin.send('/api/auth/admin/ban-user', { json: { userId: subject } })).status).toBe(200)
    expect(await shown()).toBe(404)
  })

  test('creates an invitation, whose secret registers one account', async () => {
    const created = await sendRequest('POST', INVITATIONS, {
      email: 'New@example.org',
      roles: ['editor', 'author'],
      days: 2,
    })
    expect([created.status, created.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
    const { secret, ...invitation } = json(created)
    expect(invitation).toMatchObject({ email: 'new@example.org', roles: ['editor', 'author'] })
    expect(Date.parse(invitation.expiresAt) - Date.now()).toBeGreaterThan(47 * 3_600_000)
    const list = await sendRequest('GET', INVITATIONS)
    expect(json(list)).toEqual({ items: [invitation] })
    expect(JSON.stringify(await place.rows('SELECT * FROM daybook$records'))).not.toContain(secret)
    const person = { name: 'New', email: 'new@example.org', password: PASSWORD, invitation: secret }
    expect(json(await new Browser(service).action('register', person)).identity.roles).toEqual(['editor', 'author'])
    expect(json(await sendRequest('GET', INVITATIONS))).toEqual({ items: [] })
    expect((await new Browser(service).action('register', person)).status).toBe(400)
  })

  test('withdraws an invitation', async () => {
    const { id, secret } = json(await sendRequest('POST', INVITATIONS, { email: 'new@example.org' }))
    expect((await sendRequest('DELETE', `${INVITATIONS}/${id}`)).status).toBe(204)
    expect((await sendRequest('DELETE', `${INVITATIONS}/${id}`)).status).toBe(404)
    const person = { name: 'New', email: 'new@example.org', password: PASSWORD, invitation: secret }
    expect(pathsOf(await new Browser(service).action('register', person))).toEqual(['/invitation'])
  })

  test('rejects invalid invitations', async () => {
    const faulty: readonly (readonly [object, string])[] = [
      [{}, '/email'],
      [{ email: 'nobody' }, '/email'],
      [{ email: 7 }, '/email'],
      [{ email: 'new@example.org', roles: [] }, '/roles'],
      [{ email: 'new@example.org', roles: ['a b'] }, '/roles/0'],
      [{ email: 'new@example.org', days: 0 }, '/days'],
      [{ email: 'new@example.org', days: 3651 }, '/days'],
      [{ email: 'new@example.org', admin: true }, '/admin'],
    ]
    for (const [input, path] of faulty) {
      const response = await sendRequest('POST', INVITATIONS, input)
      expect([input, response.status, pathsOf(response)]).toEqual([input, 400, [path]])
    }
    const conflict = await sendRequest('POST', INVITATIONS, { email: 'INES@example.org' })
    expect([conflict.status, json(conflict).details]).toEqual([409, { field: 'email' }])
    expect(json(await sendRequest('GET', INVITATIONS))).toEqual({ items: [] })
  })

  test('rejects invitations where registration needs none', async () => {
    await place.serve(closed, async (other) => {
      const browser = new Browser(other)
      await browser.login('root@example.org')
      const response = await browser.send(INVITATIONS, { json: { email: 'new@example.org' } })
      expect([response.status, json(response).code]).toEqual([409, 'CONFLICT'])
    })
  })

  test('creates a token, which works until it is revoked', async () => {
    const created = await sendRequest('POST', TOKENS, { name: ' site build ', scopes: ['notes:create'], days: 30 })
    const { token, ...apiToken } = json(created)
    expect([created.status, apiToken.name, apiToken.roles, apiToken.lastUsedAt]).toEqual([
      201,
      'site build',
      ['service'],
      null,
    ])
    expect(token.startsWith(apiToken.prefix)).toBe(true)
    expect(json(await sendRequest('GET', TOKENS))).toEqual({ items: [apiToken] })
    expect(JSON.stringify(await place.rows('SELECT * FROM daybook$records'))).not.toContain(token)
    const write = (): Promise<TestResponse> =>
      new Browser(service).send('/api/notes', { json: { title: 'By a program' }, ...bearer(token) })
    expect((await write()).status).toBe(201)
    expect((await sendRequest('DELETE', `${TOKENS}/${apiToken.id}`)).status).toBe(204)
    expect((await write()).status).toBe(401)
    expect((await sendRequest('DELETE', `${TOKENS}/${apiToken.id}`)).status).toBe(404)
  })

  test('rejects invalid tokens', async () => {
    const faulty: readonly (readonly [object, readonly string[]])[] = [
      [{}, ['/name', '/scopes']],
      [{ name: ' ', scopes: ['*'] }, ['/name']],
      [{ name: 'x'.repeat(101), scopes: ['*'] }, ['/name']],
      [{ name: 'build', scopes: [] }, ['/scopes']],
      [{ name: 'build', scopes: ['notes:fly', 'nothing:read'] }, ['/scopes/0', '/scopes/1']],
      [{ name: 'build', scopes: ['*'], days: 1.5 }, ['/days']],
    ]
    for (const [input, paths] of faulty) {
      const response = await sendRequest('POST', TOKENS, input)
      expect([input, response.status, pathsOf(response)]).toEqual([input, 400, paths])
    }
    expect((await sendRequest('POST', TOKENS, { name: 'build', scopes: ['*'] })).status).toBe(201)
    const conflict = await sendRequest('POST', TOKENS, { name: 'build', scopes: ['*'] })
    expect([conflict.status, json(conflict).details]).toEqual([409, { field: 'name' }])
  })
})
