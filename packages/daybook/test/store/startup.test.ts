import { f, StartupError } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { AS_SYSTEM, create, Folder, read, update } from './folder.ts'

const title = f.text({ required: true })
const slug = f.slug({ from: 'title' })
const posts = (fields: object): object => ({ collections: { posts: { fields } } })

let folder: Folder

beforeEach(async () => {
  folder = await Folder.make()
  return () => folder[Symbol.asyncDispose]()
})

/** Every table, index and view, with the SQL that makes it. */
const schema = (): readonly unknown[] => folder.rows('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')

const namesOf = (type: string): readonly string[] =>
  folder
    .rows<{ name: string }>('SELECT name FROM sqlite_schema WHERE type = ? ORDER BY name', type)
    .map(({ name }) => name)

/** The indexes of a collection's fields. */
const fieldIndexes = (): readonly string[] => namesOf('index').filter((name) => /\$(?:by|unique)\$/.test(name))

describe('start-up', () => {
  test('makes a file in write-ahead mode that is whole', async () => {
    await folder.start(posts({ title }))
    expect(folder.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(folder.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(folder.rows('PRAGMA foreign_key_check')).toEqual([])
  })

  test('changes nothing when the config is the same', async () => {
    const config = posts({ title, slug, body: f.markdown(), state: f.status(), rank: f.integer({ unique: true }) })
    await folder.start(config)
    const before = schema()
    await folder.start(config)
    await folder.start(config)
    expect(schema()).toEqual(before)
  })

  test('writes no journal', async () => {
    await folder.start(posts({ title }))
    await folder.start(posts({ title, slug }))
    expect(folder.rows('SELECT seq FROM daybook$head')).toEqual([{ seq: 0 }])
    expect(folder.rows('SELECT * FROM daybook$journal')).toEqual([])
  })

  test('comes back to the same tables after a config and back again', async () => {
    const config = posts({ title, state: f.status(), rank: f.integer({ unique: true }), day: f.date() })
    await folder.start(config)
    const before = schema()
    await folder.start(posts({ title, other: f.text() }))
    await folder.start(config)
    expect(schema()).toEqual(before)
  })

  test('refuses a database that a newer Daybook made, and leaves it alone', async () => {
    await folder.start(posts({ title }))
    folder.exec("UPDATE daybook$meta SET value = '999' WHERE key = 'layout'")
    const before = schema()
    const start = folder.start(posts({ title, slug }))
    await expect(start).rejects.toThrow(StartupError)
    await expect(start).rejects.toThrow(/newer Daybook.*Update Daybook/)
    expect(schema()).toEqual(before)
  })

  test('brings a database of the first layout up to date', async () => {
    const config = {
      collections: { posts: { fields: { title: f.text() } } },
      globals: { site: { fields: { name: f.text() } } },
    }
    const { id } = await folder.serve(config, (service) => create(service, 'posts', { title: 'old' }))
    // The first layout had one language, and no column for others.
    folder.exec(
      'DROP VIEW posts_view; ALTER TABLE posts DROP COLUMN locales; ALTER TABLE daybook$globals DROP COLUMN locales',
    )
    folder.exec(
      "UPDATE daybook$meta SET value = '1' WHERE key = 'layout'; DELETE FROM daybook$meta WHERE key = 'schema'",
    )
    const localized = {
      collections: { posts: { fields: { title: f.text({ localized: true }) } } },
      globals: { site: { fields: { name: f.text({ localized: true }) } } },
      locales: { default: 'en', available: ['en', 'de'] },
    }
    await folder.serve(localized, async ({ content }) => {
      await content.update('posts', id, { title: 'alt' }, { ...AS_SYSTEM, locale: 'de' })
      await content.writeGlobal('site', { name: 'Tagebuch' }, { ...AS_SYSTEM, locale: 'de' })
      expect(await content.get('posts', id)).toMatchObject({ title: 'old' })
      expect(await content.get('posts', id, { locale: 'de' })).toMatchObject({ title: 'alt' })
    })
  })

  test('makes the tables of a locale with it, and drops them with it', async () => {
    const inLocales = (...available: string[]): object => ({
      collections: { posts: { fields: { title: f.text({ localized: true }), slug: f.slug({ from: 'title' }) } } },
      locales: { default: 'en', available },
    })
    const tables = (): readonly string[] =>
      folder
        .rows<{ name: string }>(
          "SELECT name FROM sqlite_schema WHERE name IN ('posts$de', 'posts$fr', 'posts$fr$search') ORDER BY 1",
        )
        .map(({ name }) => name)
    await folder.serve(inLocales('en', 'de'), (service) => create(service, 'posts', { title: 'One' }))
    expect(tables()).toEqual(['posts$de'])
    await folder.start(inLocales('en', 'fr'))
    expect(tables()).toEqual(['posts$fr', 'posts$fr$search'])
    expect(folder.rows('SELECT slug FROM "posts$fr"')).toEqual([{ slug: 'one' }])
    await folder.start({ collections: { posts: { fields: { title: f.text(), slug: f.slug({ from: 'title' }) } } } })
    expect(tables()).toEqual([])
  })

  test('makes indexes with a field, and drops them with it', async () => {
    await folder.start(posts({ title }))
    expect(fieldIndexes()).toEqual(['posts$by$title'])
    await folder.start(posts({ title, rank: f.integer({ unique: true }), seo: f.group({ name: f.text() }) }))
    expect(fieldIndexes()).toEqual(['posts$by$rank', 'posts$by$seo.name', 'posts$by$title', 'posts$unique$rank'])
    await folder.start(posts({ title, rank: f.integer({ index: false }) }))
    expect(fieldIndexes()).toEqual(['posts$by$title'])
  })

  test('makes a view with a column for each served key, and keeps it up to date', async () => {
    await folder.serve(posts({ title, body: f.markdown() }), (service) =>
      create(service, 'posts', { title: 'A', body: '*b*' }),
    )
    const [row] = folder.rows<object>('SELECT * FROM posts_view')
    expect(Object.keys(row ?? {})).toEqual(['id', 'title', 'body', 'bodyHtml', 'createdAt', 'updatedAt'])
    expect(row).toMatchObject({ title: 'A', body: '*b*', bodyHtml: '<p><em>b</em></p>' })
    await folder.start(posts({ title, rank: f.integer() }))
    const [next] = folder.rows<object>('SELECT * FROM posts_view')
    expect(Object.keys(next ?? {})).toEqual(['id', 'title', 'rank', 'createdAt', 'updatedAt'])
  })

  test('makes tables for a new collection, and keeps those of one that is gone', async () => {
    await folder.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
    await folder.start({ collections: { notes: { fields: { title } } } })
    expect(namesOf('view')).toEqual(['notes_view'])
    expect(fieldIndexes()).toEqual(['notes$by$title'])
    expect(namesOf('table')).toEqual(expect.arrayContaining(['notes', 'posts']))
    await folder.serve(posts({ title }), async ({ content }) => {
      expect(await content.list('posts', { q: 'a' })).toMatchObject({ total: 1, items: [{ title: 'A' }] })
    })
  })

  test('refuses a unique field whose values are not, says which, and leaves the database as it was', async () => {
    await folder.serve(posts({ title }), async (service) => {
      await create(service, 'posts', { title: 'twin' })
      await create(service, 'posts', { title: 'twin' })
    })
    const before = schema()
    const start = folder.start(posts({ title: f.text({ required: true, unique: true }) }))
    await expect(start).rejects.toThrow(StartupError)
    await expect(start).rejects.toThrow(/posts\.title/)
    expect(schema()).toEqual(before)
  })

  test.each(['select', 'order', 'entry', 'found', 'ordered', 'doc', 'pk', 'daybook'])(
    'serves a collection named %s, and goes on when it changes',
    async (key) => {
      const config = (fields: object): object => ({ collections: { [key]: { fields } } })
      await folder.serve(config({ title, slug, state: f.status() }), async (service) => {
        const { id } = await create(service, key, { title: 'Found in order' })
        await update(service, key, id, { title: 'Ordered and found' })
        expect(await service.content.list(key, { q: 'ordered' })).toMatchObject({ total: 1, items: [{ id }] })
        expect(await service.content.list(key, { sort: ['title'] })).toMatchObject({ total: 1, items: [{ id }] })
      })
      await folder.serve(config({ title, slug, state: f.status(), rank: f.integer() }), async ({ content }) => {
        expect(await content.list(key, { q: 'ordered', sort: 'rank' })).toMatchObject({ total: 1 })
      })
    },
  )
})

describe('search, when the config changes', () => {
  const find = (config: object, q: string, options: object = AS_SYSTEM): Promise<number> =>
    folder.serve(config, async ({ content }) => {
      const { total, items } = await content.list('posts', { q }, options)
      expect(items).toHaveLength(total)
      return total
    })

  test('finds old entries by a field that became searchable, and no longer by one that ceased to be', async () => {
    const first = posts({ title, note: f.text({ search: false }) })
    await folder.serve(first, (service) => create(service, 'posts', { title: 'apple', note: 'banana' }))
    expect(await find(first, 'banana')).toBe(0)
    const second = posts({ title: f.text({ required: true, search: false }), note: f.text() })
    expect(await find(second, 'banana')).toBe(1)
    expect(await find(second, 'apple')).toBe(0)
  })

  test('finds old entries by a field inside a group that became searchable', async () => {
    const seo = (search: boolean): object => posts({ seo: f.group({ name: f.text(), note: f.text({ search }) }) })
    await folder.serve(seo(false), (service) => create(service, 'posts', { seo: { name: 'apple', note: 'banana' } }))
    expect(await find(seo(false), 'banana')).toBe(0)
    expect(await find(seo(true), 'banana')).toBe(1)
    expect(await find(seo(false), 'banana')).toBe(0)
  })

  test('finds old entries without a session after a status was added', async () => {
    await folder.serve(posts({ title }), (service) => create(service, 'posts', { title: 'apple' }))
    expect(await find(posts({ title, state: f.status() }), 'apple', {})).toBe(1)
  })

  test('finds everything after the status went', async () => {
    await folder.serve(posts({ title, state: f.status() }), async (service) => {
      await create(service, 'posts', { title: 'apple' })
      await create(service, 'posts', { title: 'apple pie', state: 'draft' })
    })
    expect(await find(posts({ title }), 'apple', {})).toBe(2)
  })

  test('does not find the words of a value that is no longer served', async () => {
    await folder.serve(posts({ title, note: f.json() }), (service) =>
      create(service, 'posts', { title: 'apple', note: { inner: 'banana' } }),
    )
    const changed = posts({ title, note: f.text() })
    expect(await find(changed, 'banana')).toBe(0)
    expect(await find(changed, 'object')).toBe(0)
  })
})

describe('status, when the config changes', () => {
  const state = f.status()

  /** Checks that what an entry says of its status is what decides who sees it. */
  async function expectAgreement(config: object, id: string): Promise<void> {
    await folder.serve(config, async (service) => {
      const entry = await read(service, 'posts', id)
      const own = String(entry?.state)
      const isPublic = own === 'published'
      const open = await service.content.list('posts')
      const filtered = await service.content.list('posts', { status: own }, AS_SYSTEM)
      expect(open.total, `total without a session of an entry that is ${own}`).toBe(isPublic ? 1 : 0)
      expect(open.items).toHaveLength(isPublic ? 1 : 0)
      expect(filtered.total, `total of status=${own}`).toBe(1)
      expect(filtered.items).toHaveLength(1)
    })
  }

  test('one that is added makes old entries published', async () => {
    const { id } = await folder.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
    await expectAgreement(posts({ title, state }), id)
    await folder.serve(posts({ title, state }), async ({ content }) => {
      expect(await content.get('posts', id)).toMatchObject({ state: 'published' })
    })
  })

  test('one that is added with a default gives them that', async () => {
    const { id } = await folder.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
    const config = posts({ title, state: f.status({ default: 'draft' }) })
    await expectAgreement(config, id)
    await folder.serve(config, async ({ content }) => expect(await content.get('posts', id)).toBeNull())
  })

  test('one that goes makes everything public', async () => {
    await folder.serve(posts({ title, state }), (service) => create(service, 'posts', { title: 'A', state: 'draft' }))
    await folder.serve(posts({ title }), async ({ content }) => {
      expect(await content.list('posts')).toMatchObject({ total: 1, items: [{ title: 'A' }] })
    })
  })

  test('one that goes and comes back leaves drafts drafts', async () => {
    const { id } = await folder.serve(posts({ title, state }), (service) =>
      create(service, 'posts', { title: 'A', state: 'draft' }),
    )
    await folder.start(posts({ title }))
    await expectAgreement(posts({ title, state }), id)
  })

  test('a value that is no longer one of them agrees with what is served', async () => {
    const own = f.status({ options: ['review', 'published'] })
    const { id } = await folder.serve(posts({ title, state: own }), (service) =>
      create(service, 'posts', { title: 'A', state: 'review' }),
    )
    await expectAgreement(posts({ title, state }), id)
  })

  test('totals and the list agree for every status', async () => {
    await folder.serve(posts({ title, state }), async (service) => {
      for (const one of ['draft', 'draft', 'published', 'archived'])
        await create(service, 'posts', { title: one, state: one })
    })
    await folder.start(posts({ title }))
    await folder.serve(posts({ title, state: f.status({ options: ['published', 'draft'] }) }), async ({ content }) => {
      const all = await content.list('posts', { limit: 100 }, AS_SYSTEM)
      expect(all.total).toBe(4)
      expect(all.items).toHaveLength(4)
    })
  })
})
