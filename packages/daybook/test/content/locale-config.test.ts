import { ANONYMOUS, f, type LocalesConfig } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { dropOrphaned, migrateStoredDocuments, planMigration } from '../../src/content/transfer/schema-migration.ts'
import { compileModel } from '../../src/model/compile.ts'
import { create, type Document, type Place, read } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const LOCALES: LocalesConfig = { default: 'en', available: ['en', 'de', 'fr'], fallback: { de: ['en'] } }

const notes = (fields: object, locales: LocalesConfig | undefined = LOCALES): object => ({
  collections: { notes: { fields } },
  ...(locales ? { locales } : {}),
})

const localized = { title: f.text({ localized: true }), slug: f.slug({ from: 'title' }) }
const plain = { title: f.text(), slug: f.slug({ from: 'title' }) }

let place: Place

type Said = Readonly<Record<string, unknown>>

async function writeNote(config: object, english: Said, german: Said): Promise<string> {
  return place.serve(config, async ({ content }) => {
    const { id } = (await content.create('notes', english)) as unknown as Document
    await content.update('notes', id, german, { locale: 'de' })
    return id
  })
}

async function readNote(config: object, id: string, ...locales: readonly string[]): Promise<readonly unknown[]> {
  return place.serve(config, async ({ content }) => {
    const titles: unknown[] = []
    for (const locale of locales) {
      const entry = await content.as(ANONYMOUS).get('notes', id, { locale })
      const { items } = await content.as(ANONYMOUS).list('notes', { locale })
      expect(items, 'the list shows the entry as it is read by itself').toEqual([entry])
      titles.push((entry as unknown as Document).title)
    }
    return titles
  })
}

async function migrate(config: object): Promise<readonly string[]> {
  const model = compileModel(config as never)
  const store = await place.store()
  try {
    const steps = await planMigration(store.read, model)
    await migrateStoredDocuments(store, model)
    await dropOrphaned(store, model)
    return steps.map(({ path, kind }) => `${kind} ${path}`)
  } finally {
    await store.close()
  }
}

