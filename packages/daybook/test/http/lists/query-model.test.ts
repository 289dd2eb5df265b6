import { defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectedMatches, type Item, type ListRequest, toQuery } from '../../support/models/list-model.ts'
import { type Filter, type Kind, type Leaf, passes, type Table, toWhere } from '../../support/models/where-model.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES } from '../../support/stores/stores.ts'

const config = defineConfig({
  collections: {
    people: defineCollection({
      fields: {
        name: f.text(),
        status: f.status(),
        age: f.integer(),
        skills: f.select({ options: ['ink', 'glue', 'thread'], many: true }),
        home: f.group({ city: f.text() }),
      },
    }),
    books: defineCollection({
      fields: {
        title: f.text({ required: true, maxLength: 60 }),
        status: f.status(),
        rank: f.integer(),
        score: f.number(),
        lent: f.boolean(),
        day: f.date(),
        moment: f.datetime(),
        genre: f.select({ options: ['novel', 'essay', 'poem'] }),
        moods: f.select({ options: ['dark', 'funny', 'slow'], many: true }),
        author: f.relation('people'),
        crew: f.relation('people', { many: true }),
        seo: f.group({
          order: f.integer(),
          editor: f.relation('people'),
          tones: f.select({ options: ['warm', 'cold'], many: true }),
        }),
      },
    }),
  },
})

const STATUSES = ['published', 'draft', 'archived']
const TEXTS = ['', 'a', 'A', 'ab', 'b', 'é', 'red', 'red blue', '%', '_', '\u{1f600}', '\uffee', '"', "'"]
const DAYS = ['2025-12-31', '2026-01-01', '2026-06-15']
const MOMENTS = ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-06-15T12:00:00.000Z']
const PEOPLE = 5

const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 3 })
const status = fc.constantFrom('published', 'published', ...STATUSES)
const some = (options: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...options])
/** The placeholder of a person, by number. */
const someone = fc.nat({ max: PEOPLE - 1 })

const person = fc.record({
  name: orNull(fc.constantFrom(...TEXTS)),
  status,
  age: orNull(fc.integer({ min: 0, max: 3 })),
  skills: some(['ink', 'glue', 'thread']),
  home: orNull(fc.record({ city: orNull(fc.constantFrom('Wien', 'Graz')) })),
})

const book = fc.record({
  title: fc.constantFrom(...TEXTS.slice(1)),
  status,
  rank: orNull(fc.integer({ min: -2, max: 3 })),
  score: orNull(fc.constantFrom(-1.5, 0, 1e-7, 3, 0.1, 1e20, 9007199254740992, 2 ** 60, 1 / 3)),
  lent: orNull(fc.boolean()),
  day: orNull(fc.constantFrom(...DAYS)),
  moment: orNull(fc.constantFrom(...MOMENTS)),
  genre: orNull(fc.constantFrom('novel', 'essay', 'poem')),
  moods: some(['dark', 'funny', 'slow']),
  author: orNull(someone),
  crew: fc.uniqueArray(someone, { maxLength: 3 }),
  seo: orNull(
    fc.record({
      order: orNull(fc.integer({ min: 0, max: 11 })),
      editor: orNull(someone),
      tones: some(['warm', 'cold']),
    }),
  ),
})
type BookOf = typeof book extends fc.Arbitrary<infer T> ? T : never

const EQUALITY = ['eq', 'ne', 'in', 'nin', 'exists'] as const
const ORDER = [...EQUALITY, 'lt', 'lte', 'gt', 'gte'] as const
const TEXT = [...ORDER, 'startsWith', 'contains'] as const
const MANY = ['in', 'all', 'nin', 'exists'] as const

/** The operators of each field with their operands; people are `#0`, `#1`, … until they have ids. */
interface FilterableField {
  readonly kind: Kind
  readonly operators: readonly string[]
  readonly values: readonly string[]
}

const asText = (values: readonly string[], operators: readonly string[] = TEXT): FilterableField => ({
  kind: 'text',
  operators,
  values,
})
const number = (...values: readonly string[]): FilterableField => ({ kind: 'number', operators: ORDER, values })
const many = (...values: readonly string[]): FilterableField => ({ kind: 'many', operators: MANY, values })
/** The placeholders of people, the last of whom does not exist. */
const ids = Array.from({ length: PEOPLE + 1 }, (_, index) => `#${index}`)
const texts = asText(TEXTS.filter((text) => text !== ''))

