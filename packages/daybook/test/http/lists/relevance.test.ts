import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'

const COUNT = 300
const WORDS = ['river', 'riverbank', 'mountain', 'city', 'harbour', 'forest'] as const

const config: DaybookConfig = defineConfig({
  collections: {
    notes: defineCollection({
      fields: {
        title: f.text(),
        body: f.markdown(),
        status: f.status(),
        kind: f.select({ options: ['a', 'b', 'c', 'd'] }),
        rank: f.integer(),
      },
    }),
  },
})

interface Note {
  readonly title: string
  readonly body: string
  readonly status: 'draft' | 'published'
  readonly kind: string
  readonly rank: number
}

/** The most frequent words are in most bodies and in many titles. */
function makeNote(number: number): Note {
  const wordsBy = (step: number): string =>
    WORDS.filter((_, place) => (number * step) % (place * 2 + 2) === 0).join(' ')
  return {
    title: `Note ${number} ${wordsBy(7)}`,
    body: `${wordsBy(5)} river ${wordsBy(3)}`,
    status: number % 10 === 0 ? 'draft' : 'published',
    kind: 'abcd'.charAt(Math.floor(number / 3) % 4),
    rank: number,
  }
}

/** Returns the expected titles of a search: those with more of its words in the title first, then the newest. */
function expectedTitles(notes: readonly Note[], words: readonly string[]): readonly string[] {
  const holds = (text: string, index: number): boolean =>
    text
      .split(' ')
      .some((word) => (index === words.length - 1 ? word.startsWith(words[index] as string) : word === words[index]))
  const scored = notes
    .filter(({ title, body }) => words.every((_, index) => holds(`${title} ${body}`, index)))
    .map(({ title }) => ({ title, score: words.filter((_, index) => holds(title, index)).length }))
  return scored
    .toReversed()
    .sort((a, b) => b.score - a.score)
    .map(({ title }) => title)
}

describe.each(STORES)('the most relevant entries on $name', (store) => {
  const notes = Array.from({ length: COUNT }, (_, number) => makeNote(number))
  let service: StoredService

  beforeAll(async () => {
    service = await store.open(config)
    const operations = notes.map((data) => ({ op: 'create', collection: 'notes', data }))
    expect((await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations } })).status).toBe(200)
  })
  afterAll(() => service.close())

  const read = async (query: string, auth: boolean) =>
    parseBody(await sendRequest(service, `/api/notes?${query}`, { auth })) as unknown as {
      readonly total: number
      readonly items: readonly Note[]
      readonly nextCursor: string | null
    }

  const searches = ['river', 'riverb', 'riv', 'mountain', 'forest', 'city river', 'harbour mount']
  const readers: readonly (readonly [filter: string, auth: boolean, isFound: (note: Note) => boolean])[] = [
    ['', true, () => true],
    ['', false, ({ status }) => status === 'published'],
    ['&where[kind][eq]=b', true, ({ kind }) => kind === 'b'],
    ['&where[rank][gte]=20', false, ({ status, rank }) => status === 'published' && rank >= 20],
    ['&where[rank][lt]=290&where[kind][ne]=c', true, ({ rank, kind }) => rank < 290 && kind !== 'c'],
  ]

  test.each(searches.flatMap((q) => readers.map((reader) => [q, ...reader] as const)))(
    'come first, in pages of every size: "%s%s", with a session: %s',
    async (q, filter, auth, isFound) => {
      const expected = expectedTitles(notes.filter(isFound), q.split(' '))
      expect(expected.length).toBeGreaterThan(3)
      for (const limit of [1, 2, 7, 100]) {
        for (const offset of [0, 1, 5, 20, 60]) {
          const page = await read(`q=${encodeURIComponent(q)}${filter}&limit=${limit}&offset=${offset}`, auth)
          expect(page.items.map(({ title }) => title)).toEqual(expected.slice(offset, offset + limit))
          expect(page.total).toBe(expected.length)
          expect(page.nextCursor === null).toBe(offset + limit >= expected.length)
        }
      }
    },
  )

  test('come first after a new word with the beginning of the searched word is written', async () => {
    const before = await read('q=riverba&limit=2', true)
    const title = 'Riverbarge'
    await sendRequest(service, '/api/notes', { method: 'POST', json: { title, body: '' } })
    const after = await read('q=riverba&limit=2', true)
    expect(after.items.map((item) => item.title)).toEqual([title, before.items[0]?.title])
    expect(after.total).toBe(before.total + 1)
  })
})
