import { ConfigError, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { redirects } from 'daybook/plugins'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { WAIT_TIMEOUT_MS } from '../support/timeouts.ts'

const people = new People({ ann: ['editor'] })

const config: DaybookConfig = defineConfig({
  auth: people.adapter,
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: defineCollection({
      fields: { title: f.text(), slug: f.slug({ from: 'title', localized: true }), status: f.status() },
    }),
    notes: defineCollection({ fields: { slug: f.slug() } }),
  },
  plugins: [redirects({ collections: { posts: { path: { en: '/blog/:slug', de: '/de/:slug' } } }, status: '308' })],
  // A batch of many redirects runs a hook for each in one transaction.
  limits: { pluginMs: WAIT_TIMEOUT_MS },
})

interface Listed {
  readonly from: string
  readonly to: string
  readonly status: number
}

describe.each(POLICY_STORES)('redirects() on $name', (store) => {
  let service: StoredService

  beforeEach(async () => {
    service = await store.open(config)
  })
  afterEach(() => service.close())

  const send = async (method: string, path: string, data?: object) => {
    const headers = { Authorization: 'Bearer ann', 'Content-Type': 'application/json' }
    const response = await service.request(path, { method, headers, ...(data ? { body: JSON.stringify(data) } : {}) })
    return { status: response.status, body: JSON.parse((await response.text()) || '{}') }
  }
  const post = async (data: object): Promise<string> => (await send('POST', '/api/posts', data)).body.id
  const rename = (id: string, slug: string) => send('PUT', `/api/posts/${id}`, { slug })
  const add = (from: string, to: string) => send('POST', '/api/redirects', { from, to })
  const all = async (): Promise<readonly string[]> => {
    const listed = (await (await service.request('/redirects.json')).json()) as readonly Listed[]
    return listed.map(({ from, to, status }) => `${from} ${to} ${status}`).sort()
  }

  describe('when the page of an entry moves', () => {
    test('the old address redirects to the new one', async () => {
      await rename(await post({ slug: 'a' }), 'b')
      expect(await all()).toEqual(['/blog/a /blog/b 308'])
      const response = await service.request('/api/redirects?where[from][eq]=/blog/a&select=to,status')
      expect(await response.json()).toMatchObject({ items: [{ to: '/blog/b', status: '308' }] })
    })

    test('in a draft, the old address redirects once the draft is published', async () => {
      const id = await post({ slug: 'a' })
      await send('PUT', `/api/posts/${id}?draft=true`, { slug: 'b' })
      expect(await all()).toEqual([])
      expect((await send('POST', `/api/posts/${id}/publish`, {})).status).toBe(200)
      expect(await all()).toEqual(['/blog/a /blog/b 308'])
      await send('POST', `/api/posts/${id}/unpublish`, {})
      expect(await all()).toEqual(['/blog/a /blog/b 308'])
    })

    test('no redirect leads to another redirect', async () => {
      const id = await post({ slug: 'a' })
      await rename(id, 'b')
      await add('/old', '/blog/b')
      await rename(id, 'c')
      expect(await all()).toEqual(['/blog/a /blog/c 308', '/blog/b /blog/c 308', '/old /blog/c 301'])
    })

    test('an address that has a page again is not redirected', async () => {
      const id = await post({ slug: 'a' })
      await rename(id, 'b')
      await rename(id, 'a')
      expect(await all()).toEqual(['/blog/b /blog/a 308'])
      await post({ slug: 'b' })
      expect(await all()).toEqual([])
    })

    test('an existing redirect of the address is updated', async () => {
      const id = await post({ slug: 'a' })
      await add('/blog/a', '/elsewhere')
      await rename(id, 'b')
      expect(await all()).toEqual(['/blog/a /blog/b 301'])
    })

    test('in one locale, the addresses of other locales stay', async () => {
      const id = await post({ slug: 'a' })
      await send('PUT', `/api/posts/${id}?locale=de`, { slug: 'ä' })
      await send('PUT', `/api/posts/${id}?locale=de`, { slug: 'ö' })
      expect(await all()).toEqual(['/de/%C3%A4 /de/%C3%B6 308'])
    })

    test('a draft leaves no redirect, which would reveal its address', async () => {
      const id = await post({ slug: 'a', status: 'draft' })
      await rename(id, 'b')
      await send('PUT', `/api/posts/${id}`, { status: 'published' })
      await send('PUT', `/api/posts/${id}`, { slug: 'secret', status: 'draft' })
      expect(await all()).toEqual([])
    })

    test('the redirect is stored in the transaction of the write, and the journal names the plugin', async () => {
      const id = await post({ slug: 'a' })
      await post({ slug: 'taken' })
      const operations = [
        { op: 'update', collection: 'posts', id, data: { slug: 'b' } },
        { op: 'update', collection: 'posts', id, data: { slug: 'taken' } },
      ]
      expect((await send('POST', '/api/cms/batch', { operations })).status).toBe(409)
      expect(await all()).toEqual([])
      await rename(id, 'b')
      const rows = await service.rows("SELECT actor FROM daybook$journal WHERE collection = 'redirects'")
      expect(rows).toEqual([{ actor: 'plugin:redirects (a page has moved)' }])
    })

    test('other fields, other collections and deletes leave no redirect', async () => {
      const id = await post({ slug: 'a' })
      await send('PUT', `/api/posts/${id}`, { title: 'New' })
      const note = (await send('POST', '/api/notes', { slug: 'a' })).body.id
      await send('PUT', `/api/notes/${note}`, { slug: 'b' })
      await send('DELETE', `/api/posts/${id}`)
      expect(await all()).toEqual([])
    })
  })

  describe('a redirect that a user writes', () => {
    test('leads to the final target', async () => {
      await add('/b', '/c')
      expect((await add('/a', '/b')).body).toMatchObject({ from: '/a', to: '/c', status: '301' })
      await add('/c', 'https://www.example.org/d')
      expect(await all()).toEqual(['/a', '/b', '/c'].map((from) => `${from} https://www.example.org/d 301`))
    })

    test.each([
      ['/x', '/x'],
      ['/c', '/a'],
      ['/c', '/b'],
    ])('%s to %s is rejected as a loop', async (from, to) => {
      await add('/a', '/b')
      await add('/b', '/c')
      const { status, body } = await add(from, to)
      expect(status).toBe(400)
      expect(body.details.issues).toMatchObject([{ path: '/to', code: 'loop' }])
      expect(await all()).toEqual(['/a /c 301', '/b /c 301'])
    })

    test('is stored in the form that browsers send', async () => {
      await add('/früher/../alt', '/neu ?q=ö#top')
      expect(await all()).toEqual(['/alt /neu%20?q=%C3%B6#top 301'])
      expect((await add('/alt', '/b')).status).toBe(409)
    })

    test.each([
      ['a', '/b', '/from'],
      ['/a?b', '/b', '/from'],
      ['//evil.example', '/b', '/from'],
      ['/a', '//evil.example', '/to'],
      ['/a', '/\\evil.example', '/to'],
      ['/a', '/.//evil.example', '/to'],
      ['/', '/b/../', '/to'],
      ['/a', 'javascript:alert(1)', '/to'],
      ['/a', `/${'b'.repeat(512)}`, '/to'],
    ])('from %s to %s is rejected', async (from, to, path) => {
      const { status, body } = await add(from, to)
      expect([status, body.details.issues?.[0].path]).toEqual([400, path])
    })

    test('has one of the statuses of redirects', async () => {
      const { body } = await add('/a', '/b')
      expect((await send('PUT', `/api/redirects/${body.id}`, { status: null })).status).toBe(400)
      expect((await send('PUT', `/api/redirects/${body.id}`, { status: '303' })).status).toBe(400)
      await send('PUT', `/api/redirects/${body.id}`, { status: '302' })
      expect(await all()).toEqual(['/a /b 302'])
    })

    test('needs a session', async () => {
      const body = JSON.stringify({ from: '/a', to: '/b' })
      const headers = { 'Content-Type': 'application/json' }
      expect((await service.request('/api/redirects', { method: 'POST', headers, body })).status).toBe(401)
    })
  })

  test('/redirects.json lists all redirects, and responds with 304 until one changes', async () => {
    expect(await all()).toEqual([])
    const operations = Array.from({ length: 205 }, (_item, index) => ({
      op: 'create' as const,
      collection: 'redirects',
      data: { from: `/${index}`, to: '/' },
    }))
    // The hooks of one transaction have three seconds; on a busy machine, more than a hundred hooks may need longer.
    for (const part of [operations.slice(0, 100), operations.slice(100, 200), operations.slice(200)])
      await service.content.batch(part)
    expect(new Set(await all()).size).toBe(205)
    const { headers } = await service.request('/redirects.json')
    const again = { headers: { 'If-None-Match': headers.get('etag') ?? '' } }
    expect((await service.request('/redirects.json', again)).status).toBe(304)
    await add('/a', '/b')
    expect((await service.request('/redirects.json', again)).status).toBe(200)
  })
})

describe('redirects() rejects', () => {
  test.each([
    [{ status: '303' }, 'status', 'must be one of: "301", "302", "307", "308"'],
    [{ collections: [] }, 'collections', 'must be an object of collections by key'],
    [{ collections: { posts: '/:slug' } }, 'collections.posts', 'must be an object with: path'],
    [{ collections: { posts: { path: ':slug' } } }, 'collections.posts.path', 'must be a path with keys of fields'],
  ])('%j', (options, path, message) => {
    const make = () => redirects(options as never)
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(`plugins.redirects.options.${path} ${message}`)
  })
})
