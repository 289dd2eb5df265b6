import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { STORES, type StoredService } from '../../support/stores/stores.ts'

const config = defineConfig({
  collections: {
    pages: defineCollection({
      path: '/pages/:slug',
      access: { read: ({ identity }) => (identity ? true : { title: { ne: 'Secret' } }) },
      fields: { title: f.text(), slug: f.slug({ from: 'title' }), status: f.status() },
    }),
    notes: defineCollection({ fields: { title: f.text() } }),
    posts: defineCollection({
      fields: {
        title: f.text(),
        body: f.markdown(),
        inner: f.markdown({ access: { read: ({ identity }) => identity !== null } }),
        parts: f.blocks({ prose: { text: f.markdown() } }),
      },
    }),
  },
  globals: { site: defineGlobal({ fields: { footer: f.markdown() } }) },
})

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

class Caller {
  readonly #service: StoredService

  constructor(service: StoredService) {
    this.#service = service
  }

  async send(method: string, path: string, body?: object) {
    const response = await this.#service.request(path, {
      method,
      headers: { Authorization: `Bearer ${this.#service.token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }

  async readPublicly(path: string) {
    return (await this.#service.request(path)).json()
  }

  async upload(filename: string): Promise<{ readonly id: string; readonly url: string }> {
    const form = new FormData()
    form.set('file', new Blob(['bytes'], { type: 'text/plain' }), filename)
    form.set('filename', filename)
    const headers = { Authorization: `Bearer ${this.#service.token}` }
    const response = await this.#service.request('/api/assets', { method: 'POST', headers, body: form })
    return (await response.json()) as { readonly id: string; readonly url: string }
  }
}

describe.each(STORES)('links in Markdown on $name', ({ open }) => {
  test('lead to pages and files that the caller may see, at any depth, and keep their text otherwise', async () => {
    await using service = await open(config)
    const caller = new Caller(service)
    const secret = await caller.send('POST', '/api/pages', { title: 'Secret' })
    const note = await caller.send('POST', '/api/notes', { title: 'Note' })
    const { id, url } = await caller.upload('cat.txt')
    const body = [
      `[secret](daybook:pages/${secret.id})`,
      `[note](daybook:notes/${note.id})`,
      `![cat](daybook:assets/${id})`,
      `[unknown](daybook:pages/${UNKNOWN} "title")`,
      '[odd](daybook:pages)',
      '`<a href="daybook:pages">`',
    ].join(' ')
    const post = await caller.send('POST', '/api/posts', {
      body,
      parts: [{ _type: 'prose', text: `[secret](daybook:pages/${secret.id.toUpperCase()}?a=1#b)` }],
    })
    const rest = `<a>note</a> <img src="${url}" alt="cat"> <a title="title">unknown</a> <a>odd</a> <code>&lt;a href="daybook:pages"&gt;</code></p>`
    expect(await caller.readPublicly(`/api/posts/${post.id}`)).toMatchObject({
      body,
      bodyHtml: `<p><a>secret</a> ${rest}`,
      parts: [{ textHtml: '<p><a>secret</a></p>' }],
    })
    expect(await caller.send('GET', `/api/posts/${post.id}`)).toMatchObject({
      bodyHtml: `<p><a href="/pages/secret">secret</a> ${rest}`,
      parts: [{ textHtml: '<p><a href="/pages/secret?a=1#b">secret</a></p>' }],
    })
  })

  test('count as references, and are listed as broken when their targets are gone', async () => {
    await using service = await open(config)
    const caller = new Caller(service)
    const page = await caller.send('POST', '/api/pages', { title: 'Page' })
    const file = await caller.upload('cat.txt')
    const link = `[page](daybook:pages/${page.id})`
    const post = await caller.send('POST', '/api/posts', { body: `${link} ![cat](${file.url}?v=1)`, inner: link })
    await caller.send('PUT', '/api/globals/site', { footer: `${link} [cat](daybook:assets/${file.id})` })
    const inPost = { collection: 'posts', id: post.id }
    const inSite = { collection: 'globals', id: 'site', field: 'footer' }
    expect(await caller.send('GET', `/api/pages/${page.id}/references`)).toMatchObject({
      total: 3,
      items: [inSite, { ...inPost, field: 'body' }, { ...inPost, field: 'inner' }],
    })
    expect(await caller.send('GET', `/api/assets/${file.id}/references`)).toMatchObject({
      total: 2,
      items: [inSite, { ...inPost, field: 'body' }],
    })
    expect(await caller.send('GET', '/api/cms/broken-links')).toMatchObject({ total: 0, items: [] })
    await caller.send('DELETE', `/api/pages/${page.id}`)
    await caller.send('DELETE', `/api/assets/${file.id}`)
    const toPage = `daybook:pages/${page.id}`
    expect(await caller.send('GET', '/api/cms/broken-links')).toEqual({
      total: 5,
      limit: 20,
      offset: 0,
      items: [
        { ...inSite, link: toPage },
        { ...inSite, link: `daybook:assets/${file.id}` },
        { ...inPost, field: 'body', link: toPage },
        { ...inPost, field: 'body', link: file.url },
        { ...inPost, field: 'inner', link: toPage },
      ],
    })
    expect((await caller.send('GET', `/api/posts/${post.id}`)).body).toContain(link)
    await caller.send('PUT', `/api/posts/${post.id}`, { body: 'Nothing.', inner: null })
    expect(await caller.send('GET', '/api/cms/broken-links?limit=1&offset=1')).toMatchObject({
      total: 2,
      items: [{ link: `daybook:assets/${file.id}` }],
    })
  })
})

test('a path of pages is checked at start', async () => {
  const fields = { title: f.text(), slug: f.slug({ from: 'title' }) }
  const open = (path: unknown) =>
    STORES[0]?.open(defineConfig({ collections: { pages: defineCollection({ path: path as string, fields }) } }))
  await expect(open('pages')).rejects.toThrow('collections.pages.path must be a path with keys of fields')
  await expect(open('/pages/:name')).rejects.toThrow('collections.pages.path names the field "name"')
  await expect(open({ en: '/pages/:slug' })).rejects.toThrow('collections.pages.path.en is not a locale of the config')
})
