import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
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
          single: f.relation('people'),
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

/** A body that refers to people and posts by index. */
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
      fc.record({ note: orNull(word), single: orNull(at), kinds: fc.subarray(['x', 'y']) }, { requiredKeys: [] }),
    ),
    parts: fc.array(fc.record({ names: fc.array(at, { maxLength: 2 }) }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)
type Body = typeof body extends fc.Arbitrary<infer T> ? T : never

/** A change of a post, or of a person that posts refer to. */
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

/** A request: a single change, a batch, or an update of the global. */
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

/** Sends changes and records the ids of created entries. */
class Client {
  readonly service: TestService
  readonly #ids: Record<'posts' | 'people', string[]> = { posts: [], people: [] }

  constructor(service: TestService) {
    this.service = service
  }

  async send(request: Request): Promise<void> {
    if (request.send === 'global') {
      const { name, owner } = request
      await this.#request('PUT', '/api/globals/site', { name, owner: this.#id('people', owner) })
    } else if (request.send === 'one') await this.#sendOne(request.change)
    else await this.#batch(request.changes)
  }

  #id(collection: 'posts' | 'people', index: number | null): string | null {
    const ids = this.#ids[collection]
    return index === null ? null : (ids[index % (ids.length || 1)] ?? ABSENT)
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
        : { group: group && { ...group, ...('single' in group ? { single: person(group.single ?? null) } : {}) } }),
      ...(parts
        ? {
            parts: parts.map(({ names }) => ({
              _type: 'credit',
              names: names.map((index) => ({ who: person(index) })),
            })),
          }
        : {}),
    }
  }

  async #sendOne(change: Change): Promise<void> {
    if (change.op === 'create') await this.#create('posts', this.#data(change.body))
    else if (change.op === 'person')
      await this.#create('people', { name: change.name, friend: this.#id('people', change.friend) })
    else if (change.op === 'delete')
      await this.#request('DELETE', `/api/${change.from}/${this.#id(change.from, change.at)}`)
    else
      await this.#request(
        change.op === 'patch' ? 'PATCH' : 'PUT',
        `/api/posts/${this.#id('posts', change.at)}`,
        this.#data(change.body),
      )
  }

  async #create(collection: 'posts' | 'people', data: object): Promise<void> {
    const response = await this.#request('POST', `/api/${collection}`, data)
    if (response?.id) this.#ids[collection].push(String(response.id))
  }

  async #batch(changes: readonly Change[]): Promise<void> {
    const operations = changes.map((change) => {
      if (change.op === 'create') return { op: 'create', collection: 'posts', data: this.#data(change.body) }
      if (change.op === 'person')
        return {
          op: 'create',
          collection: 'people',
          data: { name: change.name, friend: this.#id('people', change.friend) },
        }
      if (change.op === 'delete') return { op: 'delete', collection: change.from, id: this.#id(change.from, change.at) }
      return { op: 'update', collection: 'posts', id: this.#id('posts', change.at), data: this.#data(change.body) }
    })
    const response = await this.#request('POST', '/api/cms/batch', { operations })
    for (const { op, collection, id } of (response?.results ?? []) as readonly Record<
      'op' | 'collection' | 'id',
      string
    >[])
      if (op === 'create') this.#ids[collection as 'posts'].push(id)
  }

  /** Many requests are rejected: for a missing title, a taken code, or a deleted entry. */
  async #request(method: string, path: string, json?: object): Promise<Readonly<Record<string, unknown>> | undefined> {
    const response = await sendRequest(this.service, path, { method, ...(json ? { json } : {}) })
    expect([200, 201, 204, 400, 404, 409], response.text).toContain(response.status)
    return response.status < 300 && response.text !== '' ? parseBody(response) : undefined
  }
}

/** A document as the journal records it. */
interface JournalDocument {
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

/** Replays the journal, and returns the documents and counters that it implies. */
async function replay(rows: Rows): Promise<{
  readonly documents: readonly JournalDocument[]
  readonly counters: Readonly<Record<string, Counters>>
}> {
  const documents = new Map<string, JournalDocument>()
  const counters: Record<string, Counters> = {}
  const records = await readJournal(rows, ['posts', 'people'])
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  for (const { seq, action, collection, id, doc } of records) {
    const key = `${collection} ${id}`
    const before = documents.get(key)
    const document: JournalDocument = { collection, id, seq, doc: JSON.parse(doc) }
    expect(before === undefined, `${action} of ${key}`).toBe(action === 'create')
    if (action === 'delete') documents.delete(key)
    else documents.set(key, document)
    countChange(counters, before, action === 'delete' ? undefined : document, document)
  }
  return { documents: [...documents.values()], counters }
}

const statusOf = ({ doc }: JournalDocument): string => String(doc.status ?? '')

function countChange(
  all: Record<string, Counters>,
  before: JournalDocument | undefined,
  after: JournalDocument | undefined,
  changed: JournalDocument,
): void {
  if (changed.collection === 'globals') return
  const totals = all[changed.collection] ?? { seq: 0, visibleSeq: 0, counts: {} }
  all[changed.collection] = totals
  const statuses = [before, after].flatMap((document) => (document ? [statusOf(document)] : []))
  totals.seq = changed.seq
  if (changed.collection === 'people' || statuses.includes('published')) totals.visibleSeq = changed.seq
  if (before) totals.counts[statusOf(before)] = (totals.counts[statusOf(before)] ?? 0) - 1
  if (after) totals.counts[statusOf(after)] = (totals.counts[statusOf(after)] ?? 0) + 1
}

interface Post {
  readonly kinds: readonly string[]
  readonly author: string | null
  readonly friends: readonly string[]
  readonly needs: string | null
  readonly group: {
    readonly note: string | null
    readonly single: string | null
    readonly kinds: readonly string[]
  } | null
  readonly parts: readonly { readonly names: readonly { readonly who: string | null }[] }[]
}

/** Returns the references of a document, as `field id`, in order. */
function referencesOf({ collection, doc }: JournalDocument): readonly string[] {
  const all = (field: string, ids: readonly (string | null | undefined)[]): readonly string[] =>
    ids.flatMap((id) => (id ? [`${field} ${id}`] : []))
  if (collection === 'people') return all('friend', [doc.friend as string | null])
  if (collection === 'globals') return all('owner', [doc.owner as string | null])
  const post = doc as unknown as Post
  return [
    ...all('author', [post.author]),
    ...all('friends', post.friends),
    ...all('needs', [post.needs]),
    ...all('group.single', [post.group?.single]),
    ...all(
      'parts.names.who',
      post.parts.flatMap(({ names }) => names.map(({ who }) => who)),
    ),
  ]
}

function choicesOf({ collection, doc }: JournalDocument): readonly string[] {
  if (collection !== 'posts') return []
  const { kinds, group } = doc as unknown as Post
  return [...kinds.map((kind) => `kinds ${kind}`), ...(group?.kinds ?? []).map((kind) => `group.kinds ${kind}`)]
}

const listKeys = (
  documents: readonly JournalDocument[],
  parts: (document: JournalDocument) => readonly string[],
): readonly string[] =>
  documents.flatMap((document) => parts(document).map((part) => `${document.collection} ${document.id} ${part}`)).sort()

/** Counts posts by the values of counted fields. */
function countValues(documents: readonly JournalDocument[]): readonly string[] {
  const keys = documents.flatMap(({ collection, doc }) => {
    if (collection !== 'posts') return []
    const { kinds, group, author } = doc as unknown as Post
    const keyFor = (field: string, value: unknown): string => `${field} ${doc.status} ${value ? `=${value}` : ''}`
    return [keyFor('author', author), keyFor('group.note', group?.note), ...kinds.map((kind) => keyFor('kinds', kind))]
  })
  return Object.entries(Object.groupBy(keys, (key) => key))
    .map(([key, all]) => `${key} ${all?.length}`)
    .sort()
}

/** Expects every derived table to equal a rebuild from the journal. */
async function expectRebuilt(rows: Rows): Promise<readonly JournalDocument[]> {
  const { documents, counters } = await replay(rows)
  for (const collection of ['posts', 'people']) {
    const expectedDocuments = documents.filter((document) => document.collection === collection)
    const stored = await rows(`SELECT id, seq, doc, status, slug FROM "${collection}" ORDER BY id`)
    const expected = [...expectedDocuments].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(stored.map(({ id, seq, doc }) => ({ id, seq, doc: JSON.parse(String(doc)) }))).toEqual(
      expected.map(({ id, seq, doc }) => ({ id, seq, doc })),
    )
    expect(stored.map(({ status, slug }) => [status, slug])).toEqual(
      expected.map(({ doc }) => [doc.status ?? null, doc.slug ?? null]),
    )
    const [row] = await rows('SELECT seq, visible_seq, counts FROM daybook$collections WHERE key = ?', collection)
    const totals = counters[collection] ?? { seq: 0, visibleSeq: 0, counts: {} }
    expect({ seq: row?.seq, visibleSeq: row?.visible_seq }, collection).toEqual({
      seq: totals.seq,
      visibleSeq: totals.visibleSeq,
    })
    const filled = (counts: object): object => Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0))
    expect(filled(JSON.parse(String(row?.counts))), collection).toEqual(filled(totals.counts))
  }
  const refs = await rows(
    `SELECT from_collection || ' ' || from_id || ' ' || field || ' ' || to_id AS key,
       from_collection || ' ' || from_id || ' ' || field AS place FROM daybook$refs ORDER BY from_collection, from_id, position`,
  )
  expect(refs.map(({ key }) => String(key)).sort(), 'references').toEqual(listKeys(documents, referencesOf))
  const ordered = documents.flatMap((document) =>
    referencesOf(document).map((part) => `${document.collection} ${document.id} ${part}`),
  )
  expect(groupByPlace(refs.map(({ key }) => String(key))), 'order of references').toEqual(groupByPlace(ordered))
  const choices = await rows(
    "SELECT from_collection || ' ' || from_id || ' ' || field || ' ' || value AS key FROM daybook$choices",
  )
  expect(choices.map(({ key }) => String(key)).sort(), 'choices').toEqual(listKeys(documents, choicesOf))
  const countRows = await rows('SELECT field, status, value, count FROM daybook$tallies WHERE count <> 0')
  const tallied = countRows.map(({ field, status, value, count }) => `${field} ${status} ${value} ${count}`)
  expect(tallied.sort(), 'tallies').toEqual(countValues(documents))
  expectNothingDangling(documents)
  return documents
}

