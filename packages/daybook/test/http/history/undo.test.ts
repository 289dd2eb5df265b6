import { DaybookError, defineCollection, defineConfig, defineGlobal, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eraseHistory } from '../../../src/journal/retention.ts'
import { People } from '../../support/auth/people.ts'
import { create, read, update } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor, type EditorResponse } from '../drafts/editor.ts'

const people = new People({ ann: ['editor'], ben: ['editor'], cleo: [] })
const editors = hasRole('editor')

interface Note {
  readonly text?: string | null
}

const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true }),
        author: f.relation('notes'),
        secret: f.text({ access: { read: editors } }),
        sponsor: f.relation('notes', { access: { read: editors } }),
        rank: f.number({ access: { write: editors } }),
      },
    }),
    notes: defineCollection({
      fields: { text: f.text() },
      hooks: {
        beforeChange: ({ before, after }: { readonly before: Note | null; readonly after: Note | null }) => {
          if (before?.text === 'kept' && after?.text !== 'kept') throw new DaybookError('FORBIDDEN', 'It stays.')
        },
      },
    }),
    closed: defineCollection({ fields: { text: f.text() }, access: { read: editors } }),
    parts: defineCollection({
      fields: { needs: f.relation('parts', { onDelete: 'restrict' }), of: f.relation('wholes') },
    }),
    wholes: defineCollection({ fields: { best: f.relation('parts', { onDelete: 'restrict' }) } }),
    fixed: defineCollection({ fields: { text: f.text() }, access: { update: editors, delete: editors } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text() } }) },
})

/** Returns sorted ids: documents are undone in no particular order. */
const idsOf = (documents: unknown): readonly string[] =>
  (documents as readonly { readonly id: string }[]).map(({ id }) => id).toSorted()