describe.each(POLICY_STORES)('on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  describe('switching localized on and off', () => {
    test('on: the value belongs to the default locale', async () => {
      const { id } = await place.serve(notes(plain, undefined), (service) => create(service, 'notes', { title: 'One' }))
      expect(await readNote(notes(localized), id, 'en', 'de', 'fr')).toEqual(['One', 'One', null])
    })

    test('off: every locale shows the default value; on again: the translations return', async () => {
      const id = await writeNote(notes(localized), { title: 'One' }, { title: 'Eins' })
      expect(await readNote(notes(plain), id, 'en', 'de')).toEqual(['One', 'One'])
      await place.serve(notes(plain), ({ content }) => content.update('notes', id, { title: 'Uno' }))
      expect(await readNote(notes(localized), id, 'en', 'de')).toEqual(['Uno', 'Eins'])
    })

    test('loses nothing inside groups, lists and blocks, either', async () => {
      const text = (isLocalized: boolean) => f.text(isLocalized ? { localized: true } : {})
      const deep = (isLocalized: boolean): object => ({
        seo: f.group({ text: text(isLocalized) }),
        rows: f.list(f.group({ text: text(isLocalized) })),
        parts: f.blocks({ a: { text: text(isLocalized) } }),
      })
      const say = (word: string): Said => ({
        seo: { text: word },
        rows: [{ text: word }],
        parts: [{ _type: 'a', text: word }],
      })
      const id = await writeNote(notes(deep(true)), say('one'), say('eins'))
      await place.serve(notes(deep(false)), async (service) =>
        expect(await read(service, 'notes', id)).toMatchObject(say('one')),
      )
      await place.serve(notes(deep(true)), async ({ content }) => {
        expect(await content.as(ANONYMOUS).get('notes', id, { locale: 'de' })).toMatchObject(say('eins'))
        expect(await content.as(ANONYMOUS).get('notes', id)).toMatchObject(say('one'))
      })
    })
  })

  describe('changing the locales', () => {
    test('a new locale shows its fallback, and a removed one returns with its values', async () => {
      const id = await writeNote(notes(localized), { title: 'One' }, { title: 'Eins' })
      const more: LocalesConfig = { default: 'en', available: ['en', 'it'], fallback: { it: ['en'] } }
      expect(await readNote(notes(localized, more), id, 'en', 'it')).toEqual(['One', 'One'])
      expect((await place.names('table')).filter((name) => name.startsWith('notes$de'))).toEqual([])
      expect(await readNote(notes(localized), id, 'de')).toEqual(['Eins'])
    })

    test('another fallback applies to stored entries', async () => {
      const id = await writeNote(notes(localized), { title: 'One' }, { title: 'Eins' })
      const other: LocalesConfig = { ...LOCALES, fallback: { fr: ['de', 'en'] } }
      expect(await readNote(notes(localized, other), id, 'fr', 'de')).toEqual(['Eins', 'Eins'])
      await place.serve(notes(localized, other), async ({ content }) => {
        expect((await content.as(ANONYMOUS).list('notes', { locale: 'fr', q: 'eins' })).total).toBe(1)
        expect(
          (await content.as(ANONYMOUS).list('notes', { locale: 'fr', where: { title: { eq: 'Eins' } } })).total,
        ).toBe(1)
      })
    })

    test('another default locale needs a migration, which moves the values', async () => {
      const id = await writeNote(notes(localized), { title: 'One' }, { title: 'Eins' })
      const german: LocalesConfig = { default: 'de', available: ['en', 'de', 'fr'], fallback: { en: ['de'] } }
      await expect(place.start(notes(localized, german))).rejects.toThrow('daybook migrate --apply')
      expect(await migrate(notes(localized, german))).toEqual(['rename notes'])
      expect(await readNote(notes(localized, german), id, 'de', 'en', 'fr')).toEqual(['Eins', 'One', null])
      expect(await migrate(notes(localized, german))).toEqual([])
    })
  })

  test('a localized unique field is rejected while entries share a value in one locale', async () => {
    const fields = (unique: boolean): object => ({ title: f.text({ localized: true, unique }) })
    await writeNote(notes(fields(false)), { title: 'One' }, { title: 'Eins' })
    const id = await writeNote(notes(fields(false)), { title: 'Two' }, { title: 'Eins' })
    await expect(place.start(notes(fields(true)))).rejects.toThrow('share a value in the locale "de"')
    await place.serve(notes(fields(false)), ({ content }) =>
      content.update('notes', id, { title: 'Zwei' }, { locale: 'de' }),
    )
    await place.serve(notes(fields(true)), async ({ content }) => {
      const again = content.update('notes', id, { title: 'Eins' }, { locale: 'de' })
      await expect(again).rejects.toMatchObject({ code: 'CONFLICT', details: { field: 'title', locale: 'de' } })
    })
  })

  test('a migration to another default locale moves unique values that entries exchange', async () => {
    const fields = { title: f.text({ localized: true, unique: true }) }
    const ids = [
      await writeNote(notes(fields), { title: 'a' }, { title: 'b' }),
      await writeNote(notes(fields), { title: 'b' }, { title: 'c' }),
      await writeNote(notes(fields), { title: 'c' }, { title: 'a' }),
    ]
    const german = notes(fields, { default: 'de', available: ['en', 'de'] })
    await migrate(german)
    await place.serve(german, async ({ content }) => {
      const titles = (locale: string): Promise<readonly unknown[]> =>
        Promise.all(ids.map(async (id) => (await content.as(ANONYMOUS).get('notes', id, { locale }))?.title))
      expect([await titles('de'), await titles('en')]).toEqual([
        ['b', 'c', 'a'],
        ['a', 'b', 'c'],
      ])
      for (const [title, locale] of [
        ['b', 'de'],
        ['a', 'en'],
      ] as const) {
        const twin = content.create('notes', { title }, { locale })
        await expect(twin).rejects.toMatchObject({ code: 'CONFLICT', details: { field: 'title', locale } })
      }
    })
  })

  test('a migration to another default locale generates no slug without a text in it', async () => {
    const fields = { title: f.text({ localized: true }), slug: f.slug({ from: 'title', localized: true }) }
    const { id } = await place.serve(notes(fields), (service) => create(service, 'notes', { title: 'One' }))
    const german = notes(fields, { default: 'de', available: ['en', 'de'] })
    await migrate(german)
    await place.serve(german, async ({ content }) => {
      expect(await content.as(ANONYMOUS).get('notes', id)).toMatchObject({ title: null, slug: null })
      expect(await content.as(ANONYMOUS).get('notes', 'one', { locale: 'en' })).toMatchObject({
        title: 'One',
        slug: 'one',
      })
    })
  })

  test('a renamed field keeps its translations, at any depth', async () => {
    const before = {
      headline: f.text({ localized: true }),
      seo: f.group({ ttl: f.markdown({ localized: true }) }),
      rows: f.list(f.group({ txt: f.text({ localized: true }) })),
      parts: f.blocks({ a: { txt: f.text({ localized: true }) } }),
    }
    const after = {
      title: f.text({ localized: true, renamedFrom: 'headline' }),
      seo: f.group({ title: f.markdown({ localized: true, renamedFrom: 'ttl' }) }),
      rows: f.list(f.group({ text: f.text({ localized: true, renamedFrom: 'txt' }) })),
      parts: f.blocks({ a: { text: f.text({ localized: true, renamedFrom: 'txt' }) } }),
    }
    const old = (word: string): Said => ({
      headline: word,
      seo: { ttl: word },
      rows: [{ txt: word }],
      parts: [{ _type: 'a', txt: word }],
    })
    const id = await writeNote(notes(before), old('one'), old('eins'))
    await migrate(notes(after))
    await place.serve(notes(after), async ({ content }) => {
      expect(await content.as(ANONYMOUS).get('notes', id, { locale: 'de' })).toMatchObject({
        title: 'eins',
        seo: { title: 'eins', titleHtml: '<p>eins</p>' },
        rows: [{ text: 'eins' }],
        parts: [{ text: 'eins' }],
      })
      expect(await content.as(ANONYMOUS).get('notes', id)).toMatchObject({
        title: 'one',
        seo: { titleHtml: '<p>one</p>' },
      })
    })
  })
})
