import { ANONYMOUS, f, type LocalesConfig } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { fillStoredDocuments } from '../../src/content/transfer/fill.ts'
import { findInvalidValues } from '../../src/content/transfer/invalid-values.ts'
import {
  dropOrphaned,
  findPendingRenames,
  migrateStoredDocuments,
  planMigration,
} from '../../src/content/transfer/schema-migration.ts'
import { withContentContext } from '../support/stores/migrating.ts'
import { create, type Document, type Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const title = f.text({ required: true, localized: true })
const rest = { slug: f.slug({ from: 'title' }), status: f.status() }

const posts = (fields: object, locales: LocalesConfig = { default: 'en', available: ['en', 'de'] }): object => ({
  collections: { posts: { fields: { ...fields, ...rest } } },
  locales,
})

let place: Place

async function writeDraft(config: object, data: object, draft: object, german?: object): Promise<string> {
  return place.serve(config, async (service) => {
    const { id } = await create(service, 'posts', data)
    await service.content.saveDraft('posts', id, draft as never)
    if (german) await service.content.saveDraft('posts', id, german as never, { locale: 'de' })
    return id
  })
}

const readDraft = (config: object, id: string, query: object = {}): Promise<Document> =>
  place.serve(config, async ({ content }) => {
    return (await content.get('posts', id, { ...query, draft: true })) as unknown as Document
  })

/** Runs the migration to a config, and returns the planned steps as `daybook migrate` prints them. */
async function migrate(config: object, { allowLoss = false } = {}): Promise<readonly string[]> {
  return withContentContext(place, config, async ({ store, model }) => {
    const steps = await planMigration(store.read, model)
    await migrateStoredDocuments(store, model)
    if (allowLoss) await dropOrphaned(store, model)
    return steps.map(({ path, kind, count }) => `${kind} ${path} ${count}`)
  })
}

describe.each(POLICY_STORES)('a draft of an older config on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  test('gets a renamed field under its new key without being published', async () => {
    const before = posts({ title, old: f.text(), seo: f.group({ from: f.text() }) })
    const id = await writeDraft(before, { title: 'T' }, { old: 'kept', seo: { from: 'too' } })
    const after = posts({
      title,
      now: f.text({ renamedFrom: 'old' }),
      seo: f.group({ to: f.text({ renamedFrom: 'from' }) }),
    })
    const pending = await withContentContext(place, after, ({ store: { read }, model }) =>
      findPendingRenames(read, model),
    )
    expect(pending.map(({ path }) => path).sort()).toEqual(['posts.now', 'posts.seo.to'])
    expect(await migrate(after)).toEqual(['rename posts.now 1', 'rename posts.seo.to 1'])
    expect(await readDraft(after, id)).toMatchObject({ now: 'kept', seo: { to: 'too' }, hasDraft: true })
    const published = await place.serve(after, ({ content }) => content.as(ANONYMOUS).get('posts', id))
    expect(published).toMatchObject({ now: null, seo: null })
    expect(await migrate(after)).toEqual([])
  })

  test('keeps values without a field until a migration with --allow-loss drops them', async () => {
    const before = posts({ title, gone: f.text() })
    const id = await writeDraft(before, { title: 'T' }, { gone: 'dear' })
    const after = posts({ title })
    expect(await migrate(after)).toEqual(['lose posts.gone 1'])
    expect(await readDraft(before, id)).toMatchObject({ gone: 'dear' })
    expect(await migrate(after, { allowLoss: true })).toEqual(['lose posts.gone 1'])
    expect(await migrate(after)).toEqual([])
    expect(await readDraft(before, id)).toMatchObject({ gone: null, hasDraft: true })
  })

  test('is migrated to another default locale', async () => {
    const before = posts({ title })
    const id = await writeDraft(before, { title: 'One' }, { title: 'Two' }, { title: 'Zwei' })
    const after = posts({ title }, { default: 'de', available: ['en', 'de'] })
    await migrate(after)
    expect(await readDraft(after, id, { locale: 'all' })).toMatchObject({ title: { en: 'Two', de: 'Zwei' } })
    const published = await place.serve(after, ({ content }) =>
      content.as(ANONYMOUS).get('posts', id, { locale: 'en' }),
    )
    expect(published).toMatchObject({ title: 'One' })
  })

  test('gets the value of a fill if it lacks the value, like its entry', async () => {
    const before = posts({ title, note: f.text() })
    const ids = [
      await writeDraft(before, { title: 'A' }, { title: 'A2' }),
      await writeDraft(before, { title: 'B' }, { note: 'of its own' }),
    ]
    const after = posts({ title, note: f.text({ required: true, fill: 'none' }) })
    await withContentContext(place, after, (context) => {
      const transact = context.store.transaction.bind(context.store)
      return fillStoredDocuments(context, { transact: (work) => transact(work), signal: new AbortController().signal })
    })
    const drafts = [await readDraft(after, String(ids[0])), await readDraft(after, String(ids[1]))]
    expect(drafts).toMatchObject([
      { title: 'A2', note: 'none' },
      { title: 'B', note: 'of its own' },
    ])
    const published = await place.serve(after, ({ content }) => content.publish('posts', String(ids[0])))
    expect(published).toMatchObject({ title: 'A2', note: 'none' })
  })

  test('gets former options replaced by a fill, like its entry, in every locale, and like globals', async () => {
    const withColor = (color: object): object => ({
      ...posts({ title, color }),
      globals: { site: { fields: { color } } },
    })
    const before = withColor(f.select({ options: ['red', 'blue', 'green'], localized: true }))
    const id = await writeDraft(before, { title: 'T', color: 'blue' }, { color: 'green' }, { color: 'blue' })
    const other = await writeDraft(before, { title: 'U', color: 'red' }, { color: 'blue' })
    await place.serve(before, async ({ content }) => {
      await content.update('posts', id, { title: 'D', color: 'green' } as never, { locale: 'de' })
      await content.writeGlobal('site' as never, { color: 'blue' } as never)
    })
    const after = withColor(
      f.select({ options: ['red', 'azure', 'lime'], localized: true, fill: { blue: 'azure', green: 'lime' } }),
    )
    await withContentContext(place, after, async (context) => {
      const transact = context.store.transaction.bind(context.store)
      const { signal } = new AbortController()
      const lines: string[] = []
      for await (const { path, kind } of findInvalidValues(context.store.read, context.model))
        lines.push(`${path} ${kind}`)
      expect(lines).toEqual(['posts.color convert', 'posts.color convert', 'site.color convert'])
      expect(await fillStoredDocuments(context, { transact: (work) => transact(work), signal })).toEqual([
        { path: 'posts.color', count: 2 },
        { path: 'site.color', count: 1 },
      ])
    })
    const inAll = { locale: 'all' }
    expect(await readDraft(after, id, inAll)).toMatchObject({ color: { en: 'lime', de: 'lime' } })
    expect(await readDraft(after, other)).toMatchObject({ color: 'azure' })
    await place.serve(after, async ({ content }) => {
      const read = (of: string): Promise<unknown> => content.get('posts', of, inAll)
      expect(await read(id)).toMatchObject({ color: { en: 'azure', de: 'lime' } })
      expect(await read(other)).toMatchObject({ color: { en: 'red' } })
      expect(await content.as(ANONYMOUS).readGlobal('site' as never)).toMatchObject({ color: 'azure' })
    })
    await withContentContext(place, after, async ({ store: { read }, model }) => {
      for await (const invalidValue of findInvalidValues(read, model)) expect(invalidValue).toBeUndefined()
      expect(await planMigration(read, model)).toEqual([])
    })
  })

  test('has no invalid values if it only lacks required values', async () => {
    const config = posts({ title })
    await writeDraft(config, { title: 'T' }, { title: null })
    const invalidPaths = await withContentContext(place, config, async ({ store: { read }, model }) => {
      const paths: string[] = []
      for await (const { path } of findInvalidValues(read, model)) paths.push(path)
      return paths
    })
    expect(invalidPaths).toEqual([])
  })
})