const PERSON_FIELDS: Readonly<Record<string, FilterableField>> = {
  name: texts,
  status: asText(STATUSES, ORDER),
  age: number('0', '1', '2', '3', '4'),
  id: asText(ids, ORDER),
  skills: many('ink', 'glue', 'thread'),
  'home.city': asText(['Wien', 'Graz', 'Linz']),
}

const BOOK_FIELDS: Readonly<Record<string, FilterableField>> = {
  title: texts,
  status: asText(STATUSES, ORDER),
  rank: number('-2', '-1', '0', '1', '2', '3', '4'),
  score: number(
    '-1.5',
    '0',
    '1e-7',
    '3',
    '0.1',
    '1e20',
    '9007199254740992',
    '1152921504606846976',
    '0.3333333333333333',
  ),
  lent: { kind: 'boolean', operators: EQUALITY, values: ['true', 'false'] },
  day: asText([...DAYS, '2000-01-01'], ORDER),
  moment: asText([...MOMENTS, '2000-01-01T00:00:00.000Z'], ORDER),
  genre: asText(['novel', 'essay', 'poem'], ORDER),
  author: asText(ids, EQUALITY),
  moods: many('dark', 'funny', 'slow'),
  crew: many(...ids),
  'seo.order': number('0', '5', '11'),
  'seo.editor': asText(ids, EQUALITY),
  'seo.tones': many('warm', 'cold'),
}

const RELATIONS = ['author', 'crew', 'seo.editor']
const FILTERABLE_FIELDS: Readonly<Record<string, FilterableField>> = {
  ...BOOK_FIELDS,
  ...Object.fromEntries(
    RELATIONS.flatMap((path) =>
      Object.entries(PERSON_FIELDS).map(([field, filterableField]) => [`${path}.${field}`, filterableField]),
    ),
  ),
}

const leaf: fc.Arbitrary<Leaf> = fc
  .constantFrom(...Object.entries(FILTERABLE_FIELDS))
  .chain(([field, { operators, values }]) =>
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom(...operators),
      values: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }),
      flag: fc.constantFrom('true', 'false'),
    }),
  )
  .map(({ field, operator, values, flag }) => {
    if (operator === 'exists') return { field, operator, values: [flag] }
    const isList = operator === 'in' || operator === 'nin' || operator === 'all'
    return { field, operator, values: isList ? values : values.slice(0, 1) }
  })

const leaves = (least: number, most: number): fc.Arbitrary<Leaf[]> =>
  fc.uniqueArray(leaf, {
    minLength: least,
    maxLength: most,
    selector: ({ field, operator }) => `${field} ${operator}`,
  })

/** Filters with up to three levels of and, or and not. */
const filterOf = (levels: number): fc.Arbitrary<Filter> => {
  const plain = leaves(1, 2).map((someLeaves): Filter => ({ leaves: someLeaves }))
  if (levels === 0) return plain
  const inner = filterOf(levels - 1)
  const several = fc.array(inner, { minLength: 1, maxLength: 2 })
  return fc.oneof(
    plain,
    fc.record({ leaves: leaves(0, 1), or: several }),
    fc.record({ leaves: leaves(0, 1), and: several }),
    fc.record({ leaves: leaves(0, 1), not: inner }),
  )
}

const SORTABLE = [
  'title',
  'status',
  'rank',
  'score',
  'lent',
  'day',
  'moment',
  'genre',
  'author',
  'seo.order',
  'createdAt',
]
const sortKey = fc.record({ path: fc.constantFrom(...SORTABLE), descending: fc.boolean() })

