import { defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'
import { Editor, type EditorResponse } from './editor.ts'

const config = defineConfig({
  auth: new People({ ann: ['editor'] }).adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text(),
        note: f.text({ localized: true }),
        tags: f.list(f.text()),
        status: f.status(),
      },
    }),
  },
})

/** The content of a document in both locales. */
interface Content {
  readonly title: string | null
  en: string | null
  de: string | null
  readonly tags: readonly string[]
}

const NOTHING: Content = { title: null, en: null, de: null, tags: [] }
const word = fc.constantFrom('a', 'b', null)
/** The fields of a request: the note is localized, the others are not. */
const patch = fc.record(
  { title: word, note: word, tags: fc.subarray(['x', 'y']) },
  { requiredKeys: [], noNullPrototype: true },
)
type Patch = typeof patch extends fc.Arbitrary<infer T> ? T : never
type Locale = 'en' | 'de'
const LOCALES: readonly Locale[] = ['en', 'de']
const locale = fc.constantFrom<Locale>('en', 'en', 'de')
const op = <const O extends string>(name: O) => fc.constant(name)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: op('save'), patch, locale }) },
  { weight: 3, arbitrary: fc.record({ op: op('put'), patch, locale }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: op('status'), status: fc.constantFrom('draft', 'published', 'archived'), locale }),
  },
  { weight: 2, arbitrary: fc.record({ op: op('publish') }) },
  { weight: 2, arbitrary: fc.record({ op: op('publishIn'), locale }) },
  { weight: 1, arbitrary: fc.record({ op: op('unpublish') }) },
  { weight: 2, arbitrary: fc.record({ op: op('unpublishIn'), locale }) },
  { weight: 1, arbitrary: fc.record({ op: op('discard') }) },
  { weight: 2, arbitrary: fc.record({ op: op('restore'), back: fc.nat({ max: 6 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const isSame = (a: Content, b: Content): boolean => JSON.stringify(a) === JSON.stringify(b)

function patched(content: Content, { note, ...rest }: Patch, locale: Locale): Content {
  const said = { ...content, ...rest, ...(note === undefined ? {} : { [locale]: note }) }
  return { title: said.title, en: said.en, de: said.de, tags: said.tags }
}

/** The expected state of an entry and its draft. */
class Model {
  entry: Content = NOTHING
  published: readonly Locale[] = LOCALES
  /** The status in locales in which the entry is not published. */
  hidden = 'draft'
  copy: Content | undefined
  /** The entry, or its draft, after each change. */
  readonly versions: Content[] = []

  get shown(): Content {
    return this.copy ?? this.entry
  }

  statusIn(locale: Locale): string {
    return this.published.includes(locale) ? 'published' : this.hidden
  }

  put(patch: Patch, locale: Locale): void {
    const next = patched(this.entry, patch, locale)
    if (isSame(next, this.entry)) return
    this.entry = next
    this.versions.push(next)
    if (this.copy) this.save(patch, locale)
  }

  save(patch: Patch, locale: Locale): void {
    this.become(patched(this.shown, patch, locale))
  }

  become(next: Content): void {
    if (isSame(next, this.shown)) return
    this.copy = next
    this.versions.push(next)
  }

  /** A status that differs from the one in the locale of the write counts in every locale. */
  setStatus(status: string, locale: Locale): void {
    if (status === this.statusIn(locale)) return
    this.published = status === 'published' ? LOCALES : []
    this.hidden = status === 'published' ? 'draft' : status
    this.versions.push(this.entry)
  }

  /** Publishing a locale also publishes fields that are not localized, and locales that nobody sees yet. */
  publish(chosen: readonly Locale[]): void {
    if (!this.copy && chosen.every((locale) => this.published.includes(locale))) return
    const content = { ...this.shown }
    for (const locale of this.published) if (!chosen.includes(locale)) content[locale] = this.entry[locale]
    this.entry = content
    if (isSame(this.entry, this.shown)) this.copy = undefined
    this.published = LOCALES.filter((locale) => [...this.published, ...chosen].includes(locale))
    // If the default locale is published, other statuses are unknown.
    if (this.published.includes('en')) this.hidden = 'draft'
    this.versions.push(this.entry)
  }

  unpublish(chosen: readonly Locale[]): void {
    if (!chosen.some((locale) => this.published.includes(locale))) return
    this.published = this.published.filter((locale) => !chosen.includes(locale))
    this.versions.push(this.entry)
  }
}

/** An entry of a service, together with its model. */
class Both {
  readonly #editor: Editor
  readonly #path: string
  readonly #model = new Model()
  /** The revision of each version. */
  #numbers: readonly number[] = []

  constructor(editor: Editor, { body: { id } }: EditorResponse) {
    this.#editor = editor
    this.#path = `/api/posts/${id}`
    this.#model.versions.push(NOTHING)
  }

  async take(step: Step): Promise<void> {
    await this.#do(step)
    await this.findVersions()
    await this.#compare()
  }

  /** Reads the revisions of all versions, the oldest first. */
  async findVersions(): Promise<void> {
    const { body } = await this.#editor.get(`${this.#path}/versions?limit=100`)
    const versions = body.items.filter(({ action }) => action !== 'discard')
    this.#numbers = versions.map(({ revision }) => Number(revision)).reverse()
    expect(this.#numbers.length, 'versions').toBe(this.#model.versions.length)
  }

  async #do(step: Step): Promise<EditorResponse | undefined> {
    const model = this.#model
    if (step.op === 'save') model.save(step.patch, step.locale)
    if (step.op === 'put') model.put(step.patch, step.locale)
    if (step.op === 'save') return this.#send('PUT', `?draft=true&locale=${step.locale}`, step.patch)
    if (step.op === 'put') return this.#send('PUT', `?locale=${step.locale}`, step.patch)
    if (step.op === 'status') {
      model.setStatus(step.status, step.locale)
      return this.#send('PUT', `?locale=${step.locale}`, { status: step.status })
    }
    if (step.op === 'publish') model.publish(LOCALES)
    if (step.op === 'unpublish') model.unpublish(LOCALES)
    if (step.op === 'publish' || step.op === 'unpublish') return this.#send('POST', `/${step.op}`, {})
    if (step.op === 'publishIn') model.publish([step.locale])
    if (step.op === 'publishIn') return this.#send('POST', '/publish', { locales: [step.locale] })
    if (step.op === 'unpublishIn') model.unpublish([step.locale])
    if (step.op === 'unpublishIn') return this.#send('POST', '/unpublish', { locales: [step.locale] })
    return step.op === 'discard' ? this.#discard() : this.#restore(step.back)
  }

  async #discard(): Promise<EditorResponse | undefined> {
    const model = this.#model
    if (!model.copy) return undefined
    model.copy = undefined
    return this.#editor.delete(`${this.#path}?draft=true`)
  }

  async #restore(back: number): Promise<EditorResponse | undefined> {
    const at = Math.max(0, this.#numbers.length - 1 - back)
    const version = this.#model.versions[at] as Content
    this.#model.become(version)
    return this.#send('POST', '/restore', { revision: this.#numbers[at] })
  }

  async #send(method: string, below: string, json: object): Promise<EditorResponse> {
    const response = await this.#editor.send(method, `${this.#path}${below}`, json)
    expect(response.status, JSON.stringify(response.body)).toBe(200)
    return response
  }

  /** Compares the responses to editors and to the public with the model. */
  async #compare(): Promise<void> {
    const { entry, shown, copy, published } = this.#model
    const status = LOCALES.map((locale) => this.#model.statusIn(locale))
    expect(await this.#read('?fallbackLocale=none')).toEqual({ ...entry, status })
    expect(await this.#read('?draft=true&fallbackLocale=none')).toEqual({ ...shown, status })
    const draft = await this.#editor.get(`${this.#path}?draft=true`)
    expect(draft.body).toMatchObject({ hasDraft: copy !== undefined, publishedLocales: published })
    for (const locale of LOCALES) await this.#compareInPublic(locale)
  }

  /** Without a session, an entry exists in the locales in which it is published, and falls back to those alone. */
  async #compareInPublic(locale: Locale): Promise<void> {
    const { entry, published } = this.#model
    const isThere = published.includes(locale)
    const fallback = locale === 'en' ? 'de' : 'en'
    const note = entry[locale] ?? (published.includes(fallback) ? entry[fallback] : null)
    const query = `locale=${locale}&fallbackLocale=${fallback}`
    const { status, body } = await this.#editor.get(`${this.#path}?${query}`, null)
    expect([status, body.note], locale).toEqual(isThere ? [200, note] : [404, undefined])
    const { id } = (await this.#editor.get(this.#path)).body
    const list = await this.#editor.get(`/api/posts?${query}&where[id][eq]=${id}`, null)
    expect(list.body.items.map((item) => item.note)).toEqual(isThere ? [note] : [])
    // Without a filter, totals come from counters; with a filter that matches every entry, they are counted.
    for (const caller of [null, 'ann']) {
      const counts = ['', '&where[createdAt][gt]=2020-01-01T00:00:00Z'].map(async (filter) => {
        const query = `locale=${locale}&limit=0&aggregate=count:status${filter}`
        const response = await this.#editor.get(`/api/posts?${query}`, caller)
        if (response.status !== 200) throw new Error(JSON.stringify(response.body))
        const { total, aggregates } = response.body
        return { total, aggregates }
      })
      const [stored, counted] = await Promise.all(counts)
      expect(stored, locale).toEqual(counted)
    }
  }

  async #read(query: string): Promise<object> {
    const [en, de] = await Promise.all(
      ['en', 'de'].map((locale) => this.#editor.get(`${this.#path}${query}&locale=${locale}`)),
    )
    return {
      title: en?.body.title,
      tags: en?.body.tags,
      status: [en?.body.status, de?.body.status],
      en: en?.body.note,
      de: de?.body.note,
    }
  }
}

describe.each(STORES)('an entry and its draft on $name', (store) => {
  test('match the model after any sequence of changes', { timeout: LARGE_TEST_MS }, async () => {
    await using service = await store.open(config)
    const editor = new Editor(service)
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const both = new Both(editor, await editor.post('/api/posts', {}))
      await both.findVersions()
      for (const step of steps) await both.take(step)
    })
    await fc.assert(property, { numRuns: 25 })
  })
})
