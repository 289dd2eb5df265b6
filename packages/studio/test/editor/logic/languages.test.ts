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
  test('yields the values of one language, at any depth', () => {
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

  test('yields the translation state of each language', () => {
    const pick = (locale: string) => collectTranslatedValues(FIELDS, pickLocaleValues(FIELDS, ALL, locale))
    expect([...pick('en').keys()]).toEqual(['title', 'seo.description', 'parts.0.words'])
    expect(['en', 'de', 'fr'].map((locale) => getLocaleState(pick('en'), pick(locale)))).toEqual([
      'whole',
      'partial',
      'missing',
    ])
  })
})

describe('a translation is outdated', () => {
  /** Creates a history of versions with these titles, newest first. */
  function createHistory(titles: readonly Values[]) {
    const loadedRevisions: number[] = []
    const version = (at: number): Version => ({ revision: at, at: '', action: 'update', isDraft: false })
    const history: HistoryCalls = {
      list: async () => ({ items: titles.map((_, at) => version(titles.length - at)), nextCursor: null }),
      get: async (revision) => {
        loadedRevisions.push(revision)
        return { ...version(revision), data: { title: titles[titles.length - revision] } }
      },
      restore: async () => undefined,
    }
    return { history, loadedRevisions }
  }

  const findOutdated = async (titles: readonly Values[]) => {
    const { history, loadedRevisions } = createHistory(titles)
    const { signal } = new AbortController()
    const outdated = await findOutdatedLocales(history, FIELDS, ['en', 'de', 'fr'], 'en', signal)
    return { outdated: [...outdated], loadedRevisions }
  }

  test('if it has not changed since its source did', async () => {
    const { outdated, loadedRevisions } = await findOutdated([
      { en: 'B', de: 'a', fr: 'b' },
      { en: 'B', de: 'a', fr: 'a' },
      { en: 'A', de: 'a', fr: 'a' },
      { en: 'A' },
    ])
    expect(outdated).toEqual(['de'])
    // Versions before the last change of the source are not loaded.
    expect(loadedRevisions).toEqual([4, 3, 2])
  })

  test('unless both changed together, or the source never changed', async () => {
    expect(
      (
        await findOutdated([
          { en: 'B', de: 'b', fr: 'b' },
          { en: 'A', de: 'a', fr: 'a' },
        ])
      ).outdated,
    ).toEqual([])
    expect(
      (
        await findOutdated([
          { en: 'A', de: 'b' },
          { en: 'A', de: 'a' },
        ])
      ).outdated,
    ).toEqual([])
  })
})
