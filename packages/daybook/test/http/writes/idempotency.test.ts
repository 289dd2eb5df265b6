import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ANONYMOUS, type AuthAdapter, createService, type DaybookConfig, type Identity } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, put, remove } from '../../support/scenarios/steps.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'
import { STORES } from '../../support/stores/stores.ts'

const once = (key: string, json: object, extra: Partial<Step> = {}, collection = 'things'): Step =>
  create(collection, json, { ...extra, headers: { 'Idempotency-Key': key, ...extra.headers } })

const replayed = { 'Idempotency-Replayed': 'true' } as const
const first = { 'Idempotency-Replayed': null } as const
const mismatch = { status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } } as const

const count = (total: number, collection = 'things'): Step =>
  get(`/api/${collection}?limit=0`, { auth: true, body: { total } })

runScenarios('a POST with an Idempotency-Key', [
  {
    name: 'runs once: a repetition returns the same status, body and headers, marked as replayed',
    config: kitchen,
    steps: [
      once(
        'k1',
        { title: 'T' },
        {
          responseHeaders: { ...first, Location: '/api/things/t' },
          keep: { id: '/id', tag: 'ETag', seq: 'Daybook-Seq', at: '/createdAt' },
        },
      ),
      ...[1, 2, 3].map(() =>
        once(
          'k1',
          { title: 'T' },
          {
            body: { id: '{id}', slug: 't', createdAt: '{at}' },
            responseHeaders: {
              ...replayed,
              Location: '/api/things/t',
              ETag: '{tag}',
              'Daybook-Seq': '{seq}',
              'Cache-Control': 'private, no-store',
              'Content-Type': 'application/json',
            },
          },
        ),
      ),
      count(1),
      once('k2', { title: 'T' }, { responseHeaders: first, body: { slug: 't-2' } }),
      create('things', { title: 'T' }, { responseHeaders: first, body: { slug: 't-3' } }),
    ],
  },
  {
    name: 'returns the first response again, even if the entry has changed',
    config: kitchen,
    steps: [
      once('k1', { title: 'T' }, { keep: { id: '/id', tag: 'ETag' } }),
      put('/api/things/{id}', { title: 'changed', slug: 'other' }),
      once('k1', { title: 'T' }, { body: { title: 'T', slug: 't' }, responseHeaders: { ...replayed, ETag: '{tag}' } }),
      remove('/api/things/{id}'),
      once('k1', { title: 'T' }, { body: { id: '{id}', title: 'T' }, responseHeaders: replayed }),
      count(0),
    ],
  },
  {
    name: 'is 422 for another body or another path',
    config: kitchen,
    steps: [
      once('k1', { title: 'T' }),
      once('k1', { title: 'U' }, mismatch),
      once('k1', { title: 'T', amount: 1 }, mismatch),
      once('k1', {}, mismatch),
      once('k1', { title: 'T' }, mismatch, 'guestbook'),
      once('k1', { title: 'T' }, mismatch, 'few'),
      batch([], { headers: { 'Idempotency-Key': 'k1' }, ...mismatch }),
      once('k1', { title: 'T' }, { responseHeaders: replayed }),
      count(1),
    ],
  },
  {
    name: 'belongs to its caller',
    config: kitchen,
    steps: [
      once('k1', { title: 'G' }, { auth: false }, 'guestbook'),
      once('k1', { title: 'G' }, { auth: false, responseHeaders: replayed }, 'guestbook'),
      once('k1', { title: 'G' }, { responseHeaders: first }, 'guestbook'),
      once('k1', { title: 'H' }, { auth: false, ...mismatch }, 'guestbook'),
      count(2, 'guestbook'),
      once('k2', { title: 'T' }),
      once('k2', { title: 'T' }, { auth: false, status: 401 }),
    ],
  },
  {
    name: 'accepts 1 to 255 visible ASCII characters',
    config: kitchen,
    steps: [
      ...['k', '!', '~', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'x'.repeat(255), 'a,b;c=d'].map((key, index) =>
        once(key, { title: `t${index}` }),
      ),
      ...['x'.repeat(256), 'a b', 'a\tb', 'caf\u00e9', ''].map((key) =>
        once(
          key,
          { title: 'bad' },
          {
            status: 400,
            body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'Idempotency-Key' }] } },
          },
        ),
      ),
      count(6),
      once('K', { title: 'big' }, { responseHeaders: first }),
      once('k', { title: 't0' }, { responseHeaders: replayed }),
    ],
  },
  {
    name: 'stores no record if it fails: the key stays free',
    config: kitchen,
    steps: [
      create('things', { title: 'taken', code: 'AA1' }, { keep: { other: '/id' } }),
      once('k1', { title: '' }, { status: 400 }),
      once('k1', { title: 'x', code: 'AA1' }, { status: 409, responseHeaders: first }),
      once('k1', { title: 'x', slug: 'taken' }, { status: 409 }),
      once('k1', { title: 'x', parent: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, { status: 400 }),
      once('k1', { title: 'x' }, { auth: false, status: 401 }),
      remove('/api/things/{other}'),
      once('k1', { title: 'x', code: 'AA1' }, { responseHeaders: first, keep: { id: '/id' } }),
      once('k1', { title: 'x', code: 'AA1' }, { responseHeaders: replayed, body: { id: '{id}' } }),
      count(1),
    ],
  },
  {
    name: 'may be a batch',
    config: kitchen,
    steps: [
      batch([{ op: 'create', collection: 'things', data: { title: 'T' } }], {
        headers: { 'Idempotency-Key': 'k1' },
        responseHeaders: first,
        keep: { id: '/results/0/id', seq: 'Daybook-Seq' },
      }),
      batch([{ op: 'create', collection: 'things', data: { title: 'T' } }], {
        headers: { 'Idempotency-Key': 'k1' },
        responseHeaders: { ...replayed, 'Daybook-Seq': '{seq}' },
        body: { results: [{ id: '{id}', entry: { title: 'T' } }] },
      }),
      batch([{ op: 'create', collection: 'things', data: { title: 'U' } }], {
        headers: { 'Idempotency-Key': 'k1' },
        ...mismatch,
      }),
      batch([{ op: 'create', collection: 'things', data: { title: '' } }], {
        headers: { 'Idempotency-Key': 'k2' },
        status: 400,
      }),
      batch([{ op: 'delete', collection: 'things', id: '{id}' }], {
        headers: { 'Idempotency-Key': 'k2' },
        responseHeaders: first,
      }),
      batch([{ op: 'delete', collection: 'things', id: '{id}' }], {
        headers: { 'Idempotency-Key': 'k2' },
        responseHeaders: replayed,
      }),
      batch([], { headers: { 'Idempotency-Key': 'k3' }, exactly: { results: [] } }),
      batch([], { headers: { 'Idempotency-Key': 'k3' }, exactly: { results: [] }, responseHeaders: replayed }),
      count(0),
    ],
  },
  {
    name: 'is the only method that uses the key',
    config: kitchen,
    steps: [
      create('things', { title: 'T' }, { keep: { id: '/id' } }),
      put('/api/things/{id}', { amount: 1 }, { headers: { 'Idempotency-Key': 'k1' }, responseHeaders: first }),
      put('/api/things/{id}', { amount: 2 }, { headers: { 'Idempotency-Key': 'k1' }, body: { amount: 2 } }),
      get('/api/things/{id}', { headers: { 'Idempotency-Key': 'k1' } }),
    ],
  },
])

