import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'

const config = defineConfig({
  auth: new People({ ann: [] }).adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true }),
        body: f.markdown(),
        author: f.relation('people'),
        needs: f.relation('posts', { onDelete: 'restrict' }),
      },
    }),
    people: defineCollection({ fields: { name: f.text({ required: true }) } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text(), motto: f.text({ localized: true }) } }) },
})

const at = fc.nat({ max: 4 })
const word = fc.constantFrom('apple', 'banana', 'cherry')
const post = fc.record(
  {
    title: word,
    code: fc.option(fc.constantFrom('1', '2')),
    body: fc.option(word),
    author: fc.option(at),
    needs: fc.option(at),
  },
  { requiredKeys: [] },
)

type Post = typeof post extends fc.Arbitrary<infer T> ? T : never

/** An action of an editor. */
type Deed =
  | { readonly do: 'create'; readonly post: Post; readonly status: string }
  | { readonly do: 'update' | 'draft' | 'german'; readonly at: number; readonly post: Post }
  | { readonly do: 'publish' | 'unpublish' | 'discard' | 'delete' | 'dismiss'; readonly at: number }
  | { readonly do: 'hire'; readonly name: string }
  | { readonly do: 'site'; readonly name: string; readonly locale: string }

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('create' as const), post, status: fc.constantFrom('draft', 'published') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('update' as const, 'draft' as const, 'german' as const), at, post }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'publish' as const,
        'unpublish' as const,
        'discard' as const,
        'delete' as const,
        'dismiss' as const,
      ),
      at,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hire' as const), name: word }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('site' as const), name: word, locale: fc.constantFrom('en', 'de') }),
  },
)

/** The content that readers see, without the times and authors of the last changes. */
type Seen = readonly unknown[]

class Editor {
  readonly #service: StoredService
  readonly #ids: Record<'posts' | 'people', string[]> = { posts: [], people: [] }

  constructor(service: StoredService) {
    this.#service = service
  }

  async send(
    method: string,
    path: string,
    json?: object,
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    const response = await this.#service.request(path, {
      method,
      headers: { Authorization: 'Bearer ann', ...(json ? { 'Content-Type': 'application/json' } : {}) },
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
    const text = await response.text()
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(500)
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }

  async do(deed: Deed): Promise<void> {
    if (deed.do === 'create')
      return this.#create('posts', { title: 'fig', ...this.#data(deed.post), status: deed.status })
    if (deed.do === 'hire') return this.#create('people', { name: deed.name })
    if (deed.do === 'site') {
      await this.send(
        'PUT',
        `/api/globals/site?locale=${deed.locale}`,
        deed.locale === 'en' ? { name: deed.name } : { motto: deed.name },
      )
      return
    }
    const path = `/api/posts/${this.#id('posts', deed.at)}`
    if (deed.do === 'update') await this.send('PUT', path, this.#data(deed.post))
    else if (deed.do === 'draft') await this.send('PUT', `${path}?draft=true`, this.#data(deed.post))
    else if (deed.do === 'german') await this.send('PUT', `${path}?locale=de`, { title: deed.post.title ?? null })
    else if (deed.do === 'discard') await this.send('DELETE', `${path}?draft=true`)
    else if (deed.do === 'delete') await this.send('DELETE', path)
    else if (deed.do === 'dismiss') await this.send('DELETE', `/api/people/${this.#id('people', deed.at)}`)
    else await this.send('POST', `${path}/${deed.do}`)
  }

  #id(collection: 'posts' | 'people', index: number): string {
    const ids = this.#ids[collection]
    return ids[index % (ids.length || 1)] ?? '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'
  }

  #data({ author, needs, ...rest }: Post): object {
    const reference = (collection: 'posts' | 'people', index: number | null | undefined): object =>
      index == null ? {} : { [collection === 'posts' ? 'needs' : 'author']: this.#id(collection, index) }
    return { ...rest, ...reference('people', author), ...reference('posts', needs) }
  }

  async #create(collection: 'posts' | 'people', json: object): Promise<void> {
    const { status, body } = await this.send('POST', `/api/${collection}`, json)
    if (status === 201) this.#ids[collection].push(String(body.id))
  }

  get people(): readonly string[] {
    return [...this.#ids.people]
  }

  /** Reads the content with and without a session. */
  async seen(people: readonly string[]): Promise<Seen> {
    const paths = [
      '/api/posts?limit=100&sort=id&locale=all',
      '/api/posts?limit=100&sort=id&draft=true&locale=de',
      '/api/posts?limit=100&sort=id&status=published',
      '/api/posts?q=apple&sort=id',
      '/api/people?limit=100&sort=id',
      '/api/globals/site?locale=all',
      ...people.map((id) => `/api/people/${id}/references`),
    ]
    return Promise.all(paths.map(async (path) => timeless((await this.send('GET', path)).body)))
  }

  async head(): Promise<number> {
    const [row] = await this.#service.rows('SELECT seq FROM daybook$head')
    return Number(row?.seq)
  }
}

const CHANGED_BY_ANY_WRITE = ['updatedAt', 'updatedBy', 'requestId']

/** Removes times and authors of changes from a response. `createdBy` of a global is removed, too, since undo keeps the author of its first write. */
const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), function (this: object, key: string, member: unknown) {
    return CHANGED_BY_ANY_WRITE.includes(key) || (key === 'createdBy' && 'key' in this) ? undefined : member
  })

describe.each(STORES)('undo on $name', (store) => {
  test('restores the state before any range of changes', { timeout: LARGE_TEST_MS }, async () => {
    const deeds = fc.array(deed, { minLength: 1, maxLength: 10 })
    const property = fc.asyncProperty(deeds, deeds, async (before, within) => {
      await using service = await store.open(config)
      const editor = new Editor(service)
      await editor.do({ do: 'hire', name: 'cherry' })
      for (const deed of before) await editor.do(deed)
      const { people } = editor
      const [seen, head] = [await editor.seen(people), await editor.head()]
      for (const deed of within) await editor.do(deed)
      if ((await editor.head()) === head) return
      const stateAfter = await editor.seen(people)
      const dry = await editor.send('POST', '/api/cms/undo?dryRun=true', { from: head + 1 })
      expect(await editor.seen(people)).toEqual(stateAfter)
      const { status, body } = await editor.send('POST', '/api/cms/undo', { from: head + 1 })
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.blocked).toEqual([])
      expect(dry.body).toEqual(body)
      expect(await editor.seen(people)).toEqual(seen)
    })
    await fc.assert(property, { numRuns: 40, endOnFailure: true })
  })
})
