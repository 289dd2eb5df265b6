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
    shared: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status({ default: 'draft' }),
        body: f.text({ localized: true }),
      },
    }),
    notes: defineCollection({ fields: { slug: f.slug({ localized: true }) } }),
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

    /** All orders of clearing the slug, saving and publishing regenerate the same slug. */
    test.each<[string, readonly (readonly [method: string, path: string, body?: object])[]]>([
      [
        'published one locale at a time',
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
        'regenerated in a draft',
        [
          ['POST', '/publish', {}],
          ['PUT', '?draft=true', { slug: null }],
          ['POST', '/publish', {}],
        ],
      ],
      [
        'updated while it has a draft',
        [
          ['POST', '/publish', {}],
          ['PUT', '?draft=true', { body: 'a' }],
          ['PUT', '?locale=de', { slug: null, body: 'b' }],
          ['PUT', '', { slug: null }],
          ['POST', '/publish', {}],
        ],
      ],
      [
        'regenerated at once',
        [
          ['PUT', '', { slug: null }],
          ['PUT', '?locale=de', { slug: null }],
        ],
      ],
    ])('does not clash with itself when it is %s', async (_name, steps) => {
      const id = await make()
      for (const [method, path, body] of steps) {
        // With one shared slug, clearing it in German changes the same field.
        const response = await editor.send(method, `/api/${key}/${id}${path}`, body)
        expect(response.status, `${method} ${path} ${JSON.stringify(response.body)}`).toBe(200)
      }
      expect(await slugs(id)).toEqual(winter)
      expect((await editor.get(`/api/${key}/winter`)).body.id).toBe(id)
    })

    test('gets a number if another entry has it', async () => {
      await make()
      const second = await make()
      expect(await slugs(second)).toEqual(key === 'shared' ? 'winter-2' : ['winter-2', 'winter-2'])
      await editor.put(`/api/${key}/${second}`, { slug: null })
      expect(await slugs(second)).toEqual(key === 'shared' ? 'winter-2' : ['winter-2', 'winter-2'])
    })
  })

  test('leads to one entry in each locale, also after concurrent creates', async () => {
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
