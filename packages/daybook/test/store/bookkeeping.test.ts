import { ANONYMOUS, DaybookError, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { type JournalRecord, readJournal } from '../support/stores/journal.ts'
import { STORES, type StoredService } from '../support/stores/stores.ts'

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        state: f.status(),
        code: f.text({ unique: true, search: false }),
        author: f.relation('people'),
        friends: f.relation('people', { many: true }),
        parts: f.blocks({ credit: { names: f.list(f.group({ who: f.relation('people') })) } }),
      },
    }),
    people: defineCollection({ fields: { name: f.text({ required: true }) } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text(), owner: f.relation('people') } }) },
})

type Row = Readonly<Record<string, unknown>>

type Store = StoredService<typeof config>

async function readAllTables({ tables, rows }: Store): Promise<Readonly<Record<string, readonly Row[]>>> {
  const tablesByName: Record<string, readonly Row[]> = {}
  for (const name of await tables()) tablesByName[name] = await rows(`SELECT * FROM "${name}"`)
  return tablesByName
}

const journal = ({ rows }: Store): Promise<readonly JournalRecord[]> => readJournal(rows, ['posts', 'people'])

const head = async ({ rows }: Store): Promise<number> => Number((await rows('SELECT seq FROM daybook$head'))[0]?.seq)

/** A change. `at` and `refs` are indexes into the posts and people that exist by then. */
type Step =
  | { readonly do: 'create' | 'update'; readonly at: number; readonly data: Row; readonly refs: readonly number[] }
  | { readonly do: 'delete'; readonly at: number }
  | { readonly do: 'forget'; readonly at: number }
  | { readonly do: 'global'; readonly at: number; readonly name: string | null }

const words = fc.constantFrom('apple', 'banana', 'cherry', 'Äpfel', '日本')
const data = fc.record(
  {
    title: words,
    state: fc.constantFrom('draft', 'published', 'archived', null),
    code: fc.option(fc.constantFrom('1', '2', '3'), { nil: null }),
  },
  { requiredKeys: ['title'] },
)
const at = fc.nat({ max: 9 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('create' as const), at, data, refs: fc.array(at, { maxLength: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('update' as const), at, data, refs: fc.array(at, { maxLength: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'delete' as const, 'forget' as const), at }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('global' as const), at, name: fc.option(words, { nil: null }) }),
  },
)

interface Authors {
  readonly createdBy?: unknown
  readonly updatedBy?: unknown
}

/** A document as its row stores it: `createdBy` and `updatedBy` have columns of their own. */
const withoutAuthors = ({ createdBy: _createdBy, updatedBy: _updatedBy, ...document }: object & Authors): object =>
  document

