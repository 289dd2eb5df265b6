import { emailOTP, magicLink } from 'better-auth/plugins'
import { type AuthAdapter, defineConfig, SILENT } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import type { AuthSource } from '../../src/auth/adapter.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, ORIGIN, PASSWORD } from './browser.ts'

const MAX = 3
const messages: string[] = []
const note = async ({ email }: { readonly email: string }): Promise<void> => void messages.push(email)
const auth: AuthSource = betterAuth({
  baseURL: ORIGIN,
  sendPasswordReset: note,
  plugins: [magicLink({ sendMagicLink: note }), emailOTP({ sendVerificationOTP: note })],
})
const limits = {
  ...SLOW_MACHINE_LIMITS,
  signInsPerMinute: 1000,
  accountSignInsPerMinute: MAX,
  accountMessagesPerHour: MAX,
}
const config = defineConfig({ auth, collections: {}, limits })

type Fetching = ConstructorParameters<typeof Browser>[0]
type Answered = { readonly status: number; readonly headers: Headers; readonly text: string }

let clients = 0
/** A request from a client that has sent none before. */
function send(service: Fetching, path: string, json: object): Promise<Answered> {
  clients += 1
  const address = `198.51.${clients >> 8}.${clients & 255}`
  return new Browser(service).send(path, { json, address })
}

const LOGIN = '/api/cms/auth/actions/login'
const SIGN_IN = '/api/auth/sign-in/email'
const RESET = '/api/auth/request-password-reset'
const guess = (service: Fetching, email: string, path = LOGIN): Promise<Answered> =>
  send(service, path, { email, password: 'a wrong guess' })

/** A response without the parts that differ between any two requests. */
function essence({ status, text, headers }: Answered): unknown {
  const { requestId, ...body } = JSON.parse(text)
  const retryAfter = headers.has('retry-after')
  return { status, body: status === 429 ? { ...body, details: Object.keys(body.details) } : body, retryAfter }
}

