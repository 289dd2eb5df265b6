import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor, type Told } from '../drafts/editor.ts'

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
    // Everyone signed in may read and change entries, and editors alone make them.
    made: defineCollection({ fields: { text: f.text() }, access: { create: editors } }),
    // Drafts of others are not there.
    own: defineCollection({
      fields: { text: f.text(), status: f.status() },
      access: { draft: (caller) => editors(caller) || { createdBy: { eq: caller.identity?.subject ?? '' } } },
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
  ): Promise<Told> => editor.post(`/api/${collection}/${id}/restore${query}`, body, { as })

  test('brings the last content back as a draft, with its id, in all languages', async () => {
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

  test('takes the draft that the entry had, not one that was discarded, and any version that is named', async () => {
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
    // A restore can be undone, as every change can.
    const back = await restore('posts', id)
    const { items } = (await editor.get(`/api/posts/${id}/versions`)).body
    expect(back.status).toBe(200)
    await editor.post('/api/cms/undo', { from: items[0]?.revision })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).status).toBe(404)
  })

  test('names the field whose value another entry has, and takes another slug', async () => {
    const id = await make('posts', { title: 'Ink', code: 'a' })
    await remove('posts', id)
    const other = await make('posts', { title: 'Ink' })
    expect(await restore('posts', id)).toMatchObject({ status: 409, body: { details: { field: 'slug' } } })
    const faulty = await restore('posts', id, { slug: 'No slug' })
    expect(faulty).toMatchObject({ status: 400, body: { details: { issues: [{ path: '/slug' }] } } })
    expect(await restore('posts', id, { slug: 'ink-again' })).toMatchObject({
      status: 200,
      body: { slug: 'ink-again' },
    })
    await remove('posts', id)
    await editor.put(`/api/posts/${other}`, { code: 'a' })
    expect(await restore('posts', id)).toMatchObject({ status: 409, body: { details: { field: 'code' } } })
    // Restoring an existing entry needs a revision and keeps the slug.
    expect(await restore('posts', other)).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: '/revision' }] } },
    })
    expect(await restore('posts', other, { revision: 1, slug: 'x' })).toMatchObject({ status: 400 })
    expect(await restore('posts', 'ffffffff-0000-7000-8000-000000000000')).toMatchObject({ status: 404 })
  })

  test('removes references to what is gone, as its deletion would have done', async () => {
    const author = await make('authors', { name: 'Mia' })
    const id = await make('posts', { title: 'Ink', author })
    await remove('posts', id)
    await remove('authors', author)
    expect((await restore('posts', id)).body).toMatchObject({ author: null })
    // Entries without a status come back as they were; they may refer to themselves.
    expect((await restore('authors', author)).body).toMatchObject({ id: author, name: 'Mia' })
    await editor.put(`/api/authors/${author}`, { friend: author })
    await remove('authors', author)
    expect((await restore('authors', author)).body).toMatchObject({ friend: author })
  })

  test('dry runs and batches do the same', async () => {
    const id = await make('posts', { title: 'Ink' })
    await remove('posts', id)
    expect((await restore('posts', id, {}, 'ann', '?dryRun=true')).body).toMatchObject({ id, status: 'draft' })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).status).toBe(404)
    const operations = [{ op: 'restore', collection: 'posts', id, data: {} }]
    expect((await editor.post('/api/cms/batch', { operations })).status).toBe(200)
    expect((await editor.get(`/api/posts/${id}?draft=true`)).status).toBe(200)
  })

  test('takes the right to create, to update and to see all entries and drafts; fields out of reach come back as they were', async () => {
    const made = await make('made', { text: 'x' })
    const own = await make('own', { text: 'x', status: 'draft' }, 'cleo')
    const fixed = await make('fixed', { text: 'x', locked: true })
    const post = await make('posts', { title: 'Ink', secret: 'hush' })
    const [before] = (await editor.get(`/api/posts/${post}/versions`)).body.items
    await editor.put(`/api/posts/${post}`, { secret: 'other' })
    await remove('made', made)
    await remove('own', own)
    await remove('fixed', fixed)
    await remove('posts', post)
    expect(await restore('made', made, {}, null)).toMatchObject({ status: 401 })
    expect(await restore('made', made, {}, 'cleo')).toMatchObject({ status: 403 })
    expect(await restore('made', made)).toMatchObject({ status: 200 })
    expect(await restore('own', own, {}, 'cleo')).toMatchObject({ status: 404 })
    expect(await restore('own', own)).toMatchObject({ status: 200, body: { createdBy: 'cleo' } })
    expect(await restore('fixed', fixed)).toMatchObject({ status: 403 })
    const { body } = await restore('posts', post, { revision: before?.revision }, 'cleo')
    expect(body).toMatchObject({ title: 'Ink' })
    expect(body).not.toHaveProperty('secret')
    expect((await editor.get(`/api/posts/${post}?draft=true`)).body).toMatchObject({ secret: 'other' })
  })
})