describe.each(STORES)('undo on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
  })
  afterEach(() => service.close())

  const make = async (collection: string, data: object, as = 'ann'): Promise<string> =>
    (await editor.post(`/api/${collection}`, data, { as })).body.id
  const undo = (range: object, as: string | null = 'ann', query = ''): Promise<EditorResponse> =>
    editor.post(`/api/cms/undo${query}`, range, { as })
  const head = async (): Promise<number> => Number((await service.rows('SELECT seq FROM daybook$head'))[0]?.seq)

  test('returns the undone documents, with the numbers of the new changes', async () => {
    const id = await make('posts', { title: 'One' })
    const gone = await make('posts', { title: 'Gone' })
    await editor.put(`/api/posts/${id}`, { title: 'Two' })
    await editor.delete(`/api/posts/${gone}`)
    const created = await make('posts', { title: 'New' })
    const { status, body, headers } = await undo({ from: 3 })
    expect(status).toBe(200)
    expect(body).toEqual({
      undone: [
        { collection: 'posts', id, action: 'restore', seq: 6 },
        { collection: 'posts', id: created, action: 'delete', seq: 7 },
        { collection: 'posts', id: gone, action: 'create', seq: 8 },
      ],
      blocked: [],
    })
    expect(headers.get('Daybook-Seq')).toBe('8')
    expect((await editor.get('/api/posts/gone')).body).toMatchObject({
      id: gone,
      createdBy: 'ann',
      status: 'published',
    })
    expect((await editor.get(`/api/posts/${id}`)).body).toMatchObject({ title: 'One', slug: 'one' })
    expect((await editor.get(`/api/posts/${created}`)).status).toBe(404)
  })

  test('deletes created entries that refer to each other, in one collection or in several', async () => {
    const partA = await make('parts', {})
    const partB = await make('parts', { needs: partA })
    await editor.put(`/api/parts/${partA}`, { needs: partB })
    const whole = await make('wholes', { best: partB })
    await editor.put(`/api/parts/${partB}`, { of: whole })
    const { body } = await undo({ from: 1 })
    expect(body.blocked).toEqual([])
    expect(idsOf(body.undone)).toEqual([partA, partB, whole].toSorted())
    for (const path of [`parts/${partA}`, `parts/${partB}`, `wholes/${whole}`]) {
      expect((await editor.get(`/api/${path}`, 'ann')).status).toBe(404)
    }
    expect(await service.rows('SELECT 1 FROM daybook$refs')).toEqual([])
  })

  test('keeps created entries while another entry refers to one of them', async () => {
    const first = await make('parts', {})
    const from = (await head()) + 1
    const partA = await make('parts', {})
    const partB = await make('parts', { needs: partA })
    await editor.put(`/api/parts/${partA}`, { needs: partB })
    await editor.put(`/api/parts/${first}`, { needs: partB }, { as: 'ben' })
    const { body } = await undo({ from, actor: 'ann' })
    expect(body.undone).toEqual([])
    expect(idsOf(body.blocked)).toEqual([partA, partB].toSorted())
  })

  test('restores hidden fields without references to deleted entries, and does not reveal them', async () => {
    const [existing, deleted] = [await make('notes', { text: 'a' }), await make('notes', { text: 'b' })]
    const posting = [existing, deleted].map((sponsor, at) => make('posts', { title: `Post ${at}`, sponsor }))
    const [first, second] = (await Promise.all(posting)) as [string, string]
    const from = (await head()) + 1
    for (const id of [first, second]) await editor.delete(`/api/posts/${id}`, { as: 'cleo' })
    await editor.delete(`/api/notes/${deleted}`)
    const { body } = await undo({ from, actor: 'cleo' }, 'cleo')
    expect({ undone: idsOf(body.undone), blocked: body.blocked }).toEqual({
      undone: [first, second].toSorted(),
      blocked: [],
    })
    const posts = [await editor.get(`/api/posts/${first}`), await editor.get(`/api/posts/${second}`)]
    expect(posts.map(({ body: { sponsor } }) => sponsor)).toEqual([existing, null])
  })

  test('of an undo redoes the changes', async () => {
    const id = await make('notes', { text: 'One' })
    await editor.put(`/api/notes/${id}`, { text: 'Two' })
    await undo({ from: 2 })
    await undo({ from: 3, to: 3 })
    expect((await editor.get(`/api/notes/${id}`)).body).toMatchObject({ text: 'Two' })
  })

  test('skips documents that were changed since, and names these changes', async () => {
    const id = await make('notes', { text: 'One' })
    const second = await make('notes', { text: 'one' })
    await editor.put(`/api/notes/${id}`, { text: 'Two' })
    await editor.put(`/api/notes/${second}`, { text: 'two' })
    await editor.put(`/api/notes/${id}`, { text: 'Three' }, { as: 'ben' })
    const { body } = await undo({ from: 3, to: 4 })
    expect(body).toEqual({
      undone: [{ collection: 'notes', id: second, action: 'restore', seq: 6 }],
      blocked: [{ collection: 'notes', id, reason: 'changed_since', changes: [5] }],
    })
    expect((await editor.get(`/api/notes/${id}`)).body).toMatchObject({ text: 'Three' })
  })

  test('undoes the changes of one actor, unless another actor changed the document in between', async () => {
    const [mine, shared] = [await make('notes', { text: 'a' }), await make('notes', { text: 'b' })]
    await editor.put(`/api/notes/${mine}`, { text: 'x' }, { as: 'ben' })
    await editor.put(`/api/notes/${shared}`, { text: 'x' }, { as: 'ben' })
    await editor.put(`/api/notes/${shared}`, { text: 'y' }, { as: 'ann' })
    await editor.put(`/api/notes/${shared}`, { text: 'z' }, { as: 'ben' })
    const { body } = await undo({ from: 1, actor: 'ben' })
    expect(body).toMatchObject({
      undone: [{ id: mine }],
      blocked: [{ id: shared, reason: 'changed_since', changes: [5] }],
    })
    expect((await editor.get(`/api/notes/${mine}`)).body).toMatchObject({ text: 'a' })
  })

  test('restores drafts, and discards new ones', async () => {
    const id = await make('posts', { title: 'One' })
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft' })
    await editor.post(`/api/posts/${id}/publish`)
    await undo({ from: 3 })
    expect((await editor.get(`/api/posts/${id}`)).body).toMatchObject({ title: 'One' })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ title: 'Draft', hasDraft: true })
    const from = (await head()) + 1
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Again' })
    expect((await undo({ from })).body.undone).toMatchObject([{ action: 'draft' }])
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ title: 'Draft' })
    await undo({ from: 2, to: 2 })
    const fresh = await make('posts', { title: 'Fresh' })
    await editor.put(`/api/posts/${fresh}?draft=true`, { title: 'x' })
    const last = await head()
    expect((await undo({ from: last })).body.undone).toMatchObject([{ action: 'discard' }])
    expect((await editor.get(`/api/posts/${fresh}?draft=true`)).body).toMatchObject({ title: 'Fresh', hasDraft: false })
  })

  test('removes new schedules, and does not restore removed ones', async () => {
    const id = await make('posts', { title: 'One', status: 'draft' })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: '2099-01-01T00:00:00Z' })
    expect((await undo({ from: 2 })).body.undone).toMatchObject([{ action: 'unschedule' }])
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ publishAt: null })
    expect((await undo({ from: 3 })).body).toMatchObject({ undone: [], blocked: [{ reason: 'schedule' }] })
  })

  test.each([
    [
      'conflict',
      async () => {
        const id = await make('posts', { title: 'One', code: '1' })
        await editor.put(`/api/posts/${id}`, { code: '2' })
        await make('posts', { title: 'Two', code: '1' })
        return { id, range: { from: 2, to: 2 } }
      },
    ],
    [
      'invalid',
      async () => {
        const author = await make('notes', { text: 'a' })
        const id = await make('posts', { title: 'One', author })
        await editor.put(`/api/posts/${id}`, { author: null })
        await editor.delete(`/api/notes/${author}`)
        return { id, range: { from: 3, to: 3 } }
      },
    ],
    [
      'referenced',
      async () => {
        const second = await make('posts', { title: 'Two' })
        const id = await make('notes', { text: 'a' })
        await editor.put(`/api/posts/${second}`, { author: id })
        return { id, range: { from: 2, to: 2 } }
      },
    ],
    [
      'hook',
      async () => {
        const id = await make('notes', { text: 'a' })
        await editor.put(`/api/notes/${id}`, { text: 'kept' })
        return { id, range: { from: 2 } }
      },
    ],
  ] as const)('%s is a reason to leave a document as it is', async (reason, prepare) => {
    const { id, range } = await prepare()
    const collection = reason === 'conflict' || reason === 'invalid' ? 'posts' : 'notes'
    const before = await editor.get(`/api/${collection}/${id}`)
    const { status, body } = await undo(range)
    expect(status).toBe(200)
    expect(body).toMatchObject({ undone: [], blocked: [{ collection, id, reason, changes: [range.from] }] })
    const after = await editor.get(`/api/${collection}/${id}`)
    expect([after.tag, after.body]).toEqual([before.tag, before.body])
  })

  test('deletes uploads, and does not restore deleted files', async () => {
    const form = new FormData()
    form.set('file', new File(['text'], 'a.txt'))
    const response = await service.request('/api/assets', {
      method: 'POST',
      headers: { Authorization: 'Bearer ann' },
      body: form,
    })
    const { id } = (await response.json()) as { readonly id: string }
    expect((await undo({ from: 1 })).body.undone).toMatchObject([{ collection: 'assets', id, action: 'delete' }])
    expect((await undo({ from: 2 })).body).toMatchObject({ undone: [], blocked: [{ id, reason: 'file' }] })
  })

  test('checks access to each document, and does not reveal documents that the caller may not read', async () => {
    const fixed = await make('fixed', { text: 'a' })
    const closed = await make('closed', { text: 'a' })
    const post = await make('posts', { title: 'One', secret: 's', rank: 1 })
    await editor.put(`/api/fixed/${fixed}`, { text: 'b' })
    await editor.put(`/api/closed/${closed}`, { text: 'b' })
    await editor.put(`/api/posts/${post}`, { title: 'Two', secret: 't' })
    const { body } = await undo({ from: 4 }, 'cleo')
    expect(body).toMatchObject({
      undone: [{ collection: 'posts', id: post }],
      blocked: [{ collection: 'fixed', id: fixed, reason: 'access' }],
    })
    expect(JSON.stringify(body)).not.toContain(closed)
    // Documents that the caller may not read stay as they are.
    expect((await editor.get(`/api/posts/${post}`)).body).toMatchObject({ title: 'One', secret: 't' })
    const from = (await head()) + 1
    await editor.put(`/api/posts/${post}`, { rank: 2 })
    expect((await undo({ from }, 'cleo')).body).toMatchObject({ undone: [], blocked: [{ id: post, reason: 'access' }] })
    expect((await undo({ from: 1 }, null)).status).toBe(401)
  })

  test('rejects invalid ranges', async () => {
    await make('notes', { text: 'a' })
    for (const range of [
      {},
      { from: 0 },
      { from: 2 },
      { from: 1, to: 0 },
      { from: 'x' },
      { from: 1, actor: '' },
      { from: 1, x: 1 },
    ])
      expect((await undo(range)).status, JSON.stringify(range)).toBe(400)
    expect((await undo([])).status).toBe(400)
  })

  test('of a dry run returns the same result, and stores nothing', async () => {
    const id = await make('notes', { text: 'a' })
    const { body, headers } = await undo({ from: 1 }, 'ann', '?dryRun=true')
    expect(headers.get('Daybook-Dry-Run')).toBe('true')
    expect(body).toMatchObject({ undone: [{ id, action: 'delete' }], blocked: [] })
    expect((await editor.get(`/api/notes/${id}`)).status).toBe(200)
    expect(await head()).toBe(1)
  })

  test('of a global restores its former values', async () => {
    await editor.put('/api/globals/site', { name: 'A' })
    await editor.put('/api/globals/site', { name: 'B' })
    await undo({ from: 2 })
    expect((await editor.get('/api/globals/site')).body).toMatchObject({ name: 'A' })
  })
})

describe.each(STORES)('undo to an erased version on $name', (store) => {
  test('leaves the document as it is', async () => {
    await using place = await store.at()
    await place.serve(config, async (service) => {
      const { id } = await create(service, 'notes', { text: 'a' })
      await update(service, 'notes', id, { text: 'b' })
      const store = await place.store()
      await eraseHistory(store, { collection: 'notes', id }, 'ann')
      await store.close()
      const response = await service.fetch(
        new Request('http://daybook.test/api/cms/undo', {
          method: 'POST',
          headers: { Authorization: 'Bearer ann', 'Content-Type': 'application/json' },
          body: JSON.stringify({ from: 2 }),
        }),
      )
      expect(await response.json()).toEqual({
        undone: [],
        blocked: [{ collection: 'notes', id, reason: 'erased', changes: [2] }],
      })
      expect(await read(service, 'notes', id)).toMatchObject({ text: 'b' })
    })
  })
})
