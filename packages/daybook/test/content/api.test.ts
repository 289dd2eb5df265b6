import { ANONYMOUS, DaybookError, f, SYSTEM } from 'daybook'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { codeOf, config, INES, NOBODY } from './api-config.ts'

describe.each(POLICY_STORES)('the in-process API on $name', (store) => {
  let service: StoredService<typeof config>

  beforeEach(async () => {
    service = await store.open<typeof config>(config)
    return () => service.close()
  })

  describe('access', () => {
    test('is that of an anonymous caller unless the call names another caller', async () => {
      const { content } = service
      const { id } = await content.create('posts', { title: 'A', state: 'draft', notes: 'N' })
      expect(await codeOf(content.as(ANONYMOUS).create('posts', { title: 'B' }))).toBe('UNAUTHORIZED')
      expect(await codeOf(content.as(ANONYMOUS).update('posts', id, { title: 'B' }))).toBe('NOT_FOUND')
      expect(await codeOf(content.as(ANONYMOUS).delete('posts', id))).toBe('NOT_FOUND')
      expect(await codeOf(content.as(ANONYMOUS).writeGlobal('site', { name: 'B' }))).toBe('UNAUTHORIZED')
      expect(await content.as(ANONYMOUS).get('posts', id)).toBeNull()
      expect(await content.as(ANONYMOUS).list('posts')).toMatchObject({ total: 0, items: [] })
      expect(await content.as(ANONYMOUS).list('posts', { q: 'a' })).toMatchObject({ total: 0, items: [] })
      expect(await content.as(ANONYMOUS).list('posts')).toMatchObject({ total: 0 })
    })

    test('lets a caller with a session see every status and every field', async () => {
      const { content } = service
      const { id } = await content.create('posts', { title: 'A', state: 'draft', notes: 'N' })
      expect(await content.as(INES).get('posts', 'a')).toMatchObject({ id, state: 'draft', notes: 'N' })
      await content.as(INES).update('posts', id, { state: 'published' })
      const open = await content.as(ANONYMOUS).get('posts', 'a')
      expect(open).toMatchObject({ id, state: 'published' })
      expect(open).not.toHaveProperty('notes')
      expect((await content.as(ANONYMOUS).list('posts')).items).toEqual([open])
    })

    test('is refused with UNAUTHORIZED without a session and with FORBIDDEN with one', async () => {
      const { content } = service
      const { id } = await content.create('secrets', { title: 'A' })
      expect(await codeOf(content.as(ANONYMOUS).list('secrets'))).toBe('UNAUTHORIZED')
      expect(await codeOf(content.as(ANONYMOUS).get('secrets', id))).toBe('UNAUTHORIZED')
      expect(await codeOf(content.as(INES).list('secrets'))).toBe('FORBIDDEN')
      expect(await codeOf(content.as(INES).get('secrets', id))).toBe('FORBIDDEN')
      expect(await codeOf(content.delete('secrets', id))).toBe('FORBIDDEN')
      expect(await codeOf(content.as(ANONYMOUS).readGlobal('closed'))).toBe('UNAUTHORIZED')
      expect(await codeOf(content.writeGlobal('closed', { name: 'A' }))).toBe('FORBIDDEN')
      expect(await content.get('secrets', id)).toMatchObject({ title: 'A' })
    })

    test('applies a rule that lets everyone write', async () => {
      const { content } = service
      expect(await content.as(ANONYMOUS).create('guestbook', { title: 'Hello' })).toMatchObject({ title: 'Hello' })
    })
  })

  describe('reading', () => {
    test('returns null for an entry that does not exist', async () => {
      const { content } = service
      expect(await content.as(ANONYMOUS).get('posts', 'nothing')).toBeNull()
      expect(await content.get('posts', NOBODY)).toBeNull()
      expect(await content.as(ANONYMOUS).get('ledgers', 'nothing')).toBeNull()
      expect(await content.as(ANONYMOUS).get('posts', '')).toBeNull()
      expect(await content.as(ANONYMOUS).get('posts', '\0')).toBeNull()
      expect(await content.as(ANONYMOUS).get('posts', 'a'.repeat(10_000))).toBeNull()
    })

    test('throws NOT_FOUND for a collection or global that is not configured', async () => {
      const { content } = service
      for (const key of ['nothing', 'site', 'posts$search', 'daybook$meta', 'constructor', '__proto__']) {
        expect(await codeOf(content.as(ANONYMOUS).list(key as never))).toBe('NOT_FOUND')
        expect(await codeOf(content.as(ANONYMOUS).get(key as never, 'a'))).toBe('NOT_FOUND')
        expect(await codeOf(content.create(key as never, {} as never))).toBe('NOT_FOUND')
      }
      for (const key of ['nothing', 'posts', 'constructor', '__proto__']) {
        expect(await codeOf(content.as(ANONYMOUS).readGlobal(key as never))).toBe('NOT_FOUND')
        expect(await codeOf(content.writeGlobal(key as never, {} as never))).toBe('NOT_FOUND')
      }
    })

    test('finds an entry by slug and by id, whatever the case of the id', async () => {
      const { content } = service
      const post = await content.create('posts', { title: 'Crème brûlée' })
      expect(await content.as(ANONYMOUS).get('posts', 'creme-brulee')).toMatchObject({ id: post.id })
      expect(await content.as(ANONYMOUS).get('posts', post.id)).toMatchObject({ id: post.id })
      expect(await content.as(ANONYMOUS).get('posts', post.id.toUpperCase())).toMatchObject({ id: post.id })
    })

    test('lists page by page with the parameters of the HTTP API', async () => {
      const { content } = service
      for (const title of ['c', 'a', 'b']) await content.create('posts', { title, notes: title === 'b' ? 'n' : null })
      const first = await content.as(ANONYMOUS).list('posts', { sort: 'title', limit: 2, select: ['title'] })
      expect(first).toMatchObject({ collection: 'posts', total: 3, limit: 2, offset: 0 })
      expect(first.items).toEqual([
        { id: expect.any(String), title: 'a' },
        { id: expect.any(String), title: 'b' },
      ])
      const next = await content.as(ANONYMOUS).list('posts', {
        sort: 'title',
        limit: 2,
        select: ['title'],
        cursor: String(first.nextCursor),
      })
      expect(next.items).toMatchObject([{ title: 'c' }])
      expect(next.nextCursor).toBeNull()
      expect(
        (await content.as(ANONYMOUS).list('posts', { sort: ['-title', 'id'] })).items.map(({ title }) => title),
      ).toEqual(['c', 'b', 'a'])
      const { items } = await content.list('posts', { sort: ['notes', 'title'], nulls: 'last' })
      expect(items.map(({ title }) => title)).toEqual(['b', 'a', 'c'])
      expect(await content.as(ANONYMOUS).list('posts', { limit: 0 })).toMatchObject({ total: 3, items: [] })
    })

    test.each([
      { limit: -1 },
      { limit: 1.5 },
      { offset: Number.NaN },
      { sort: 'nothing' },
      { sort: 'notes' },
      { select: ['notes'] },
      { select: ['__proto__'] },
      { status: 'review' },
      { cursor: 'nonsense' },
      { unknown: 1 },
    ])('refuses the question %j', async (query) => {
      expect(await codeOf(service.content.as(ANONYMOUS).list('posts', query as never))).toBe('VALIDATION_ERROR')
    })

    test('returns a global that was never written with empty fields', async () => {
      expect(await service.content.as(ANONYMOUS).readGlobal('site')).toEqual({
        key: 'site',
        name: null,
        about: null,
        aboutHtml: null,
      })
    })
  })

  describe('writing', () => {
    test('returns the stored entry with id, times and generated values', async () => {
      const post = await service.content.create('posts', { title: 'A' })
      expect(post).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        title: 'A',
        slug: 'a',
        state: 'published',
        notes: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: post.createdAt,
        createdBy: 'system',
        updatedBy: 'system',
      })
      expect(await service.content.get('posts', post.id)).toEqual(post)
    })

    test('ignores read-only keys and rejects unknown ones, each with its path', async () => {
      const { content } = service
      const body = { title: 'A', id: NOBODY, createdAt: 'x', updatedAt: 'y' }
      const post = await content.create('posts', body)
      expect(post.id).not.toBe(NOBODY)
      const error = await content
        .create('posts', { title: 5, nothing: 1, 'a/b~c': 2 } as never)
        .catch((reason) => reason)
      expect(error).toBeInstanceOf(DaybookError)
      expect(error.status).toBe(400)
      expect(error.details.issues).toEqual(
        expect.arrayContaining([
          { path: '/title', code: 'type', params: { types: ['string'] }, message: 'title must be a string.' },
          { path: '/nothing', code: 'unknown_field', message: 'Unknown field "nothing".' },
          { path: '/a~1b~0c', code: 'unknown_field', message: 'Unknown field "a/b~c".' },
        ]),
      )
    })

    test.each([undefined, null, 5, 'text', [], [{}]])('rejects the body %j', async (body) => {
      expect(await codeOf(service.content.create('posts', body as never))).toBe('VALIDATION_ERROR')
      expect(await codeOf(service.content.writeGlobal('site', body as never))).toBe('VALIDATION_ERROR')
    })

    test('names the field when a unique value is already used', async () => {
      const { content } = service
      await content.create('posts', { title: 'A', slug: 'a' })
      const error = await content.create('posts', { title: 'B', slug: 'a' }).catch((reason) => reason)
      expect(error).toMatchObject({ code: 'CONFLICT', status: 409, details: { field: 'slug' } })
    })

    test('throws NOT_FOUND for changes of entries that do not exist', async () => {
      const { content } = service
      for (const id of [NOBODY, 'a', '', 'x'.repeat(500)]) {
        expect(await codeOf(content.update('posts', id, { title: 'B' }))).toBe('NOT_FOUND')
        expect(await codeOf(content.delete('posts', id))).toBe('NOT_FOUND')
      }
    })

    test('takes the time of an import as the moment it names', async () => {
      const { content } = service
      const createdAt = '2019-05-01T10:00:00+02:00'
      const post = await content.create('posts', { title: 'A' }, { createdAt })
      expect(post.createdAt).toBe('2019-05-01T08:00:00.000Z')
      const day = await content.create('posts', { title: 'B' }, { createdAt: '2019-05-01' })
      expect(day.createdAt).toBe('2019-05-01T00:00:00.000Z')
    })

    test.each(['yesterday', '', '2019-02-30T00:00:00Z'])(
      'rejects the creation time %j of an import',
      async (createdAt) => {
        expect(await codeOf(service.content.create('posts', { title: 'A' }, { createdAt }))).toBe('VALIDATION_ERROR')
        expect(await service.content.as(ANONYMOUS).list('posts')).toMatchObject({ total: 0 })
      },
    )

    /** Checks that a generated slug is accepted as a slug in a body. */
    async function expectOwnSlug(title: string): Promise<void> {
      const { content } = service
      const { id, slug } = await content.create('posts', { title })
      await content.delete('posts', id)
      const entry = await content.create('posts', { title: 'own', slug })
      expect(entry.slug).toBe(slug)
      expect(await content.as(ANONYMOUS).get('posts', slug)).toMatchObject({ id: entry.id })
      await content.delete('posts', entry.id)
    }

    const CUT = { 'at a space': `${'a'.repeat(191)} b`, 'inside a letter': `${'a'.repeat(190)} \u{20000}b` }

    test.each([NOBODY, '🙂', '-', 'Ａ １', 'İstanbul', "Don't", ...Object.values(CUT)])(
      'generates a slug from %s that is also accepted in a body',
      (title) => expectOwnSlug(title),
    )

    test('generates a slug from any title that is also accepted in a body', async () => {
      const letters = fc.constantFrom('a', '-', ' ', '𠀀', 'é', 'ﬁ', 'İ', '\u0301', '.', '_', "'")
      const long = fc.array(letters, { minLength: 150, maxLength: 180 }).map((all) => all.join(''))
      const titles = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }), long)
      const usable = titles.filter(
        (title) => title.length <= 512 && /\S/.test(title) && !title.includes('\0') && title.isWellFormed(),
      )
      await fc.assert(fc.asyncProperty(usable, expectOwnSlug), { numRuns: 150, endOnFailure: true })
    })
  })

  describe('ifMatch', () => {
    async function tagOf(path: string): Promise<string> {
      const response = await service.request(path, { headers: { authorization: `Bearer ${service.token}` } })
      return String(response.headers.get('etag'))
    }

    test('accepts a change of the current revision and rejects one of an older revision', async () => {
      const { content } = service
      const { id } = await content.create('posts', { title: 'A' })
      const old = await tagOf(`/api/posts/${id}`)
      await content.update('posts', id, { title: 'B' }, { ifMatch: old })
      const current = await tagOf(`/api/posts/${id}`)
      const error = await content.update('posts', id, { title: 'C' }, { ifMatch: old }).catch((reason) => reason)
      expect(error).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412, details: { current } })
      expect(await codeOf(content.delete('posts', id, { ifMatch: old }))).toBe('PRECONDITION_FAILED')
      await content.delete('posts', id, { ifMatch: current })
      expect(await content.as(ANONYMOUS).get('posts', id)).toBeNull()
    })

    test('accepts a tag with and without its quotes, and * for any revision', async () => {
      const { content } = service
      const { id } = await content.create('posts', { title: 'A' })
      const tag = await tagOf(`/api/posts/${id}`)
      await content.update('posts', id, { title: 'B' }, { ifMatch: tag.replaceAll('"', '') })
      await content.update('posts', id, { title: 'C' }, { ifMatch: '*' })
      expect(await codeOf(content.update('posts', id, { title: 'D' }, { ifMatch: `W/${tag}` }))).toBe(
        'PRECONDITION_FAILED',
      )
    })

    test('is required if the config requires it', async () => {
      const { content } = service
      const { id } = await content.create('ledgers', { title: 'A' })
      expect(await codeOf(content.update('ledgers', id, { title: 'B' }))).toBe('PRECONDITION_REQUIRED')
      expect(await codeOf(content.delete('ledgers', id))).toBe('PRECONDITION_REQUIRED')
      await content.delete('ledgers', id, { ifMatch: await tagOf(`/api/ledgers/${id}`) })
    })

    test('applies to globals, too', async () => {
      const { content } = service
      await content.writeGlobal('site', { name: 'A' })
      const old = await tagOf('/api/globals/site')
      await content.writeGlobal('site', { name: 'B' }, { ifMatch: old })
      expect(await codeOf(content.writeGlobal('site', { name: 'C' }, { ifMatch: old }))).toBe('PRECONDITION_FAILED')
      expect(await content.as(ANONYMOUS).readGlobal('site')).toMatchObject({ name: 'B' })
    })
  })
})

test.each(POLICY_STORES)('two services in one process do not share cached queries on $name', async (store) => {
  const first = await store.open({ collections: { posts: { fields: { title: f.text(), rank: f.integer() } } } })
  const second = await store.open({ collections: { posts: { fields: { name: f.text() } } } })
  try {
    const caller = SYSTEM
    await first.content.as(caller).create('posts', { title: 'first', rank: 1 } as never)
    await second.content.as(caller).create('posts', { name: 'second' } as never)
    const list = async ({ fetch }: Pick<typeof first, 'fetch'>, query: string): Promise<Response> =>
      fetch(new Request(`http://daybook.test/api/posts?${query}`))
    expect(await (await list(first, 'limit=5')).json()).toMatchObject({ items: [{ title: 'first', rank: 1 }] })
    const { items } = (await (await list(second, 'limit=5')).json()) as { items: readonly object[] }
    expect(Object.keys(items[0] ?? {})).toEqual(['id', 'name', 'createdAt', 'updatedAt'])
    expect((await list(first, 'where[rank][eq]=1')).status).toBe(200)
    expect((await list(second, 'where[rank][eq]=1')).status).toBe(400)
  } finally {
    await first.close()
    await second.close()
  }
})