describe.each(POLICY_STORES)('attempts with an account on $name', (store) => {
  test('are limited across clients and routes, and other accounts are not affected', async () => {
    await using service = await store.open<typeof config>(config)
    await send(service, '/api/cms/auth/actions/register', { name: 'A', email: 'ann@example.org', password: PASSWORD })
    const paths = [LOGIN, SIGN_IN, '/api/auth//sign-in/email', '/api/auth/sign-in/email-otp']
    const statuses: number[] = []
    for (const path of [...paths, ...paths]) {
      const otp = path.endsWith('otp') ? { otp: '000000' } : {}
      const body = { email: statuses.length % 2 ? 'ANN@example.org' : 'ann@example.org', password: PASSWORD, ...otp }
      statuses.push((await send(service, path, body)).status)
    }
    // The registration counts, too.
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses.slice(2)).toEqual(statuses.slice(2).map(() => 429))
    expect((await guess(service, 'ben@example.org')).status).toBe(401)
  })

  test('are rejected in the same way for an address without an account', async () => {
    await using service = await store.open<typeof config>(config)
    await send(service, '/api/cms/auth/actions/register', { name: 'A', email: 'ann@example.org', password: PASSWORD })
    await guess(service, 'nobody@example.org')
    for (let count = 0; count < MAX + 1; count += 1) {
      const [existing, absent] = [await guess(service, 'ann@example.org'), await guess(service, 'nobody@example.org')]
      expect(essence(absent)).toEqual(essence(existing))
      expect(existing.status).toBe(count < MAX - 1 ? 401 : 429)
    }
    const refused = await guess(service, 'nobody@example.org')
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  test('count for all nodes together', async () => {
    await using place = await store.at()
    const nodes = await Promise.all([1, 2].map(() => place.open(config)))
    const statuses: number[] = []
    for (const node of [...nodes, ...nodes, ...nodes]) statuses.push((await guess(node, 'ann@example.org')).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429])
    for (const node of nodes) await node.close()
  })

  test('are counted by the body as the provider reads it, a form or JSON', async () => {
    await using service = await store.open<typeof config>(config)
    const form = (body: string): Promise<Response> =>
      service.fetch(
        new Request(ORIGIN + SIGN_IN, {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        }),
        { address: `203.0.113.${clients++ & 255}` },
      )
    // Read as JSON, the second names another account than as a form.
    const bodies = [
      'email=ann%40example.org&password=x',
      '{"email":"decoy","a":"&email=ann%40example.org&password=x&b="}',
      'email=decoy&password=x&email=ann%40example.org',
    ]
    for (const body of bodies) expect((await form(body)).status).not.toBe(429)
    expect((await form(bodies[1] ?? '')).status).toBe(429)
    expect((await guess(service, 'ann@example.org')).status).toBe(429)
  })

  test('store no long account names and no texts that a database rejects', async () => {
    await using service = await store.open<typeof config>(config)
    for (const email of [`${'x'.repeat(100_000)}@example.org`, 'a\0b@example.org', '\ud800']) {
      const statuses: number[] = []
      for (let count = 0; count <= MAX; count += 1) statuses.push((await guess(service, email, SIGN_IN)).status)
      expect([statuses.indexOf(429), statuses.includes(500), statuses.includes(503)]).toEqual([MAX, false, false])
    }
    const rows = JSON.stringify(await service.rows('SELECT * FROM daybook$attempts'))
    expect(rows).not.toContain('example.org')
    expect(rows.length).toBeLessThan(10_000)
  })

  test('that send messages have a limit of their own, and send no further messages', async () => {
    messages.length = 0
    await using service = await store.open<typeof config>(config)
    await send(service, '/api/cms/auth/actions/register', { name: 'A', email: 'ann@example.org', password: PASSWORD })
    const requests: readonly (readonly [string, object])[] = [
      [RESET, { redirectTo: '/' }],
      ['/api/auth/sign-in/magic-link', {}],
      ['/api/auth/email-otp/request-password-reset', {}],
      ['/api/auth/email-otp/send-verification-otp', { type: 'sign-in' }],
      [RESET, { redirectTo: '/' }],
      ['/api/auth/sign-in/magic-link', {}],
    ]
    for (const email of ['ann@example.org', 'nobody@example.org']) {
      const statuses: number[] = []
      for (const [path, body] of requests) statuses.push((await send(service, path, { ...body, email })).status)
      expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
    }
    await expect.poll(() => messages.filter((email) => email === 'ann@example.org').length).toBe(MAX)
    const refused = await send(service, RESET, { email: 'ann@example.org', redirectTo: '/' })
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    // Rejected messages do not prevent signing in.
    expect((await send(service, LOGIN, { email: 'ann@example.org', password: PASSWORD })).status).toBe(200)
  })

  test('with a banned account reveal the ban only with the right password', async () => {
    await using place = await store.at()
    const service = await place.open(config)
    const account = { name: 'A', email: 'ann@example.org', password: PASSWORD }
    await send(service, '/api/cms/auth/actions/register', account)
    const opened = await place.store()
    const accounts = await auth.manage?.({ records: opened.records, log: SILENT })
    await accounts?.setBanned('ann@example.org', true)
    await opened.close()
    const wrong = await guess(service, 'ann@example.org')
    expect(essence(wrong)).toEqual(essence(await guess(service, 'nobody@example.org')))
    expect((await send(service, LOGIN, account)).status).toBe(403)
    await service.close()
  })
})

describe('attempts with an account', () => {
  test('are limited by default to twice those of one client', async () => {
    await using service = await createTestService({
      collections: {},
      limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 2 },
    })
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) statuses.push((await guess(service, 'ann@example.org')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429])
  })

  test('are limited for every adapter that has such an action', async () => {
    const adapter: AuthAdapter = {
      getCapabilities: () => ({ provider: 'intranet', providerRoutes: { enabled: false } }),
      getPrincipal: async () => null,
      getIdentity: async () => null,
      invoke: async () => new Response(null, { status: 204 }),
    }
    await using service = await createTestService({ auth: adapter, collections: {}, limits })
    const statuses: number[] = []
    for (let count = 0; count < MAX + 1; count += 1)
      statuses.push((await send(service, LOGIN, { username: 'ann', password: 'x' })).status)
    expect(statuses).toEqual([204, 204, 204, 429])
  })
})
