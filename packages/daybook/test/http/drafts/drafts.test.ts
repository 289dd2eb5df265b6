import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: ['editor'], ben: ['editor'], cleo: [] })

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true, maxLength: 40 }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        body: f.markdown(),
        code: f.text({ unique: true }),
        parts: f.list(f.group({ name: f.text({ required: true }), note: f.text({ localized: true }) })),
        author: f.relation('authors'),
        secret: f.text({ access: { read: hasRole('editor'), write: hasRole('editor') } }),
        pinned: f.boolean({ access: { write: hasRole('editor') } }),
      },
      access: {
        update: ({ identity }) => identity?.roles.includes('editor') === true || { status: { eq: 'draft' } },
      },
    }),
    authors: defineCollection({ fields: { name: f.text({ required: true }), status: f.status() } }),
    notes: defineCollection({ fields: { text: f.text() } }),
    deals: defineCollection({
      fields: {
        title: f.text(),
        status: f.status(),
        sponsor: f.relation('authors', { access: { read: hasRole('editor') } }),
      },
    }),
    strict: defineCollection({ requireIfMatch: true, fields: { title: f.text(), status: f.status() } }),
  },
})

describe.each(STORES)('drafts on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
  })
  afterEach(async () => {
    await service.close()
  })

  const make = async (data: object = {}, collection = 'posts'): Promise<string> =>
    (await editor.post(`/api/${collection}`, collection === 'posts' ? { title: 'Hello', ...data } : data)).body.id
  const seen = async (path: string): Promise<string> => {
    const response = await service.request(path)
    return `${response.status} ${response.headers.get('ETag')} ${await response.text()}`
  }

  describe('saving', () => {
    test('changes neither bytes nor tags of public responses', async () => {
      const id = await make()
      const paths = [`/api/posts/${id}`, '/api/posts/hello', '/api/posts', '/api/posts?q=hello', '/api/posts?limit=0']
      const before = await Promise.all(paths.map(seen))
      const session = await editor.get(`/api/posts/${id}`)
      const saved = await editor.put(`/api/posts/${id}?draft=true`, { title: 'Bye', body: '*x*' })
      expect(saved).toMatchObject({
        status: 200,
        body: { title: 'Bye', bodyHtml: '<p><em>x</em></p>', hasDraft: true },
      })
      expect(await Promise.all(paths.map(seen))).toEqual(before)
      expect((await editor.get(`/api/posts/${id}`)).body).toEqual(session.body)
      const shown = await editor.get(`/api/posts/${id}?draft=true`)
      expect(shown.body).toEqual(saved.body)
      expect(shown.tag).toBe(saved.tag)
      expect(shown.body).toMatchObject({ status: 'published', updatedBy: 'ann', publishAt: null, unpublishAt: null })
    })

    test('allows required fields to be empty, but checks types', async () => {
      const id = await make()
      const path = `/api/posts/${id}?draft=true`
      expect(await editor.put(path, { title: null, parts: [{ note: 'n' }, {}] })).toMatchObject({
        status: 200,
        body: { title: null, parts: [{ name: null, note: 'n' }, { name: null }] },
      })
      expect((await editor.put(path, { title: '' })).body.title).toBe('')
      expect((await editor.put(path, { title: 5 })).body.details?.issues).toMatchObject([
        { path: '/title', code: 'type' },
      ])
      expect((await editor.put(path, { title: 'x'.repeat(41) })).status).toBe(400)
      expect((await editor.put(path, { titel: 'x' })).body.details?.issues).toMatchObject([
        { path: '/titel', code: 'unknown_field' },
      ])
    })

    test('accepts the draft as it was read, but no other status', async () => {
      const id = await make()
      const path = `/api/posts/${id}?draft=true`
      const read = await editor.get(path)
      expect(await editor.put(path, read.body)).toMatchObject({ status: 200, body: { hasDraft: false } })
      expect(await editor.put(path, { ...read.body, title: 'Other' })).toMatchObject({
        status: 200,
        body: { hasDraft: true },
      })
      const refused = await editor.put(path, { status: 'archived' })
      expect(refused).toMatchObject({
        status: 400,
        body: { details: { issues: [{ path: '/status', code: 'draft' }] } },
      })
    })

    test('merges as PATCH does', async () => {
      const id = await make({ code: 'a' })
      const path = `/api/posts/${id}?draft=true`
      await editor.send('PATCH', path, { title: 'Patched' }, { type: 'application/merge-patch+json' })
      const { body } = await editor.send('PATCH', path, { code: null }, { type: 'application/merge-patch+json' })
      expect(body).toMatchObject({ title: 'Patched', code: null })
    })

    test('is for collections with a status, and for sessions', async () => {
      const { body } = await editor.post('/api/notes', { text: 'n' })
      expect((await editor.put(`/api/notes/${body.id}?draft=true`, { text: 'm' })).status).toBe(400)
      expect((await editor.post(`/api/notes/${body.id}/publish`)).status).toBe(404)
      const id = await make()
      for (const path of [`/api/posts/${id}?draft=true`, '/api/posts?draft=true'])
        expect((await editor.get(path, null)).status, path).toBe(401)
      expect((await editor.put(`/api/posts/${id}?draft=true`, {}, { as: null })).status).toBe(401)
    })

    test('compares If-Match with the tag of the draft, or of the entry without one', async () => {
      const id = await make({}, 'strict')
      const path = `/api/strict/${id}?draft=true`
      expect((await editor.put(path, { title: 'a' })).status).toBe(428)
      const published = await editor.get(`/api/strict/${id}`)
      const first = await editor.put(path, { title: 'a' }, { ifMatch: published.tag })
      expect(first.status).toBe(200)
      const stale = await editor.put(path, { title: 'b' }, { ifMatch: published.tag })
      expect(stale).toMatchObject({ status: 412, body: { code: 'PRECONDITION_FAILED' } })
      expect((await editor.put(path, { title: 'b' }, { ifMatch: first.tag })).status).toBe(200)
      // The tag of the entry has not changed.
      expect((await editor.put(`/api/strict/${id}`, { title: 'c' }, { ifMatch: published.tag })).status).toBe(200)
    })

    test('in one locale leaves the others unchanged', async () => {
      const id = await make()
      await editor.put(`/api/posts/${id}?locale=de`, { title: 'Hallo' })
      await editor.put(`/api/posts/${id}?locale=de&draft=true`, { title: 'Tschau' })
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body.title).toBe('Hello')
      expect((await editor.get(`/api/posts/${id}?draft=true&locale=de`)).body.title).toBe('Tschau')
      expect((await editor.get(`/api/posts/${id}?draft=true&locale=all`)).body.title).toEqual({
        en: 'Hello',
        de: 'Tschau',
      })
      expect((await editor.get(`/api/posts/${id}?locale=de`)).body.title).toBe('Hallo')
    })

    test('rejects fields that the caller may not write', async () => {
      const id = await make({ status: 'draft' })
      expect((await editor.put(`/api/posts/${id}?draft=true`, { secret: 's' }, { as: 'cleo' })).status).toBe(400)
      expect((await editor.put(`/api/posts/${id}?draft=true`, { secret: 's' })).status).toBe(200)
      expect((await editor.get(`/api/posts/${id}?draft=true`, 'cleo')).body).not.toHaveProperty('secret')
    })

    test('an update of the entry also applies to its draft', async () => {
      const id = await make({ code: 'a' })
      await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft' })
      await editor.put(`/api/posts/${id}`, { code: 'b' })
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ title: 'Draft', code: 'b' })
      await editor.post(`/api/posts/${id}/publish`)
      expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ title: 'Draft', code: 'b' })
    })
  })

  describe('autosaves', () => {
    test('of one actor replace each other in history', async () => {
      const id = await make()
      const save = (title: string, query: string, as = 'ann') =>
        editor.put(`/api/posts/${id}?draft=true${query}`, { title }, { as })
      for (const title of ['a', 'ab', 'abc']) await save(title, '&autosave=true')
      await save('Ben', '&autosave=true', 'ben')
      await save('abcd', '')
      const rows = await service.rows(
        "SELECT journal.seq, payload.doc FROM daybook$journal AS journal LEFT JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq WHERE journal.action = 'draft' ORDER BY journal.seq",
      )
      const titles = rows.map(({ doc }) => (doc === null ? null : JSON.parse(String(doc)).title))
      // The last one is the current draft.
      expect(titles).toEqual([null, null, 'abc', 'Ben', null])
    })

    test('are only allowed with draft=true', async () => {
      const id = await make()
      expect((await editor.put(`/api/posts/${id}?autosave=true`, { title: 'x' })).status).toBe(400)
    })
  })

  describe('discarding', () => {
    test('restores the published content, and needs a draft', async () => {
      const id = await make()
      const { tag } = await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft' })
      expect((await editor.delete(`/api/posts/${id}?draft=true`, { ifMatch: '"1.x"' })).status).toBe(412)
      expect((await editor.delete(`/api/posts/${id}?draft=true`, { ifMatch: tag })).status).toBe(204)
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ title: 'Hello', hasDraft: false })
      expect((await editor.delete(`/api/posts/${id}?draft=true`)).status).toBe(404)
      expect((await editor.get(`/api/posts/${id}`)).status).toBe(200)
    })
  })

  describe('publishing', () => {
    test('makes the draft public', async () => {
      const id = await make()
      const draft = await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft', slug: 'draft' })
      expect((await editor.post(`/api/posts/${id}/publish`, undefined, { ifMatch: '"1.x"' })).status).toBe(412)
      const published = await editor.post(`/api/posts/${id}/publish`, undefined, { ifMatch: draft.tag })
      expect(published).toMatchObject({ status: 200, body: { title: 'Draft', slug: 'draft', status: 'published' } })
      expect(published.headers.get('Daybook-Seq')).toBe('3')
      expect((await editor.get('/api/posts/draft', null)).body).toMatchObject({ title: 'Draft' })
      expect((await editor.get('/api/posts/hello', null)).status).toBe(404)
      expect((await editor.get('/api/posts?q=draft', null)).body.items).toHaveLength(1)
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ hasDraft: false })
    })

    test('needs required fields, and changes nothing without them', async () => {
      const id = await make()
      await editor.put(`/api/posts/${id}?draft=true`, { title: null, parts: [{}] })
      const before = await seen(`/api/posts/${id}`)
      const refused = await editor.post(`/api/posts/${id}/publish`)
      expect(refused.status).toBe(400)
      expect(refused.body.details?.issues?.map(({ path }) => path)).toEqual(['/title', '/parts/0/name'])
      expect(await seen(`/api/posts/${id}`)).toBe(before)
      await editor.put(`/api/posts/${id}?draft=true`, { title: 'Now', parts: [{ name: 'n' }] })
      expect((await editor.post(`/api/posts/${id}/publish`)).status).toBe(200)
    })

    test('accepts an empty body of any type, and JSON', async () => {
      const id = await make({ status: 'draft' })
      const send = (type: string, body?: string): Promise<Response> =>
        service.request(`/api/posts/${id}/publish`, {
          method: 'POST',
          headers: { Authorization: 'Bearer ann', 'Content-Type': type },
          ...(body === undefined ? {} : { body }),
        })
      expect((await send('text/plain', '{}')).status).toBe(415)
      expect((await send('application/json', '{')).status).toBe(400)
      expect((await send('application/json')).status).toBe(200)
    })

    test('publishes an entry without a draft as it is, and does nothing the second time', async () => {
      const id = await make({ status: 'draft' })
      expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(404)
      const first = await editor.post(`/api/posts/${id}/publish`)
      const again = await editor.post(`/api/posts/${id}/publish`)
      expect(first.body.status).toBe('published')
      expect(again).toMatchObject({ status: 200, tag: first.tag })
    })

    test('rejects taken unique values and references to deleted entries', async () => {
      await make({ title: 'Other', code: 'taken' })
      const author = (await editor.post('/api/authors', { name: 'A' })).body.id
      const id = await make()
      await editor.put(`/api/posts/${id}?draft=true`, { code: 'taken', author })
      expect(await editor.post(`/api/posts/${id}/publish`)).toMatchObject({
        status: 409,
        body: { details: { field: 'code' } },
      })
      await editor.put(`/api/posts/${id}?draft=true`, { code: null })
      await editor.delete(`/api/authors/${author}`)
      expect((await editor.post(`/api/posts/${id}/publish`)).body.details?.issues).toMatchObject([
        { path: '/author', code: 'reference' },
      ])
    })

    test('one locale publishes its values and those of fields that are not localized', async () => {
      const id = await make({ code: 'a' })
      await editor.put(`/api/posts/${id}?locale=de`, { title: 'Hallo' })
      await editor.put(`/api/posts/${id}?draft=true`, { title: 'New', code: 'b' })
      await editor.put(`/api/posts/${id}?draft=true&locale=de`, { title: 'Neu' })
      await editor.post(`/api/posts/${id}/publish`, { locales: ['de'] })
      const read = async (query = ''): Promise<object> => (await editor.get(`/api/posts/${id}${query}`, null)).body
      expect(await read()).toMatchObject({ title: 'Hello', code: 'b' })
      expect(await read('?locale=de')).toMatchObject({ title: 'Neu', code: 'b' })
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ hasDraft: true, title: 'New' })
      await editor.post(`/api/posts/${id}/publish`, { locales: ['en'] })
      expect(await read()).toMatchObject({ title: 'New', code: 'b' })
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body.hasDraft).toBe(false)
    })

    test.each([
      [{ locales: [] }, '/locales'],
      [{ locales: ['fr'] }, '/locales'],
      [{ locales: 'de' }, '/locales'],
      [{ publishAt: 'soon' }, '/publishAt'],
      [{ unpublishAt: '2030-01-01T00:00:00Z' }, '/unpublishAt'],
      [[], '/'],
    ])('rejects the body %j', async (body, path) => {
      const id = await make()
      const { status, body: error } = await editor.post(`/api/posts/${id}/publish`, body)
      expect({ status, path: error.details?.issues?.[0]?.path }).toEqual({ status: 400, path })
    })

    test('includes hidden fields without references to deleted entries, and does not reveal them', async () => {
      const [existing, deleted] = [await make({ name: 'A' }, 'authors'), await make({ name: 'B' }, 'authors')]
      const [first, second] = [await make({ title: 'One' }, 'deals'), await make({ title: 'Two' }, 'deals')]
      await editor.put(`/api/deals/${first}?draft=true`, { sponsor: existing })
      await editor.put(`/api/deals/${second}?draft=true`, { sponsor: deleted })
      await editor.delete(`/api/authors/${deleted}`)
      for (const id of [first, second]) {
        const { status, body } = await editor.post(`/api/deals/${id}/publish`, undefined, { as: 'cleo' })
        expect({ status, sponsor: body.sponsor }).toEqual({ status: 200, sponsor: undefined })
      }
      const sponsors = [await editor.get(`/api/deals/${first}`), await editor.get(`/api/deals/${second}`)]
      expect(sponsors.map(({ body }) => body.sponsor)).toEqual([existing, null])
    })

    test('is checked by the update rule, with the published result', async () => {
      const id = await make({ status: 'draft' })
      expect((await editor.put(`/api/posts/${id}?draft=true`, { title: 'Mine' }, { as: 'cleo' })).status).toBe(200)
      expect((await editor.post(`/api/posts/${id}/publish`, undefined, { as: 'cleo' })).status).toBe(403)
      const later = { publishAt: '2999-01-01T00:00:00Z' }
      expect((await editor.post(`/api/posts/${id}/publish`, later, { as: 'cleo' })).status).toBe(403)
      expect((await editor.post(`/api/posts/${id}/publish`)).status).toBe(200)
      expect((await editor.put(`/api/posts/${id}?draft=true`, { title: 'x' }, { as: 'cleo' })).status).toBe(403)
    })
  })

  describe('unpublishing', () => {
    test('hides the entry from the public, and keeps its draft', async () => {
      const id = await make()
      const { tag } = await editor.get(`/api/posts/${id}`, null)
      await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft' })
      const unpublished = await editor.post(`/api/posts/${id}/unpublish`)
      expect(unpublished.body).toMatchObject({ status: 'draft', title: 'Hello' })
      const response = await service.request(`/api/posts/${id}`, { headers: { 'If-None-Match': tag } })
      expect(response.status).toBe(404)
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({
        title: 'Draft',
        status: 'draft',
        hasDraft: true,
      })
    })

    test('keeps a draft that can still be saved', async () => {
      const id = await make()
      const path = `/api/posts/${id}?draft=true`
      await editor.put(path, { title: 'Draft' })
      await editor.post(`/api/posts/${id}/unpublish`)
      expect(await editor.put(path, { title: 'Later' })).toMatchObject({ status: 200, body: { status: 'draft' } })
      await editor.put(`/api/posts/${id}`, { status: 'archived' })
      expect(await editor.put(path, { title: 'Last' })).toMatchObject({ status: 200, body: { status: 'archived' } })
      expect(await editor.post(`/api/posts/${id}/publish`)).toMatchObject({ status: 200, body: { title: 'Last' } })
    })
  })

  describe('lists', () => {
    test('return drafts on request, with included entries as they are published', async () => {
      const author = (await editor.post('/api/authors', { name: 'A' })).body.id
      const id = await make({ author })
      await make({ title: 'Plain' })
      await editor.put(`/api/authors/${author}?draft=true`, { name: 'B' })
      const before = await editor.get('/api/posts?draft=true&sort=title')
      await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft' })
      const plain = await editor.get('/api/posts?sort=title')
      expect(plain.body.items.map(({ title }) => title)).toEqual(['Hello', 'Plain'])
      const drafts = await editor.get('/api/posts?draft=true&sort=title&include=author')
      expect(drafts.body.items).toMatchObject([
        { title: 'Draft', hasDraft: true, author: { name: 'A' } },
        { title: 'Plain', hasDraft: false },
      ])
      expect((await editor.get('/api/posts?draft=true&sort=title')).tag).not.toBe(before.tag)
      const selected = await editor.get('/api/posts?draft=true&select=title&sort=title')
      const about = { hasDraft: true, publishAt: null, unpublishAt: null, publishedLocales: ['en', 'de'] }
      expect(selected.body.items[0]).toEqual({ id, title: 'Draft', ...about })
    })
  })

  describe('batches', () => {
    test('publish several entries in one transaction, or none', async () => {
      const ids = [await make({ title: 'A', status: 'draft' }), await make({ title: 'B', status: 'draft' })]
      const operations = ids.map((id) => ({ op: 'publish', collection: 'posts', id }))
      await editor.put(`/api/posts/${ids[1]}?draft=true`, { title: null })
      const refused = await editor.post('/api/cms/batch', { operations })
      expect(refused).toMatchObject({ status: 400, body: { details: { operation: 1 } } })
      expect((await editor.get('/api/posts', null)).body.total).toBe(0)
      await editor.delete(`/api/posts/${ids[1]}?draft=true`)
      expect((await editor.post('/api/cms/batch', { operations })).body.results).toMatchObject([
        { op: 'publish', entry: { title: 'A', status: 'published' } },
        { op: 'publish', entry: { title: 'B', status: 'published' } },
      ])
      const changed = await editor.post('/api/cms/batch', {
        operations: [
          { op: 'update', collection: 'posts', id: ids[0], data: { title: 'C' } },
          { op: 'unpublish', collection: 'posts', id: ids[0] },
        ],
      })
      expect(changed.body.results).toMatchObject([{ op: 'update' }, { entry: { title: 'C', status: 'draft' } }])
    })

    test.each([
      [{ op: 'publish', collection: 'notes', id: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, '/op'],
      [{ op: 'restore', collection: 'posts', id: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, '/data'],
      [{ op: 'vanish', collection: 'posts', id: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, '/op'],
    ])('reject %j', async (operation, path) => {
      const { status, body } = await editor.post('/api/cms/batch', { operations: [operation] })
      expect({ status, path: body.details?.issues?.[0]?.path }).toEqual({ status: 400, path: `/operations/0${path}` })
    })
  })

  describe('restoring', () => {
    test('makes an earlier version the draft, and publishes nothing', async () => {
      const id = await make({ code: 'a' })
      await editor.put(`/api/posts/${id}`, { title: 'Second', code: 'b' })
      const before = await seen(`/api/posts/${id}`)
      const restored = await editor.post(`/api/posts/${id}/restore`, { revision: 1 })
      expect(restored.body).toMatchObject({ title: 'Hello', code: 'a', hasDraft: true })
      expect(await seen(`/api/posts/${id}`)).toBe(before)
      await editor.put(`/api/posts/${id}?draft=true`, { title: 'Third' })
      const back = await editor.post(`/api/posts/${id}/restore`, { revision: 3 })
      expect(back.body).toMatchObject({ title: 'Hello', code: 'a' })
    })

    test('makes it a new version in a collection without a status', async () => {
      const { body } = await editor.post('/api/notes', { text: 'one' })
      await editor.put(`/api/notes/${body.id}`, { text: 'two' })
      const restored = await editor.post(`/api/notes/${body.id}/restore`, { revision: 1 })
      expect(restored).toMatchObject({ status: 200, body: { text: 'one' } })
      expect((await editor.get(`/api/notes/${body.id}`, null)).body.text).toBe('one')
    })

    test.each([0, 99, 'one', null, undefined])('rejects the revision %j', async (revision) => {
      const id = await make()
      const { status } = await editor.post(`/api/posts/${id}/restore`, { revision })
      expect(status).toBe(revision === 99 ? 404 : 400)
    })

    test('keeps fields that the caller may not read or write', async () => {
      const id = await make({ status: 'draft', pinned: true, secret: 'then' })
      await editor.put(`/api/posts/${id}`, { title: 'Second', pinned: false, secret: 'now' })
      const restored = await editor.post(`/api/posts/${id}/restore`, { revision: 1 }, { as: 'cleo' })
      expect(restored.body).toMatchObject({ title: 'Hello', pinned: false })
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ secret: 'now' })
    })

    test('rejects the revision of another entry', async () => {
      const second = await make({ title: 'Other' })
      await editor.put(`/api/posts/${second}`, { title: 'Changed' })
      const id = await make()
      expect((await editor.post(`/api/posts/${id}/restore`, { revision: 1 })).status).toBe(404)
    })
  })
})
