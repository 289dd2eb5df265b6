import { ANONYMOUS, type DaybookConfig, DaybookError, f, type SeedContent } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { create, type Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const fields = { title: f.text({ required: true, unique: true }), slug: f.slug({ from: 'title' }), state: f.status() }
const globals = { site: { fields: { name: f.text({ required: true }) } } }

const withSeed = (seed: (content: SeedContent) => Promise<void>): DaybookConfig => ({
  collections: { posts: { fields } },
  globals,
  seed,
})

let place: Place

const stored = async (): Promise<unknown> => ({
  posts: await place.rows('SELECT slug FROM posts ORDER BY pk'),
  globals: await place.rows('SELECT key FROM daybook$globals'),
  seq: await place.rows('SELECT seq FROM daybook$head'),
  journal: await place.rows('SELECT count(*) AS n FROM daybook$journal'),
})

const NOTHING = { posts: [], globals: [], seq: [{ seq: 0 }], journal: [{ n: 0 }] }

describe.each(POLICY_STORES)('on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  test('fills an empty store once before the service responds', async () => {
    let runs = 0
    const config = withSeed(async (content) => {
      runs += 1
      const { id } = await content.create('posts', { title: 'First', state: 'draft' })
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(await content.writeGlobal('site', { name: 'Blog' })).toMatchObject({ key: 'site', name: 'Blog' })
    })
    await place.start(config)
    await place.start(config)
    expect(runs).toBe(1)
    expect(await stored()).toEqual({
      posts: [{ slug: 'first' }],
      globals: [{ key: 'site' }],
      seq: [{ seq: 2 }],
      journal: [{ n: 2 }],
    })
  })

  test('does not touch a store that has content', async () => {
    await place.serve(
      withSeed(async () => {}),
      (service) => create(service, 'posts', { title: 'mine' }),
    )
    await place.start(withSeed(async (content) => void (await content.create('posts', { title: 'theirs' }))))
    expect(await place.rows('SELECT slug FROM posts')).toEqual([{ slug: 'mine' }])
  })

  test('does not run again after everything was deleted', async () => {
    const config = withSeed(async (content) => void (await content.create('posts', { title: 'First' })))
    await place.serve(config, async ({ content }) => {
      const [first] = (await content.as(ANONYMOUS).list('posts')).items
      await content.delete('posts', String((first as { id?: unknown }).id))
    })
    await place.start(config)
    expect(await place.rows('SELECT * FROM posts')).toEqual([])
  })

  test('stores nothing if it throws, and runs again at the next start', async () => {
    let isBroken = true
    const config = withSeed(async (content) => {
      await content.create('posts', { title: 'First' })
      await content.writeGlobal('site', { name: 'Blog' })
      if (isBroken) throw new Error('the disk of the seed is empty')
    })
    await expect(place.start(config)).rejects.toThrow('the disk of the seed is empty')
    expect(await stored()).toEqual(NOTHING)
    isBroken = false
    await place.start(config)
    expect(await place.rows('SELECT slug FROM posts')).toEqual([{ slug: 'first' }])
  })

  test('stores nothing if one of its entries is rejected, and reports the reason', async () => {
    const config = withSeed(async (content) => {
      await content.create('posts', { title: 'First' })
      await content.create('posts', { title: 'First' })
    })
    const refusal = await place.start(config).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(DaybookError)
    expect(refusal).toMatchObject({ code: 'CONFLICT', details: { field: 'title' } })
    expect(await stored()).toEqual(NOTHING)
  })

  test('can change entries that it created, in each locale', async () => {
    const config: DaybookConfig = {
      locales: { default: 'en', available: ['en', 'de'] },
      collections: {
        posts: { fields: { title: f.text({ required: true, localized: true }), next: f.relation('posts') } },
      },
      globals: { site: { fields: { name: f.text({ localized: true }) } } },
      seed: async ({ create: make, update, writeGlobal }) => {
        const [first, second] = [await make('posts', { title: 'Ink' }), await make('posts', { title: 'Pens' })]
        await update('posts', first.id, { title: 'Tinte' }, { locale: 'de' })
        await update('posts', first.id, { next: second.id })
        await writeGlobal('site', { name: 'Daybook' })
        await writeGlobal('site', { name: 'Tagebuch' }, { locale: 'de' })
      },
    }
    await place.serve(config, async ({ content }) => {
      const titles = async (locale: string): Promise<unknown> =>
        (await content.as(ANONYMOUS).list('posts', { locale, sort: 'createdAt', include: ['next'] })).items.map(
          ({ title, next }) => [title, (next as { title?: unknown } | null)?.title],
        )
      expect(await titles('en')).toEqual([
        ['Ink', 'Pens'],
        ['Pens', undefined],
      ])
      expect(await titles('de')).toEqual([
        ['Tinte', null],
        [null, undefined],
      ])
      expect(await content.as(ANONYMOUS).readGlobal('site', { locale: 'de' })).toMatchObject({ name: 'Tagebuch' })
    })
  })

  test('stores nothing if a change of one of its entries is rejected', async () => {
    const config = withSeed(async (content) => {
      const { id } = await content.create('posts', { title: 'First' })
      await content.update('posts', id, { title: null })
    })
    await expect(place.start(config)).rejects.toThrow(/posts/)
    expect(await stored()).toEqual(NOTHING)
  })

  test('may write many entries at once', async () => {
    const titles = Array.from({ length: 40 }, (_, index) => `Post ${index}`)
    const long = 'word '.repeat(1000)
    const config: DaybookConfig = {
      collections: { posts: { fields: { ...fields, body: f.markdown() } } },
      seed: async (content) => {
        await Promise.all(
          titles.map((title, index) => content.create('posts', { title, body: index % 2 ? long : 'a' })),
        )
      },
    }
    await place.serve(config, async ({ content }) => {
      const { total, items } = await content.as(ANONYMOUS).list('posts', { limit: 100 })
      expect(items).toHaveLength(40)
      expect(total).toBe(40)
    })
    expect(await place.rows('SELECT seq FROM daybook$head')).toEqual([{ seq: 40 }])
  })

  test('stores nothing if one of many concurrent writes is rejected', async () => {
    const titles = ['Same', 'Same', ...Array.from({ length: 20 }, (_, index) => `Post ${index}`)]
    const config = withSeed(async (content) => {
      await Promise.all(titles.map((title, index) => content.create('posts', { title, slug: `post-${index}` })))
    })
    await expect(place.start(config)).rejects.toThrow(DaybookError)
    expect(await stored()).toEqual(NOTHING)
  })
})
