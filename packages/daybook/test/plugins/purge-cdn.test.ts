import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type DaybookConfig, defineCollection, defineGlobal, f } from 'daybook'
import { purgeCdn, purgeCloudflare, purgeFastly, serveUploads } from 'daybook/plugins'
import { afterEach, describe, expect, test } from 'vitest'
import { create, update } from '../support/stores/place.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'
import { upload } from '../support/uploads.ts'

const collections = {
  authors: defineCollection({ fields: { name: f.text(), posts: f.reverse('posts.author') } }),
  posts: defineCollection({
    fields: {
      title: f.text(),
      slug: f.slug({ from: 'title' }),
      status: f.status(),
      author: f.relation('authors'),
      about: f.relation('posts'),
    },
  }),
  internal: defineCollection({
    fields: { text: f.text(), owner: f.relation('authors') },
    access: { read: ({ identity }) => identity !== null || { 'owner.name': { eq: 'Ines' } } },
  }),
}
const globals = { site: defineGlobal({ fields: { name: f.text(), first: f.relation('posts') } }) }

describe.each(POLICY_STORES)('tags for a CDN on $name', (store) => {
  let service: StoredService
  afterEach(() => service.close())

  const open = async (config: Partial<DaybookConfig>): Promise<void> => {
    service = await store.open({ collections, globals, ...config } as never)
  }
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await service.fetch(new Request(`http://localhost/api/${path}`, { headers }))
    await response.text()
    return response
  }
  const tagsOf = async (path: string): Promise<readonly string[]> =>
    ((await read(path)).headers.get('surrogate-key') ?? '').split(' ').toSorted()

  test('name the documents in a response without a session', async () => {
    await open({ cdn: { tags: ['Surrogate-Key', 'Cache-Tag'] } })
    const ines = await create(service, 'authors', { name: 'Ines' })
    const { id } = await create(service, 'posts', { title: 'One', author: ines.id })
    await create(service, 'internal', { text: 'x', owner: ines.id })
    expect(await tagsOf('posts/one')).toEqual([`posts:${id}`])
    expect(await tagsOf('posts/one?select=title')).toEqual([`posts:${id}`])
    expect(await tagsOf('posts/one?include=author')).toEqual(['authors', `posts:${id}`])
    expect(await tagsOf(`authors/${ines.id}?include=posts`)).toEqual([`authors:${ines.id}`, 'posts'])
    expect(await tagsOf('posts')).toEqual(['posts'])
    expect(await tagsOf('posts?include=author,about')).toEqual(['authors', 'posts'])
    expect(await tagsOf('posts?where[author.name][eq]=Ines')).toEqual(['authors', 'posts'])
    expect(await tagsOf('internal')).toEqual(['authors', 'internal'])
    expect(await tagsOf('globals/site')).toEqual(['globals:site'])
    expect(await tagsOf('globals/site?include=first')).toEqual(['globals:site', 'posts'])
    const entry = await read('posts/one?include=author')
    expect(entry.headers.get('cache-tag')).toBe(`posts:${id},authors`)
    const notModified = await read('posts/one?include=author', { 'if-none-match': String(entry.headers.get('etag')) })
    expect([notModified.status, notModified.headers.get('cache-tag')]).toEqual([304, `posts:${id},authors`])
  })

  test('are on public files, and on 304', async () => {
    await open({ cdn: { tags: ['Surrogate-Key'] }, plugins: [serveUploads()] })
    const asset = await upload(service)
    const path = `http://localhost/uploads/${asset.path}`
    const file = await service.fetch(new Request(path))
    expect([await file.text(), file.headers.get('surrogate-key')]).toEqual(['some text', `assets:${asset.id}`])
    const headers = { 'if-none-match': String(file.headers.get('etag')) }
    const notModified = await service.fetch(new Request(path, { headers }))
    expect([notModified.status, notModified.headers.get('surrogate-key')]).toEqual([304, `assets:${asset.id}`])
    expect(await tagsOf(`assets/${asset.id}`)).toEqual([`assets:${asset.id}`])
  })

  test('are not on responses to a session, on errors, or without the option', async () => {
    await open({ cdn: { tags: ['Surrogate-Key'] } })
    await create(service, 'posts', { title: 'One' })
    const authorization = `Bearer ${service.token}`
    for (const response of [
      await read('posts/one', { authorization }),
      await read('posts/two'),
      await read('posts/one?nope=1'),
    ])
      expect(response.headers.get('surrogate-key')).toBeNull()
    expect((await read('posts/one')).headers.get('cache-tag')).toBeNull()
    await service.close()
    await open({})
    await create(service, 'posts', { title: 'One' })
    expect((await read('posts/one')).headers.get('surrogate-key')).toBeNull()
  })

  test('are purged in batches after each public change, and again if the purge fails', async () => {
    const purged: (readonly string[])[] = []
    let failures = 1
    const purge = async (tags: readonly string[]): Promise<void> => {
      if (failures-- > 0) throw new Error('The CDN is away.')
      purged.push(tags)
    }
    await open({ plugins: [purgeCdn({ purge, waitMs: 5 })] })
    const draft = await create(service, 'posts', { title: 'Draft', status: 'draft' })
    await update(service, 'posts', draft.id, { title: 'Still a draft' })
    const author = await create(service, 'authors', { name: 'Ines' })
    await update(service, 'posts', draft.id, { status: 'published' })
    await service.content.writeGlobal('site' as never, { name: 'N' } as never)
    const expected = ['authors', `authors:${author.id}`, 'posts', `posts:${draft.id}`, 'globals:site'].toSorted()
    await eventually(() => expect([...new Set(purged.flat())].toSorted()).toEqual(expected))
    const { length } = purged
    await service.content.delete('posts' as never, draft.id)
    await eventually(() => expect(purged.slice(length)).toEqual([['posts', `posts:${draft.id}`]]))
  })
})

