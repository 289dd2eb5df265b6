import { defineCollection, defineConfig, definePlugin, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { LARGE_TEST_MS } from '../../support/patience.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'

const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

const people = new People({ ann: ['editor'], cleo: [] })

/** Refuses the entries that are called `cursed`, as a plugin does and as a faulty one does. */
const guard = definePlugin({
  name: 'guard',
  version: '1.0.0',
  hooks: {
    collections: {
      guarded: {
        beforeChange: ({ before }) => {
          if (before?.title === 'cursed') throw new Error('a fault of the hook')
          return before?.title === 'stuck' ? new Promise<void>(() => {}) : undefined
        },
      },
    },
  },
})

/** What happens between the search for entries and the write of them, once. */
let meanwhile: (() => Promise<unknown>) | undefined

const config = defineConfig({
  auth: people.adapter,
  limits: { pluginMs: 1500 },
  plugins: [guard],
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true }),
        secret: f.text({ access: { read: hasRole('editor') } }),
        topic: f.relation('topics'),
        count: f.number(),
      },
    }),
    topics: defineCollection({ fields: { name: f.text({ required: true }), parent: f.relation('topics') } }),
    pages: defineCollection({ fields: { title: f.text(), topic: f.relation('topics', { onDelete: 'restrict' }) } }),
    own: defineCollection({
      fields: { title: f.text(), owner: f.text() },
      access: {
        read: ({ identity }) => identity?.roles.includes('editor') === true || { title: { ne: 'unseen' } },
        update: ({ identity, entry }) => entry?.owner === identity?.subject,
        delete: ({ identity }) => ({ owner: { eq: identity?.subject ?? '' } }),
      },
    }),
    guarded: defineCollection({ fields: { title: f.text() } }),
    judged: defineCollection({
      fields: {
        title: f.text({ validate: (value) => (value === 'rude' ? 'must be polite' : undefined) }),
        count: f.number(),
      },
      validate: ({ title }) => {
        if (title === 'cursed') throw new Error('a fault of the validator')
        return title === 'stuck' ? new Promise<undefined>(() => {}) : undefined
      },
    }),
    raced: defineCollection({
      fields: { title: f.text(), count: f.number() },
      access: {
        update: async ({ entry }) => {
          if (entry?.title !== 'last') return true
          const work = meanwhile
          meanwhile = undefined
          await work?.()
          return true
        },
      },
    }),
    parts: defineCollection({
      fields: { name: f.text(), of: f.relation('parts', { onDelete: 'restrict' }) },
    }),
    strict: defineCollection({ requireIfMatch: true, fields: { title: f.text() } }),
  },
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly code?: string
    readonly message?: string
    readonly details?: Record<string, unknown>
  } & Record<string, unknown>
}

