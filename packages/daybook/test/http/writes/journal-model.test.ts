import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ask, bodyOf } from '../../support/scenarios/client.ts'
import { readJournal } from '../../support/stores/journal.ts'
import { type Rows, STORES, type StoredService } from '../../support/stores/stores.ts'

const config: DaybookConfig = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true, search: false }),
        kinds: f.select({ options: ['a', 'b', 'c'], many: true, counted: true }),
        author: f.relation('people', { counted: true }),
        friends: f.relation('people', { many: true }),
        needs: f.relation('posts', { onDelete: 'restrict' }),
        group: f.group({
          note: f.text({ counted: true }),
          one: f.relation('people'),
          kinds: f.select({ options: ['x', 'y'], many: true }),
        }),
        parts: f.blocks({ credit: { names: f.list(f.group({ who: f.relation('people') })) } }),
      },
    }),
    people: defineCollection({ fields: { name: f.text({ required: true }), friend: f.relation('people') } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text(), owner: f.relation('people') } }) },
})

const WORDS = ['apple', 'banana', 'cherry', 'Äpfel', '日本', 'fig']
const word = fc.constantFrom(...WORDS)
const at = fc.nat({ max: 7 })
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 3 })

/** A body in which people and posts stand by number. */
const body = fc.record(
  {
    title: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
    status: fc.constantFrom('draft', 'published', 'published', 'archived', null),
    code: orNull(fc.constantFrom('1', '2', '3', '4')),
    kinds: fc.subarray(['a', 'b', 'c']),
    author: orNull(at),
    friends: fc.uniqueArray(at, { maxLength: 3 }),
    needs: orNull(at),
    group: orNull(
      fc.record({ note: orNull(word), one: orNull(at), kinds: fc.subarray(['x', 'y']) }, { requiredKeys: [] }),
    ),
    parts: fc.array(fc.record({ names: fc.array(at, { maxLength: 2 }) }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)
type Body = typeof body extends fc.Arbitrary<infer T> ? T : never

/** One change to a post, or to a person that posts refer to. */
type Change =
  | { readonly op: 'create'; readonly body: Body }
  | { readonly op: 'update' | 'patch'; readonly at: number; readonly body: Body }
  | { readonly op: 'delete'; readonly at: number; readonly from: 'posts' | 'people' }
  | { readonly op: 'person'; readonly name: string; readonly friend: number | null }

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('create' as const), body }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constantFrom('update' as const, 'patch' as const), at, body }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('delete' as const),
      at,
      from: fc.constantFrom('posts' as const, 'people' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('person' as const), name: word, friend: orNull(at) }) },
)

/** What somebody sends: one change, several in a batch, or a global. */
type Request =
  | { readonly send: 'one'; readonly change: Change }
  | { readonly send: 'batch'; readonly changes: readonly Change[] }
  | { readonly send: 'global'; readonly name: string; readonly owner: number | null }

const request: fc.Arbitrary<Request> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ send: fc.constant('one' as const), change }) },
  {
    weight: 2,
    arbitrary: fc.record({ send: fc.constant('batch' as const), changes: fc.array(change, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ send: fc.constant('global' as const), name: word, owner: orNull(at) }) },
)

const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

/** Sends changes and remembers which entries there are. */
class Client {
  readonly service: TestService
  readonly #known: Record<'posts' | 'people', string[]> = { posts: [], people: [] }

  constructor(service: TestService) {
    this.service = service
  }

  async send(asked: Request): Promise<void> {
    if (asked.send === 'global') {
      const { name, owner } = asked
      await this.#take('PUT', '/api/globals/site', { name, owner: this.#id('people', owner) })
    } else if (asked.send === 'one') await this.#one(asked.change)
    else await this.#batch(asked.changes)
  }