describe.each(STORES)('on $name', (kind) => {
  let store: Store

  beforeEach(async () => {
    store = await kind.open<typeof config>(config)
    return () => store.close()
  })

  describe('the journal', () => {
    test('has one record for each change, in order, with its actor and the resulting document', async () => {
      const { content } = store
      const person = await content.create('people', { name: 'Inés' })
      const changed = await content.update('people', person.id, { name: 'Tomasz' })
      const site = await content.writeGlobal('site', { name: 'Blog' })
      const again = await content.writeGlobal('site', { name: 'Daybook' })
      await content.delete('people', person.id)
      const { id } = person
      const expected = [
        { action: 'create', collection: 'people', id, doc: person },
        { action: 'update', collection: 'people', id, doc: changed },
        { action: 'create', collection: 'globals', id: 'site', doc: site },
        { action: 'update', collection: 'globals', id: 'site', doc: again },
        { action: 'delete', collection: 'people', id, doc: changed },
      ]
      expect(await journal(store)).toEqual(
        expected.map(({ doc, ...record }, index) => ({
          ...record,
          seq: index + 1,
          actor: 'system',
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          doc: JSON.stringify(withoutAuthors(doc)),
        })),
      )
      expect(await head(store)).toBe(5)
    })

    test('has no record of a write that changes nothing', async () => {
      const { content } = store
      const post = await content.create('posts', { title: 'A' })
      expect(await content.update('posts', post.id, { title: 'A', code: null })).toEqual(post)
      await content.writeGlobal('site', { name: 'Blog' })
      await content.writeGlobal('site', { name: 'Blog' })
      expect(await journal(store)).toHaveLength(2)
    })

    test('uses the number of the last change of an entry as its revision', async () => {
      const { content, rows } = store
      const { id } = await content.create('posts', { title: 'A' })
      await content.create('posts', { title: 'B' })
      await content.update('posts', id, { title: 'C' })
      expect(await rows('SELECT seq FROM posts ORDER BY pk')).toEqual([{ seq: 3 }, { seq: 2 }])
      expect(await rows("SELECT seq, visible_seq FROM daybook$collections WHERE key = 'posts'")).toEqual([
        { seq: 3, visible_seq: 3 },
      ])
    })

    test('moves visible_seq only if callers without a session can see a difference', async () => {
      const { content, rows } = store
      const { id } = await content.create('posts', { title: 'A', state: 'draft' })
      const visibleSeq = async () =>
        (await rows("SELECT visible_seq FROM daybook$collections WHERE key = 'posts'"))[0]?.visible_seq
      await content.update('posts', id, { title: 'B' })
      expect(await visibleSeq()).toBe(0)
      await content.update('posts', id, { state: 'published' })
      expect(await visibleSeq()).toBe(3)
      await content.update('posts', id, { state: 'archived' })
      expect(await visibleSeq()).toBe(4)
      await content.update('posts', id, { title: 'C' })
      await content.delete('posts', id)
      expect(await visibleSeq()).toBe(4)
    })

    test('numbers concurrent changes without a gap', async () => {
      const { content } = store
      const writes = Array.from({ length: 100 }, (_, n) =>
        content.create('posts', { title: 'same', code: `${n % 90}` }),
      )
      const ends = await Promise.allSettled(writes)
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(90)
      expect((await journal(store)).map(({ seq }) => seq)).toEqual(Array.from({ length: 90 }, (_, n) => n + 1))
      expect(await head(store)).toBe(90)
      await expectConsistent(store)
    })
  })

  describe('a rejected write leaves everything unchanged', () => {
    const REFUSED: Readonly<Record<string, (id: string, ids: { readonly other: string }) => Promise<unknown>>> = {
      'a wrong type': () => store.content.create('posts', { title: 5 as never }),
      'a missing field': () => store.content.create('posts', {} as never),
      'a slug that is taken': () => store.content.create('posts', { title: 'B', slug: 'first' }),
      'a unique value that is taken': () => store.content.create('posts', { title: 'B', code: 'one' }),
      'a reference to nobody': (id) => store.content.create('posts', { title: 'B', friends: [id] }),
      'no session': () => store.content.as(ANONYMOUS).create('posts', { title: 'B' }),
      'an update to a slug that is taken': (_id, { other }) => store.content.update('posts', other, { slug: 'first' }),
      'an update to a value that is taken': (_id, { other }) => store.content.update('posts', other, { code: 'one' }),
      'an update that empties a required field': (id) => store.content.update('posts', id, { title: null as never }),
      'an update on a stale tag': (id) => store.content.update('posts', id, { title: 'C' }, { ifMatch: '"0.x"' }),
      'an update of what is not there': (id) => store.content.update('people', id, { name: 'C' }),
      'a deletion on a stale tag': (id) => store.content.delete('posts', id, { ifMatch: '"0.x"' }),
      'a deletion without a session': (id) => store.content.as(ANONYMOUS).delete('posts', id),
      'a global with a reference to nobody': (id) => store.content.writeGlobal('site', { name: 'B', owner: id }),
    }

    test.each(Object.entries(REFUSED))('%s', async (_name, write) => {
      const { content } = store
      const person = await content.create('people', { name: 'Inés' })
      const first = { title: 'First', slug: 'first', code: 'one', author: person.id, friends: [person.id] }
      const post = await content.create('posts', first)
      const other = await content.create('posts', { title: 'Other', code: 'two', state: 'draft' })
      const before = await readAllTables(store)
      await expect(write(post.id, { other: other.id })).rejects.toThrow(DaybookError)
      expect(await readAllTables(store)).toEqual(before)
      await expectConsistent(store)
    })
  })

  describe('deleting', () => {
    test('removes references from other entries, with one journal record each', async () => {
      const { content, rows } = store
      const person = await content.create('people', { name: 'Inés' })
      const post = await content.create('posts', { title: 'A', author: person.id, friends: [person.id] })
      await content.create('posts', { title: 'B' })
      await content.delete('people', person.id)
      expect(await content.as(ANONYMOUS).get('posts', post.id)).toMatchObject({ author: null, friends: [] })
      expect(await rows('SELECT * FROM daybook$refs')).toEqual([])
      const last = await rows('SELECT action, collection, id FROM daybook$journal WHERE seq > 3')
      expect(last).toHaveLength(2)
      expect(last).toContainEqual({ action: 'delete', collection: 'people', id: person.id })
      expect(last).toContainEqual({ action: 'update', collection: 'posts', id: post.id })
      await expectConsistent(store)
    })

    test('deletes the search row and the references of the entry', async () => {
      const { content, rows } = store
      const person = await content.create('people', { name: 'Inés' })
      const post = await content.create('posts', { title: 'apple', author: person.id })
      await content.create('posts', { title: 'apple pie' })
      await content.delete('posts', post.id)
      expect(await content.as(ANONYMOUS).list('posts', { q: 'apple' })).toMatchObject({
        total: 1,
        items: [{ title: 'apple pie' }],
      })
      expect(await store.searched('posts')).toEqual(await rows('SELECT pk FROM posts'))
      expect(await rows('SELECT * FROM daybook$refs')).toEqual([])
    })
  })

  test('after any sequence of changes, all derived tables agree with the documents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }), async (rounds) => {
        await using service = await kind.open<typeof config>(config)
        const people = await Promise.all(['a', 'b', 'c'].map((name) => service.content.create('people', { name })))
        const posts: string[] = []
        // The steps of a round run concurrently.
        for (const round of rounds) await Promise.all(round.map((step) => apply(service, step, posts, people)))
        await expectConsistent(service)
      }),
      { numRuns: 25 },
    )
  })
})

