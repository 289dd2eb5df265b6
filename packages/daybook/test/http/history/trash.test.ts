import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor, type EditorResponse } from '../drafts/editor.ts'

const people = new People({ ann: ['editor'], ben: ['editor'], cleo: [] })
const editors = hasRole('editor')

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true }),
        author: f.relation('authors'),
        secret: f.text({ access: { read: editors, write: editors } }),
      },
    }),
    authors: defineCollection({ fields: { name: f.text({ required: true }), friend: f.relation('authors') } }),
    // Every session may read and change entries; only editors create them.
    made: defineCollection({ fields: { text: f.text() }, access: { create: editors } }),
    // Callers do not see the drafts of other authors.
    own: defineCollection({
      fields: { text: f.text(), status: f.status() },
      access: { draft: (caller) => editors(caller) || { createdBy: { eq: caller.identity?.subject ?? '' } } },
    }),
    // The rules depend on the entry, and on the entry that it refers to.
    teams: defineCollection({ fields: { name: f.text() } }),
    members: defineCollection({
      fields: { name: f.text(), team: f.relation('teams'), level: f.number() },
      access: {
        create: ({ identity }) => ({ level: { lt: identity?.roles.includes('editor') ? 9 : 5 } }),
        update: (caller) => editors(caller) || { 'team.name': { eq: 'open' } },
      },
    }),
    secrets: defineCollection({
      fields: { code: f.text({ access: { read: editors } }) },
      people: { read: editors },
    }),
    fixed: defineCollection({
      fields: { text: f.text(), locked: f.boolean() },
      access: { update: ({ entry }) => entry?.locked !== true },
    }),
  },
})