  #id(collection: 'posts' | 'people', index: number | null): string | null {
    const known = this.#known[collection]
    return index === null ? null : (known[index % (known.length || 1)] ?? ABSENT)
  }

  #data({ author, friends, needs, group, parts, ...rest }: Body): object {
    const person = (index: number | null): string | null => this.#id('people', index)
    return {
      ...rest,
      ...(author === undefined ? {} : { author: person(author) }),
      ...(friends ? { friends: [...new Set(friends.map(person))] } : {}),
      ...(needs === undefined ? {} : { needs: this.#id('posts', needs) }),
      ...(group === undefined
        ? {}
        : { group: group && { ...group, ...('one' in group ? { one: person(group.one ?? null) } : {}) } }),
      ...(parts
        ? { parts: parts.map(({ names }) => ({ _type: 'credit', names: names.map((one) => ({ who: person(one) })) })) }
        : {}),
    }
  }

  async #one(one: Change): Promise<void> {
    if (one.op === 'create') await this.#create('posts', this.#data(one.body))
    else if (one.op === 'person')
      await this.#create('people', { name: one.name, friend: this.#id('people', one.friend) })
    else if (one.op === 'delete') await this.#take('DELETE', `/api/${one.from}/${this.#id(one.from, one.at)}`)
    else
      await this.#take(
        one.op === 'patch' ? 'PATCH' : 'PUT',
        `/api/posts/${this.#id('posts', one.at)}`,
        this.#data(one.body),
      )
  }

  async #create(collection: 'posts' | 'people', data: object): Promise<void> {
    const answer = await this.#take('POST', `/api/${collection}`, data)
    if (answer?.id) this.#known[collection].push(String(answer.id))
  }

  async #batch(changes: readonly Change[]): Promise<void> {
    const operations = changes.map((one) => {
      if (one.op === 'create') return { op: 'create', collection: 'posts', data: this.#data(one.body) }
      if (one.op === 'person')
        return { op: 'create', collection: 'people', data: { name: one.name, friend: this.#id('people', one.friend) } }
      if (one.op === 'delete') return { op: 'delete', collection: one.from, id: this.#id(one.from, one.at) }
      return { op: 'update', collection: 'posts', id: this.#id('posts', one.at), data: this.#data(one.body) }
    })
    const answer = await this.#take('POST', '/api/cms/batch', { operations })
    for (const { op, collection, id } of (answer?.results ?? []) as readonly Record<
      'op' | 'collection' | 'id',
      string
    >[])
      if (op === 'create') this.#known[collection as 'posts'].push(id)
  }

  /** Many of them are refused: for a title that is missing, a code that is taken, an entry that is gone. */
  async #take(method: string, path: string, json?: object): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await ask(this.service, path, { method, ...(json ? { json } : {}) })
    expect([200, 201, 204, 400, 404, 409], answer.text).toContain(answer.status)
    return answer.status < 300 && answer.text !== '' ? bodyOf(answer) : undefined
  }
}

/** A stored document as the journal tells it. */
interface Told {
  readonly collection: string
  readonly id: string
  readonly seq: number
  readonly doc: Readonly<Record<string, unknown>>
}

interface Counters {
  seq: number
  visibleSeq: number
  counts: Record<string, number>
}

/** Plays the journal from its first record to its last: what is stored, and how it is counted. */
async function replay(rows: Rows): Promise<{
  readonly documents: readonly Told[]
  readonly counters: Readonly<Record<string, Counters>>
}> {
  const documents = new Map<string, Told>()
  const counters: Record<string, Counters> = {}
  const records = await readJournal(rows, ['posts', 'people'])
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  for (const { seq, action, collection, id, doc } of records) {
    const key = `${collection} ${id}`
    const before = documents.get(key)
    const told: Told = { collection, id, seq, doc: JSON.parse(doc) }
    expect(before === undefined, `${action} of ${key}`).toBe(action === 'create')
    if (action === 'delete') documents.delete(key)
    else documents.set(key, told)
    countChange(counters, before, action === 'delete' ? undefined : told, told)
  }
  return { documents: [...documents.values()], counters }
}

const statusOf = ({ doc }: Told): string => String(doc.status ?? '')

function countChange(
  all: Record<string, Counters>,
  before: Told | undefined,
  after: Told | undefined,
  told: Told,
): void {
  if (told.collection === 'globals') return
  const own = all[told.collection] ?? { seq: 0, visibleSeq: 0, counts: {} }
  all[told.collection] = own
  const statuses = [before, after].flatMap((one) => (one ? [statusOf(one)] : []))
  own.seq = told.seq
  if (told.collection === 'people' || statuses.includes('published')) own.visibleSeq = told.seq
  if (before) own.counts[statusOf(before)] = (own.counts[statusOf(before)] ?? 0) - 1
  if (after) own.counts[statusOf(after)] = (own.counts[statusOf(after)] ?? 0) + 1
}

interface Post {
  readonly kinds: readonly string[]
  readonly author: string | null
  readonly friends: readonly string[]
  readonly needs: string | null
  readonly group: {
    readonly note: string | null
    readonly one: string | null
    readonly kinds: readonly string[]
  } | null
  readonly parts: readonly { readonly names: readonly { readonly who: string | null }[] }[]
}

/** Every reference of a document, as `field id`, in order. */
function referencesOf({ collection, doc }: Told): readonly string[] {
  const all = (field: string, ids: readonly (string | null | undefined)[]): readonly string[] =>
    ids.flatMap((id) => (id ? [`${field} ${id}`] : []))
  if (collection === 'people') return all('friend', [doc.friend as string | null])
  if (collection === 'globals') return all('owner', [doc.owner as string | null])
  const post = doc as unknown as Post
  return [
    ...all('author', [post.author]),
    ...all('friends', post.friends),
    ...all('needs', [post.needs]),
    ...all('group.one', [post.group?.one]),
    ...all(
      'parts.names.who',
      post.parts.flatMap(({ names }) => names.map(({ who }) => who)),
    ),
  ]
}

function choicesOf({ collection, doc }: Told): readonly string[] {
  if (collection !== 'posts') return []
  const { kinds, group } = doc as unknown as Post
  return [...kinds.map((one) => `kinds ${one}`), ...(group?.kinds ?? []).map((one) => `group.kinds ${one}`)]
}

const keyed = (documents: readonly Told[], parts: (one: Told) => readonly string[]): readonly string[] =>
  documents.flatMap((one) => parts(one).map((part) => `${one.collection} ${one.id} ${part}`)).sort()

/** How many posts hold each value of a counted field. */
function talliesOf(documents: readonly Told[]): readonly string[] {
  const held = documents.flatMap(({ collection, doc }) => {
    if (collection !== 'posts') return []
    const { kinds, group, author } = doc as unknown as Post
    const one = (field: string, value: unknown): string => `${field} ${doc.status} ${value ? `=${value}` : ''}`
    return [one('author', author), one('group.note', group?.note), ...kinds.map((kind) => one('kinds', kind))]
  })
  return Object.entries(Object.groupBy(held, (one) => one))
    .map(([one, all]) => `${one} ${all?.length}`)
    .sort()
}

/** Every table that follows from the documents says what a rebuild from the journal says. */
async function expectRebuilt(rows: Rows): Promise<readonly Told[]> {
  const { documents, counters } = await replay(rows)
  for (const collection of ['posts', 'people']) {
    const told = documents.filter((one) => one.collection === collection)
    const stored = await rows(`SELECT id, seq, doc, status, slug FROM "${collection}" ORDER BY id`)
    const expected = [...told].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(stored.map(({ id, seq, doc }) => ({ id, seq, doc: JSON.parse(String(doc)) }))).toEqual(
      expected.map(({ id, seq, doc }) => ({ id, seq, doc })),
    )
    expect(stored.map(({ status, slug }) => [status, slug])).toEqual(
      expected.map(({ doc }) => [doc.status ?? null, doc.slug ?? null]),
    )
    const [row] = await rows('SELECT seq, visible_seq, counts FROM daybook$collections WHERE key = ?', collection)
    const own = counters[collection] ?? { seq: 0, visibleSeq: 0, counts: {} }
    expect({ seq: row?.seq, visibleSeq: row?.visible_seq }, collection).toEqual({
      seq: own.seq,
      visibleSeq: own.visibleSeq,
    })
    const filled = (counts: object): object => Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0))
    expect(filled(JSON.parse(String(row?.counts))), collection).toEqual(filled(own.counts))
  }
  const refs = await rows(
    `SELECT from_collection || ' ' || from_id || ' ' || field || ' ' || to_id AS one,
       from_collection || ' ' || from_id || ' ' || field AS place FROM daybook$refs ORDER BY from_collection, from_id, position`,
  )
  expect(refs.map(({ one }) => String(one)).sort(), 'references').toEqual(keyed(documents, referencesOf))
  const ordered = documents.flatMap((one) => referencesOf(one).map((part) => `${one.collection} ${one.id} ${part}`))
  expect(groupByPlace(refs.map(({ one }) => String(one))), 'order of references').toEqual(groupByPlace(ordered))
  const choices = await rows(
    "SELECT from_collection || ' ' || from_id || ' ' || field || ' ' || value AS one FROM daybook$choices",
  )
  expect(choices.map(({ one }) => String(one)).sort(), 'choices').toEqual(keyed(documents, choicesOf))
  const tallies = await rows('SELECT field, status, value, count FROM daybook$tallies WHERE count <> 0')
  const tallied = tallies.map(({ field, status, value, count }) => `${field} ${status} ${value} ${count}`)
  expect(tallied.sort(), 'tallies').toEqual(talliesOf(documents))
  expectNothingDangling(documents)
  return documents
}