const statusesOf = (responses: readonly TestResponse[]): readonly number[] =>
  responses.map(({ status }) => status).sort()

describe.each(STORES)('concurrent requests with one Idempotency-Key on $name', (store) => {
  test('create one entry: the others get 409 or the same response', async () => {
    const service = await store.open(kitchen)
    try {
      for (let round = 0; round < 10; round++) {
        const responses = await Promise.all(
          Array.from({ length: 20 }, () =>
            sendRequest(service, '/api/things', {
              method: 'POST',
              json: { title: `round ${round}` },
              headers: { 'Idempotency-Key': `k${round}` },
            }),
          ),
        )
        const fresh = responses.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'))
        expect(fresh).toHaveLength(1)
        for (const { status, text, headers } of responses) {
          expect([201, 409]).toContain(status)
          if (status === 201) expect(text).toBe(fresh[0]?.text)
          else expect(headers.has('idempotency-replayed')).toBe(false)
        }
        expect(parseBody(await sendRequest(service, '/api/things?limit=0')).total).toBe(round + 1)
      }
      await expectQuietProcess()
    } finally {
      await service.close()
    }
  })

  test('let one succeed if they differ', async () => {
    const service = await store.open(kitchen)
    try {
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          sendRequest(service, '/api/things', {
            method: 'POST',
            json: { title: `t${index}` },
            headers: { 'Idempotency-Key': 'k' },
          }),
        ),
      )
      expect(statusesOf(responses).filter((status) => status === 201)).toHaveLength(1)
      for (const status of statusesOf(responses)) expect([201, 409, 422]).toContain(status)
      expect(parseBody(await sendRequest(service, '/api/things?limit=0')).total).toBe(1)
    } finally {
      await service.close()
    }
  })
})