describe.each(STORES)('restoring deleted entries on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
  })
  afterEach(() => service.close())

  const make = async (collection: string, data: object, as = 'ann'): Promise<string> =>
    (await editor.post(`/api/${collection}`, data, { as })).body.id
  const remove = async (collection: string, id: string): Promise<void> => {
    expect((await editor.delete(`/api/${collection}/${id}`)).status).toBe(204)
  }
  const restore = (
    collection: string,
    id: string,
    body: object = {},
    as: string | null = 'ann',
    query = '',
  ): Promise<EditorResponse> => editor.post(`/api/${collection}/${id}/restore${query}`, body, { as })

  test('restores the last content as a draft, with its id, in all locales', async () => {
    const id = await make('posts', { title: 'Ink', secret: 'hush' }, 'ben')
    await editor.put(`/api/posts/${id}?locale=de`, { title: 'Tinte' })
    const { body: before } = await editor.get(`/api/posts/${id}`)
    const since = (await editor.get('/api/cms/changes', null)).body.next
    await remove('posts', id)
    const { status, body, headers } = await restore('posts', id)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...before, status: 'draft', updatedBy: 'ann', updatedAt: expect.any(String), hasDraft: false },
    })
    expect(body).toMatchObject({ createdBy: 'ben', secret: 'hush' })
    expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(404)
    const published = await editor.post(`/api/posts/${id}/publish`)
    expect(published.body).toMatchObject({ status: 'published', slug: 'ink' })
    expect((await editor.get('/api/posts/ink?locale=de', null)).body).toMatchObject({ id, title: 'Tinte' })
    expect((await editor.get('/api/posts?q=ink', null)).body.items).toHaveLength(1)
    const { body: changes } = await editor.get(`/api/cms/changes?since=${since}`, null)
    expect(changes.items).toMatchObject([{ action: 'upsert', id }])
    const { body: versions } = await editor.get(`/api/posts/${id}/versions`)
    expect(versions.items.map(({ action }) => action)).toEqual(['publish', 'create', 'delete', 'update', 'create'])
    expect(versions.items[1]?.revision).toBe(Number(headers.get('Daybook-Seq') ?? versions.items[1]?.revision))
  })

  test('restores the last draft unless it was discarded, or the requested version', async () => {
    const id = await make('posts', { title: 'One' })
    const first = Number((await editor.get(`/api/posts/${id}/versions`)).body.items[0]?.revision)
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Two' })
    await remove('posts', id)
    expect((await restore('posts', id)).body).toMatchObject({ title: 'Two' })
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Three' })
    await editor.delete(`/api/posts/${id}?draft=true`)
    await remove('posts', id)
    expect((await restore('posts', id)).body).toMatchObject({ title: 'Two' })
    await remove('posts', id)
    expect((await restore('posts', id, { revision: first })).body).toMatchObject({ title: 'One' })
    await remove('posts', id)
    expect(await restore('posts', id, { revision: 999 })).toMatchObject({ status: 404 })
    // A restore can be undone like any other change.
    const back = await restore('posts', id)
    const { items } = (await editor.get(`/api/posts/${id}/versions`)).body
    expect(back.status).toBe(200)
    await editor.post('/api/cms/undo', { from: items[0]?.revision })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).status).toBe(404)
  })

  test('names the field whose value another entry has, and accepts another slug', async () => {
    const id = await make('posts', { title: 'Ink', code: 'a' })
    await remove('posts', id)
    const second = await make('posts', { title: 'Ink' })
    expect(await restore('posts', id)).toMatchObject({ status: 409, body: { details: { field: 'slug' } } })
    const faulty = await restore('posts', id, { slug: 'No slug' })
    expect(faulty).toMatchObject({ status: 400, body: { details: { issues: [{ path: '/slug' }] } } })
    expect(await restore('posts', id, { slug: 'ink-again' })).toMatchObject({
      status: 200,
      body: { slug: 'ink-again' },
    })
    await remove('posts', id)
    await editor.put(`/api/posts/${second}`, { code: 'a' })
    expect(await restore('posts', id)).toMatchObject({ status: 409, body: { details: { field: 'code' } } })
    // Restoring an existing entry needs a revision and keeps the slug.
    expect(await restore('posts', second)).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: '/revision' }] } },
    })
    expect(await restore('posts', second, { revision: 1, slug: 'x' })).toMatchObject({ status: 400 })
    expect(await restore('posts', 'ffffffff-0000-7000-8000-000000000000')).toMatchObject({ status: 404 })
  })

  test('removes references to deleted entries', async () => {
    const author = await make('authors', { name: 'Mia' })
    const id = await make('posts', { title: 'Ink', author })
    await remove('posts', id)
    await remove('authors', author)
    expect((await restore('posts', id)).body).toMatchObject({ author: null })
    // Entries without a status are restored as they were; they may refer to themselves.
    expect((await restore('authors', author)).body).toMatchObject({ id: author, name: 'Mia' })
    await editor.put(`/api/authors/${author}`, { friend: author })
    await remove('authors', author)
    expect((await restore('authors', author)).body).toMatchObject({ friend: author })
  })

  test('works in dry runs and batches', async () => {
    const id = await make('posts', { title: 'Ink' })
    await remove('posts', id)
    expect((await restore('posts', id, {}, 'ann', '?dryRun=true')).body).toMatchObject({ id, status: 'draft' })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).status).toBe(404)
    const operations = [{ op: 'restore', collection: 'posts', id, data: {} }]
    expect((await editor.post('/api/cms/batch', { operations })).status).toBe(200)
    expect((await editor.get(`/api/posts/${id}?draft=true`)).status).toBe(200)
  })

  const listDeleted = (collection: string, query = '', as: string | null = 'ann'): Promise<EditorResponse> =>
    editor.get(`/api/${collection}?deleted=true${query}`, as)

  test('lists deleted entries in pages, the last deletion first, until they are restored', async () => {
    const ids: string[] = []
    for (const title of ['One', 'Two', 'Three', 'Four']) ids.push(await make('posts', { title }, 'ben'))
    const [firstPost = '', secondPost = '', thirdPost = '', fourthPost = ''] = ids
    await editor.put(`/api/posts/${secondPost}?draft=true`, { title: 'Two, changed' })
    for (const id of [thirdPost, firstPost, secondPost]) await remove('posts', id)
    const { status, body, headers } = await listDeleted('posts')
    expect({ status, items: body.items.map(({ id }) => id) }).toEqual({
      status: 200,
      items: [secondPost, firstPost, thirdPost],
    })
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(body.nextCursor).toBeNull()
    expect(body.items[0]).toEqual({
      collection: 'posts',
      id: secondPost,
      title: 'Two, changed',
      slug: 'two',
      status: 'published',
      deletedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      deletedBy: 'ann',
    })
    const first = (await listDeleted('posts', '&limit=2')).body
    expect(first.items.map(({ id }) => id)).toEqual([secondPost, firstPost])
    // Later deletions come first, and do not shift the next page.
    await remove('posts', fourthPost)
    const second = (await listDeleted('posts', `&limit=2&cursor=${first.nextCursor}`)).body
    expect(second).toMatchObject({ items: [{ id: thirdPost }], nextCursor: null })
    await restore('posts', firstPost)
    await restore('posts', secondPost)
    await remove('posts', secondPost)
    expect((await listDeleted('posts')).body.items.map(({ id }) => id)).toEqual([secondPost, fourthPost, thirdPost])
    expect((await editor.get('/api/posts?deleted=false')).body.items.map(({ id }) => id)).toEqual([firstPost])
  })

  test('lists only entries that the caller may restore, without hidden fields', async () => {
    const open = await make('teams', { name: 'open' })
    const shut = await make('teams', { name: 'shut' })
    const reachable = await make('members', { name: 'a', team: open, level: 1 })
    const entries = [reachable, await make('members', { name: 'b', team: open, level: 7 })]
    entries.push(await make('members', { name: 'c', team: shut, level: 1 }), await make('members', { level: 1 }))
    for (const id of entries) await remove('members', id)
    for (const as of ['ann', 'cleo']) {
      const { items } = (await listDeleted('members', '', as)).body
      const restored: string[] = []
      for (const id of entries)
        if ((await restore('members', id, {}, as, '?dryRun=true')).status === 200) restored.push(id)
      expect(items.map(({ id }) => id).sort()).toEqual(restored.sort())
      expect(restored).toHaveLength(as === 'ann' ? 4 : 1)
    }
    // Entries that a rule excludes leave gaps, which do not end the list.
    const { body } = await listDeleted('members', '&limit=1', 'cleo')
    expect(body.items).toMatchObject([{ id: reachable, title: 'a' }])
    const locked = await make('fixed', { text: 'x', locked: true })
    await remove('fixed', locked)
    expect((await listDeleted('fixed')).body.items).toEqual([])
    const secret = await make('secrets', { code: 'hush' })
    await remove('secrets', secret)
    expect((await listDeleted('secrets')).body.items).toMatchObject([{ title: 'hush', deletedBy: 'ann' }])
    const [item] = (await listDeleted('secrets', '', 'cleo')).body.items
    expect(item).toEqual({ collection: 'secrets', id: secret, title: null, deletedAt: expect.any(String) })
  })

  test('rejects callers who may restore nothing, and invalid requests', async () => {
    expect(await listDeleted('posts', '', null)).toMatchObject({ status: 401 })
    expect(await listDeleted('made', '', 'cleo')).toMatchObject({ status: 403 })
    expect(await listDeleted('own', '', 'cleo')).toMatchObject({ status: 403 })
    expect(await listDeleted('own')).toMatchObject({ status: 200, body: { items: [] } })
    const cursor = Buffer.from('["deleted authors",9]').toString('base64url')
    const refusals = [
      ['offset=0', 'offset'],
      ['limit=0', 'limit'],
      ['where[title][eq]=x', 'where'],
      ['draft=true', 'draft'],
      ['locale=de', 'locale'],
      ['sort=title', 'sort'],
      [`cursor=${cursor}`, 'cursor'],
    ]
    for (const [query, path] of refusals)
      expect(await listDeleted('posts', `&${query}`), query).toMatchObject({
        status: 400,
        body: { details: { issues: [{ path }] } },
      })
  })

  test('needs the rights to create, to update and to see all entries and drafts, and keeps fields that the caller may not write', async () => {
    const curated = await make('made', { text: 'x' })
    const ownDraft = await make('own', { text: 'x', status: 'draft' }, 'cleo')
    const fixed = await make('fixed', { text: 'x', locked: true })
    const post = await make('posts', { title: 'Ink', secret: 'hush' })
    const [before] = (await editor.get(`/api/posts/${post}/versions`)).body.items
    await editor.put(`/api/posts/${post}`, { secret: 'other' })
    await remove('made', curated)
    await remove('own', ownDraft)
    await remove('fixed', fixed)
    await remove('posts', post)
    expect(await restore('made', curated, {}, null)).toMatchObject({ status: 401 })
    expect(await restore('made', curated, {}, 'cleo')).toMatchObject({ status: 403 })
    expect(await restore('made', curated)).toMatchObject({ status: 200 })
    expect(await restore('own', ownDraft, {}, 'cleo')).toMatchObject({ status: 404 })
    expect(await restore('own', ownDraft)).toMatchObject({ status: 200, body: { createdBy: 'cleo' } })
    expect(await restore('fixed', fixed)).toMatchObject({ status: 403 })
    const { body } = await restore('posts', post, { revision: before?.revision }, 'cleo')
    expect(body).toMatchObject({ title: 'Ink' })
    expect(body).not.toHaveProperty('secret')
    expect((await editor.get(`/api/posts/${post}?draft=true`)).body).toMatchObject({ secret: 'other' })
  })
})
