import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const people = new People({ ann: [] })

/** The number of evaluations of each read rule. */
const evaluations = new Map<string, number>()
const counted =
  <Result>(name: string, result: Result): (() => Result) =>
  () => {
    evaluations.set(name, (evaluations.get(name) ?? 0) + 1)
    return result
  }

const config = defineConfig({
  auth: people.adapter,
  collections: {
    authors: defineCollection({
      fields: {
        name: f.text({ required: true }),
        email: f.text({ access: { read: counted('authors.email', true), write: () => true } }),
      },
      access: { read: counted('authors', { name: { ne: 'hidden' } }) },
    }),
    posts: defineCollection({
      fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }), author: f.relation('authors') },
      access: { read: counted('posts', { title: { ne: 'hidden' } }) },
    }),
  },
  globals: {
    site: defineGlobal({
      fields: { first: f.relation('posts') },
      access: { read: counted('site', true) },
    }),
  },
})

describe.each(POLICY_STORES)('a read rule on $name', (store) => {
  let service: StoredService<typeof config>
  let author: string
  let post: string

  beforeAll(async () => {
    service = await store.open<typeof config>(config)
    const ann = people.caller('ann')
    author = (await service.content.as(ann).create('authors', { name: 'Ann' })).id
    post = (await service.content.as(ann).create('posts', { title: 'One', author })).id
    await service.content.as(ann).writeGlobal('site', { first: post })
  })
  afterAll(() => service.close())

  /** Sends a request. Returns the number of evaluations of each rule. */
  const sendRequest = async (method: string, path: string, body?: unknown) => {
    evaluations.clear()
    const headers = { Authorization: 'Bearer ann', 'Content-Type': 'application/json' }
    const response = await service.request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    expect(response.status, `${method} ${path}`).toBeLessThan(300)
    return Object.fromEntries(evaluations)
  }

  const once = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]))

  test('is evaluated once for a read', async () => {
    const read = once('posts', 'authors', 'authors.email')
    expect(await sendRequest('GET', '/api/posts?include=author&where[author.name][eq]=Ann&sort=title')).toEqual(read)
    expect(await sendRequest('GET', '/api/posts/one?include=author')).toEqual(read)
    expect(await sendRequest('GET', '/api/globals/site?depth=2')).toEqual({ ...read, site: 1 })
    expect(await sendRequest('GET', `/api/authors/${author}/references`)).toEqual({ ...read, site: 1 })
  })

  test('is evaluated once for a write, and once for a whole batch', async () => {
    expect(await sendRequest('PUT', `/api/posts/${post}`, { title: 'Two' })).toEqual(once('posts', 'authors'))
    const operations = ['Three', 'Four'].map((title) => ({
      op: 'update',
      collection: 'posts',
      id: post,
      data: { title },
    }))
    expect(await sendRequest('POST', '/api/cms/batch', { operations })).toEqual(once('posts', 'authors'))
    expect(await sendRequest('DELETE', `/api/posts/${post}`)).toEqual(once('posts', 'authors', 'site'))
  })
})