type FilteredRequest = ListRequest & { readonly filter: Filter }
const filteredRequest: fc.Arbitrary<FilteredRequest> = fc.record({
  filter: filterOf(3),
  sort: fc.uniqueArray(sortKey, { minLength: 1, maxLength: 3, selector: ({ path }) => path }),
  nulls: fc.constantFrom(undefined, 'first', 'last'),
  statuses: fc.option(fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }), { nil: undefined, freq: 2 }),
  q: fc.option(fc.constantFrom('red', 're', 'blue', 'a', 'red blue'), { nil: undefined, freq: 1 }),
  limit: fc.integer({ min: 1, max: 7 }),
  offset: fc.integer({ min: 0, max: 12 }),
  auth: fc.boolean(),
})

interface World {
  readonly books: readonly Item[]
  readonly people: readonly Item[]
}

/** Writes entries in one batch. */
async function make(service: TestService, collection: string, entries: readonly object[]): Promise<readonly Item[]> {
  const operations = entries.map((data) => ({ op: 'create', collection, data }))
  const response = await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations } })
  expect(response.status, response.text).toBe(200)
  return (parseBody(response).results as readonly { entry: Item }[]).map(({ entry }) => entry)
}

/** Returns a book with ids in place of the placeholders. */
function linked({ author, crew, seo, ...rest }: BookOf, people: readonly Item[]): object {
  const idOf = (index: number | null): string | null => (index === null ? null : String(people[index]?.id))
  return { ...rest, author: idOf(author), crew: crew.map(idOf), seo: seo && { ...seo, editor: idOf(seo.editor) } }
}

const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

/** Returns a filter with ids in place of the placeholders. */
function placed(filter: Filter, people: readonly Item[]): Filter {
  const idOf = (value: string): string =>
    value.startsWith('#') ? (people[Number(value.slice(1))]?.id ?? ABSENT) : value
  return {
    leaves: filter.leaves.map((leaf) => ({ ...leaf, values: leaf.values.map(idOf) })),
    and: filter.and?.map((part) => placed(part, people)),
    or: filter.or?.map((part) => placed(part, people)),
    not: filter.not && placed(filter.not, people),
  }
}

const kindsOf = (fields: Readonly<Record<string, FilterableField>>): Table['kinds'] =>
  Object.fromEntries(Object.entries(fields).map(([field, { kind }]) => [field, kind]))

/** The entries and fields that the caller of a request may see. */
function tableFor({ people }: World, { auth }: FilteredRequest): Table {
  const items = people.filter((person) => auth || person.status === 'published')
  const relation = { items, table: { kinds: kindsOf(PERSON_FIELDS), relations: {} } }
  return { kinds: kindsOf(BOOK_FIELDS), relations: Object.fromEntries(RELATIONS.map((path) => [path, relation])) }
}

interface PageOfList {
  readonly total: number
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

async function page(service: TestService, query: string, auth: boolean): Promise<PageOfList> {
  const response = await sendRequest(service, `/api/books?${query}`, { auth })
  expect(response.status, `${query} ${response.text}`).toBe(200)
  return parseBody(response) as unknown as PageOfList
}

async function readAllPages(
  service: TestService,
  query: string,
  { auth, limit }: FilteredRequest,
): Promise<readonly Item[]> {
  const items: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: PageOfList = await page(service, `${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`, auth)
    expect(next.items.length > 0 || cursor === '', query).toBe(true)
    items.push(...next.items)
    expect(items.length, `${query}: the cursor goes on for ever`).toBeLessThanOrEqual(100)
    cursor = next.nextCursor
  }
  return items
}

const idsOf = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id)

async function compare(service: TestService, world: World, request: FilteredRequest): Promise<void> {
  const filter = placed(request.filter, world.people)
  const table = tableFor(world, request)
  const query = [toQuery(request), ...toWhere(filter)].join('&')
  const passing = world.books.filter((item) => passes(item, filter, table))
  const expected = idsOf(expectedMatches(passing, request))
  const whole = await page(service, `${query}&limit=100`, request.auth)
  expect(idsOf(whole.items), query).toEqual(expected)
  expect(whole.total, query).toBe(expected.length)
  const part = await page(service, `${query}&limit=${request.limit}&offset=${request.offset}`, request.auth)
  expect(idsOf(part.items), query).toEqual(expected.slice(request.offset, request.offset + request.limit))
  expect((await page(service, `${query}&limit=0`, request.auth)).total, query).toBe(expected.length)
  expect(idsOf(await readAllPages(service, query, request)), query).toEqual(expected)
}

