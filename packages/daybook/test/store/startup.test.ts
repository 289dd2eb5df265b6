import { type Caller, f, StartupError } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { identityOf } from '../support/auth/people.ts'
import { Folder } from '../support/stores/folder.ts'
import { AS_SYSTEM, create, type Place, read, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const title = f.text({ required: true })
const slug = f.slug({ from: 'title' })
const posts = (fields: object): object => ({ collections: { posts: { fields } } })

let place: Place

/** The indexes of a collection's fields. */
const fieldIndexes = async (): Promise<readonly string[]> =>
  (await place.names('index')).filter((name) => /^(?!assets)\w+\$(?:by|unique)\$/.test(name))

describe.each(STORES)('on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  describe('start-up', () => {
    test('changes nothing when the config is the same', async () => {
      const config = posts({ title, slug, body: f.markdown(), state: f.status(), rank: f.integer({ unique: true }) })
      await place.start(config)
      const before = await place.schema()
      await place.start(config)
      await place.start(config)
      expect(await place.schema()).toEqual(before)
    })

    test('writes no journal', async () => {
      await place.start(posts({ title }))
      await place.start(posts({ title, slug }))
      expect(await place.rows('SELECT seq FROM daybook$head')).toEqual([{ seq: 0 }])
      expect(await place.rows('SELECT * FROM daybook$journal')).toEqual([])
    })

    test('comes back to the same tables after a config and back again', async () => {
      const config = posts({ title, state: f.status(), rank: f.integer({ unique: true }), day: f.date() })
      await place.start(config)
      const before = await place.schema()
      await place.start(posts({ title, other: f.text() }))
      await place.start(config)
      expect(await place.schema()).toEqual(before)
    })

    test('refuses a database that a newer Daybook made, and leaves it alone', async () => {
      await place.start(posts({ title }))
      await place.exec("UPDATE daybook$meta SET value = '999' WHERE key = 'layout'")
      const before = await place.schema()
      const start = place.start(posts({ title, slug }))
      await expect(start).rejects.toThrow(StartupError)
      await expect(start).rejects.toThrow(/newer Daybook.*Update Daybook/)
      expect(await place.schema()).toEqual(before)
    })

    test('makes the tables of a locale with it, and drops them with it', async () => {
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

    test('makes indexes with a field, and drops them with it', async () => {
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

    test('makes a view with a column for each served key, and keeps it up to date', async () => {
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

    test('makes tables for a new collection, and keeps those of one that is gone', async () => {
      await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
      await place.start({ collections: { notes: { fields: { title } } } })
      expect(await place.names('view')).toEqual(['assets_view', 'notes_view'])
      expect(await fieldIndexes()).toEqual(['notes$by$title', 'notes$by$title$folded'])
      expect(await place.names('table')).toEqual(expect.arrayContaining(['notes', 'posts']))
      await place.serve(posts({ title }), async ({ content }) => {
        expect(await content.list('posts', { q: 'a' })).toMatchObject({ total: 1, items: [{ title: 'A' }] })
      })
    })

    test('refuses a unique field whose values are not, says which, and leaves the database as it was', async () => {
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
      'serves a collection named %s, and goes on when it changes',
      async (key) => {
        const config = (fields: object): object => ({ collections: { [key]: { fields } } })
        await place.serve(config({ title, slug, state: f.status() }), async (service) => {
          const { id } = await create(service, key, { title: 'Found in order' })
          await update(service, key, id, { title: 'Ordered and found' })
          expect(await service.content.list(key, { q: 'ordered' })).toMatchObject({ total: 1, items: [{ id }] })
          expect(await service.content.list(key, { sort: ['title'] })).toMatchObject({ total: 1, items: [{ id }] })
        })
        await place.serve(config({ title, slug, state: f.status(), rank: f.integer() }), async ({ content }) => {
          expect(await content.list(key, { q: 'ordered', sort: 'rank' })).toMatchObject({ total: 1 })
        })
      },
    )
  })

  describe('search, when the config changes', () => {
    const find = (config: object, q: string, options: object = AS_SYSTEM): Promise<number> =>
      place.serve(config, async ({ content }) => {
        const { total, items } = await content.list('posts', { q }, options)
        expect(items).toHaveLength(total)
        return total
      })

    test('finds old entries by a field that became searchable, and no longer by one that ceased to be', async () => {
      const first = posts({ title, note: f.text({ search: false }) })
      await place.serve(first, (service) => create(service, 'posts', { title: 'apple', note: 'banana' }))
      expect(await find(first, 'banana')).toBe(0)
      const second = posts({ title: f.text({ required: true, search: false }), note: f.text() })
      expect(await find(second, 'banana')).toBe(1)
      expect(await find(second, 'apple')).toBe(0)
    })

    test('finds old entries by a field inside a group that became searchable', async () => {
      const seo = (search: boolean): object => posts({ seo: f.group({ name: f.text(), note: f.text({ search }) }) })
      await place.serve(seo(false), (service) => create(service, 'posts', { seo: { name: 'apple', note: 'banana' } }))
      expect(await find(seo(false), 'banana')).toBe(0)
      expect(await find(seo(true), 'banana')).toBe(1)
      expect(await find(seo(false), 'banana')).toBe(0)
    })

    test('finds old entries without a session after a status was added', async () => {
      await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'apple' }))
      expect(await find(posts({ title, state: f.status() }), 'apple', {})).toBe(1)
    })

    test('finds everything after the status went', async () => {
      await place.serve(posts({ title, state: f.status() }), async (service) => {
        await create(service, 'posts', { title: 'apple' })
        await create(service, 'posts', { title: 'apple pie', state: 'draft' })
      })
      expect(await find(posts({ title }), 'apple', {})).toBe(2)
    })

    test('does not find the words of a value that is no longer served', async () => {
      await place.serve(posts({ title, note: f.json() }), (service) =>
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
      await place.serve(config, async (service) => {
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
      const { id } = await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
      await expectAgreement(posts({ title, state }), id)
      await place.serve(posts({ title, state }), async ({ content }) => {
        expect(await content.get('posts', id)).toMatchObject({ state: 'published' })
      })
    })

    test('one that is added with a default gives them that', async () => {
      const { id } = await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'A' }))
      const config = posts({ title, state: f.status({ default: 'draft' }) })
      await expectAgreement(config, id)
      await place.serve(config, async ({ content }) => expect(await content.get('posts', id)).toBeNull())
    })

    test('one that goes makes everything public', async () => {
      await place.serve(posts({ title, state }), (service) => create(service, 'posts', { title: 'A', state: 'draft' }))
      await place.serve(posts({ title }), async ({ content }) => {
        expect(await content.list('posts')).toMatchObject({ total: 1, items: [{ title: 'A' }] })
      })
    })

    test('one that goes and comes back leaves drafts drafts', async () => {
      const { id } = await place.serve(posts({ title, state }), (service) =>
        create(service, 'posts', { title: 'A', state: 'draft' }),
      )
      await place.start(posts({ title }))
      await expectAgreement(posts({ title, state }), id)
    })

    test('a value that is no longer one of them agrees with what is served', async () => {
      const own = f.status({ options: ['review', 'published'] })
      const { id } = await place.serve(posts({ title, state: own }), (service) =>
        create(service, 'posts', { title: 'A', state: 'review' }),
      )
      await expectAgreement(posts({ title, state }), id)
    })

    test('totals and the list agree for every status', async () => {
      await place.serve(posts({ title, state }), async (service) => {
        for (const one of ['draft', 'draft', 'published', 'archived'])
          await create(service, 'posts', { title: one, state: one })
      })
      await place.start(posts({ title }))
      await place.serve(posts({ title, state: f.status({ options: ['published', 'draft'] }) }), async ({ content }) => {
        const all = await content.list('posts', { limit: 100 }, AS_SYSTEM)
        expect(all.total).toBe(4)
        expect(all.items).toHaveLength(4)
      })
    })
  })
})

/** Makes a store one of before there were files. */
async function takeAssetsAway(at: Pick<Place, 'exec' | 'names'>): Promise<void> {
  const names = async (type: 'view' | 'table'): Promise<readonly string[]> =>
    (await at.names(type)).filter((name) => /^assets(?:_view|\$[a-z]{2}|\$search)?$/.test(name))
  const views = (await names('view')).map((name) => `DROP VIEW "${name}";`)
  const tables = (await names('table')).map((name) => `DROP TABLE "${name}";`)
  await at.exec([...views, ...tables].join(' '))
  await at.exec("DELETE FROM daybook$collections WHERE key = 'assets'")
}

/** Makes a store one of the fifth layout, which had other names for the hash of a schema, and for orphaned values. */
async function takeNamesBack(
  at: Pick<Place, 'exec' | 'names' | 'rows'>,
  collections: readonly string[],
): Promise<void> {
  const theirs = new RegExp(`^(?:${collections.join('|')})(?:\\$[a-z]{2})?$`)
  const tables = [...(await at.names('table')).filter((name) => theirs.test(name)), 'daybook$globals']
  const columns = tables.flatMap((table) => [
    `ALTER TABLE "${table}" RENAME COLUMN schema_hash TO shape;`,
    `ALTER TABLE "${table}" RENAME COLUMN orphaned TO kept;`,
  ])
  // The seventh layout says on whose behalf something is scheduled, and the eighth has folded texts.
  columns.push('ALTER TABLE daybook$schedules DROP COLUMN caller;')
  for (const name of await at.names('index')) if (name.endsWith('$folded')) columns.push(`DROP INDEX "${name}";`)
  const entries = tables.filter((table) => table !== 'daybook$globals')
  columns.push(...entries.map((table) => `ALTER TABLE "${table}" DROP COLUMN folded;`))
  await at.exec(columns.join(' '))
  for (const table of collections) {
    const drafts = await at.rows<{ pk: number; draft: string }>(
      `SELECT pk, draft FROM "${table}" WHERE draft IS NOT NULL`,
    )
    const updates = drafts.map(({ pk, draft }) => {
      const { schema_hash: shape, orphaned: kept, ...others } = JSON.parse(draft)
      const text = JSON.stringify({ shape, kept, ...others }).replaceAll("'", "''")
      return `UPDATE "${table}" SET draft = '${text}' WHERE pk = ${pk};`
    })
    await at.exec(updates.join(' '))
  }
  await at.exec("UPDATE daybook$meta SET value = '5' WHERE key = 'layout'")
  await at.exec("DELETE FROM daybook$meta WHERE key = 'schema'")
}

describe.each(STORES)('a store of the fifth layout on $name', (store) => {
  const withFields = (fields: object): object => ({
    locales: { default: 'en', available: ['en', 'de'] },
    collections: { posts: { fields: { title: f.text({ localized: true }), status: f.status(), ...fields } } },
    globals: { site: { fields: { name: f.text(), ...fields } } },
  })
  const before = withFields({ gone: f.text() })
  const after = withFields({ other: f.text() })

  /** Every row that says something of a document. */
  async function storedRows(at: Place): Promise<unknown> {
    type Row = { readonly draft?: string | null }
    const tables = await Promise.all(
      ['posts', 'posts$de', 'assets', 'daybook$globals', 'daybook$journal_payload'].map((name) =>
        at.rows<Row>(`SELECT * FROM "${name}" ORDER BY 1`),
      ),
    )
    return tables.map((rows) => rows.map((row) => ({ ...row, draft: JSON.parse(row.draft ?? 'null') })))
  }

  test('becomes what this one would have made of its content', async () => {
    await using old = await store.at()
    const ids = await old.serve(before, async (service) => {
      const { content } = service
      await content.writeGlobal('site', { name: 'Daybook', gone: "the site's" }, AS_SYSTEM)
      const made: string[] = []
      // Working copies are read by the hundred.
      for (let count = 0; count < 101; count += 1) {
        const { id } = await create(service, 'posts', { title: `published ${count}`, gone: `of ${count}` })
        await content.saveDraft('posts', id, { title: `it's "draft" ${count}`, gone: 'of a draft' } as never, AS_SYSTEM)
        made.push(id)
      }
      return made
    })
    await old.serve(after, async ({ content }) => {
      await content.writeGlobal('site', { other: 'new' }, AS_SYSTEM)
      for (const id of ids) await content.saveDraft('posts', id, { other: 'new' } as never, AS_SYSTEM)
      await content.update('posts', ids[0] ?? '', { other: 'new' } as never, AS_SYSTEM)
    })
    const expected = await storedRows(old)
    const tables = await old.schema()
    await takeNamesBack(old, ['posts', 'assets'])
    await old.start(after)
    expect(await storedRows(old)).toEqual(expected)
    expect((await old.schema()).map(({ type, name }) => [type, name])).toEqual(
      tables.map(({ type, name }) => [type, name]),
    )
    await old.serve(before, async ({ content }) => {
      expect(await content.readGlobal('site', AS_SYSTEM)).toMatchObject({ name: 'Daybook', gone: "the site's" })
      expect(await content.get('posts', ids[0] ?? '', {}, AS_SYSTEM)).toMatchObject({
        title: 'published 0',
        gone: 'of 0',
      })
      for (const [count, id] of ids.entries()) {
        const copy = await content.get('posts', id, { draft: true }, AS_SYSTEM)
        expect(copy).toMatchObject({ title: `it's "draft" ${count}`, gone: 'of a draft', hasDraft: true })
      }
    })
  })
})

/** Makes a store one of the second layout, which knew nothing of people. */
async function takePeopleAway(at: Pick<Place, 'exec'>, collections: readonly string[]): Promise<void> {
  const views = collections.map((key) => `DROP VIEW "${key}_view";`)
  const indexes = collections.flatMap((key) =>
    ['created_by', 'updated_by'].map((name) => `DROP INDEX "${key}$${name}";`),
  )
  const columns = [...collections, 'daybook$globals'].flatMap((table) =>
    ['created_by', 'updated_by'].map((name) => `ALTER TABLE "${table}" DROP COLUMN ${name};`),
  )
  const later = 'ALTER TABLE daybook$collections DROP COLUMN draft_seq;'
  await at.exec([...views, ...indexes, ...columns, later].join(' '))
  await at.exec("UPDATE daybook$meta SET value = '2' WHERE key = 'layout'")
  await at.exec("DELETE FROM daybook$meta WHERE key = 'schema'")
}

describe.each(STORES)('a store of the second layout on $name', (store) => {
  test('learns from its journal who made and changed documents, in every language', async () => {
    await using old = await store.at()
    const config = {
      locales: { default: 'en', available: ['en', 'de'] },
      collections: { posts: { fields: { title: f.text({ localized: true }) }, access: { create: () => true } } },
      globals: { site: { fields: { name: f.text() } }, bare: { fields: { name: f.text() } } },
    }
    const [ann, bob] = ['ann', 'bob'].map((name) => ({ caller: sessionOf(name) }))
    const ids = await old.serve(config, async ({ content }) => {
      const one = await content.create('posts', { title: 'A' }, ann)
      await content.update('posts', one.id, { title: 'B' }, bob)
      const other = await content.create('posts', { title: 'by nobody' })
      await content.writeGlobal('site', { name: 'A' }, ann)
      await content.writeGlobal('site', { name: 'B' }, bob)
      return [one.id, other.id] as const
    })
    await takeAssetsAway(old)
    await takeNamesBack(old, ['posts'])
    await takePeopleAway(old, ['posts'])
    expect(await old.names('table')).toContain('posts$de')
    await old.serve(config, async ({ content }) => {
      const people = { createdBy: 'ann', updatedBy: 'bob' }
      for (const locale of ['en', 'de']) {
        expect(await content.get('posts', ids[0], { locale }, ann)).toMatchObject(people)
        const query = { locale, where: { createdBy: { eq: 'ann' } } }
        expect(await content.list('posts', query, ann)).toMatchObject({ total: 1, items: [people] })
      }
      expect(await content.get('posts', ids[1], {}, ann)).toMatchObject({ createdBy: null, updatedBy: null })
      expect(await content.readGlobal('site', ann)).toMatchObject(people)
      expect(await content.readGlobal('bare', ann)).toMatchObject({ createdBy: null, updatedBy: null })
      const next = await content.create('posts', { title: 'C' }, bob)
      expect(next).toMatchObject({ createdBy: 'bob', updatedBy: 'bob' })
    })
  })
})

const sessionOf = (name: string): Caller => ({ principal: { id: name }, identity: identityOf(name) })

/** What only a file is, and what only files went through: PostgreSQL began with the second layout. */
describe('start-up on a file', () => {
  test('makes a file in write-ahead mode that is whole', async () => {
    await using folder = await Folder.make()
    await folder.start(posts({ title }))
    expect(await folder.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(await folder.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(await folder.rows('PRAGMA foreign_key_check')).toEqual([])
  })

  test('brings a database of the first layout up to date', async () => {
    await using folder = await Folder.make()
    const config = {
      collections: { posts: { fields: { title: f.text() } } },
      globals: { site: { fields: { name: f.text() } } },
    }
    const { id } = await folder.serve(config, (service) => create(service, 'posts', { title: 'old' }))
    // The first layout had one language, and no column for others.
    await takeAssetsAway(folder)
    await takeNamesBack(folder, ['posts'])
    await takePeopleAway(folder, ['posts'])
    await folder.exec('ALTER TABLE posts DROP COLUMN locales; ALTER TABLE daybook$globals DROP COLUMN locales')
    await folder.exec("UPDATE daybook$meta SET value = '1' WHERE key = 'layout'")
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
})