const groupByPlace = (all: readonly string[]): Readonly<Record<string, readonly string[] | undefined>> =>
  Object.groupBy(all, (reference) => reference.slice(0, reference.lastIndexOf(' ')))

function expectNothingDangling(documents: readonly JournalDocument[]): void {
  const there = new Set(documents.map(({ id }) => id))
  const targets = documents.flatMap((document) =>
    referencesOf(document).map((part) => part.slice(part.lastIndexOf(' ') + 1)),
  )
  expect(
    targets.filter((id) => !there.has(id)),
    'dangling references',
  ).toEqual([])
}

/** Expects searches for each word to return the documents that contain it. */
async function expectFound(service: StoredService, documents: readonly JournalDocument[]): Promise<void> {
  const posts = documents.filter(({ collection }) => collection === 'posts')
  expect(await service.searched('posts')).toEqual(await service.rows('SELECT pk FROM posts ORDER BY pk'))
  for (const word of WORDS) {
    const holders = posts.filter(({ doc }) => wordsOf(doc).includes(word))
    for (const auth of [false, true]) {
      const results = parseBody(
        await sendRequest(service, `/api/posts?limit=100&q=${encodeURIComponent(word)}`, { auth }),
      )
      const expected = holders.filter(({ doc }) => auth || doc.status === 'published').map(({ id }) => id)
      expect((results.items as readonly { id: string }[]).map(({ id }) => id).sort(), word).toEqual(
        [...expected].sort(),
      )
      expect(results.total, word).toBe(expected.length)
    }
  }
}

function wordsOf({ title, group }: JournalDocument['doc']): readonly string[] {
  const note = (group as { note?: string | null } | null)?.note
  return `${title} ${note ?? ''}`.split(' ')
}

describe.each(STORES)('after any sequence of requests on $name', (store) => {
  test('counters, references, choices and search equal a rebuild from the journal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(request, { maxLength: 4 }), { minLength: 4, maxLength: 14 }),
        async (rounds) => {
          await using service = await store.open(config)
          const client = new Client(service)
          for (const name of ['a', 'b', 'c'])
            await client.send({ send: 'one', change: { op: 'person', name, friend: null } })
          // The requests of a round are sent concurrently.
          for (const round of rounds) await Promise.all(round.map((request) => client.send(request)))
          await expectFound(service, await expectRebuilt(service.rows))
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })
})