const TOKEN = 'a-service-token-of-at-least-32-characters'

async function post(
  { fetch }: Awaited<ReturnType<typeof createService>>,
  json: object,
  key: string,
  token = TOKEN,
): Promise<TestResponse> {
  const response = await fetch(
    new Request('http://daybook.test/api/things', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify(json),
    }),
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('idempotency records', () => {
  let data: string
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'daybook-again-'))
    return () => rm(data, { recursive: true, force: true })
  })
  const open = (config: DaybookConfig = kitchen) => createService(config, { data, serviceToken: TOKEN })

  test('survive a restart', async () => {
    const before = await open()
    const response = await post(before, { title: 'T' }, 'k')
    await before.close()
    const after = await open()
    try {
      const again = await post(after, { title: 'T' }, 'k')
      expect(again.status).toBe(201)
      expect(again.text).toBe(response.text)
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      for (const name of ['etag', 'location', 'daybook-seq'])
        expect(again.headers.get(name), name).toBe(response.headers.get(name))
      expect((await post(after, { title: 'U' }, 'k')).status).toBe(422)
    } finally {
      await after.close()
    }
  })

  test('are shared by all nodes of a store', async () => {
    const nodes = [await open(), await open()] as const
    try {
      for (let round = 0; round < 20; round++) {
        const [first, second] = await Promise.all(nodes.map((node) => post(node, { title: `t${round}` }, `k${round}`)))
        expect(statusesOf([first as TestResponse, second as TestResponse])).not.toContain(500)
        const texts = [first, second].filter((response) => response?.status === 201).map((response) => response?.text)
        expect(texts.length).toBeGreaterThan(0)
        expect(new Set(texts).size).toBe(1)
      }
      const listed = await nodes[0].content.as(ANONYMOUS).list('things', { limit: 0 })
      expect(listed.total).toBe(20)
    } finally {
      for (const node of nodes) await node.close()
    }
  })
})

function postK(path: string, body: string | FormData, { caller, type }: { caller?: string; type?: string }): Request {
  const headers = new Headers({ 'Idempotency-Key': 'k' })
  if (type !== undefined) headers.set('Content-Type', type)
  if (caller !== undefined) headers.set('Authorization', `Bearer ${caller}`)
  return new Request(`http://daybook.test${path}`, { method: 'POST', headers, body })
}

