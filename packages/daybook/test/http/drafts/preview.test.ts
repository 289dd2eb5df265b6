import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: ['editor'], cleo: [] })

const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        author: f.relation('authors'),
        secret: f.text({ access: { read: hasRole('editor') } }),
      },
    }),
    authors: defineCollection({ fields: { name: f.text(), status: f.status() } }),
    closed: defineCollection({
      fields: { title: f.text(), status: f.status() },
      access: { read: ({ identity }) => identity?.roles.includes('editor') === true },
    }),
  },
})

describe.each(POLICY_STORES)('previews on $name', (store) => {
  let service: StoredService
  let editor: Editor
  let id: string
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
    const author = (await editor.post('/api/authors', { name: 'A', status: 'draft' })).body.id
    id = (await editor.post('/api/posts', { title: 'Hello', author, secret: 's' })).body.id
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft', slug: 'draft' })
    await editor.put(`/api/authors/${author}?draft=true`, { name: 'B' })
  })
  afterEach(async () => {
    await service.close()
  })

  const preview = async (body?: object): Promise<string> =>
    String((await editor.post(`/api/posts/${id}/preview`, body)).body.token)

  test('show the draft to every holder of the token, at the id and at each slug, and are never cached', async () => {
    const token = await preview()
    for (const address of [id, 'hello', 'draft']) {
      const shown = await editor.get(`/api/posts/${address}?preview=${token}`, null)
      expect(shown, address).toMatchObject({ status: 200, body: { title: 'Draft' } })
      expect(shown.headers.get('Cache-Control')).toBe('private, no-store')
      expect(shown.body).not.toHaveProperty('secret')
      expect(shown.body).not.toHaveProperty('createdBy')
    }
    const response = await service.request('/api/posts/hello', { headers: { 'Daybook-Preview': token } })
    expect(await response.json()).toMatchObject({ title: 'Draft' })
    expect((await editor.get('/api/posts/draft', null)).status).toBe(404)
    expect((await editor.get('/api/posts/hello', null)).body).toMatchObject({ title: 'Hello' })
  })

  test('show the drafts that the entry refers to', async () => {
    const token = await preview()
    const { body } = await editor.get(`/api/posts/${id}?include=author&preview=${token}`, null)
    expect(body).toMatchObject({ title: 'Draft', author: { name: 'B' } })
    const { tag } = await editor.get(`/api/posts/${id}?include=author&preview=${token}`, null)
    const author = (body.author as { readonly id: string }).id
    await editor.put(`/api/authors/${author}?draft=true`, { name: 'C' })
    expect((await editor.get(`/api/posts/${id}?include=author&preview=${token}`, null)).tag).not.toBe(tag)
  })

  test('show an entry that was never published', async () => {
    await editor.post(`/api/posts/${id}/unpublish`)
    const token = await preview()
    expect((await editor.get('/api/posts/draft', null)).status).toBe(404)
    expect((await editor.get(`/api/posts/draft?preview=${token}`, null)).body).toMatchObject({ title: 'Draft' })
  })

  test('are limited to one entry', async () => {
    const second = (await editor.post('/api/posts', { title: 'Other', status: 'draft' })).body.id
    const token = await preview()
    expect((await editor.get(`/api/posts/${second}?preview=${token}`, null)).status).toBe(404)
    expect((await editor.get(`/api/authors/${id}?preview=${token}`, null)).status).toBe(404)
    expect((await editor.get(`/api/posts?preview=${token}`, null)).status).toBe(400)
  })

  test('an invalid token shows the public content, which is not cached', async () => {
    for (const token of ['x', 'x'.repeat(5000), "'; --", encodeURIComponent('ü')]) {
      const shown = await editor.get(`/api/posts/hello?preview=${token}`, null)
      expect(shown.body).toMatchObject({ title: 'Hello' })
      expect(shown.headers.get('Cache-Control')).toBe('private, no-store')
    }
  })

  test('end when they are revoked or expire', async () => {
    const tokens = [await preview(), await preview({ expiresIn: 60 })]
    const created = await editor.post(`/api/posts/${id}/preview`, { expiresIn: 60 })
    expect(created.status).toBe(201)
    expect(Date.parse(String(created.body.expiresAt)) - Date.now()).toBeGreaterThan(50_000)
    expect((await editor.delete(`/api/posts/${id}/preview`)).status).toBe(204)
    for (const token of tokens)
      expect((await editor.get(`/api/posts/hello?preview=${token}`, null)).body).toMatchObject({ title: 'Hello' })
    // The database stores only a digest of the token.
    const rows = await service.rows("SELECT doc FROM daybook$records WHERE kind = 'preview'")
    expect(rows).toEqual([])
    await preview()
    const [row] = await service.rows("SELECT doc FROM daybook$records WHERE kind = 'preview'")
    expect(String(row?.doc)).not.toContain(tokens[0])
  })

  test.each([{ expiresIn: 0 }, { expiresIn: 1.5 }, { expiresIn: 2_592_001 }, { expiresIn: '60' }, { expires: 60 }, []])(
    'reject the body %j',
    async (body) => {
      expect((await editor.post(`/api/posts/${id}/preview`, body)).status).toBe(400)
    },
  )

  test('can only be created by callers who may see the entry', async () => {
    const closed = (await editor.post('/api/closed', { title: 'x' })).body.id
    expect((await editor.post(`/api/closed/${closed}/preview`, undefined, { as: 'cleo' })).status).toBe(403)
    expect((await editor.post(`/api/posts/${id}/preview`, undefined, { as: null })).status).toBe(401)
    expect((await editor.post('/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2/preview')).status).toBe(404)
    const { token } = (await editor.post(`/api/closed/${closed}/preview`)).body
    // The OpenAPI document for callers without a session does not contain the collection.
    const shown = await service.request(`/api/closed/${closed}?preview=${token}`)
    expect(await shown.json()).toMatchObject({ title: 'x' })
    expect((await service.request(`/api/closed/${closed}`)).status).toBe(401)
  })
})
