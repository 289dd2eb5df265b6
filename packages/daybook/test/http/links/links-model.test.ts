import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'

const config = defineConfig({
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    pages: defineCollection({
      path: { en: '/pages/:slug', de: '/de/seiten/:slug' },
      fields: { title: f.text(), slug: f.slug({ from: 'title', localized: true }), status: f.status() },
    }),
    posts: defineCollection({
      fields: { title: f.text(), related: f.relation('posts'), body: f.markdown(), status: f.status() },
    }),
  },
  globals: { site: defineGlobal({ fields: { footer: f.markdown() } }) },
})

type Locale = 'en' | 'de'

/** A page as everyone sees it, if it is public. */
interface Page {
  readonly id: string
  readonly slugs: Record<Locale, string>
  status: string
  isDeleted: boolean
}

const page = fc.nat({ max: 1 })
const op = <const O extends string>(name: O) => fc.constant(name)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: op('slug'), page, locale: fc.constantFrom<Locale>('en', 'de') }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: op('status'), page, status: fc.constantFrom('draft', 'published', 'archived') }),
  },
  { weight: 2, arbitrary: fc.record({ op: op('draft'), page }) },
  { weight: 1, arbitrary: fc.record({ op: op('delete'), page }) },
  { weight: 1, arbitrary: fc.record({ op: op('rename') }) },
  { weight: 1, arbitrary: fc.record({ op: op('unlink') }) },
  { weight: 1, arbitrary: fc.record({ op: op('link') }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A service with pages and a post that links to them, and the expected HTML of the post. */
class Linked {
  readonly #service: StoredService
  readonly #pages: Page[] = []
  readonly #responses = new Map<string, { readonly tag: string; readonly text: string }>()
  #post = ''
  #isLinked = true
  #count = 0

  constructor(service: StoredService) {
    this.#service = service
  }

  async open(): Promise<void> {
    for (const status of ['published', 'draft']) {
      const slug = this.#newSlug()
      const { id } = await this.#write('POST', '/api/pages', { title: slug, slug, status })
      const german = this.#newSlug()
      await this.#write('PUT', `/api/pages/${id}?locale=de`, { slug: german })
      this.#pages.push({ id, slugs: { en: slug, de: german }, status, isDeleted: false })
    }
    this.#post = (await this.#write('POST', '/api/posts', { title: 'Post', body: this.#body() })).id
    await this.#write('POST', '/api/posts', { title: 'Referrer', related: this.#post })
    await this.#write('PUT', '/api/globals/site', { footer: this.#body() })
  }

  async take(step: Step): Promise<void> {
    const target = 'page' in step ? this.#pages[step.page] : undefined
    const path = `/api/pages/${target?.id}`
    if (target?.isDeleted) return
    if (step.op === 'slug' && target) {
      const slug = this.#newSlug()
      target.slugs[step.locale] = slug
      await this.#write('PUT', `${path}?locale=${step.locale}`, { slug })
    }
    if (step.op === 'status' && target) {
      target.status = step.status
      await this.#write('PUT', path, { status: step.status })
    }
    if (step.op === 'draft') await this.#write('PUT', `${path}?draft=true`, { slug: this.#newSlug() })
    if (step.op === 'draft') await this.#send('DELETE', `${path}?draft=true`)
    if (step.op === 'delete' && target) {
      target.isDeleted = true
      await this.#send('DELETE', path)
    }
    if (step.op === 'rename') await this.#write('PUT', `/api/posts/${this.#post}`, { title: `Post ${this.#count++}` })
    if (step.op === 'link' || step.op === 'unlink') {
      this.#isLinked = step.op === 'link'
      await this.#write('PUT', `/api/posts/${this.#post}`, { body: this.#isLinked ? this.#body() : 'Nothing.' })
    }
  }

  async compare(): Promise<void> {
    for (const locale of ['en', 'de'] as const) {
      const html = this.#html(locale)
      const entry = await this.#read(`/api/posts/${this.#post}?locale=${locale}`)
      expect(entry.bodyHtml).toBe(this.#isLinked ? html : '<p>Nothing.</p>')
      const list = await this.#read(`/api/posts?locale=${locale}&sort=createdAt&include=related`)
      expect(list.items[0].bodyHtml).toBe(entry.bodyHtml)
      expect(list.items[1].related.bodyHtml).toBe(entry.bodyHtml)
      expect((await this.#read(`/api/globals/site?locale=${locale}`)).footerHtml).toBe(html)
    }
    expect((await this.#read(`/api/posts/${this.#post}`)).bodyHtml).toBe(
      this.#isLinked ? this.#html('en') : '<p>Nothing.</p>',
    )
    expect((await this.#read('/api/posts?sort=createdAt')).items[0].bodyHtml).toBe(
      (await this.#read(`/api/posts/${this.#post}`)).bodyHtml,
    )
  }

  #body(): string {
    return this.#pages.map(({ id }, index) => `[page ${index}](daybook:pages/${id}#top)`).join(' ')
  }

  #html(locale: Locale): string {
    const prefix = { en: '/pages/', de: '/de/seiten/' }[locale]
    const links = this.#pages.map(({ slugs, status, isDeleted }, index) => {
      const isPublic = status === 'published' && !isDeleted
      return `<a${isPublic ? ` href="${prefix}${slugs[locale]}#top"` : ''}>page ${index}</a>`
    })
    return `<p>${links.join(' ')}</p>`
  }

  #newSlug(): string {
    return `slug-${this.#count++}`
  }

  /** Reads without a session. A client that sends its tag gets 304 only for the response that it has. */
  async #read(path: string) {
    const earlier = this.#responses.get(path)
    const conditional = earlier && (await this.#service.request(path, { headers: { 'If-None-Match': earlier.tag } }))
    const response = await this.#service.request(path)
    const text = await response.text()
    expect(response.status, text).toBe(200)
    if (conditional?.status === 304) expect(earlier?.text, path).toBe(text)
    this.#responses.set(path, { tag: response.headers.get('ETag') ?? '', text })
    return JSON.parse(text)
  }

  async #write(method: string, path: string, body: object): Promise<{ readonly id: string }> {
    const response = await this.#send(method, path, body)
    return (await response.json()) as { readonly id: string }
  }

  async #send(method: string, path: string, body?: object): Promise<Response> {
    const response = await this.#service.request(path, {
      method,
      headers: { Authorization: `Bearer ${this.#service.token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
}

describe.each(STORES)('links to entries on $name', ({ open }) => {
  test(
    'lead to the current address after any changes of their targets, for callers who may see them',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          await using service = await open(config)
          const linked = new Linked(service)
          await linked.open()
          await linked.compare()
          for (const next of steps) {
            await linked.take(next)
            await linked.compare()
          }
        }),
        { numRuns: 12 },
      )
    },
    LARGE_TEST_MS,
  )
})