const groupByPlace = (all: readonly string[]): Readonly<Record<string, readonly string[] | undefined>> =>
  Object.groupBy(all, (one) => one.slice(0, one.lastIndexOf(' ')))

function expectNothingDangling(documents: readonly Told[]): void {
  const there = new Set(documents.map(({ id }) => id))
  const targets = documents.flatMap((one) => referencesOf(one).map((part) => part.slice(part.lastIndexOf(' ') + 1)))
  expect(
    targets.filter((id) => !there.has(id)),
    'references to nobody',
  ).toEqual([])
}

/** What each word finds, in the index and over HTTP, is what the documents say. */
async function expectFound(service: StoredService, documents: readonly Told[]): Promise<void> {
  const posts = documents.filter(({ collection }) => collection === 'posts')
  expect(await service.searched('posts')).toEqual(await service.rows('SELECT pk FROM posts ORDER BY pk'))
  for (const one of WORDS) {
    const holders = posts.filter(({ doc }) => wordsOf(doc).includes(one))
    for (const auth of [false, true]) {
      const found = bodyOf(await ask(service, `/api/posts?limit=100&q=${encodeURIComponent(one)}`, { auth }))
      const expected = holders.filter(({ doc }) => auth || doc.status === 'published').map(({ id }) => id)
      expect((found.items as readonly { id: string }[]).map(({ id }) => id).sort(), one).toEqual([...expected].sort())
      expect(found.total, one).toBe(expected.length)
    }
  }
}

function wordsOf({ title, group }: Told['doc']): readonly string[] {
  const note = (group as { note?: string | null } | null)?.note
  return `${title} ${note ?? ''}`.split(' ')
}

describe.each(STORES)('after any sequence of requests on $name', (store) => {
  test('counters, references, choices and search are what a rebuild from the journal gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(request, { maxLength: 4 }), { minLength: 4, maxLength: 14 }),
        async (rounds) => {
          await using service = await store.open(config)
          const client = new Client(service)
          for (const name of ['a', 'b', 'c'])
            await client.send({ send: 'one', change: { op: 'person', name, friend: null } })
          // What stands in one round is sent at once.
          for (const round of rounds) await Promise.all(round.map((one) => client.send(one)))
          await expectFound(service, await expectRebuilt(service.rows))
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })
})