describe.each(STORES)('many at once on $name', (store) => {
  let service: StoredService
  beforeEach(async () => {
    service = await store.open(config)
  })
  afterEach(async () => {
    await service.close()
  })

  async function send(method: string, path: string, body?: unknown, token: string | null = 'ann'): Promise<Answer> {
    const response = await service.request(path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/merge-patch+json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
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
  /** Nothing of a refused request is stored. */
  async function unchanged(work: () => Promise<Answer>): Promise<Answer> {
    const before = [await head(), await service.rows('SELECT count(*) AS n FROM daybook$journal')]
    const answer = await work()
    expect([await head(), await service.rows('SELECT count(*) AS n FROM daybook$journal')]).toEqual(before)
    return answer
  }

  test('PATCH changes every entry that matches, with a journal record for each, and answers how many', async () => {
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

  test('what is so already is matched, and not changed', async () => {
    await make('posts', { title: 'A', count: 1 })
    await make('posts', { title: 'B', count: 2 })
    const { body, headers } = await send('PATCH', '/api/posts?where[count][gte]=1', { count: 2 })
    expect(body).toEqual({ collection: 'posts', matched: 2, changed: 1 })
    expect(headers.get('Daybook-Seq')).toBe('3')
    const again = await send('PATCH', '/api/posts?where[count][gte]=1', { count: 2 })
    expect(again.body).toEqual({ collection: 'posts', matched: 2, changed: 0 })
    expect(again.headers.get('Daybook-Seq')).toBeNull()
  })

  test('DELETE deletes every entry that matches; they are neither counted nor found any more', async () => {
    for (const n of [1, 2, 3]) await make('posts', { title: `Old apple ${n}`, count: n })
    const { status, body } = await send('DELETE', '/api/posts?where[count][lt]=3')
    expect({ status, body }).toEqual({ status: 200, body: { collection: 'posts', matched: 2, changed: 2 } })
    expect(await total('/api/posts?limit=0')).toBe(1)
    expect(await total('/api/posts?q=apple&limit=0')).toBe(1)
    expect(await service.rows("SELECT count(*) AS n FROM daybook$journal WHERE action = 'delete'")).toEqual([
      { n: expect.anything() },
    ])
  })

  test('q and status narrow as they do in lists, and locale is the one that is read and written', async () => {
    await make('posts', { title: 'apple', status: 'draft' })
    await make('posts', { title: 'apple pie' })
    await make('posts', { title: 'pear' })
    const found = await send('PATCH', '/api/posts?where[id][exists]=true&q=apple&status=draft', { count: 1 })
    expect(found.body).toMatchObject({ matched: 1, changed: 1 })
    await send('PATCH', '/api/posts?where[slug][eq]=pear&locale=de', { title: 'Birne' })
    const { body } = await send('PATCH', '/api/posts?where[title][eq]=Birne&locale=de', { title: 'Birnen' })
    expect(body).toMatchObject({ matched: 1, changed: 1 })
    expect(await total('/api/posts?where[title][eq]=pear&limit=0')).toBe(1)
    expect(await total('/api/posts?where[title][eq]=Birnen&locale=de&limit=0')).toBe(1)
  })

  test.each(['PATCH', 'DELETE'])('%s without a where is refused, also with an empty one', async (method) => {
    await make('posts', { title: 'A' })
    for (const query of ['', '?where=', '?where[]=1', '?q=A', '?status=published', '?where[and]=', '?where=x']) {
      const { status, body } = await unchanged(() =>
        send(method, `/api/posts${query}`, method === 'PATCH' ? { count: 1 } : undefined),
      )
      expect(status, query).toBe(400)
      expect(body.code).toBe('VALIDATION_ERROR')
    }
    const { body } = await send(method, '/api/posts', method === 'PATCH' ? { count: 1 } : undefined)
    expect(body.message).toContain('where[field][operator]=value')
  })

  test('unknown parameters and fields, and bodies that fit no entry, are refused before any entry is looked at', async () => {
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
      const answer = await unchanged(() => send('PATCH', path, body))
      expect([path, answer.status]).toEqual([path, 400])
    }
  })

  test('without a session it is 401', async () => {
    await make('posts', { title: 'A' })
    expect((await unchanged(() => send('PATCH', '/api/posts?where[title][eq]=A', { count: 1 }, null))).status).toBe(401)
    expect((await unchanged(() => send('DELETE', '/api/posts?where[title][eq]=A', undefined, null))).status).toBe(401)
  })

  test('a unique value for two: nothing is stored, and the refusal names the entry', async () => {
    await make('posts', { title: 'A' })
    const second = await make('posts', { title: 'B' })
    const { status, body } = await unchanged(() => send('PATCH', '/api/posts?where[title][in]=A,B', { code: 'same' }))
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'CONFLICT', details: { field: 'code', refused: [second] } })
    expect((await send('PATCH', '/api/posts?where[title][eq]=B', { code: 'same' })).body).toMatchObject({ changed: 1 })
  })

  test('a required field emptied, or a reference that leads nowhere, refuses all of them by their ids', async () => {
    const ids = [await make('posts', { title: 'A' }), await make('posts', { title: 'B' })]
    const emptied = await unchanged(() => send('PATCH', '/api/posts?where[title][in]=A,B', { title: null }))
    expect(emptied.status).toBe(400)
    expect(emptied.body.details).toMatchObject({ issues: [{ path: '/title', code: 'required' }], refused: ids })
    const lost = await unchanged(() => send('PATCH', '/api/posts?where[title][in]=A,B', { topic: ABSENT }))
    expect(lost.body.details).toMatchObject({ issues: [{ path: '/topic', code: 'reference' }], refused: ids })
  })

  test('a refusal names the first 100 entries', async () => {
    await fill(service, 'topics', 120)
    const { body } = await unchanged(() => send('PATCH', '/api/topics?where[id][exists]=true', { parent: ABSENT }))
    expect(body).toMatchObject({ details: { refused: { length: 100 } } })
  })

  test('a rule is asked for each entry, and what the caller may not see is neither changed nor told of', async () => {
    await make('own', { title: 'mine', owner: 'cleo' })
    await make('own', { title: 'unseen', owner: 'ann' })
    const seen = await send('PATCH', '/api/own?where[id][exists]=true', { title: 'mine still' }, 'cleo')
    expect(seen.body).toEqual({ collection: 'own', matched: 1, changed: 1 })
    const theirs = await make('own', { title: 'theirs', owner: 'ann' })
    const refused = await unchanged(() => send('PATCH', '/api/own?where[id][exists]=true', { title: 'x' }, 'cleo'))
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ code: 'FORBIDDEN', details: { refused: [theirs] } })
    const kept = await unchanged(() => send('DELETE', '/api/own?where[id][exists]=true', undefined, 'cleo'))
    expect(kept.body).toMatchObject({ code: 'FORBIDDEN', details: { refused: [theirs] } })
    expect((await send('DELETE', '/api/own?where[owner][eq]=cleo', undefined, 'cleo')).body).toMatchObject({
      changed: 1,
    })
    expect(await total('/api/own?limit=0')).toBe(2)
  })

  test('a field that the caller may not read is unknown to where, as in lists', async () => {
    await make('posts', { title: 'A', secret: 's' })
    const guess = await unchanged(() => send('PATCH', '/api/posts?where[secret][eq]=s', { count: 1 }, 'cleo'))
    const unknown = await unchanged(() => send('PATCH', '/api/posts?where[sekret][eq]=s', { count: 1 }, 'cleo'))
    expect([guess.status, unknown.status]).toEqual([400, 400])
    expect(
      JSON.stringify(guess.body)
        .replaceAll('secret', 'sekret')
        .replace(/"requestId":"[^"]*"/, ''),
    ).toBe(JSON.stringify(unknown.body).replace(/"requestId":"[^"]*"/, ''))
  })

  test('deleting follows onDelete for each: references are taken out, and a restricted entry refuses all', async () => {
    const first = await make('topics', { name: 'first' })
    const child = await make('topics', { name: 'child', parent: first })
    await make('posts', { title: 'About', topic: first })
    expect((await send('DELETE', '/api/topics?where[id][exists]=true')).body).toMatchObject({ matched: 2, changed: 2 })
    expect((await send('GET', '/api/posts/about')).body.topic).toBeNull()
    expect((await send('GET', `/api/topics/${child}`)).status).toBe(404)
    const free = await make('topics', { name: 'free' })
    const held = await make('topics', { name: 'held' })
    const page = await make('pages', { title: 'Needs it', topic: held })
    const { status, body } = await unchanged(() => send('DELETE', `/api/topics?where[id][in]=${free},${held}`))
    expect(status).toBe(409)
    expect(body.details).toMatchObject({ refused: [held], references: [{ collection: 'pages', id: page }] })
  })

  test('a hook that throws for one of them refuses all', async () => {
    const ids = [await make('guarded', { title: 'a' }), await make('guarded', { title: 'cursed' })]
    const changed = await unchanged(() => send('PATCH', '/api/guarded?where[id][exists]=true', { title: 'b' }))
    expect(changed.status).toBe(500)
    expect(changed.body).toMatchObject({ code: 'INTERNAL_ERROR', details: { refused: [ids[1]] } })
    expect(JSON.stringify(changed.body)).not.toContain('a fault of the hook')
    expect((await unchanged(() => send('DELETE', '/api/guarded?where[id][exists]=true'))).status).toBe(500)
    expect((await send('PATCH', '/api/guarded?where[title][eq]=a', { title: 'b' })).body).toMatchObject({ changed: 1 })
  })

  test('a hook that hangs for one of them is given up, and nothing is stored', async () => {
    const ids = [await make('guarded', { title: 'a' }), await make('guarded', { title: 'stuck' })]
    for (const [method, body] of [['PATCH', { title: 'b' }] as const, ['DELETE', undefined] as const]) {
      const { status, body: answer } = await unchanged(() => send(method, '/api/guarded?where[id][exists]=true', body))
      expect(status, method).toBeGreaterThanOrEqual(500)
      expect(answer.details, method).toMatchObject({ refused: [ids[1]] })
    }
    expect((await send('PATCH', '/api/guarded?where[title][eq]=a', { title: 'b' })).body).toMatchObject({ changed: 1 })
  })

  test('a validator is asked about each entry; one that says no, throws or hangs refuses all', async () => {
    const ids: Record<string, string> = {}
    for (const title of ['a', 'later']) ids[title] = await make('judged', { title })
    const rude = await unchanged(() => send('PATCH', '/api/judged?where[id][exists]=true', { title: 'rude' }))
    expect(rude.body).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: '/title', message: 'must be polite' }], refused: Object.values(ids) },
    })
    for (const title of ['cursed', 'stuck']) {
      const { status, body } = await unchanged(() => send('PATCH', '/api/judged?where[title][eq]=later', { title }))
      expect([title, status >= 500, body.details?.refused]).toEqual([title, true, [ids.later]])
      expect(JSON.stringify(body)).not.toContain('a fault of the validator')
    }
    expect((await send('PATCH', '/api/judged?where[id][exists]=true', { count: 1 })).body).toMatchObject({ changed: 2 })
  })

  describe('what others do between the search and the write', () => {
    const content = (): StoredService['content'] => service.content
    const ann = people.caller('ann')
    let first = ''
    beforeEach(async () => {
      first = await make('raced', { title: 'first', count: 1 })
      await make('raced', { title: 'last', count: 1 })
    })
    const rename = (): Promise<Answer> => send('PATCH', '/api/raced?where[count][eq]=1', { title: 'renamed' })

    test('a change of one that is to be changed stays, beside what is written', async () => {
      meanwhile = () => content().as(ann).update('raced', first, { title: 'theirs' })
      const { body, headers } = await rename()
      expect([body, headers.get('Daybook-Seq')]).toEqual([{ collection: 'raced', matched: 2, changed: 2 }, '5'])
      expect(
        (await service.rows('SELECT seq FROM daybook$journal WHERE id = ?', first)).map(({ seq }) => Number(seq)),
      ).toEqual([1, 3, 4])
    })

    test('one that matches no more is left as it is', async () => {
      meanwhile = () => content().as(ann).update('raced', first, { count: 2 })
      expect((await rename()).body).toEqual({ collection: 'raced', matched: 1, changed: 1 })
      expect((await send('GET', `/api/raced/${first}`)).body).toMatchObject({ title: 'first', count: 2 })
    })

    test('one that newly matches is written, too', async () => {
      meanwhile = () => content().as(ann).create('raced', { title: 'new', count: 1 })
      expect((await rename()).body).toEqual({ collection: 'raced', matched: 3, changed: 3 })
      expect(await total('/api/raced?where[title][eq]=renamed&limit=0')).toBe(3)
    })

    test('one that is deleted is neither matched nor written', async () => {
      meanwhile = () => content().as(ann).delete('raced', first)
      expect((await rename()).body).toEqual({ collection: 'raced', matched: 1, changed: 1 })
      expect((await send('GET', `/api/raced/${first}`)).status).toBe(404)
    })
  })

  test('an entry that only others of those that are deleted need is deleted with them, also in a circle', async () => {
    const whole = await make('parts', { name: 'whole' })
    const part = await make('parts', { name: 'part', of: whole })
    const alone = await unchanged(() => send('DELETE', '/api/parts?where[name][eq]=whole'))
    expect(alone.body).toMatchObject({ code: 'CONFLICT', details: { refused: [whole], references: [{ id: part }] } })
    await send('PATCH', `/api/parts/${whole}`, { of: part })
    expect((await send('DELETE', '/api/parts?where[name][in]=whole,part')).body).toMatchObject({ changed: 2 })
    expect(await service.rows('SELECT * FROM daybook$refs')).toEqual([])
    expect(await service.rows("SELECT action FROM daybook$journal WHERE action = 'delete'")).toHaveLength(2)
  })

  test('what entries are found, counted and referred to by is right after many were written together', async () => {
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

  test('a dry run answers as it would have, says so, and stores nothing', async () => {
    await make('posts', { title: 'A' })
    const second = await make('posts', { title: 'B' })
    const done = await unchanged(() => send('PATCH', '/api/posts?where[id][exists]=true&dryRun=true', { count: 1 }))
    expect(done.body).toEqual({ collection: 'posts', matched: 2, changed: 2 })
    expect([done.headers.get('Daybook-Dry-Run'), done.headers.get('Daybook-Seq')]).toEqual(['true', null])
    const dropped = await unchanged(() => send('DELETE', '/api/posts?where[id][exists]=true&dryRun=true'))
    expect(dropped.body).toMatchObject({ changed: 2 })
    const refused = await unchanged(() => send('PATCH', '/api/posts?where[id][exists]=true&dryRun=true', { code: 'x' }))
    expect(refused.body).toMatchObject({ code: 'CONFLICT', details: { refused: [second] } })
    const real = await send('PATCH', '/api/posts?where[id][exists]=true&dryRun=false', { count: 1 })
    expect(real.headers.get('Daybook-Dry-Run')).toBeNull()
    expect(await total('/api/posts?where[count][eq]=1&limit=0')).toBe(2)
  })

  test('a collection that demands If-Match takes *', async () => {
    await make('strict', { title: 'A' })
    expect((await unchanged(() => send('PATCH', '/api/strict?where[title][eq]=A', { title: 'B' }))).status).toBe(428)
    const response = await service.request('/api/strict?where[title][eq]=A', {
      method: 'DELETE',
      headers: { Authorization: 'Bearer ann', 'If-Match': '*' },
    })
    expect([response.status, await response.json()]).toEqual([200, { collection: 'strict', matched: 1, changed: 1 }])
  })

  test('in process it is the same', async () => {
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

  test('a dry run takes 10,000; more are refused with their number and with what to do', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await fill(service, 'topics', 10_000)
    const dry = await unchanged(() => send('PATCH', '/api/topics?where[id][exists]=true&dryRun=true', { name: 'x' }))
    expect(dry.body).toEqual({ collection: 'topics', matched: 10_000, changed: 10_000 })
    await fill(service, 'topics', 2)
    const { status, body } = await unchanged(() => send('DELETE', '/api/topics?where[id][exists]=true'))
    expect(status).toBe(400)
    expect(body.message).toMatch(/matches 10002 entries.*at most 10000.*daybook delete/)
  })

  test('while others write and read, all entries are changed, and none is lost', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await fill(service, 'topics', 2000)
    const id = await make('topics', { name: 'busy' })
    const many = send('PATCH', '/api/topics?where[id][exists]=true', { name: 'new' })
    const others = Array.from({ length: 10 }, (_, n) => send('PATCH', `/api/posts/${id}`, { count: n }))
    const posts = Array.from({ length: 10 }, (_, n) => make('posts', { title: `Beside ${n}` }))
    expect((await send('GET', '/api/topics?limit=1')).status).toBe(200)
    await Promise.all([...others, ...posts])
    expect((await many).body).toEqual({ collection: 'topics', matched: 2001, changed: 2001 })
    expect(await total('/api/topics?where[name][eq]=new&limit=0')).toBe(2001)
    expect(await total('/api/posts?limit=0')).toBe(10)
  })
})

async function fill(service: StoredService, collection: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 500) {
    const operations = Array.from({ length: Math.min(500, count - done) }, (_, n) => ({
      op: 'create',
      collection,
      data: { name: `${done + n}` },
    }))
    const response = await service.request('/api/cms/batch', {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ operations }),
    })
    expect(response.status).toBe(200)
  }
}
