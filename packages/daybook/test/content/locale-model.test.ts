import { ANONYMOUS, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { STORES } from '../support/stores/stores.ts'

const LOCALES = ['en', 'de', 'fr'] as const
type Locale = (typeof LOCALES)[number]
const CHAINS: Readonly<Record<Locale, readonly Locale[]>> = { en: ['en'], de: ['de', 'en'], fr: ['fr'] }

const config: DaybookConfig = defineConfig({
  collections: {
    notes: defineCollection({
      fields: {
        title: f.text({ localized: true }),
        status: f.status(),
        rank: f.integer(),
        seo: f.group({ words: f.text({ localized: true }) }),
      },
    }),
  },
  locales: { default: 'en', available: LOCALES, fallback: { de: ['en'] } },
})

/** The values of a note in one locale. */
interface Said {
  readonly title?: string | null
  readonly words?: string | null
}

/** The expected content of a note. */
interface Note {
  readonly id: string
  status: string
  rank: number | null
  readonly said: Record<Locale, { title: string | null; words: string | null }>
}

const WORDS = ['apple', 'fig', 'kiwi', 'pear'] as const
const text = fc.option(fc.constantFrom(...WORDS), { freq: 4 })
const change = fc.record({
  op: fc.constantFrom('create', 'create', 'update', 'update', 'update', 'delete'),
  at: fc.nat({ max: 9 }),
  locale: fc.constantFrom(...LOCALES),
  rank: fc.option(fc.nat({ max: 3 })),
  status: fc.constantFrom('published', 'published', 'draft'),
  said: fc.record({ title: text, words: text }, { requiredKeys: [] }),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const blank = () => ({ title: null, words: null })

async function apply(service: TestService, notes: Note[], change: Change): Promise<void> {
  const { content } = service
  const { op, locale, rank, status } = change
  const { title, words }: Said = change.said
  const data = {
    rank,
    status,
    ...(title === undefined ? {} : { title }),
    ...(words === undefined ? {} : { seo: { words } }),
  }
  const target = notes[change.at % Math.max(1, notes.length)]
  if (op === 'create') {
    const { id } = (await content.create('notes', data, { locale })) as { id: string }
    const note: Note = { id, status, rank, said: { en: blank(), de: blank(), fr: blank() } }
    note.said[locale] = { title: title ?? null, words: words ?? null }
    notes.push(note)
  } else if (target && op === 'update') {
    await content.update('notes', target.id, data, { locale })
    Object.assign(target, { status, rank })
    if (title !== undefined) target.said[locale].title = title
    if (words !== undefined) target.said[locale].words = words
  } else if (target) {
    await content.delete('notes', target.id)
    notes.splice(notes.indexOf(target), 1)
  }
}

const shown = ({ said }: Note, locale: Locale, key: 'title' | 'words'): string | null =>
  CHAINS[locale].map((fallback) => said[fallback][key]).find((value) => value !== null) ?? null

/** Orders notes by title, those without one first, then by id. */
const byTitle =
  (locale: Locale) =>
  (a: Note, b: Note): number => {
    const [titleA, titleB] = [shown(a, locale, 'title') ?? '', shown(b, locale, 'title') ?? '']
    return titleA === titleB ? (a.id < b.id ? -1 : 1) : titleA < titleB ? -1 : 1
  }

async function expectLocale({ content }: TestService, notes: readonly Note[], locale: Locale): Promise<void> {
  const visible = notes.filter(({ status }) => status === 'published').toSorted(byTitle(locale))
  const { items, total } = await content.as(ANONYMOUS).list('notes', { locale, sort: 'title', limit: 100 })
  const seen = items.map(
    (item) => item as unknown as { id: string; title: unknown; rank: unknown; seo: { words: unknown } | null },
  )
  expect(total).toBe(visible.length)
  expect(seen.map(({ id, title, rank, seo }) => [id, title, rank, seo?.words ?? null])).toEqual(
    visible.map((note) => [note.id, shown(note, locale, 'title'), note.rank, shown(note, locale, 'words')]),
  )
  for (const word of WORDS) {
    const having = (key: 'title' | 'words'): number =>
      visible.filter((note) => shown(note, locale, key) === word).length
    expect(
      (await content.as(ANONYMOUS).list('notes', { locale, limit: 0, where: { title: { eq: word } } })).total,
    ).toBe(having('title'))
    expect(
      (await content.as(ANONYMOUS).list('notes', { locale, limit: 0, where: { 'seo.words': { eq: word } } })).total,
    ).toBe(having('words'))
    const matches = visible.filter((note) =>
      [shown(note, locale, 'title'), shown(note, locale, 'words')].includes(word),
    )
    expect((await content.as(ANONYMOUS).list('notes', { locale, limit: 0, q: word })).total).toBe(matches.length)
  }
}

test.each(STORES)('each locale shows the values of a plain model after any writes, on $name', async (store) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 15 }), async (changes) => {
      const service = await store.open(config)
      try {
        const notes: Note[] = []
        for (const change of changes) await apply(service, notes, change)
        for (const locale of LOCALES) await expectLocale(service, notes, locale)
      } finally {
        await service.close()
      }
    }),
    { numRuns: 40, endOnFailure: true },
  )
})
