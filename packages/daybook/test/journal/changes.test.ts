import { defineCollection, defineConfig, defineGlobal, f, isAuthenticated } from 'daybook'
import { describe, expect, test } from 'vitest'
import { parseBody, type RequestOptions, sendRequest } from '../support/scenarios/client.ts'
import { STORES, type StoredService } from '../support/stores/stores.ts'

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        secret: f.text({ access: { read: isAuthenticated } }),
      },
    }),
    letters: defineCollection({ fields: { text: f.text({ search: false, index: false, maxLength: 1_000_000 }) } }),
    members: defineCollection({ access: { read: isAuthenticated }, fields: { name: f.text() } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text() } }) },
})

/** Without a session, only posts of open teams are visible. */
const related = defineConfig({
  collections: {
    posts: defineCollection({
      access: { read: (request) => isAuthenticated(request) || { 'team.open': { eq: true } } },
      fields: { title: f.text(), team: f.relation('teams') },
    }),
    teams: defineCollection({ fields: { open: f.boolean() } }),
  },
})

interface Page {
  readonly items: readonly { readonly action: string; readonly collection: string; readonly id: string }[]
  readonly next: string
}

const changes = async (service: StoredService, query: string, options?: RequestOptions): Promise<Page> => {
  const response = await sendRequest(service, `/api/cms/changes?${query}`, options)
  expect(response.status, response.text).toBe(200)
  return parseBody(response) as unknown as Page
}

/** Reads a page that the feed cannot continue from. Returns the token to restart with. */
async function restartOf(service: StoredService, query: string): Promise<string> {
  const response = await sendRequest(service, `/api/cms/changes?${query}`)
  expect(response.status, response.text).toBe(410)
  expect(parseBody(response)).toMatchObject({ code: 'GONE' })
  return (parseBody(response) as unknown as { details: { restart: string } }).details.restart
}

const create = async (service: StoredService, collection: string, json: object): Promise<string> =>
  String(parseBody(await sendRequest(service, `/api/${collection}`, { method: 'POST', json })).id)
const put = (service: StoredService, path: string, json: object) => sendRequest(service, path, { method: 'PUT', json })

/** Writes each item as `action collection id`. */
const summarize = ({ items }: Page): readonly string[] =>
  items.map(({ action, collection, id }) => `${action} ${collection} ${id}`)

