import { defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: [] })
/** A word that occurs in every draft, and nowhere else. */
const CANARY = 'xcanaryx'

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        body: f.markdown(),
        tags: f.list(f.text()),
        author: f.relation('authors'),
        related: f.relation('posts', { many: true }),
      },
    }),
    authors: defineCollection({
      fields: { name: f.text({ localized: true }), status: f.status(), posts: f.reverse('posts.author') },
    }),
  },
})

/** All paths at which a caller without a session can read about an entry. */
const readPaths = (id: string, author: string): readonly string[] => [
  `/api/posts/${id}`,
  '/api/posts/hello',
  `/api/posts/${CANARY}`,
  `/api/posts/${id}?locale=de&fallbackLocale=none`,
  `/api/posts/${id}?select=title,slug`,
  `/api/posts/${id}?include=author,related&depth=2`,
  '/api/posts',
  '/api/posts?limit=0',
  '/api/posts?locale=de',
  '/api/posts?sort=title',
  '/api/posts?sort=-updatedAt',
  `/api/posts?q=${CANARY}`,
  `/api/posts?where[title][contains]=${CANARY}`,
  `/api/posts?where[tags][in]=${CANARY}`,
  `/api/posts?where[author.name][eq]=${CANARY}`,
  '/api/posts?aggregate=count:tags,count:status',
  '/api/posts?status=draft',
  '/api/posts?include=author,related',
  `/api/authors/${author}?include=posts`,
  '/api/authors?include=posts',
  '/api/authors',
  '/openapi.json',
]

describe.each(POLICY_STORES)('unpublished content on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeEach(async () => {
    service = await store.open(config, { export: false })
    editor = new Editor(service)
  })
  afterEach(async () => {
    await service.close()
  })

  const seen = async (path: string): Promise<string> => {
    const response = await service.request(path)
    const headers = ['etag', 'cache-control', 'vary', 'daybook-seq'].map((name) => response.headers.get(name))
    const text = (await response.text()).replace(/"requestId":"[^"]*"/, '')
    return JSON.stringify([response.status, headers, text])
  }

  test('is in no response to callers without a session', async () => {
    const author = (await editor.post('/api/authors', { name: 'Ann' })).body.id
    const { id } = (await editor.post('/api/posts', { title: 'Hello', author, tags: ['a'] })).body
    const all = readPaths(id, author)
    const before = await Promise.all(all.map(seen))
    await editor.put(`/api/posts/${id}?draft=true`, {
      title: CANARY,
      slug: CANARY,
      body: CANARY,
      tags: [CANARY],
      author: null,
    })
    await editor.put(`/api/posts/${id}?draft=true&locale=de`, { title: CANARY })
    await editor.put(`/api/authors/${author}?draft=true`, { name: CANARY })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: '2999-01-01T00:00:00Z' })
    await editor.post(`/api/posts/${id}/preview`)
    const after = await Promise.all(all.map(seen))
    for (const [index, path] of all.entries()) {
      expect(after[index], path).toBe(before[index])
      // A response repeats the filter of its request.
      expect(after[index]?.replaceAll(/"(?:path|message)":"[^"]*"/g, ''), path).not.toContain(CANARY)
    }
  })

  test('an entry is 404 as soon as it is unpublished, whichever tag the client sends', async () => {
    const { id } = (await editor.post('/api/posts', { title: 'Hello' })).body
    const paths = [`/api/posts/${id}`, '/api/posts/hello']
    const lists = ['/api/posts', '/api/posts?q=hello', '/api/posts?limit=0']
    const tags = new Map<string, string>()
    for (const path of [...paths, ...lists]) tags.set(path, (await editor.get(path, null)).tag)
    await editor.post(`/api/posts/${id}/unpublish`)
    const sendRequest = async (path: string): Promise<number> =>
      (await service.request(path, { headers: { 'If-None-Match': tags.get(path) ?? '' } })).status
    for (const path of paths) expect(await sendRequest(path), path).toBe(404)
    for (const path of lists) expect(await sendRequest(path), path).toBe(200)
    expect((await editor.get('/api/posts', null)).body.total).toBe(0)
  })

  type Step = readonly [method: string, path: string, body?: object]
  const title = fc.constantFrom('A', 'B', CANARY, null)
  const entry = fc.nat({ max: 2 })
  /** Any request that changes nothing published. */
  const harmless = (ids: readonly string[]): fc.Arbitrary<Step> => {
    const address = entry.map((n) => `/api/posts/${ids[n]}`)
    return fc.oneof(
      fc
        .tuple(address, title, fc.constantFrom('', '&locale=de', '&autosave=true'))
        .map(([path, word, more]): Step => ['PUT', `${path}?draft=true${more}`, { title: word, body: word }]),
      address.map((path): Step => ['DELETE', `${path}?draft=true`]),
      fc
        .tuple(address, fc.nat({ max: 30 }))
        .map(([path, revision]): Step => ['POST', `${path}/restore`, { revision: revision + 1 }]),
      fc
        .tuple(address, fc.constantFrom('publish', 'unpublish'))
        .map(([path, op]): Step => ['POST', `${path}/${op}?dryRun=true`]),
      fc.tuple(address, title).map(([path, word]): Step => ['PUT', `${path}?dryRun=true`, { title: word }]),
      address.map((path): Step => ['DELETE', `${path}?dryRun=true`]),
      address.map((path): Step => ['POST', `${path}/publish`, { publishAt: '2999-01-01T00:00:00Z' }]),
      address.map((path): Step => ['DELETE', `${path}/schedule`]),
      address.map((path): Step => ['POST', `${path}/preview`]),
    )
  }

  test('no sequence of saves, restores, dry runs and schedules changes a byte of public responses', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    const author = (await editor.post('/api/authors', { name: 'Ann' })).body.id
    const ids: string[] = []
    for (const data of [{ title: 'Hello' }, { title: 'Other', status: 'draft' }, { title: 'Third', author }])
      ids.push((await editor.post('/api/posts', data)).body.id)
    await editor.put(`/api/posts/${ids[0]}`, { title: 'Changed' })
    await editor.put(`/api/posts/${ids[0]}?locale=de`, { title: 'Hallo' })
    const all = ids.flatMap((id) => readPaths(id, author))
    const before = await Promise.all(all.map(seen))
    const property = fc.asyncProperty(fc.array(harmless(ids), { maxLength: 12 }), async (steps) => {
      for (const [method, path, body] of steps) {
        const { status } = await editor.send(method, path, body)
        expect([200, 201, 204, 400, 404, 409], `${method} ${path}`).toContain(status)
      }
      expect(await Promise.all(all.map(seen))).toEqual(before)
    })
    await fc.assert(property, { numRuns: 12, seed: 20261123, endOnFailure: true })
  })
})