describe.each(STORES)('the Idempotency-Key of several callers on $name', (store) => {
  const config: DaybookConfig = { ...kitchen, auth: nameTags, trustProxy: 1 }
  const type = 'application/json'

  test.each([
    ['an entry', '/api/things', (title: string) => ({ body: JSON.stringify({ title }), type })],
    [
      'a batch',
      '/api/cms/batch',
      (title: string) => ({
        body: JSON.stringify({ operations: [{ op: 'create', collection: 'things', data: { title } }] }),
        type,
      }),
    ],
    ['an upload', '/api/assets', (text: string) => ({ body: formOf(text) })],
  ])('is separate for each caller, for %s', async (_name, path, bodyFor) => {
    await using place = await store.at()
    await place.serve(config, async ({ fetch }) => {
      const send = async (caller: string, text: string) => {
        const { body, ...options } = bodyFor(text) as { body: string | FormData; type?: string }
        const response = await fetch(postK(path, body, { caller, ...options }))
        return {
          status: response.status,
          replayed: response.headers.get('idempotency-replayed'),
          text: await response.text(),
        }
      }
      const ann = await send('ann.1', 'secret of ann')
      expect(ann).toMatchObject({ status: path.endsWith('batch') ? 200 : 201, replayed: null })
      for (const [caller, text] of [
        ['cleo.1', 'secret of ann'],
        ['bob.1', 'text of bob'],
      ] as const) {
        const fresh = await send(caller, text)
        expect(fresh).toMatchObject({ status: ann.status, replayed: null })
        expect(fresh.text).not.toBe(ann.text)
        expect(await send(caller, text)).toEqual({ ...fresh, replayed: 'true' })
      }
      expect(await send('ann.1', 'secret of ann')).toEqual({ ...ann, replayed: 'true' })
      expect((await send('ann.1', 'another text')).status).toBe(422)
      expect((await send('ann.2', 'secret of ann')).status).toBe(422)
    })
  })

  test('is separate for the same subject of another provider', async () => {
    await using place = await store.at()
    await place.serve(config, async ({ fetch }) => {
      const send = async (caller: string) =>
        (await fetch(postK('/api/things', '{"title":"T"}', { caller, type }))).headers
      expect((await send('ann.1')).get('idempotency-replayed')).toBeNull()
      expect((await send('ann.1.other')).get('idempotency-replayed')).toBeNull()
      expect((await send('ann.1.other')).get('idempotency-replayed')).toBe('true')
    })
  })

  test('is separate for anonymous callers of each network, and for a subject that looks like a network', async () => {
    await using place = await store.at()
    await place.serve(config, async ({ fetch }) => {
      const send = async (address: string | undefined, title: string, caller?: string) => {
        const request = postK('/api/guestbook', JSON.stringify({ title }), { type, ...(caller ? { caller } : {}) })
        if (address !== undefined) request.headers.set('X-Forwarded-For', address)
        const { status, headers } = await fetch(request)
        return [status, headers.get('idempotency-replayed')]
      }
      expect(await send('192.0.2.1', 'yes')).toEqual([201, null])
      expect(await send('192.0.2.1', 'yes')).toEqual([201, 'true'])
      expect(await send('192.0.2.1', 'no')).toEqual([422, null])
      expect(await send('192.0.2.2', 'yes')).toEqual([201, null])
      expect(await send('192.0.2.3', 'no')).toEqual([201, null])
      expect(await send('2001:db8::1', 'yes')).toEqual([201, null])
      expect(await send('2001:db8::2', 'yes')).toEqual([201, 'true'])
      expect(await send('2001:db8:0:1::1', 'yes')).toEqual([201, null])
      expect(await send(undefined, 'yes')).toEqual([201, null])
      expect(await send(undefined, 'yes', 'unknown.1')).toEqual([201, null])
    })
  })

  test('is in progress only for its caller', async () => {
    await using place = await store.at()
    await place.serve(config, async ({ fetch }) => {
      const callers = Array.from({ length: 10 }, (_, index) => `person-${index}.1`)
      const statuses = await Promise.all(
        callers.map(async (caller) => (await fetch(postK('/api/things', '{"title":"T"}', { caller, type }))).status),
      )
      expect(new Set(statuses)).toEqual(new Set([201]))
    })
  })
})

function formOf(text: string): FormData {
  const form = new FormData()
  form.set('file', new Blob([text]), 'note.txt')
  return form
}

afterEach(expectQuietProcess)

/** Accepts any token of the form `subject.session` or `subject.session.provider`. */
const nameTags: AuthAdapter = {
  getCapabilities: () => ({ provider: 'test', providerRoutes: { enabled: false } }),
  getPrincipal: async ({ headers }) => ({ id: nameOf(headers).subject }),
  getIdentity: async ({ headers }) => nameOf(headers),
}

function nameOf(headers: Headers): Identity {
  const [subject = '', sessionId = '', provider = 'test'] = (headers.get('authorization') ?? '')
    .replace('Bearer ', '')
    .split('.')
  return { provider, subject, sessionId, actorType: 'human', expiresAt: null, claims: {}, roles: [] }
}
