import { ANONYMOUS, defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Collation } from '../../../src/collation.ts'
import { create as createIn, type Place } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'

/** Words whose order differs from that of their code points, by language. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  sv: ['zon', 'ål', 'Ärlig', 'ö', 'axel', 'Östen', 'Zorn', 'år'],
  de: ['Zebra', 'Äpfel', 'Apfelbaum', 'Straßenbahn', 'Strassen', 'Öl', 'Ofen', 'über', 'unter', 'Ei'],
  cs: ['hrad', 'chléb', 'cibule', 'jablko', 'dům', 'Chodov', 'Řeka', 'ruka', 'sůl', 'šum'],
  hr: ['džep', 'dan', 'dvor', 'đak', 'eho', 'ljeto', 'lav', 'luk'],
  tr: ['ırmak', 'İzmir', 'ilk', 'ışık', 'hız', 'jale', 'Çay', 'cam', 'dam'],
  ru: ['ёлка', 'ель', 'Жук', 'еда', 'я', 'Яма', 'йод', 'игра'],
  uk: ['їжак', 'іній', 'йод', 'Ґава', 'гора', 'дім', 'Єва', 'ера'],
  el: ['ώρα', 'όλος', 'άλφα', 'βήτα', 'Έψιλον', 'ελπίς'],
}

const config = defineConfig({
  locales: { available: ['en', 'sv', 'de'], default: 'en', fallback: { sv: ['en'], de: ['en'] } },
  collections: {
    words: defineCollection({
      fields: {
        ...Object.fromEntries(Object.keys(WORDS).map((language) => [language, f.text({ collation: language })])),
        title: f.text({ localized: true, collation: 'locale' }),
        home: f.relation('places'),
      },
    }),
    places: defineCollection({ fields: { name: f.text(), words: f.reverse('words.home') } }),
  },
})

const inOrder = (words: readonly string[], language: string): readonly string[] => {
  const { compare } = new Intl.Collator(language, { sensitivity: 'base' })
  return words.toSorted(compare)
}

test.each(Object.keys(WORDS))('words are sorted in the order of the language %s', (language) => {
  const collation = new Collation(language)
  const { compare } = new Intl.Collator(language, { sensitivity: 'base' })
  const letters = fc.constantFrom(...new Set((WORDS[language] ?? []).join('').toLocaleLowerCase(language)))
  const word = fc.array(letters, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(word, word, (a, b) => {
      const [first, second] = [collation.sortKey(a), collation.sortKey(b)]
      expect(Math.sign(compare(a, b))).toBe(first < second ? -1 : Number(first > second))
    }),
  )
})

describe.each(STORES)('texts with a collation on $name', (store) => {
  let service: StoredService
  beforeAll(async () => {
    service = await store.open(config)
  })
  afterAll(() => service.close())

  async function listValues(field: string, options: object): Promise<readonly unknown[]> {
    const values: unknown[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const where = { [field]: { exists: true } }
      const page = await service.content
        .as(ANONYMOUS)
        .list('words', { where, limit: 3, ...(cursor ? { cursor } : {}), ...options })
      values.push(...page.items.map((entry) => entry[field]))
      cursor = page.nextCursor
    }
    return values
  }

  test.each(Object.entries(WORDS))('of the language %s are sorted like its words', async (language, words) => {
    for (const word of words) await service.content.create('words', { [language]: word })
    const sorted = inOrder(words, language)
    expect(await listValues(language, { sort: language })).toEqual(sorted)
    expect(await listValues(language, { sort: `-${language}` })).toEqual(sorted.toReversed())
    const { items } = await service.content.as(ANONYMOUS).list('words', { sort: language, nulls: 'last', limit: 1 })
    expect(items).toMatchObject([{ [language]: sorted[0] }])
  })

  test('of a locale are sorted by its language, including fallbacks and pages of a reverse field', async () => {
    const place = await service.content.create('places', { name: 'Here' })
    for (const title of ['Zebra', 'Åland', 'Ärger']) await service.content.create('words', { title, home: place.id })
    const last = await service.content.create('words', { title: 'Aal', home: place.id })
    await service.content.update('words', last.id, { title: 'Öra' }, { locale: 'sv' })
    expect(await listValues('title', { sort: 'title' })).toEqual(['Aal', 'Åland', 'Ärger', 'Zebra'])
    expect(await listValues('title', { sort: 'title', locale: 'sv' })).toEqual(['Zebra', 'Åland', 'Ärger', 'Öra'])
    const read = { include: ['words'], locale: 'sv', reverse: { words: { sort: 'title' } } } as const
    expect(await service.content.as(ANONYMOUS).get('places', place.id, read)).toMatchObject({
      words: { items: [{ title: 'Zebra' }, { title: 'Åland' }, { title: 'Ärger' }, { title: 'Öra' }] },
    })
  })
})

describe.each(STORES)('a collation on $name', (store) => {
  test('applies to existing entries and can be removed again', async () => {
    await using place: Place = await store.at()
    const configOf = (options: { readonly collation?: string }): object => ({
      collections: { words: defineCollection({ fields: { word: f.text(options) } }) },
    })
    const listWords = (options: { readonly collation?: string }): Promise<readonly unknown[]> =>
      place.serve(configOf(options), async ({ content }) => {
        const { items } = await content.list('words', { sort: 'word' })
        return items.map((entry) => (entry as unknown as { readonly word: string }).word)
      })
    await place.serve(configOf({}), async (written) => {
      for (const word of WORDS.sv ?? []) await createIn(written, 'words', { word })
    })
    const byCodePoint = (WORDS.sv ?? []).toSorted()
    expect(await listWords({})).toEqual(byCodePoint)
    expect(await listWords({ collation: 'sv' })).toEqual(inOrder(WORDS.sv ?? [], 'sv'))
    expect(await listWords({ collation: 'de' })).toEqual(inOrder(WORDS.sv ?? [], 'de'))
    expect(await listWords({})).toEqual(byCodePoint)
  })
})
