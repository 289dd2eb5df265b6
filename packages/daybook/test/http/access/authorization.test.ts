import { type Caller, defineCollection, defineConfig, f, hasRole, type Service } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { as, People } from '../../support/auth/people.ts'
import { notebook, people } from '../../support/configs/notebook.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { CANARY, expectNoCanary, expectSane } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios } from '../../support/scenarios/scenario.ts'
import { batch, create, get, patch, put } from '../../support/scenarios/steps.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const config = notebook
const ANN = people.caller('ann')

/** The callers: without a session, without a role, and an editor. The token of each session holds the canary. */
const LOOKING: readonly (string | undefined)[] = [undefined, `${CANARY}.cleo`, `${CANARY}.ann`]

describe.each(POLICY_STORES)('hidden content on $name', (store) => {
  const log = new RecordingLog()
  let service: StoredService<typeof config>
  let ids: {
    readonly draft: string
    readonly foreign: string
    readonly shared: string
    readonly page: string
    readonly ledger: string
    readonly team: string
  }

  beforeAll(async () => {
    service = await store.open<typeof config>(config, { log })
    const { content } = service
    const note = (data: Parameters<typeof content.create<'notes'>>[1]) =>
      content.as(ANN_AS_ADMIN).create('notes', { secret: CANARY, ...data })
    const foreign = await note({ title: CANARY, body: CANARY, owner: 'bob' })
    const draft = await note({ title: `Draft ${CANARY}`, slug: 'a-draft', status: 'draft', owner: 'bob', body: CANARY })
    const shared = await note({
      title: 'Shared',
      shared: true,
      owner: 'bob',
      next: foreign.id,
      links: [foreign.id, draft.id],
    })
    const team = await content.create('teams', { name: `Team ${CANARY}`, slug: 'a-team', status: 'draft', open: true })
    await content.create('boards', { name: 'Board', team: team.id })
    const page = await content.create('pages', {
      title: 'Page',
      note: foreign.id,
      notes: [draft.id, foreign.id],
      pin: shared.id,
    })
    const ledger = await content.create('ledgers', { title: CANARY, note: shared.id })
    await content.writeGlobal('site', { name: 'Site', secret: CANARY })
    ids = { draft: draft.id, foreign: foreign.id, shared: shared.id, page: page.id, ledger: ledger.id, team: team.id }
  })
  afterAll(() => service.close())

  const ANN_AS_ADMIN: Caller = people.caller('ada')

  /**
   * Every route to content, with the parameters that reveal most. With a session, drafts are visible, so that teams, whose canary is a
   * draft, are left out.
   */
  function addresses(token: string | undefined): readonly string[] {
    const collections = [
      'notes',
      'pages',
      'ledgers',
      'letters',
      'plans',
      ...(token === undefined ? ['teams', 'boards'] : []),
    ]
    const shapes = ['', '?depth=5', '?select=title', '?locale=en', '?include=note']
    const lists = [
      ...shapes,
      '?limit=0',
      '?sort=title',
      '?sort=-owner&limit=1',
      '?sort=secret',
      '?q=draft',
      '?q=zq',
      '?status=draft',
      '?status=draft,published&depth=2',
      '?where[owner][eq]=bob',
      '?where[not][owner][eq]=ann',
      '?where[secret][startsWith]=z',
      '?where[note.owner][eq]=bob&depth=1',
      '?where[notes.title][startsWith]=z',
      '?where[pin.secret][exists]=true',
      '?where[team.name][startsWith]=Team&depth=1',
      '?include=team',
      '?include=next,links&select=next.title,links.secret',
      '?include=note.next.links,notes.next',
      '?cursor=abc',
    ]
    const entries = collections.flatMap((collection) =>
      [...Object.values(ids), 'a-draft', 'a-team', 'shared', 'page', 'board'].flatMap((address) => [
        ...shapes.map((shape) => `/api/${collection}/${address}${shape}`),
        `/api/${collection}/${address}/references`,
      ]),
    )
    return [
      ...collections.flatMap((collection) => lists.map((list) => `/api/${collection}${list}`)),
      ...entries,
      ...['site', 'internal'].flatMap((key) => shapes.map((shape) => `/api/globals/${key}${shape}`)),
      '/api/health',
      '/api/ready',
      '/api/cms/auth/permissions',
    ]
  }

  async function look(path: string, token: string | undefined, init: RequestInit = {}): Promise<number> {
    const headers = {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      Cookie: `x=${CANARY}`,
      ...init.headers,
    }
    const response = await service.request(path, { ...init, headers })
    const result = { status: response.status, headers: response.headers, text: await response.text() }
    expectSane(result, init.method)
    expect(response.status, path).toBeLessThan(500)
    try {
      expectNoCanary(result)
    } catch (cause) {
      throw new Error(`${init.method ?? 'GET'} ${path} says what it may not`, { cause })
    }
    return response.status
  }

  test.each(LOOKING)('is in no response, header or log line for %s, by whatever request', async (token) => {
    log.take()
    let entries = 0
    for (const path of addresses(token)) {
      if ((await look(path, token)) === 200) entries += 1
      await look(path, token, { headers: { 'If-None-Match': '*' } })
    }
    expect(entries).toBeGreaterThan(50)
    const lines = log.take()
    expect(lines.length).toBeGreaterThan(200)
    for (const line of lines) expect(line.toLowerCase()).not.toContain(CANARY)
  })

  test.each(LOOKING)('is revealed by no write of %s either', async (token) => {
    log.take()
    const json = (method: string, body: unknown): RequestInit => ({
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    for (const id of [ids.draft, ids.foreign, ids.ledger]) {
      for (const collection of ['notes', 'ledgers', 'letters']) {
        const path = `/api/${collection}/${id}`
        const refused = [
          await look(path, token, json('PUT', {})),
          await look(path, token, json('PUT', { secret: 'x', rank: 'high' })),
          await look(path, token, json('PATCH', {})),
          await look(path, token, { method: 'DELETE' }),
          await look(
            '/api/cms/batch',
            token,
            json('POST', { operations: [{ op: 'update', collection, id, data: {} }] }),
          ),
        ]
        expect(Math.min(...refused)).toBeGreaterThanOrEqual(400)
      }
    }
    // A conflict lists the references that the caller may see.
    expect(await look(`/api/notes/${ids.shared}`, token, { method: 'DELETE' })).toBeGreaterThanOrEqual(400)
    for (const line of log.take()) expect(line.toLowerCase()).not.toContain(CANARY)
  })

  test('is hidden from in-process calls, too', async () => {
    const { content } = service
    const hidden = [ids.draft, ids.foreign]
    expect(JSON.stringify(await content.as(ANN).list('notes', { depth: 3 }))).not.toContain(CANARY)
    expect(JSON.stringify(await content.as(ANN).list('pages', { depth: 3 }))).not.toContain(CANARY)
    for (const id of hidden) {
      expect(await content.as(ANN).get('notes', id)).toBeNull()
      await expect(content.as(ANN).update('notes', id, { title: 'x' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      await expect(content.as(ANN).patch('notes', id, { title: 'x' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      await expect(content.as(ANN).delete('notes', id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(content.as(ANN).references('notes', id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(content.as(ANN).batch([{ op: 'delete', collection: 'notes', id }])).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      await expect(content.as(ANN).create('pages', { title: 'x', note: id })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
    }
    await expect(content.as(ANN).list('ledgers')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(content.as(ANN).create('notes', { title: 'x', owner: 'bob' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  test('a hidden id and a missing id get the same response, byte for byte', async () => {
    const missing = '01900000-0000-7000-8000-000000000000'
    const read = async (id: string): Promise<unknown> => {
      const response = await service.request(`/api/notes/${id}`, {
        headers: { 'X-Request-Id': 'the-same-id', Authorization: 'Bearer ann' },
      })
      return [response.status, [...response.headers], await response.text()]
    }
    for (const id of [ids.foreign, ids.draft]) expect(await read(id)).toEqual(await read(missing))
  })
})

describe.each(POLICY_STORES)('an entry that becomes hidden on $name', (store) => {
  const changes = [{ status: 'draft' }, { status: 'archived' }, { shared: false }] as const

  test.each(changes)('by %j makes requests with its former tag 404, on every node at once', async (change) => {
    await using place = await store.at()
    await using nodes = new AsyncDisposableStack()
    const open = async (): Promise<Service> => nodes.adopt(await place.open(config), (node) => node.close())
    const [here, there] = [await open(), await open()]
    const { id } = await here.content.as(ANN).create('notes', { title: 'Seen', owner: 'ann', shared: true } as never)
    const paths = [`/api/notes/${id}`, '/api/notes/seen', '/api/notes/seen?select=title', '/api/notes/seen?depth=1']
    const seen = await Promise.all([here, there].map((node) => tagsOf(node, [...paths, '/api/notes'])))
    await here.content.as(ANN).update('notes', id, change as never)
    for (const [at, node] of [here, there].entries()) {
      const tags = seen[at] ?? []
      for (const [index, path] of paths.entries())
        expect((await sendRequest(node, path, tags[index])).status, path).toBe(404)
      const listed = await sendRequest(node, '/api/notes', tags.at(-1))
      expect([listed.status, await listed.json()]).toMatchObject([200, { total: 0 }])
    }
  })
})

async function tagsOf(node: Service, paths: readonly string[]): Promise<readonly string[]> {
  const tags = await Promise.all(paths.map(async (path) => (await sendRequest(node, path)).headers.get('etag') ?? ''))
  for (const [index, path] of paths.entries())
    expect((await sendRequest(node, path, tags[index])).status, path).toBe(304)
  return tags
}

const sendRequest = (node: Service, path: string, tag?: string): Promise<Response> =>
  node.fetch(new Request(`http://daybook.test${path}`, { headers: tag === undefined ? {} : { 'If-None-Match': tag } }))

describe.each(POLICY_STORES)('a rule with two concurrent changes on $name', (store) => {
  const ROUNDS = 25

  test('is checked when a change is stored: a former owner can no longer change the entry', async () => {
    await using service = await store.open<typeof config>(config)
    const send = async (who: string, method: string, path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${who}`, ...(body ? { 'Content-Type': 'application/json' } : {}) }
      const response = await service.request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
      return { status: response.status, seq: Number(response.headers.get('daybook-seq')) }
    }
    const title = 'DuplicateKey back'
    const changes = [
      (path: string) => send('ann', 'PUT', path, { title, owner: 'ann' }),
      (path: string) => send('ann', 'DELETE', path),
    ]
    for (const change of Array.from({ length: ROUNDS }, () => changes).flat()) {
      const { id } = await service.content.as(ANN).create('notes', { title: 'Race', owner: 'ann', shared: true })
      const path = `/api/notes/${id}`
      const [takeover, changed] = await Promise.all([send('ada', 'PUT', path, { owner: 'bob' }), change(path)])
      if (changed.status >= 300) expect(changed.status).toBe(403)
      else if (takeover.status === 200) expect(changed.seq).toBeLessThan(takeover.seq)
    }
  })
})

runPolicyScenarios('further rights', [
  {
    name: 'cannot be gained by writing a field that grants them, by any route',
    config,
    steps: [
      as('ann', create('notes', { title: 'Mine', owner: 'ann' }, { keep: { id: '/id' } })),
      as(
        'ann',
        put(
          '/api/notes/{id}',
          { rank: 'high' },
          { status: 403, body: { details: { issues: [{ path: '/rank', code: 'forbidden' }] } } },
        ),
      ),
      as('ann', patch('/api/notes/{id}', { rank: 'high' }, { status: 403 })),
      as('ann', create('notes', { title: 'New', owner: 'ann', rank: 'high' }, { status: 403 })),
      as('ann', batch([{ op: 'update', collection: 'notes', id: '{id}', data: { rank: 'high' } }], { status: 403 })),
      as(
        'ann',
        put(
          '/api/notes/{id}',
          { secret: 'x' },
          { status: 400, body: { details: { issues: [{ path: '/secret', code: 'unknown_field' }] } } },
        ),
      ),
      as('ann', put('/api/globals/site', { motto: 'x' }, { status: 403 })),
      ...['roles', 'role', 'identity', 'principal', 'entry', '__proto__'].map((field) =>
        as('ann', put('/api/notes/{id}', JSON.parse(`{ "${field}": ["admin"] }`), { status: 400 })),
      ),
      as('ann', get('/api/ledgers?role=admin', { status: 403 })),
      as('ann', get('/api/cms/auth/session', { body: { identity: { subject: 'ann', roles: ['editor'] } } })),
      as('ada', put('/api/notes/{id}', { rank: 'high' }, { body: { rank: 'high' } })),
      as('ann', put('/api/notes/{id}', { rank: 'high', title: 'As it was read' }, { body: { rank: 'high' } })),
    ],
  },
])

runPolicyScenarios('one URL for many callers', [
  {
    name: "never serves one caller's response to another from a shared cache",
    config,
    steps: [
      as(
        'bob',
        create('notes', { title: 'Draft', owner: 'bob', status: 'draft', shared: true }, { keep: { draft: '/id' } }),
      ),
      as('bob', create('notes', { title: 'Seen', owner: 'bob', shared: true }, { keep: { seen: '/id' } })),
      create('teams', { name: 'Drafted', status: 'draft' }, { keep: { team: '/id' } }),
      create('teams', { name: 'Seen' }),
      create('pages', { title: 'P', note: '{draft}', team: '{team}' }),
      ...[
        '/api/pages/p?include=note',
        '/api/pages?include=note',
        '/api/pages/p?include=team',
        '/api/pages?include=team',
        '/api/notes',
        '/api/notes?sort=title',
      ].flatMap((path) => [
        as(
          'bob',
          get(path, {
            keep: { bobs: 'ETag' },
            body: {},
            responseHeaders: { 'Cache-Control': 'private, no-store', Vary: /^Authorization, Cookie, Origin\b/ },
          }),
        ),
        get(path, {
          headers: { 'If-None-Match': '{bobs}' },
          lacks: ['"Draft'],
          responseHeaders: { 'Cache-Control': /^public/, Vary: /^Authorization, Cookie, Origin\b/ },
        }),
      ]),
      get('/api/globals/site', { keep: { site: 'ETag' } }),
      as('ada', get('/api/globals/site', { headers: { 'If-None-Match': '{site}' }, body: { secret: null } })),
      as('ada', get('/api/notes/{seen}', { keep: { adas: 'ETag' }, body: { secret: null } })),
      get('/api/notes/{seen}', { headers: { 'If-None-Match': '{adas}' }, lacks: ['secret'] }),
    ],
  },
])

describe.each(POLICY_STORES)('a removed role on $name', (store) => {
  const staff = new People({ mia: ['editor', 'admin'] })
  const shop = defineConfig({
    auth: staff.adapter,
    collections: {
      orders: defineCollection({
        fields: { title: f.text({ required: true }), price: f.text({ access: { read: hasRole('admin') } }) },
        access: { read: hasRole('editor', 'service'), create: hasRole('editor', 'service'), delete: hasRole('admin') },
      }),
    },
  })

  test('has no rights from the next request on, for reads, writes and idempotent responses', async () => {
    await using service = await store.open(shop)
    const sendRequest = async (method: string, path: string, body?: object, key?: string) => {
      const headers = {
        Authorization: 'Bearer mia',
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(key ? { 'Idempotency-Key': key } : {}),
      }
      const response = await service.request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
      return {
        status: response.status,
        text: await response.text(),
        replayed: response.headers.get('idempotency-replayed'),
      }
    }
    staff.promote('mia', 'editor', 'admin')
    const order = { title: 'Paper', price: CANARY }
    const operations = [{ op: 'create', collection: 'orders', data: order }]
    const { id } = JSON.parse((await sendRequest('POST', '/api/orders', order, 'a')).text)
    await sendRequest('POST', '/api/cms/batch', { operations }, 'b')
    expect(await sendRequest('POST', '/api/orders', order, 'a')).toMatchObject({ status: 201, replayed: 'true' })

    staff.promote('mia', 'editor')
    expect((await sendRequest('GET', `/api/orders/${id}`)).text).not.toContain(CANARY)
    expect((await sendRequest('DELETE', `/api/orders/${id}`)).status).toBe(403)
    for (const again of [
      await sendRequest('POST', '/api/orders', order, 'a'),
      await sendRequest('POST', '/api/cms/batch', { operations }, 'b'),
    ]) {
      expect(again).toMatchObject({ status: 422, replayed: null })
      expect(again.text).not.toContain(CANARY)
    }

    staff.promote('mia')
    expect((await sendRequest('GET', '/api/orders')).status).toBe(403)
    expect((await sendRequest('POST', '/api/orders', order, 'a')).status).toBe(422)
    expect((await sendRequest('POST', '/api/orders', { title: 'x' })).status).toBe(403)
  })
})