async function apply(
  { content }: Store,
  step: Step,
  posts: string[],
  people: readonly { readonly id: string }[],
): Promise<void> {
  const personAt = (index: number): string => String(people[index % people.length]?.id)
  const postAt = (index: number): string => String(posts[index % (posts.length || 1)])
  try {
    if (step.do === 'delete') await content.delete('posts', postAt(step.at))
    else if (step.do === 'forget') await content.delete('people', personAt(step.at))
    else if (step.do === 'global') await content.writeGlobal('site', { name: step.name, owner: personAt(step.at) })
    else {
      const friends = [...new Set(step.refs.map(personAt))]
      const [author = null] = friends
      const parts = [{ _type: 'credit', names: step.refs.map((ref) => ({ who: personAt(ref) })) }]
      const body = { ...step.data, friends, author, parts } as never
      if (step.do === 'create') posts.push((await content.create('posts', body)).id)
      else await content.update('posts', postAt(step.at), body)
    }
  } catch (error) {
    const expected = ['CONFLICT', 'NOT_FOUND', 'VALIDATION_ERROR']
    if (!(error instanceof DaybookError && expected.includes(error.code))) throw error
  }
}

/** Checks every table that is derived from the documents against the documents. */
async function expectConsistent(store: Store): Promise<void> {
  const { rows } = store
  for (const key of ['posts', 'people']) {
    const counted = await rows(`SELECT coalesce(status, '') AS status, count(*) AS n FROM "${key}" GROUP BY 1`)
    const [stored] = await rows('SELECT counts FROM daybook$collections WHERE key = ?', key)
    const counts = Object.entries(JSON.parse(String(stored?.counts))).filter(([, n]) => n !== 0)
    expect(Object.fromEntries(counts), `counters of ${key}`).toEqual(
      Object.fromEntries(counted.map(({ status, n }) => [status, n])),
    )
    expect(await store.searched(key), `search rows of ${key}`).toEqual(
      await rows(`SELECT pk FROM "${key}" ORDER BY pk`),
    )
    await expectColumns(store, key)
  }
  await expectReferences(store)
  const changes = await journal(store)
  expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, index) => index + 1))
  expect(await head(store)).toBe(changes.length)
  const last = new Map(changes.map((change) => [`${change.collection} ${change.id}`, change]))
  for (const key of ['posts', 'people']) {
    const live = [...last.values()].filter(({ collection, action }) => collection === key && action !== 'delete')
    const lastStates = live.map(({ id, seq, doc }) => ({ id, seq, doc })).sort(byId)
    expect(lastStates, `the last states of ${key} in the journal`).toEqual(
      [...(await rows(`SELECT id, seq, doc FROM "${key}"`))].sort(byId),
    )
  }
}

/** Checks that the columns of a row agree with its document. */
async function expectColumns({ rows }: Store, key: string): Promise<void> {
  const stored = await rows(`SELECT id, created_at, updated_at, status, slug, doc FROM "${key}"`)
  for (const { doc, ...columns } of stored) {
    const { id, createdAt, updatedAt, state = null, slug = null } = JSON.parse(String(doc))
    expect(columns, `columns of ${key}`).toEqual({
      id,
      created_at: createdAt,
      updated_at: updatedAt,
      status: state,
      slug,
    })
  }
}

const byId = (a: Row, b: Row): number => String(a.id).localeCompare(String(b.id))

async function expectReferences({ rows }: Store): Promise<void> {
  const expected = new Set<string>()
  for (const { id, doc } of await rows('SELECT id, doc FROM posts')) {
    const { author, friends, parts } = JSON.parse(String(doc))
    const credits = parts.flatMap((part: { names: { who: string | null }[] }) =>
      part.names.flatMap(({ who }) => (who ? [`parts.names.who ${who}`] : [])),
    )
    const links = [...(author ? [`author ${author}`] : []), ...friends.map((id: string) => `friends ${id}`), ...credits]
    for (const link of links) expected.add(`posts ${id} ${link}`)
  }
  for (const { key, doc } of await rows('SELECT key, doc FROM daybook$globals')) {
    const { owner } = JSON.parse(String(doc))
    if (owner) expected.add(`globals ${key} owner ${owner}`)
  }
  const stored = await rows(
    "SELECT from_collection || ' ' || from_id || ' ' || field || ' ' || to_id AS reference FROM daybook$refs",
  )
  expect([...new Set(stored.map(({ reference }) => reference))].sort()).toEqual([...expected].sort())
}
