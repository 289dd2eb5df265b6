import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, ORIGIN } from './browser.ts'

const FRIEND = 'https://www.example.org'
const config = defineConfig({
  collections: { notes: defineCollection({ fields: { title: f.text({ required: true }) } }) },
  cors: { origins: [FRIEND], credentials: true },
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
})

let service: TestService<typeof config>
let browser: Browser

beforeEach(async () => {
  service = await createTestService(config)
  browser = new Browser(service)
  await browser.register()
  return () => service.close()
})

/** Headers that browsers add to requests of a page of another origin. */
const FOREIGN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'another origin': { Origin: 'https://evil.example' },
  'an origin that begins like ours': { Origin: 'https://cms.example.evil.example' },
  'another port': { Origin: `${ORIGIN}:8443` },
  'a page without an origin': { Origin: 'null' },
  'an origin that is none': { Origin: 'evil' },
  'a page of another site': { 'Sec-Fetch-Site': 'cross-site' },
  'a page of a neighbour': { 'Sec-Fetch-Site': 'same-site' },
}

const SAME_ORIGIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a program': {},
  'our own page': { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin' },
  'our own page, whose TLS ends at a proxy': { Origin: ORIGIN.replace('https', 'http') },
  'a page that cors lists': { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site' },
  'the address bar': { 'Sec-Fetch-Site': 'none' },
}

const titles = async (): Promise<readonly string[]> =>
  JSON.parse((await browser.send('/api/notes')).text).items.map(({ title }: { title: string }) => title)

describe.each(Object.entries(FOREIGN))('a change by %s', (_what, headers) => {
  test('with a session cookie is rejected with 403, and nothing is stored', async () => {
    const note = JSON.parse((await browser.send('/api/notes', { json: { title: 'mine' } })).text)
    const path = `/api/notes/${note.id}`
    const forms = { method: 'POST', form: { title: 'x' } }
    const tries = [
      browser.send('/api/notes', { json: { title: 'x' }, headers }),
      browser.send('/api/notes', { ...forms, headers }),
      browser.send('/api/notes', { json: { title: 'x' }, headers: { ...headers, 'Content-Type': 'text/plain' } }),
      browser.send(path, { method: 'PUT', json: { title: 'x' }, headers }),
      browser.send(path, { method: 'PATCH', json: { title: 'x' }, headers }),
      browser.send(path, { method: 'DELETE', headers }),
      browser.send('/api/cms/batch', {
        json: { operations: [{ op: 'delete', collection: 'notes', id: note.id }] },
        headers,
      }),
    ]
    for (const response of await Promise.all(tries)) {
      expect([response.status, JSON.parse(response.text).code]).toEqual([403, 'FORBIDDEN'])
    }
    expect(await titles()).toEqual(['mine'])
  })

  test('of the signed-in account is rejected with 403', async () => {
    const stranger = new Browser(service)
    expect((await stranger.login('ines@example.org', undefined, { headers })).status).toBe(403)
    expect((await stranger.send('/api/auth/sign-in/email', { json: {}, headers })).status).toBe(403)
    expect((await browser.action('logout', {}, { headers })).status).toBe(403)
    expect(stranger.cookies.size).toBe(0)
    expect(await browser.session()).toMatchObject({ authenticated: true })
  })

  test('with a token is accepted, because browsers add none by themselves', async () => {
    const response = await new Browser(service).send('/api/notes', {
      json: { title: 'by token' },
      headers: { ...headers, Authorization: `Bearer ${service.token}` },
    })
    expect(response.status).toBe(201)
  })
})

test('a page of a listed origin may send the headers that the service reads, preview tokens included', async () => {
  const headers = { Origin: FRIEND, 'Access-Control-Request-Method': 'GET' }
  const preflight = await new Browser(service).send('/api/notes', { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  const allowed = preflight.headers.get('Access-Control-Allow-Headers')?.split(', ')
  expect(allowed).toEqual(expect.arrayContaining(['Authorization', 'Daybook-Preview', 'If-Match', 'Idempotency-Key']))
})

test.each(Object.entries(SAME_ORIGIN))('a change by %s is accepted with a session cookie', async (_what, headers) => {
  expect((await browser.send('/api/notes', { json: { title: 'x' }, headers })).status).toBe(201)
  expect((await new Browser(service).login('ines@example.org', undefined, { headers })).status).toBe(200)
})

test('a read from another origin is allowed: CORS decides whether the page sees the response', async () => {
  for (const origin of ['https://evil.example', 'https://www.example.org.evil.example', 'null']) {
    const response = await browser.send('/api/notes', { headers: { Origin: origin } })
    expect([response.status, response.headers.has('access-control-allow-origin')]).toEqual([200, false])
    expect(response.headers.get('vary')).toContain('Origin')
  }
  const friend = await browser.send('/api/cms/auth/session', { headers: { Origin: FRIEND } })
  expect(friend.headers.get('access-control-allow-origin')).toBe(FRIEND)
  expect(friend.headers.get('access-control-allow-credentials')).toBe('true')
})

test('a listed origin without credentials counts as another origin', async () => {
  await using strict = await createTestService({ ...config, cors: { origins: [FRIEND] } })
  const visitor = new Browser(strict)
  await visitor.register()
  const response = await visitor.send('/api/notes', { json: { title: 'x' }, headers: { Origin: FRIEND } })
  expect(response.status).toBe(403)
})
