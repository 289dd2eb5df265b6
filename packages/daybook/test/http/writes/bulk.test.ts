import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'
import { type BulkResponse, config, fill, people, race } from './bulk-config.ts'

const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

describe.each(STORES)('bulk writes on $name', (store) => {
  let service: StoredService
  beforeEach(async () => {
    service = await store.open(config)
  })
  afterEach(async () => {
    await service.close()
  })

  async function send(
    method: string,
    path: string,
    body?: unknown,
    token: string | null = 'ann',
  ): Promise<BulkResponse> {
    const response = await service.request(path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/merge-patch+json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as BulkResponse['body'] }
  }

  async function make(collection: string, data: object, token = 'ann'): Promise<string> {
    const response = await service.request(`/api/${collection}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(data),
    })
    const entry = (await response.json()) as { readonly id: string }
    expect(response.status, JSON.stringify(entry)).toBe(201)
    return entry.id
  }

  const total = async (path: string): Promise<unknown> => (await send('GET', path)).body.total
  const head = async (): Promise<unknown> => (await service.rows('SELECT seq FROM daybook$head'))[0]?.seq
  /** Expects a request to store nothing. */
  async function expectUnchanged(work: () => Promise<BulkResponse>): Promise<BulkResponse> {
    const before = [await head(), await service.rows('SELECT count(*) AS n FROM daybook$journal')]
    const response = await work()
    expect([await head(), await service.rows('SELECT count(*) AS n FROM daybook$journal')]).toEqual(before)
    return response
  }

  test('PATCH updates every entry that matches, with a journal record for each, and returns their number', async () => {
    for (const n of [1, 2, 3]) await make('posts', { title: `Draft ${n}`, status: 'draft' })
    await make('posts', { title: 'Done' })
    const { status, body, headers } = await send('PATCH', '/api/posts?where[status][eq]=draft', { status: 'published' })
    expect({ status, body }).toEqual({ status: 200, body: { collection: 'posts', matched: 3, changed: 3 } })
    expect([headers.get('Daybook-First-Seq'), headers.get('Daybook-Seq')]).toEqual(['5', '7'])
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(await total('/api/posts?status=published&limit=0')).toBe(4)
    const records = await service.rows(
      "SELECT seq, action, actor FROM daybook$journal WHERE action = 'update' ORDER BY seq",
    )
    expect(records.map(({ seq, actor }) => [Number(seq), actor])).toEqual([
      [5, 'ann'],
      [6, 'ann'],
      [7, 'ann'],
    ])
  })

  test('entries that already have the values are matched, but not changed', async () => {
    await make('posts', { title: 'A', count: 1 })
    await make('posts', { title: 'B', count: 2 })
    const { body, headers } = await send('PATCH', '/api/posts?where[count][gte]=1', { count: 2 })
    expect(body).toEqual({ collection: 'posts', matched: 2, changed: 1 })
    expect(headers.get('Daybook-Seq')).toBe('3')
    const again = await send('PATCH', '/api/posts?where[count][gte]=1', { count: 2 })
    expect(again.body).toEqual({ collection: 'posts', matched: 2, changed: 0 })
    expect(again.headers.get('Daybook-Seq')).toBeNull()
  })

  test('DELETE deletes every entry that matches, and removes it from counts and searches', async () => {
    for (const n of [1, 2, 3]) await make('posts', { title: `Old apple ${n}`, count: n })
    const { status, body } = await send('DELETE', '/api/posts?where[count][lt]=3')
    expect({ status, body }).toEqual({ status: 200, body: { collection: 'posts', matched: 2, changed: 2 } })
    expect(await total('/api/posts?limit=0')).toBe(1)
    expect(await total('/api/posts?q=apple&limit=0')).toBe(1)
    expect(await service.rows("SELECT count(*) AS n FROM daybook$journal WHERE action = 'delete'")).toEqual([
      { n: expect.anything() },
    ])
  })

  test('q and status filter as in lists, and locale is the locale that is read and written', async () => {
    await make('posts', { title: 'apple', status: 'draft' })
    await make('posts', { title: 'apple pie' })
    await make('posts', { title: 'pear' })
    const narrowed = await send('PATCH', '/api/posts?where[id][exists]=true&q=apple&status=draft', { count: 1 })
    expect(narrowed.body).toMatchObject({ matched: 1, changed: 1 })
    await send('PATCH', '/api/posts?where[slug][eq]=pear&locale=de', { title: 'Birne' })
    const { body } = await send('PATCH', '/api/posts?where[title][eq]=Birne&locale=de', { title: 'Birnen' })
    expect(body).toMatchObject({ matched: 1, changed: 1 })
    expect(await total('/api/posts?where[title][eq]=pear&limit=0')).toBe(1)
    expect(await total('/api/posts?where[title][eq]=Birnen&locale=de&limit=0')).toBe(1)
  })

  test.each(['PATCH', 'DELETE'])('%s without a where, or with an empty one, is rejected', async (method) => {
    await make('posts', { title: 'A' })
    for (const query of ['', '?where=', '?where[]=1', '?q=A', '?status=published', '?where[and]=', '?where=x']) {
      const { status, body } = await expectUnchanged(() =>
        send(method, `/api/posts${query}`, method === 'PATCH' ? { count: 1 } : undefined),
      )
      expect(status, query).toBe(400)
      expect(body.code).toBe('VALIDATION_ERROR')
    }
    const { body } = await send(method, '/api/posts', method === 'PATCH' ? { count: 1 } : undefined)
    expect(body.message).toContain('where[field][operator]=value')
  })

  test('unknown parameters and fields, and invalid bodies, are rejected even if no entry matches', async () => {
    await make('posts', { title: 'A' })
    const faults: readonly (readonly [string, unknown])[] = [
      ['/api/posts?where[title][eq]=A&limit=5', { count: 1 }],
      ['/api/posts?where[title][eq]=A&dryRun=yes', { count: 1 }],
      ['/api/posts?where[tittle][eq]=A', { count: 1 }],
      ['/api/posts?where[title]=A', { count: 1 }],
      ['/api/posts?where[title][eq=A', { count: 1 }],
      ['/api/posts?where[title][like]=A', { count: 1 }],
      ['/api/posts?where[count][eq]=one', { count: 1 }],
      ['/api/posts?where[title][eq]=A', { cuont: 1 }],
      ['/api/posts?where[title][eq]=nothing', { cuont: 1 }],
      ['/api/posts?where[title][eq]=A', { count: 'many' }],
      ['/api/posts?where[title][eq]=A', [1]],
    ]
    for (const [path, body] of faults) {
      const response = await expectUnchanged(() => send('PATCH', path, body))
      expect([path, response.status]).toEqual([path, 400])
    }
  })

  test('without a session it is 401', async () => {
    await make('posts', { title: 'A' })
    expect(
      (await expectUnchanged(() => send('PATCH', '/api/posts?where[title][eq]=A', { count: 1 }, null))).status,
    ).toBe(401)
    expect((await expectUnchanged(() => send('DELETE', '/api/posts?where[title][eq]=A', undefined, null))).status).toBe(
      401,
    )
  })

  test('a unique value for two entries stores nothing, and the error names the entry', async () => {
    await make('posts', { title: 'A' })
    const second = await make('posts', { title: 'B' })
    const { status, body } = await expectUnchanged(() =>
      send('PATCH', '/api/posts?where[title][in]=A,B', { code: 'same' }),
    )
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'CONFLICT', details: { field: 'code', refused: [second] } })
    expect((await send('PATCH', '/api/posts?where[title][eq]=B', { code: 'same' })).body).toMatchObject({ changed: 1 })
  })

  test('an empty required field or a dangling reference stores nothing, and the error names all entries', async () => {
    const ids = [await make('posts', { title: 'A' }), await make('posts', { title: 'B' })]
    const emptied = await expectUnchanged(() => send('PATCH', '/api/posts?where[title][in]=A,B', { title: null }))
    expect(emptied.status).toBe(400)
    expect(emptied.body.details).toMatchObject({ issues: [{ path: '/title', code: 'required' }], refused: ids })
    const danglingReference = await expectUnchanged(() =>
      send('PATCH', '/api/posts?where[title][in]=A,B', { topic: ABSENT }),
    )
    expect(danglingReference.body.details).toMatchObject({
      issues: [{ path: '/topic', code: 'reference' }],
      refused: ids,
    })
  })

  test('an error names the first 100 entries', async () => {
    await fill(service, 'topics', 120)
    const { body } = await expectUnchanged(() =>
      send('PATCH', '/api/topics?where[id][exists]=true', { parent: ABSENT }),
    )
    expect(body).toMatchObject({ details: { refused: { length: 100 } } })
  })

  test('rules are evaluated for each entry, and entries that the caller may not see are neither changed nor revealed', async () => {
    await make('own', { title: 'mine', owner: 'cleo' })
    await make('own', { title: 'unseen', owner: 'ann' })
    const seen = await send('PATCH', '/api/own?where[id][exists]=true', { title: 'mine still' }, 'cleo')
    expect(seen.body).toEqual({ collection: 'own', matched: 1, changed: 1 })
    const theirs = await make('own', { title: 'theirs', owner: 'ann' })
    const refused = await expectUnchanged(() =>
      send('PATCH', '/api/own?where[id][exists]=true', { title: 'x' }, 'cleo'),
    )
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ code: 'FORBIDDEN', details: { refused: [theirs] } })
    const rejectedDelete = await expectUnchanged(() =>
      send('DELETE', '/api/own?where[id][exists]=true', undefined, 'cleo'),
    )
    expect(rejectedDelete.body).toMatchObject({ code: 'FORBIDDEN', details: { refused: [theirs] } })
    expect((await send('DELETE', '/api/own?where[owner][eq]=cleo', undefined, 'cleo')).body).toMatchObject({
      changed: 1,
    })
    expect(await total('/api/own?limit=0')).toBe(2)
  })

  test('a field that the caller may not read is unknown to where, as in lists', async () => {
    await make('posts', { title: 'A', secret: 's' })
    const guess = await expectUnchanged(() => send('PATCH', '/api/posts?where[secret][eq]=s', { count: 1 }, 'cleo'))
    const unknown = await expectUnchanged(() => send('PATCH', '/api/posts?where[sekret][eq]=s', { count: 1 }, 'cleo'))
    expect([guess.status, unknown.status]).toEqual([400, 400])
    expect(
      JSON.stringify(guess.body)
        .replaceAll('secret', 'sekret')
        .replace(/"requestId":"[^"]*"/, ''),
    ).toBe(JSON.stringify(unknown.body).replace(/"requestId":"[^"]*"/, ''))
  })

  test('deleting follows onDelete: references are removed, and a restricted entry rejects the whole request', async () => {
    const first = await make('topics', { name: 'first' })
    const child = await make('topics', { name: 'child', parent: first })
    await make('posts', { title: 'About', topic: first })
    expect((await send('DELETE', '/api/topics?where[id][exists]=true')).body).toMatchObject({ matched: 2, changed: 2 })
    expect((await send('GET', '/api/posts/about')).body.topic).toBeNull()
    expect((await send('GET', `/api/topics/${child}`)).status).toBe(404)
    const free = await make('topics', { name: 'free' })
    const restricted = await make('topics', { name: 'held' })
    const page = await make('pages', { title: 'Needs it', topic: restricted })
    const { status, body } = await expectUnchanged(() =>
      send('DELETE', `/api/topics?where[id][in]=${free},${restricted}`),
    )
    expect(status).toBe(409)
    expect(body.details).toMatchObject({ refused: [restricted], references: [{ collection: 'pages', id: page }] })
  })

  test('a hook that throws for one entry rejects the whole request', async () => {
    const ids = [await make('guarded', { title: 'a' }), await make('guarded', { title: 'cursed' })]
    const changed = await expectUnchanged(() => send('PATCH', '/api/guarded?where[id][exists]=true', { title: 'b' }))
    expect(changed.status).toBe(500)
    expect(changed.body).toMatchObject({ code: 'INTERNAL_ERROR', details: { refused: [ids[1]] } })
    expect(JSON.stringify(changed.body)).not.toContain('a fault of the hook')
    expect((await expectUnchanged(() => send('DELETE', '/api/guarded?where[id][exists]=true'))).status).toBe(500)
    expect((await send('PATCH', '/api/guarded?where[title][eq]=a', { title: 'b' })).body).toMatchObject({ changed: 1 })
  })

  test('a hook that hangs for one entry times out, and nothing is stored', async () => {
    const ids = [await make('guarded', { title: 'a' }), await make('guarded', { title: 'stuck' })]
    for (const [method, body] of [['PATCH', { title: 'b' }] as const, ['DELETE', undefined] as const]) {
      const { status, body: response } = await expectUnchanged(() =>
        send(method, '/api/guarded?where[id][exists]=true', body),
      )
      expect(status, method).toBeGreaterThanOrEqual(500)
      expect(response.details, method).toMatchObject({ refused: [ids[1]] })
    }
    expect((await send('PATCH', '/api/guarded?where[title][eq]=a', { title: 'b' })).body).toMatchObject({ changed: 1 })
  })

  test('validators check each entry; one that rejects, throws or hangs rejects the whole request', async () => {
    const ids: Record<string, string> = {}
    for (const title of ['a', 'later']) ids[title] = await make('judged', { title })
    const rude = await expectUnchanged(() => send('PATCH', '/api/judged?where[id][exists]=true', { title: 'rude' }))
    expect(rude.body).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: '/title', message: 'title must be polite.' }], refused: Object.values(ids) },
    })
    for (const title of ['cursed', 'stuck']) {
      const { status, body } = await expectUnchanged(() =>
        send('PATCH', '/api/judged?where[title][eq]=later', { title }),
      )
      expect([title, status >= 500, body.details?.refused]).toEqual([title, true, [ids.later]])
      expect(JSON.stringify(body)).not.toContain('a fault of the validator')
    }
    expect((await send('PATCH', '/api/judged?where[id][exists]=true', { count: 1 })).body).toMatchObject({ changed: 2 })
  })

  describe('concurrent writes between the search and the write', () => {
    const content = (): StoredService['content'] => service.content
    const ann = people.caller('ann')
    let first = ''
    beforeEach(async () => {
      first = await make('raced', { title: 'first', count: 1 })
      await make('raced', { title: 'last', count: 1 })
    })
    const rename = (): Promise<BulkResponse> => send('PATCH', '/api/raced?where[count][eq]=1', { title: 'renamed' })

    test('an entry that was updated keeps the other update', async () => {
      race.beforeWrite = () => content().as(ann).update('raced', first, { title: 'theirs' })
      const { body, headers } = await rename()
      expect([body, headers.get('Daybook-Seq')]).toEqual([{ collection: 'raced', matched: 2, changed: 2 }, '5'])
      expect(
        (await service.rows('SELECT seq FROM daybook$journal WHERE id = ?', first)).map(({ seq }) => Number(seq)),
      ).toEqual([1, 3, 4])
    })

    test('an entry that no longer matches is not changed', async () => {
      race.beforeWrite = () => content().as(ann).update('raced', first, { count: 2 })
      expect((await rename()).body).toEqual({ collection: 'raced', matched: 1, changed: 1 })
      expect((await send('GET', `/api/raced/${first}`)).body).toMatchObject({ title: 'first', count: 2 })
    })

    test('an entry that newly matches is also changed', async () => {
      race.beforeWrite = () => content().as(ann).create('raced', { title: 'new', count: 1 })
      expect((await rename()).body).toEqual({ collection: 'raced', matched: 3, changed: 3 })
      expect(await total('/api/raced?where[title][eq]=renamed&limit=0')).toBe(3)
    })

    test('an entry that was deleted is neither matched nor changed', async () => {
      race.beforeWrite = () => content().as(ann).delete('raced', first)
      expect((await rename()).body).toEqual({ collection: 'raced', matched: 1, changed: 1 })
      expect((await send('GET', `/api/raced/${first}`)).status).toBe(404)
    })
  })

  test('entries that restrict only each other are deleted together', async () => {
    const whole = await make('parts', { name: 'whole' })
    const part = await make('parts', { name: 'part', of: whole })
    const rejected = await expectUnchanged(() => send('DELETE', '/api/parts?where[name][eq]=whole'))
    expect(rejected.body).toMatchObject({ code: 'CONFLICT', details: { refused: [whole], references: [{ id: part }] } })
    await send('PATCH', `/api/parts/${whole}`, { of: part })
    expect((await send('DELETE', '/api/parts?where[name][in]=whole,part')).body).toMatchObject({ changed: 2 })
    expect(await service.rows('SELECT * FROM daybook$refs')).toEqual([])
    expect(await service.rows("SELECT action FROM daybook$journal WHERE action = 'delete'")).toHaveLength(2)
  })

  test('search rows, counters and references are right after a bulk write', async () => {
    const topic = await make('topics', { name: 'topic' })
    for (const n of [1, 2, 3]) await make('posts', { title: `Old ${n}`, status: 'draft', count: n })
    const patch = { title: 'New words', status: 'published', topic }
    expect((await send('PATCH', '/api/posts?where[count][lte]=2', patch)).body).toMatchObject({ changed: 2 })
    expect(await total('/api/posts?q=old&limit=0')).toBe(1)
    expect(await total('/api/posts?q=words&limit=0')).toBe(2)
    expect(await total('/api/posts?q=words&locale=de&limit=0')).toBe(0)
    expect(await total('/api/posts?status=published&limit=0')).toBe(2)
    expect(await total(`/api/posts?where[topic][eq]=${topic}&limit=0`)).toBe(2)
    expect(await service.rows('SELECT * FROM daybook$refs WHERE to_id = ?', topic)).toHaveLength(2)
    expect((await send('PATCH', '/api/posts?where[count][eq]=1', { topic: null })).body).toMatchObject({ changed: 1 })
    expect(await service.rows('SELECT * FROM daybook$refs WHERE to_id = ?', topic)).toHaveLength(1)
    expect((await send('DELETE', '/api/posts?where[id][exists]=true')).body).toMatchObject({ changed: 3 })
    expect(await service.rows('SELECT * FROM daybook$refs WHERE to_id = ?', topic)).toEqual([])
    expect(await service.searched('posts')).toEqual([])
  })

  test('a dry run returns the result of the write, is marked as such, and stores nothing', async () => {
    await make('posts', { title: 'A' })
    const second = await make('posts', { title: 'B' })
    const dryUpdate = await expectUnchanged(() =>
      send('PATCH', '/api/posts?where[id][exists]=true&dryRun=true', { count: 1 }),
    )
    expect(dryUpdate.body).toEqual({ collection: 'posts', matched: 2, changed: 2 })
    expect([dryUpdate.headers.get('Daybook-Dry-Run'), dryUpdate.headers.get('Daybook-Seq')]).toEqual(['true', null])
    const dryDelete = await expectUnchanged(() => send('DELETE', '/api/posts?where[id][exists]=true&dryRun=true'))
    expect(dryDelete.body).toMatchObject({ changed: 2 })
    const refused = await expectUnchanged(() =>
      send('PATCH', '/api/posts?where[id][exists]=true&dryRun=true', { code: 'x' }),
    )
    expect(refused.body).toMatchObject({ code: 'CONFLICT', details: { refused: [second] } })
    const real = await send('PATCH', '/api/posts?where[id][exists]=true&dryRun=false', { count: 1 })
    expect(real.headers.get('Daybook-Dry-Run')).toBeNull()
    expect(await total('/api/posts?where[count][eq]=1&limit=0')).toBe(2)
  })

  test('a collection that requires If-Match accepts *', async () => {
    await make('strict', { title: 'A' })
    expect((await expectUnchanged(() => send('PATCH', '/api/strict?where[title][eq]=A', { title: 'B' }))).status).toBe(
      428,
    )
    const response = await service.request('/api/strict?where[title][eq]=A', {
      method: 'DELETE',
      headers: { Authorization: 'Bearer ann', 'If-Match': '*' },
    })
    expect([response.status, await response.json()]).toEqual([200, { collection: 'strict', matched: 1, changed: 1 }])
  })

  test('in-process calls do the same', async () => {
    await make('posts', { title: 'A' })
    const caller = people.caller('ann')
    const { content } = service
    expect(await content.as(caller).updateMany('posts', { title: { eq: 'A' } }, { count: 3 })).toEqual({
      collection: 'posts',
      matched: 1,
      changed: 1,
    })
    expect(await content.as(caller).deleteMany('posts', { count: { eq: 3 } }, { dryRun: true })).toMatchObject({
      changed: 1,
    })
    await expect(content.as(caller).deleteMany('posts', {})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(await content.as(caller).deleteMany('posts', { count: { eq: 3 } })).toMatchObject({ changed: 1 })
  })

  test('a dry run accepts 10,000 entries; more are rejected with their number and an alternative', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await fill(service, 'topics', 10_000)
    const dry = await expectUnchanged(() =>
      send('PATCH', '/api/topics?where[id][exists]=true&dryRun=true', { name: 'x' }),
    )
    expect(dry.body).toEqual({ collection: 'topics', matched: 10_000, changed: 10_000 })
    await fill(service, 'topics', 2)
    const { status, body } = await expectUnchanged(() => send('DELETE', '/api/topics?where[id][exists]=true'))
    expect(status).toBe(400)
    expect(body.message).toMatch(/matches 10002 entries.*at most 10000.*daybook delete/)
  })

  test('all entries are changed while others write and read', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await fill(service, 'topics', 2000)
    const id = await make('topics', { name: 'busy' })
    const bulkUpdate = send('PATCH', '/api/topics?where[id][exists]=true', { name: 'new' })
    const updates = Array.from({ length: 10 }, (_, n) => send('PATCH', `/api/posts/${id}`, { count: n }))
    const posts = Array.from({ length: 10 }, (_, n) => make('posts', { title: `Beside ${n}` }))
    expect((await send('GET', '/api/topics?limit=1')).status).toBe(200)
    await Promise.all([...updates, ...posts])
    expect((await bulkUpdate).body).toEqual({ collection: 'topics', matched: 2001, changed: 2001 })
    expect(await total('/api/topics?where[name][eq]=new&limit=0')).toBe(2001)
    expect(await total('/api/posts?limit=0')).toBe(10)
  })
})