describe.each(STORES)('GET /api/cms/changes on $name', (store) => {
  test('lists existing documents page by page, and then changes', async () => {
    await using service = await store.open(config)
    const first = await create(service, 'posts', { title: 'First' })
    const second = await create(service, 'posts', { title: 'Second' })
    const firstPage = await changes(service, 'limit=1&collections=posts')
    expect(summarize(firstPage)).toEqual([`upsert posts ${first}`])
    const secondPage = await changes(service, `limit=1&collections=posts&since=${firstPage.next}`)
    expect(summarize(secondPage)).toEqual([`upsert posts ${second}`])
    let { next } = await changes(service, `collections=posts&since=${secondPage.next}`)
    const third = await create(service, 'posts', { title: 'Third' })
    await put(service, `/api/posts/${first}`, { title: 'Changed' })
    await put(service, `/api/posts/${first}`, { title: 'Changed again' })
    await sendRequest(service, `/api/posts/${second}`, { method: 'DELETE' })
    const page = await changes(service, `collections=posts&since=${next}`)
    expect([...summarize(page)].sort()).toEqual(
      [`delete posts ${second}`, `upsert posts ${first}`, `upsert posts ${third}`].sort(),
    )
    const item = page.items.find(({ id }) => id === first)
    expect(item).toEqual({
      action: 'upsert',
      collection: 'posts',
      id: first,
      slug: 'first',
      data: parseBody(await sendRequest(service, '/api/posts/first')),
    })
    next = page.next
    expect(await changes(service, `collections=posts&since=${next}`)).toEqual({ items: [], next })
  })

  test('may not be stored by any cache', async () => {
    await using service = await store.open(config)
    for (const auth of [true, false]) {
      const { headers } = await sendRequest(service, '/api/cms/changes', { auth })
      expect(headers.get('cache-control')).toBe('private, no-store')
      expect(headers.get('vary')).toBe('Authorization, Cookie, Origin')
    }
  })

  test('ends a page of large entries early, and continues on the next one', async () => {
    await using service = await store.open(config)
    const operation = { op: 'create', collection: 'letters', data: { text: 'x'.repeat(90_000) } }
    for (let batch = 0; batch < 3; batch += 1) {
      const json = { operations: Array.from({ length: 40 }, () => operation) }
      expect((await sendRequest(service, '/api/cms/batch', { method: 'POST', json })).status).toBe(200)
    }
    const first = await changes(service, 'collections=letters&limit=1000')
    const second = await changes(service, `collections=letters&limit=1000&since=${first.next}`)
    expect([first.items.length, second.items.length]).toEqual([100, 20])
    expect(new Set([...summarize(first), ...summarize(second)]).size).toBe(120)
  })

  test('deletes an unpublished entry from the copy of a reader without a session', async () => {
    await using service = await store.open(config)
    const id = await create(service, 'posts', { title: 'Shown', secret: 'hush' })
    const draft = await create(service, 'posts', { title: 'Draft', status: 'draft' })
    const open = await changes(service, 'collections=posts')
    expect(summarize(open)).toEqual([`upsert posts ${id}`])
    expect(JSON.stringify(open)).not.toContain('hush')
    const session = await changes(service, 'collections=posts', { auth: true })
    expect(summarize(session)).toEqual([`upsert posts ${id}`, `upsert posts ${draft}`])
    await put(service, `/api/posts/${id}`, { status: 'archived' })
    await put(service, `/api/posts/${draft}`, { title: 'Still a draft' })
    await sendRequest(service, `/api/posts/${draft}`, { method: 'DELETE' })
    expect(summarize(await changes(service, `collections=posts&since=${open.next}`))).toEqual([`delete posts ${id}`])
    expect(summarize(await changes(service, `collections=posts&since=${session.next}`, { auth: true }))).toEqual([
      `upsert posts ${id}`,
      `delete posts ${draft}`,
    ])
  })

  test('restarts a reader whose view changed, even during the first pages', async () => {
    await using service = await store.open(config)
    const member = await create(service, 'members', { name: 'Ann' })
    const post = await create(service, 'posts', { title: 'Shown', secret: 'hush' })
    const session = await changes(service, '', { auth: true })
    expect([...summarize(session)].sort()).toEqual(
      [`upsert globals site`, `upsert members ${member}`, `upsert posts ${post}`].sort(),
    )
    const begun = await changes(service, 'limit=1', { auth: true })
    for (const { next } of [session, begun]) {
      const open = await changes(service, `since=${await restartOf(service, `since=${next}`)}`)
      expect([...summarize(open)].sort()).toEqual([`upsert globals site`, `upsert posts ${post}`])
      expect(JSON.stringify(open)).not.toContain('hush')
      expect((await changes(service, `since=${open.next}`)).items).toEqual([])
    }
  })

  test('continues a token for any reader with the same view, whatever hidden documents change', async () => {
    await using service = await store.open(config)
    const { next } = await changes(service, '')
    await create(service, 'members', { name: 'Ann' })
    await create(service, 'posts', { title: 'Draft', status: 'draft' })
    const page = await changes(service, `since=${next}`, { headers: { Authorization: 'Bearer nobody' } })
    expect(page.items).toEqual([])
    expect(page.next).not.toBe(next)
    const last = await changes(service, `since=${page.next}`)
    expect(last).toEqual({ items: [], next: page.next })
  })

  test('restarts for other collections, and rejects those that the reader may not read', async () => {
    await using service = await store.open(config)
    const { next } = await changes(service, 'collections=posts,letters')
    await restartOf(service, `collections=posts&since=${next}`)
    await changes(service, `collections=letters,posts&since=${next}`)
    const { status } = await sendRequest(service, `/api/cms/changes?collections=posts,letters,members&since=${next}`)
    expect(status).toBe(400)
  })

  test('restarts a view with a rule on related entries if and only if their collection changes', async () => {
    await using service = await store.open(related)
    const team = await create(service, 'teams', { open: true })
    const post = await create(service, 'posts', { title: 'Shown', team })
    const hidden = await create(service, 'posts', { title: 'Hidden' })
    const first = await changes(service, 'collections=posts')
    expect(summarize(first)).toEqual([`upsert posts ${post}`])
    await put(service, `/api/posts/${post}`, { team: null })
    await put(service, `/api/posts/${hidden}`, { title: 'Still hidden' })
    const second = await changes(service, `collections=posts&since=${first.next}`)
    expect(summarize(second)).toEqual([`delete posts ${post}`])
    await put(service, `/api/teams/${team}`, { open: false })
    await restartOf(service, `collections=posts&since=${second.next}`)
    // Readers who can see every entry continue.
    const all = await changes(service, `collections=posts`, { auth: true })
    await put(service, `/api/teams/${team}`, { open: true })
    expect((await changes(service, `collections=posts&since=${all.next}`, { auth: true })).items).toEqual([])
  })

  test('lists globals by their keys', async () => {
    await using service = await store.open(config)
    const { next } = await changes(service, 'collections=globals')
    await put(service, '/api/globals/site', { name: 'New' })
    const { items } = await changes(service, `collections=globals&since=${next}`)
    expect(items).toEqual([
      {
        action: 'upsert',
        collection: 'globals',
        id: 'site',
        data: parseBody(await sendRequest(service, '/api/globals/site')),
      },
    ])
  })

  test.each([
    ['a collection that is not there', 'collections=nothing', 'collections'],
    ['a collection that the reader may not read', 'collections=members', 'collections'],
    ['a token of nobody', `since=${Buffer.alloc(80, 7).toString('base64url')}`, 'since'],
    ['no token at all', 'since=%00', 'query'],
    ['an empty token', 'since=', 'since'],
    ['a page without items', 'limit=0', 'limit'],
    ['a page of too many', 'limit=1001', 'limit'],
    ['a parameter that is not there', 'until=x', 'until'],
  ])('rejects %s', async (_case, query, path) => {
    await using service = await store.open(config)
    const response = await sendRequest(service, `/api/cms/changes?${query}`)
    expect(response.status).toBe(400)
    expect(JSON.parse(response.text).details.issues).toMatchObject([{ path }])
  })

  test('rejects a token of another service and a forged token', async () => {
    await using service = await store.open(config)
    await using other = await store.open(config)
    const { next } = await changes(service, '')
    const foreign = await changes(other, '')
    const changed = `${next.slice(0, 20)}${next[20] === 'A' ? 'B' : 'A'}${next.slice(21)}`
    for (const token of [foreign.next, changed, next.slice(1), `${next}A`]) {
      expect((await sendRequest(service, `/api/cms/changes?since=${token}`)).status).toBe(400)
    }
  })

  test('responds to a token older than the journal with 410 and a token to restart with', async () => {
    await using place = await store.at()
    const first = await place.serve(config, async (service) => {
      const response = await service.fetch(new Request('http://daybook.test/api/cms/changes?collections=posts'))
      const { next } = (await response.json()) as Page
      await service.content.create('posts', { title: 'Later' } as never)
      return next
    })
    await place.exec(`INSERT INTO daybook$meta (key, value) VALUES ('journal floor', '1')`)
    await place.serve(config, async (service) => {
      const get = async (query: string) =>
        service.fetch(new Request(`http://daybook.test/api/cms/changes?collections=posts&${query}`))
      const response = await get(`since=${first}`)
      expect(response.status).toBe(410)
      const { code, details } = (await response.json()) as { code: string; details: { restart: string } }
      expect(code).toBe('GONE')
      const again = await get(`since=${details.restart}`)
      expect(summarize((await again.json()) as Page)).toHaveLength(1)
    })
  })
})