describe.each(STORES)('filtered lists on $name compared with a plain model', (store) => {
  test('return the same entries in the same order with the same total, by page and by cursor', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: PEOPLE, maxLength: PEOPLE }),
        fc.array(book, { minLength: 10, maxLength: 30 }),
        fc.array(filteredRequest, { minLength: 30, maxLength: 30 }),
        async (someones, books, requests) => {
          const service = await store.open(config)
          try {
            const people = await make(service, 'people', someones)
            const storedBooks = await make(
              service,
              'books',
              books.map((book) => linked(book, people)),
            )
            for (const request of requests) await compare(service, { people, books: storedBooks }, request)
          } finally {
            await service.close()
          }
        },
      ),
      { numRuns: 12, endOnFailure: true },
    )
  })
})

const rank = orNull(fc.integer({ min: 0, max: 9 }))
const journey = fc.record({
  ranks: fc.array(rank, { minLength: 30, maxLength: 50 }),
  sort: fc.constantFrom(
    ...['rank', '-rank', 'rank,-title', '-createdAt', 'createdAt', '-score', 'title', 'author'],
    ...['rank&nulls=last', '-rank&nulls=first'],
  ),
  filter: fc.constantFrom('', '&where[rank][lt]=8', '&where[not][rank][eq]=3', '&where[lent][exists]=false', '&q=red'),
  limit: fc.integer({ min: 1, max: 9 }),
  /** The writes while each page is read: ranks of created entries, and numbers of deleted ones. */
  writes: fc.array(fc.record({ come: fc.array(rank, { maxLength: 3 }), go: fc.array(fc.nat(), { maxLength: 3 }) }), {
    minLength: 10,
    maxLength: 10,
  }),
})
type Journey = typeof journey extends fc.Arbitrary<infer T> ? T : never

/** Reads page by page while entries are created and every second one may be deleted. */
async function pageDuringWrites(service: TestService, { ranks, sort, filter, limit, writes }: Journey): Promise<void> {
  const entries = ranks.map((value, at) => ({ title: `red ${at % 4}`, rank: value, score: at % 3 }))
  const entriesAtStart = await make(service, 'books', entries)
  const mayGo = entriesAtStart.filter((_, at) => at % 2 === 1).map(({ id }) => id)
  const query = `sort=${sort}${filter}`
  const start = await page(service, `${query}&limit=100`, false)
  const visitedIds: string[] = []
  for (let cursor: string | null = '', at = 0; cursor !== null; at += 1) {
    // The writes end at some point, since the walk would never end if every new entry came after the last page.
    const { come, go } = writes[at] ?? { come: [], go: [] }
    const gone = go.flatMap((index) => mayGo.splice(index % (mayGo.length || 1), 1))
    const read = page(service, `${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`, false)
    await Promise.all([
      read,
      ...come.map((value) =>
        sendRequest(service, '/api/books', { method: 'POST', json: { title: 'red', rank: value } }),
      ),
      ...gone.map((id) => sendRequest(service, `/api/books/${id}`, { method: 'DELETE' })),
    ])
    const next: PageOfList = await read
    visitedIds.push(...idsOf(next.items))
    expect(visitedIds.length, `${query}: the cursor goes on for ever`).toBeLessThanOrEqual(100)
    cursor = next.nextCursor
  }
  expect(new Set(visitedIds).size, 'entries are visited once').toBe(visitedIds.length)
  const stayed = new Set([...entriesAtStart.filter((_, at) => at % 2 === 0).map(({ id }) => id), ...mayGo])
  const expected = idsOf(start.items).filter((id) => stayed.has(id))
  expect(
    visitedIds.filter((id) => expected.includes(id)),
    `${query}: those that stayed, in order`,
  ).toEqual(expected)
}

describe.each(STORES)('paging by cursor on $name during other writes', (store) => {
  test('visits every entry that existed throughout exactly once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(journey, async (steps) => {
        const service = await store.open(config)
        try {
          await pageDuringWrites(service, steps)
        } finally {
          await service.close()
        }
      }),
      { numRuns: 12, endOnFailure: true },
    )
  })
})
