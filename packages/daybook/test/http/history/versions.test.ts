import { defineCollection, defineConfig, defineGlobal, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { create, update } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor, type EditorResponse } from '../drafts/editor.ts'

const people = new People({ ann: ['editor'], ben: ['editor'], cleo: [], dora: ['limited'] })

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        tags: f.list(f.text()),
        author: f.relation('notes'),
        secret: f.text({ access: { read: hasRole('editor') } }),
      },
      people: { read: hasRole('editor') },
    }),
    notes: defineCollection({ fields: { text: f.text() } }),
    limited: defineCollection({
      fields: { text: f.text() },
      access: { read: (request) => hasRole('limited')(request) || { text: { eq: 'open' } } },
    }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text(), motto: f.text({ localized: true }) } }) },
})

describe.each(STORES)('versions on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
  })
  afterEach(() => service.close())

  const make = async (data: object = {}, collection = 'posts'): Promise<string> =>
    (await editor.post(`/api/${collection}`, collection === 'posts' ? { title: 'One', ...data } : data)).body.id
  const listed = (response: EditorResponse): readonly unknown[] =>
    response.body.items.map(({ revision, action }) => [revision, action])

  test('are listed newest first, with actor and time', async () => {
    const id = await make()
    await editor.put(`/api/posts/${id}`, { title: 'Two' }, { as: 'ben' })
    const { status, headers, body } = await editor.get(`/api/posts/${id}/versions`)
    expect(status).toBe(200)
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    const at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toEqual({
      items: [
        { revision: 2, at, actor: 'ben', action: 'update', isDraft: false },
        { revision: 1, at, actor: 'ann', action: 'create', isDraft: false },
      ],
      nextCursor: null,
    })
  })

  test('include drafts that were saved, published or discarded, but not replaced autosaves', async () => {
    const id = await make()
    await editor.put(`/api/posts/${id}?draft=true&autosave=true`, { title: 'a' })
    await editor.put(`/api/posts/${id}?draft=true&autosave=true`, { title: 'ab' })
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'abc' })
    await editor.post(`/api/posts/${id}/publish`)
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'abcd' })
    await editor.delete(`/api/posts/${id}?draft=true`)
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'now' })
    const path = `/api/posts/${id}/versions`
    expect(listed(await editor.get(path))).toEqual([
      [8, 'draft'],
      [6, 'draft'],
      [5, 'publish'],
      [4, 'draft'],
      [3, 'draft'],
      [1, 'create'],
    ])
    const titles = await Promise.all(
      [8, 6, 5, 4, 3, 1].map(async (seq) => (await editor.get(`${path}/${seq}`)).body.data),
    )
    expect(titles).toMatchObject(['now', 'abcd', 'abc', 'abc', 'ab', 'One'].map((title) => ({ title })))
    expect((await editor.get(`${path}/2`)).status).toBe(404)
    expect((await editor.get(`${path}/7`)).status).toBe(404)
  })

  test('come in pages that concurrent writes do not shift', async () => {
    const id = await make()
    for (let n = 2; n <= 7; n += 1) await editor.put(`/api/posts/${id}`, { title: `${n}` })
    const path = `/api/posts/${id}/versions`
    const first = await editor.get(`${path}?limit=3`)
    expect(listed(first).map((row) => (row as number[])[0])).toEqual([7, 6, 5])
    await editor.put(`/api/posts/${id}`, { title: '8' })
    const second = await editor.get(`${path}?limit=3&cursor=${first.body.nextCursor}`)
    expect(listed(second).map((row) => (row as number[])[0])).toEqual([4, 3, 2])
    const last = await editor.get(`${path}?limit=3&cursor=${second.body.nextCursor}`)
    expect(last.body).toMatchObject({ items: [{ revision: 1 }], nextCursor: null })
    expect((await editor.get(`${path}?limit=0`)).body).toEqual({ items: [], nextCursor: null })
    const another = await make()
    expect((await editor.get(`/api/posts/${another}/versions?cursor=${first.body.nextCursor}`)).status).toBe(400)
    expect((await editor.get(`${path}?cursor=zzz`)).status).toBe(400)
    expect((await editor.get(`${path}?limit=x`)).status).toBe(400)
  })

  test('are returned byte for byte as the entry was at that time', async () => {
    const note = await make({ text: 'n' }, 'notes')
    const id = await make({ tags: ['x'], author: note, secret: 's' })
    const before = await editor.get(`/api/posts/${id}`)
    await editor.put(`/api/posts/${id}`, { title: 'Two', tags: [], author: null, secret: null }, { as: 'ben' })
    const present = await editor.get(`/api/posts/${id}`)
    const old = await editor.get(`/api/posts/${id}/versions/2`)
    expect(old.body).toMatchObject({ revision: 2, actor: 'ann', action: 'create', isDraft: false })
    expect(JSON.stringify(old.body.data)).toBe(JSON.stringify(before.body))
    const now = await editor.get(`/api/posts/${id}/versions/3`)
    expect(JSON.stringify(now.body.data)).toBe(JSON.stringify(present.body))
  })

  test('have a strong tag, and are never cached', async () => {
    const id = await make()
    const path = `/api/posts/${id}/versions/1`
    const { tag, headers } = await editor.get(path)
    expect(tag).toMatch(/^"1\.[\w-]{8}"$/)
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    await editor.put(`/api/posts/${id}`, { title: 'Two' })
    const again = await service.request(path, { headers: { Authorization: 'Bearer ann', 'If-None-Match': tag } })
    expect(again.status).toBe(304)
    expect((await editor.send('GET', path, undefined, { ifMatch: '"x"' })).status).toBe(412)
  })

  test('are read in one locale or in all locales', async () => {
    const id = await make()
    await editor.put(`/api/posts/${id}?locale=de`, { title: 'Eins' })
    await editor.put(`/api/posts/${id}?locale=de`, { title: 'Zwei' })
    const title = async (query: string): Promise<unknown> =>
      ((await editor.get(`/api/posts/${id}/versions/2?${query}`)).body.data as Record<string, unknown>).title
    expect(await title('')).toBe('One')
    expect(await title('locale=de')).toBe('Eins')
    expect(await title('locale=all')).toEqual({ en: 'One', de: 'Eins' })
    const { body } = await editor.get(`/api/posts/${id}/versions/3?against=2&locale=de`)
    expect(body.patch).toContainEqual({ op: 'replace', path: '/title', value: 'Zwei' })
    expect((await editor.get(`/api/posts/${id}/versions/2?locale=fr`)).status).toBe(400)
  })

  test('are compared in either direction', async () => {
    const id = await make({ tags: ['a', 'b', 'c'] })
    await editor.put(`/api/posts/${id}`, { title: 'Two', tags: ['a', 'x', 'b', 'c'] })
    const there = await editor.get(`/api/posts/${id}/versions/2?against=1`)
    expect(there.body).toEqual({
      revision: 2,
      against: 1,
      patch: [
        { op: 'replace', path: '/title', value: 'Two' },
        { op: 'add', path: '/tags/1', value: 'x' },
        { op: 'replace', path: '/updatedAt', value: expect.any(String) },
      ],
    })
    const back = await editor.get(`/api/posts/${id}/versions/1?against=2`)
    expect(back.body.patch).toMatchObject([
      { op: 'replace', path: '/title', value: 'One' },
      { op: 'remove', path: '/tags/1' },
      { op: 'replace', path: '/updatedAt' },
    ])
    expect((await editor.get(`/api/posts/${id}/versions/1?against=1`)).body.patch).toEqual([])
    expect((await editor.get(`/api/posts/${id}/versions/1?against=9`)).status).toBe(404)
  })

  test('omit hidden fields and authors, also from comparisons', async () => {
    const id = await make({ secret: 'one' })
    await editor.put(`/api/posts/${id}`, { secret: 'two' }, { as: 'ben' })
    const path = `/api/posts/${id}/versions`
    const shown = JSON.stringify([
      (await editor.get(path, 'cleo')).body,
      (await editor.get(`${path}/1`, 'cleo')).body,
      (await editor.get(`${path}/2?against=1`, 'cleo')).body,
    ])
    for (const hidden of ['secret', 'ann', 'ben', 'createdBy', 'actor']) expect(shown).not.toContain(hidden)
    expect((await editor.get(`${path}/2?against=1`)).body.patch).toContainEqual({
      op: 'replace',
      path: '/secret',
      value: 'two',
    })
  })

  test('need a session that may read the entry', async () => {
    const id = await make({ text: 'closed' }, 'limited')
    const open = await make({ text: 'open' }, 'limited')
    for (const end of ['versions', 'versions/1']) {
      expect((await editor.get(`/api/limited/${open}/${end}`, null)).status).toBe(401)
      expect((await editor.get(`/api/limited/${id}/${end}`, 'cleo')).status).toBe(404)
      expect((await editor.get(`/api/limited/${id}/${end}`, 'dora')).status).toBe(200)
      expect((await editor.get(`/api/notes/${id}/${end}`)).status).toBe(404)
    }
    expect((await editor.get('/api/posts/one/versions')).status).toBe(404)
    for (const odd of ['0', '-1', 'x', '1.0', '99999999999999999999'])
      expect((await editor.get(`/api/limited/${open}/versions/${odd}`)).status, odd).toBe(404)
  })

  test('of a deleted entry remain for callers who may read the whole collection', async () => {
    const id = await make({ text: 'open' }, 'limited')
    await editor.put(`/api/limited/${id}`, { text: 'open again' }, { as: 'dora' })
    await editor.delete(`/api/limited/${id}`, { as: 'dora' })
    const path = `/api/limited/${id}/versions`
    expect(listed(await editor.get(path, 'dora'))).toEqual([
      [3, 'delete'],
      [2, 'update'],
      [1, 'create'],
    ])
    expect((await editor.get(`${path}/2`, 'dora')).body).toMatchObject({
      data: { text: 'open again', createdBy: 'ann' },
    })
    expect((await editor.get(`${path}/3`, 'dora')).body).toMatchObject({ action: 'delete', data: null })
    expect((await editor.get(`${path}/3?against=1`, 'dora')).body.patch).toEqual([
      { op: 'replace', path: '', value: null },
    ])
    expect((await editor.get(path, 'cleo')).status).toBe(404)
    expect((await editor.get(`${path}/1`, 'cleo')).status).toBe(404)
  })

  test('of a global are found by its key', async () => {
    const path = '/api/globals/site/versions'
    expect((await editor.get(path)).body).toEqual({ items: [], nextCursor: null })
    await editor.put('/api/globals/site', { name: 'A' })
    await editor.put('/api/globals/site?locale=de', { motto: 'Los' })
    expect(listed(await editor.get(path))).toEqual([
      [2, 'update'],
      [1, 'create'],
    ])
    expect((await editor.get(`${path}/1`)).body.data).toEqual({
      key: 'site',
      name: 'A',
      motto: null,
      createdBy: 'ann',
      updatedBy: 'ann',
    })
    expect((await editor.get(`${path}/2?against=1&locale=de`)).body.patch).toEqual([
      { op: 'replace', path: '/motto', value: 'Los' },
    ])
    expect((await editor.get(path, null)).status).toBe(401)
  })

  test('of an asset contain its fields', async () => {
    const form = new FormData()
    form.set('file', new File(['text'], 'a.txt'))
    const response = await service.request('/api/assets', {
      method: 'POST',
      headers: { Authorization: 'Bearer ann' },
      body: form,
    })
    const { id } = (await response.json()) as { readonly id: string }
    await editor.put(`/api/assets/${id}`, { alt: 'A text' })
    expect(listed(await editor.get(`/api/assets/${id}/versions`))).toEqual([
      [2, 'update'],
      [1, 'create'],
    ])
    expect((await editor.get(`/api/assets/${id}/versions/1`)).body.data).toMatchObject({
      alt: null,
      originalName: 'a.txt',
    })
  })
})

describe.each(STORES)('versions of an older config on $name', (store) => {
  test('are read under the current field keys', async () => {
    await using place = await store.at()
    const configOf = (fields: object): object => ({ auth: people.adapter, collections: { posts: { fields } } })
    let id = ''
    await place.serve(configOf({ title: f.text(), gone: f.text() }), async (service) => {
      id = (await create(service, 'posts', { title: 'One', gone: 'g' })).id
      await update(service, 'posts', id, { title: 'Two', gone: null })
      await update(service, 'posts', id, { title: null })
    })
    await place.serve(configOf({ name: f.text({ renamedFrom: 'title' }), added: f.text() }), async ({ fetch }) => {
      const headers = { Authorization: 'Bearer ann' }
      const response = await fetch(new Request(`http://daybook.test/api/posts/${id}/versions/1`, { headers }))
      const { data } = (await response.json()) as { readonly data: object }
      expect(data).toMatchObject({ id, name: 'One', added: null })
      expect(data).not.toHaveProperty('gone')
    })
  })
})
