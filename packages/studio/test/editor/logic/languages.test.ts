import type { FieldDescription } from 'daybook'
import { describe, expect, test } from 'vitest'
import type { HistoryCalls, Version } from '../../../src/app/editor/history/versions.ts'
import {
  collectTranslatedValues,
  findOutdatedLocales,
  getLocaleState,
  pickLocaleValues,
} from '../../../src/app/editor/languages/locale-values.ts'
import type { Values } from '../../../src/app/editor/saving/field-values.ts'

const field = (key: string, more: object = {}): FieldDescription =>
  ({ key, type: 'text', many: false, localized: false, writable: true, generated: [], ...more }) as never

const FIELDS: readonly FieldDescription[] = [
  field('title', { localized: true }),
  field('minutes'),
  field('seo', { type: 'group', fields: [field('description', { localized: true }), field('image')] }),
  field('parts', {
    type: 'blocks',
    many: true,
    blocks: [{ type: 'text', fields: [field('words', { localized: true }), field('width')] }],
  }),
]

const ALL: Values = {
  title: { en: 'Ink', de: 'Tinte' },
  minutes: 3,
  seo: { description: { en: 'All of it' }, image: 'a.png' },
  parts: [
    { _type: 'text', words: { en: 'One', de: 'Eins' }, width: 2 },
    { _type: 'gone', words: 'of an older config' },
  ],
}

describe('a document in all languages', () => {
  test('is read in one of them, at any depth', () => {
    expect(pickLocaleValues(FIELDS, ALL, 'de')).toEqual({
      title: 'Tinte',
      minutes: 3,
      seo: { description: null, image: 'a.png' },
      parts: [
        { _type: 'text', words: 'Eins', width: 2 },
        { _type: 'gone', words: 'of an older config' },
      ],
    })
  })

  test('says how far each has come', () => {
    const inLocale = (locale: string) => collectTranslatedValues(FIELDS, pickLocaleValues(FIELDS, ALL, locale))
    expect([...inLocale('en').keys()]).toEqual(['title', 'seo.description', 'parts.0.words'])
    expect(['en', 'de', 'fr'].map((locale) => getLocaleState(inLocale('en'), inLocale(locale)))).toEqual([
      'whole',
      'partial',
      'missing',
    ])
  })
})

describe('a language is older than its source', () => {
  /** Versions, newest first, by what their titles say. */
  function historyOf(titles: readonly Values[]) {
    const asked: number[] = []
    const version = (at: number): Version => ({ revision: at, at: '', action: 'update', isDraft: false })
    const history: HistoryCalls = {
      list: async () => ({ items: titles.map((_, at) => version(titles.length - at)), nextCursor: null }),
      get: async (revision) => {
        asked.push(revision)
        return { ...version(revision), data: { title: titles[titles.length - revision] } }
      },
      restore: async () => undefined,
    }
    return { history, asked }
  }

  const outdated = async (titles: readonly Values[]) => {
    const { history, asked } = historyOf(titles)
    const { signal } = new AbortController()
    return { found: [...(await findOutdatedLocales(history, FIELDS, ['en', 'de', 'fr'], 'en', signal))], asked }
  }

  test('when nobody has changed it since its source was', async () => {
    const { found, asked } = await outdated([
      { en: 'B', de: 'a', fr: 'b' },
      { en: 'B', de: 'a', fr: 'a' },
      { en: 'A', de: 'a', fr: 'a' },
      { en: 'A' },
    ])
    expect(found).toEqual(['de'])
    // What is older than the last change of the source is not asked for.
    expect(asked).toEqual([4, 3, 2])
  })

  test('not when they changed together, nor when the source never did', async () => {
    expect(
      (
        await outdated([
          { en: 'B', de: 'b', fr: 'b' },
          { en: 'A', de: 'a', fr: 'a' },
        ])
      ).found,
    ).toEqual([])
    expect(
      (
        await outdated([
          { en: 'A', de: 'b' },
          { en: 'A', de: 'a' },
        ])
      ).found,
    ).toEqual([])
  })
})
