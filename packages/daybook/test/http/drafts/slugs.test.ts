import { defineCollection, defineConfig, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: [] })

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en', fallback: { de: ['en'] } },
  collections: {
    /** One slug for all languages. */
    shared: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status({ default: 'draft' }),
        body: f.text({ localized: true }),
      },
    }),
    notes: defineCollection({ fields: { slug: f.slug({ localized: true }) } }),
    /** A slug for each language. */
    localized: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title', localized: true }),
        status: f.status({ default: 'draft' }),
        body: f.text({ localized: true }),
      },
    }),
  },
})

describe.each(POLICY_STORES)('the slug of an entry on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
  })
  afterEach(() => service.close())

  describe.each(['shared', 'localized'])('in the collection %s', (key) => {
    const make = async (): Promise<string> => {
      const { id } = (await editor.post(`/api/${key}`, { title: 'Winter' })).body
      await editor.put(`/api/${key}/${id}?locale=de`, { title: 'Winter' })
      return id
    }
    const slugs = async (id: string) => {
      const { body } = await editor.get(`/api/${key}/${id}?locale=all&select=slug`)
      return key === 'shared' ? body.slug : Object.values(body.slug as object)
    }
    const winter = key === 'shared' ? 'winter' : ['winter', 'winter']

    /** Every order of emptying the slug, saving and publishing: what is made anew is what it was. */
    test.each<[string, readonly (readonly [method: string, path: string, body?: object])[]]>([
      [
        'published language by language',
        [
          ['POST', '/publish', {}],
          ['PUT', '?draft=true', { slug: null, body: 'a' }],
          ['PUT', '?draft=true&locale=de', { slug: null, body: 'b' }],
          ['POST', '/publish', { locales: ['de'] }],
          ['PUT', '?draft=true', { body: 'c' }],
          ['POST', '/publish', {}],
        ],
      ],
      [
        'made anew in a draft',
        [
          ['POST', '/publish', {}],
          ['PUT', '?draft=true', { slug: null }],
          ['POST', '/publish', {}],
        ],
      ],
      [
        'changed beside a draft',
        [
          ['POST', '/publish', {}],
          ['PUT', '?draft=true', { body: 'a' }],
          ['PUT', '?locale=de', { slug: null, body: 'b' }],
          ['PUT', '', { slug: null }],
          ['POST', '/publish', {}],
        ],
      ],
      [
        'made anew at once',
        [
          ['PUT', '', { slug: null }],
          ['PUT', '?locale=de', { slug: null }],
        ],
      ],
    ])('does not clash with itself when it is %s', async (_how, steps) => {
      const id = await make()
      for (const [method, path, body] of steps) {
        // German has no title field of its own to be emptied where there is one slug.
        const answer = await editor.send(method, `/api/${key}/${id}${path}`, body)
        expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBe(200)
      }
      expect(await slugs(id)).toEqual(winter)
      expect((await editor.get(`/api/${key}/winter`)).body.id).toBe(id)
    })

    test('gives way to that of another entry', async () => {
      await make()
      const other = await make()
      expect(await slugs(other)).toEqual(key === 'shared' ? 'winter-2' : ['winter-2', 'winter-2'])
      await editor.put(`/api/${key}/${other}`, { slug: null })
      expect(await slugs(other)).toEqual(key === 'shared' ? 'winter-2' : ['winter-2', 'winter-2'])
    })
  })

  test('leads to one entry in each language, whatever is created at once', async () => {
    const content = service.content
    const slugs = Array.from({ length: 20 }, (_, index) => `page-${index}`)
    await Promise.all(
      slugs.flatMap((slug) => [content.create('notes', { slug }), content.create('notes', { slug }, { locale: 'de' })]),
    )
    for (const locale of ['en', 'de']) {
      const { items } = await content.list('notes', { locale, limit: 100, sort: 'slug' })
      const readable = items.flatMap(({ slug }) => slug ?? [])
      expect(new Set(readable).size).toBe(readable.length)
    }
  })
})
