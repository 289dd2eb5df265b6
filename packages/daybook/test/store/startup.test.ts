import { ANONYMOUS, f, StartupError, SYSTEM } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { Folder } from '../support/stores/folder.ts'
import { create, type Place, read, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const title = f.text({ required: true })
const slug = f.slug({ from: 'title' })
const posts = (fields: object): object => ({ collections: { posts: { fields } } })

let place: Place

const fieldIndexes = async (): Promise<readonly string[]> =>
  (await place.names('index')).filter((name) => /^(?!assets)\w+\$(?:by|unique)\$/.test(name))

describe.each(STORES)('on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  describe('start-up', () => {
    test('changes nothing if the config is the same', async () => {
      const config = posts({ title, slug, body: f.markdown(), state: f.status(), rank: f.integer({ unique: true }) })
      await place.start(config)
      const before = await place.schema()
      await place.start(config)
      await place.start(config)
      expect(await place.schema()).toEqual(before)
    })

    test('writes no journal records', async () => {
      await place.start(posts({ title }))
      await place.start(posts({ title, slug }))
      expect(await place.rows('SELECT seq FROM daybook$head')).toEqual([{ seq: 0 }])
      expect(await place.rows('SELECT * FROM daybook$journal')).toEqual([])
    })

    test('restores the same tables when a config change is reverted', async () => {
      const config = posts({ title, state: f.status(), rank: f.integer({ unique: true }), day: f.date() })
      await place.start(config)
      const before = await place.schema()
      await place.start(posts({ title, other: f.text() }))
      await place.start(config)
      expect(await place.schema()).toEqual(before)
    })

    test('rejects a database of an unknown layout, and does not change it', async () => {
      await place.start(posts({ title }))
      await place.exec("UPDATE daybook$meta SET value = '999' WHERE key = 'layout'")
      const before = await place.schema()
      const start = place.start(posts({ title, slug }))
      await expect(start).rejects.toThrow(StartupError)
      await expect(start).rejects.toThrow(/another version of Daybook \(layout 999.*Update Daybook/)
      expect(await place.schema()).toEqual(before)
    })

    test('creates the tables of a new locale, and drops those of a removed one', async () => {
      const inLocales = (...available: string[]): object => ({
        collections: { posts: { fields: { title: f.text({ localized: true }), slug: f.slug({ from: 'title' }) } } },
        locales: { default: 'en', available },
      })
      const tables = async (): Promise<readonly string[]> =>
        (await place.names('table')).filter((name) => ['posts$de', 'posts$fr', 'posts$fr$search'].includes(name))
      await place.serve(inLocales('en', 'de'), (service) => create(service, 'posts', { title: 'One' }))
      expect(await tables()).toEqual(['posts$de'])
      await place.start(inLocales('en', 'fr'))
      expect(await tables()).toEqual(['posts$fr', 'posts$fr$search'])
      expect(await place.rows('SELECT slug FROM "posts$fr"')).toEqual([{ slug: 'one' }])
      await place.start({ collections: { posts: { fields: { title: f.text(), slug: f.slug({ from: 'title' }) } } } })
      expect(await tables()).toEqual([])
    })

    test('creates the indexes of a new field, and drops those of a removed one', async () => {
      await place.start(posts({ title }))
      expect(await fieldIndexes()).toEqual(['posts$by$title', 'posts$by$title$folded'])
      await place.start(posts({ title, rank: f.integer({ unique: true }), seo: f.group({ name: f.text() }) }))
      expect(await fieldIndexes()).toEqual([
        'posts$by$rank',
        'posts$by$seo.name',
        'posts$by$seo.name$folded',
        'posts$by$title',
        'posts$by$title$folded',
        'posts$unique$rank',
      ])
      await place.start(posts({ title, rank: f.integer({ index: false }) }))
      expect(await fieldIndexes()).toEqual(['posts$by$title', 'posts$by$title$folded'])
    })

    test('creates a view with a column for each served key, and updates it', async () => {
      await place.serve(posts({ title, body: f.markdown() }), (service) =>
        create(service, 'posts', { title: 'A', body: '*b*' }),
      )
      const [row] = await place.rows<object>('SELECT * FROM posts_view')
      expect(Object.keys(row ?? {})).toEqual([
        'id',
        'title',
        'body',
        'bodyHtml',
        'createdAt',
        'updatedAt',
        'createdBy',
        'updatedBy',
      ])
      expect(row).toMatchObject({ title: 'A', body: '*b*', bodyHtml: '<p><em>b</em></p>', createdBy: 'system' })
      await place.start(posts({ title, rank: f.integer() }))
      const [next] = await place.rows<object>('SELECT * FROM posts_view')
      expect(Object.keys(next ?? {})).toEqual([
        'id',
        'title',
        'rank',
        'createdAt',
        'updatedAt',
        'createdBy',
        'updatedBy',
      ])
    })

    test('creates tables for a new collection, and keeps those of a removed one', async () => {
      await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
      await place.start({ collections: { notes: { fields: { title } } } })
      expect(await place.names('view')).toEqual(['assets_view', 'notes_view'])
      expect(await fieldIndexes()).toEqual(['notes$by$title', 'notes$by$title$folded'])
      expect(await place.names('table')).toEqual(expect.arrayContaining(['notes', 'posts']))
      await place.serve(posts({ title }), async ({ content }) => {
        expect(await content.as(ANONYMOUS).list('posts', { q: 'a' })).toMatchObject({
          total: 1,
          items: [{ title: 'A' }],
        })
      })
    })

    test('rejects a unique field with duplicate values, names it, and does not change the database', async () => {
      await place.serve(posts({ title }), async (service) => {
        await create(service, 'posts', { title: 'twin' })
        await create(service, 'posts', { title: 'twin' })
      })
      const before = await place.schema()
      const start = place.start(posts({ title: f.text({ required: true, unique: true }) }))
      await expect(start).rejects.toThrow(StartupError)
      await expect(start).rejects.toThrow(/posts\.title/)
      expect(await place.schema()).toEqual(before)
    })

    test.each(['select', 'order', 'entry', 'found', 'ordered', 'doc', 'pk', 'daybook'])(
      'serves a collection named %s, also after it changes',
      async (key) => {
        const config = (fields: object): object => ({ collections: { [key]: { fields } } })
        await place.serve(config({ title, slug, state: f.status() }), async (service) => {
          const { id } = await create(service, key, { title: 'Found in order' })
          await update(service, key, id, { title: 'Ordered and found' })
          expect(await service.content.as(ANONYMOUS).list(key, { q: 'ordered' })).toMatchObject({
            total: 1,
            items: [{ id }],
          })
          expect(await service.content.as(ANONYMOUS).list(key, { sort: ['title'] })).toMatchObject({
            total: 1,
            items: [{ id }],
          })
        })
        await place.serve(config({ title, slug, state: f.status(), rank: f.integer() }), async ({ content }) => {
          expect(await content.as(ANONYMOUS).list(key, { q: 'ordered', sort: 'rank' })).toMatchObject({ total: 1 })
        })
      },
    )
  })

  describe('search after a config change', () => {
    const find = (config: object, q: string, caller = SYSTEM): Promise<number> =>
      place.serve(config, async ({ content }) => {
        const { total, items } = await content.as(caller).list('posts', { q })
        expect(items).toHaveLength(total)
        return total
      })

    test('finds existing entries by a field that became searchable, and no longer by one that is not', async () => {
      const first = posts({ title, note: f.text({ search: false }) })
      await place.serve(first, (service) => create(service, 'posts', { title: 'apple', note: 'banana' }))
      expect(await find(first, 'banana')).toBe(0)
      const second = posts({ title: f.text({ required: true, search: false }), note: f.text() })
      expect(await find(second, 'banana')).toBe(1)
      expect(await find(second, 'apple')).toBe(0)
    })

    test('finds existing entries by a field in a group that became searchable', async () => {
      const seo = (search: boolean): object => posts({ seo: f.group({ name: f.text(), note: f.text({ search }) }) })
      await place.serve(seo(false), (service) => create(service, 'posts', { seo: { name: 'apple', note: 'banana' } }))
      expect(await find(seo(false), 'banana')).toBe(0)
      expect(await find(seo(true), 'banana')).toBe(1)
      expect(await find(seo(false), 'banana')).toBe(0)
    })

    test('finds existing entries without a session after a status was added', async () => {
      await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'apple' }))
      expect(await find(posts({ title, state: f.status() }), 'apple', ANONYMOUS)).toBe(1)
    })

    test('finds everything after the status was removed', async () => {
      await place.serve(posts({ title, state: f.status() }), async (service) => {
        await create(service, 'posts', { title: 'apple' })
        await create(service, 'posts', { title: 'apple pie', state: 'draft' })
      })
      expect(await find(posts({ title }), 'apple', ANONYMOUS)).toBe(2)
    })

    test('does not find words of a value that is no longer served', async () => {
      await place.serve(posts({ title, note: f.json() }), (service) =>
        create(service, 'posts', { title: 'apple', note: { inner: 'banana' } }),
      )
      const changed = posts({ title, note: f.text() })
      expect(await find(changed, 'banana')).toBe(0)
      expect(await find(changed, 'object')).toBe(0)
    })
  })

  describe('status after a config change', () => {
    const state = f.status()

    /** Checks that the status that an entry shows decides who can see it. */
    async function expectAgreement(config: object, id: string): Promise<void> {
      await place.serve(config, async (service) => {
        const entry = await read(service, 'posts', id)
        const status = String(entry?.state)
        const isPublic = status === 'published'
        const open = await service.content.as(ANONYMOUS).list('posts')
        const filtered = await service.content.list('posts', { status })
        expect(open.total, `total without a session of an entry that is ${status}`).toBe(isPublic ? 1 : 0)
        expect(open.items).toHaveLength(isPublic ? 1 : 0)
        expect(filtered.total, `total of status=${status}`).toBe(1)
        expect(filtered.items).toHaveLength(1)
      })
    }

    test('that is added makes existing entries published', async () => {
      const { id } = await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
      await expectAgreement(posts({ title, state }), id)
      await place.serve(posts({ title, state }), async ({ content }) => {
        expect(await content.as(ANONYMOUS).get('posts', id)).toMatchObject({ state: 'published' })
      })
    })

    test('that is added with a default gives existing entries the default', async () => {
      const { id } = await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
      const config = posts({ title, state: f.status({ default: 'draft' }) })
      await expectAgreement(config, id)
      await place.serve(config, async ({ content }) => expect(await content.as(ANONYMOUS).get('posts', id)).toBeNull())
    })

    test('that is removed makes everything public', async () => {
      await place.serve(posts({ title, state }), (service) => create(service, 'posts', { title: 'A', state: 'draft' }))
      await place.serve(posts({ title }), async ({ content }) => {
        expect(await content.as(ANONYMOUS).list('posts')).toMatchObject({ total: 1, items: [{ title: 'A' }] })
      })
    })

    test('that is removed and added again keeps drafts as drafts', async () => {
      const { id } = await place.serve(posts({ title, state }), (service) =>
        create(service, 'posts', { title: 'A', state: 'draft' }),
      )
      await place.start(posts({ title }))
      await expectAgreement(posts({ title, state }), id)
    })

    test('with a value that is no longer an option is replaced in columns and documents alike', async () => {
      const review = f.status({ options: ['review', 'published'] })
      const { id } = await place.serve(posts({ title, state: review }), (service) =>
        create(service, 'posts', { title: 'A', state: 'review' }),
      )
      await expectAgreement(posts({ title, state }), id)
    })

    test('counts agree with lists for every option', async () => {
      await place.serve(posts({ title, state }), async (service) => {
        for (const option of ['draft', 'draft', 'published', 'archived'])
          await create(service, 'posts', { title: option, state: option })
      })
      await place.start(posts({ title }))
      await place.serve(posts({ title, state: f.status({ options: ['published', 'draft'] }) }), async ({ content }) => {
        const all = await content.list('posts', { limit: 100 })
        expect(all.total).toBe(4)
        expect(all.items).toHaveLength(4)
      })
    })
  })
})

describe('start-up on a file', () => {
  test('creates an intact file in write-ahead mode', async () => {
    await using folder = await Folder.make()
    await folder.start(posts({ title }))
    expect(await folder.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(await folder.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(await folder.rows('PRAGMA foreign_key_check')).toEqual([])
  })
})