describe('a CDN is purged', () => {
  const requests: { readonly request: IncomingMessage; readonly body: string }[] = []
  let server: Server | undefined

  const listen = async (status: number): Promise<string> => {
    server = createServer(async (request, response) => {
      requests.push({ request, body: await text(request) })
      response.writeHead(status, { Location: '/elsewhere' }).end('canary')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(() => {
    requests.length = 0
    server?.close()
    server?.closeAllConnections()
  })
  const { signal } = new AbortController()

  test('with a request in the format of Fastly', async () => {
    await purgeFastly({ service: 'abc', token: 'secret', api: await listen(200) })(['posts', 'posts:1'], signal)
    expect(requests[0]?.request).toMatchObject({
      method: 'POST',
      url: '/service/abc/purge',
      headers: { 'fastly-key': 'secret', 'surrogate-key': 'posts posts:1' },
    })
  })

  test('with a request in the format of Cloudflare', async () => {
    await purgeCloudflare({ zone: 'abc', token: 'secret', api: await listen(200) })(['posts', 'posts:1'], signal)
    expect(requests[0]).toMatchObject({
      request: { method: 'POST', url: '/zones/abc/purge_cache', headers: { authorization: 'Bearer secret' } },
      body: '{"tags":["posts","posts:1"]}',
    })
  })

  test.each([302, 403, 500])(
    'unsuccessfully if it responds with %d, and the error reveals only that status',
    async (status) => {
      const purge = purgeFastly({ service: 'abc', token: 'secret', api: await listen(status) })
      await expect(purge(['posts'], signal)).rejects.toThrow(new RegExp(`^The CDN responded with ${status}\\.$`))
      expect(requests).toHaveLength(1)
    },
  )

  test('only with valid options', () => {
    expect(() => purgeCdn({ purge: 'fastly' } as never)).toThrow('plugins.purge-cdn.options.purge must be a function')
    expect(() => purgeCdn({ purge: async () => {}, maxTags: 1 })).toThrow('plugins.purge-cdn.options.maxTags')
  })
})

test('a config with an unknown header is rejected', async () => {
  const { createTestService } = await import('daybook/testing')
  const config = { collections, globals, cdn: { tags: ['X-Tags'] } }
  await expect(createTestService(config as never)).rejects.toThrow(
    'cdn.tags must be a list of these headers: "Surrogate-Key", "Cache-Tag"',
  )
})
