import { type AccessWhere, defineCollection, defineConfig, defineGlobal, f, isAuthenticated } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { STORES, type StoredService } from '../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

const READERS = ['', 'cleo', 'ann', 'rita'] as const
type Reader = (typeof READERS)[number]

const RULES: Readonly<Record<string, boolean | AccessWhere>> = {
  everything: true,
  nothing: false,
  team: { team: { eq: 'a' } },
  others: { not: { team: { eq: 'a' } } },
  own: { createdBy: { eq: 'cleo' } },
  changed: { updatedBy: { in: ['cleo', 'ann'] } },
  author: { 'author.team': { eq: 'a' } },
  strangers: { not: { 'author.team': { eq: 'a' } } },
  friends: { or: [{ 'friends.team': { eq: 'b' } }, { kinds: { in: ['x'] } }] },
  long: { rank: { gte: 5 }, title: { startsWith: 'b' } },
}
const RULE_NAMES = Object.keys(RULES)
/** Rules that read people: a change to any person may change which posts are visible. */
const RELATED_RULES: readonly unknown[] = [RULES.author, RULES.strangers, RULES.friends]

/** The rule of each reader, which changes during the test. */
class Rules {
  readonly #names = new Map<string, string>()
  /** The number of changes. */
  version = 0

  set(reader: string, rule: string): void {
    this.#names.set(reader, rule)
    this.version += 1
  }

  reset(): void {
    this.#names.clear()
  }

  of(reader: string): boolean | AccessWhere {
    return RULES[this.#names.get(reader) ?? 'everything'] ?? true
  }
}

const rules = new Rules()
const people = new People({ cleo: [], ann: ['editor'], rita: [] })
const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      access: { read: ({ identity }) => identity?.actorType === 'service' || rules.of(identity?.subject ?? '') },
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        team: f.select({ options: ['a', 'b'] }),
        rank: f.integer(),
        kinds: f.select({ options: ['x', 'y'], many: true }),
        author: f.relation('people'),
        friends: f.relation('people', { many: true }),
        secret: f.text({ access: { read: isAuthenticated } }),
      },
    }),
    people: defineCollection({ fields: { name: f.text(), team: f.select({ options: ['a', 'b'] }) } }),
  },
  globals: {
    site: defineGlobal({
      access: { read: ({ identity }) => rules.of(identity?.subject ?? '') === true },
      fields: { name: f.text() },
    }),
  },
})

const at = fc.nat({ max: 5 })
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 4 })
const team = orNull(fc.constantFrom('a', 'b'))
const post = fc.record(
  {
    title: fc.constantFrom('apple', 'banana', 'bread', 'cherry'),
    status: fc.constantFrom('draft', 'published', 'published', 'archived'),
    team,
    rank: orNull(fc.nat({ max: 9 })),
    kinds: fc.subarray(['x', 'y']),
    author: orNull(at),
    friends: fc.uniqueArray(at, { maxLength: 2 }),
    secret: orNull(fc.constantFrom('s', 't')),
  },
  { requiredKeys: [] },
)
type Post = typeof post extends fc.Arbitrary<infer T> ? T : never

/** Operations on the draft of an entry. */
const DRAFT_ACTIONS = ['save', 'discard', 'publish', 'unpublish', 'restore'] as const
type DraftAction = (typeof DRAFT_ACTIONS)[number]

type Step =
  | { readonly op: 'create' | 'update'; readonly at: number; readonly by: Reader; readonly post: Post }
  | { readonly op: 'delete' | 'person' | 'leave'; readonly at: number; readonly team: 'a' | 'b' | null }
  | { readonly op: 'site'; readonly at: number }
  | { readonly op: 'draft'; readonly at: number; readonly act: DraftAction; readonly post: Post; readonly back: number }
  | { readonly op: 'undo'; readonly back: number; readonly length: number }
  | { readonly op: 'rule'; readonly reader: Reader; readonly rule: string }
  /** A copy begins, or reads `pages` further pages. */
  | { readonly op: 'begin'; readonly reader: Reader; readonly limit: number; readonly collections: string | undefined }
  | { readonly op: 'read'; readonly at: number; readonly pages: number }

const reader = fc.constantFrom(...READERS)
const writer = fc.constantFrom<Reader>('cleo', 'ann', 'rita')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('create' as const), at, by: writer, post }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('update' as const), at, by: writer, post }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), at, team }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('person' as const), at, team }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('leave' as const), at, team }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('site' as const), at }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('draft' as const),
      at,
      act: fc.constantFrom(...DRAFT_ACTIONS),
      post,
      back: fc.nat({ max: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('undo' as const), back: fc.nat({ max: 8 }), length: fc.nat({ max: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('rule' as const), reader, rule: fc.constantFrom(...RULE_NAMES) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('begin' as const),
      reader,
      limit: fc.constantFrom(1, 2, 3, 1000),
      collections: fc.constantFrom(undefined, undefined, 'people', 'globals,people'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('read' as const), at, pages: fc.integer({ min: 1, max: 3 }) }) },
)

type Item = Readonly<Record<'action' | 'collection' | 'id', string>> & { readonly data?: unknown }

/** Everything that decides which documents a reader can see, besides the documents themselves. */
interface Basis {
  /** The results of the rules. */
  readonly view: string
  readonly rulesVersion: number
  /** The revision of the last change to a person. */
  readonly people: number
}

/** A reader's copy of the feed, which starts over after a 410. */
class Copy {
  readonly reader: Reader
  readonly collections: string | undefined
  readonly entries = new Map<string, unknown>()
  /** Every document that the feed has deleted from the copy. */
  readonly deleted = new Set<string>()
  readonly #world: World
  readonly #limit: number
  #token: string | undefined
  /** The basis of the token. People may have changed after it, but not before it. */
  #basis: Basis | undefined
  #turn: Promise<boolean> = Promise.resolve(true)

  constructor(world: World, reader: Reader, limit: number, collections: string | undefined) {
    this.#world = world
    this.reader = reader
    this.#limit = limit
    this.collections = collections
  }

  get hasBegun(): boolean {
    return this.#token !== undefined
  }

  follows(collection: string): boolean {
    return this.collections === undefined || this.collections.includes(collection)
  }

  /** Reads the next page; calls run one after the other. @returns true if there may be more */
  readPage(): Promise<boolean> {
    this.#turn = this.#turn.then(() => this.#readNext())
    return this.#turn
  }

  async #readNext(): Promise<boolean> {
    const query = new URLSearchParams({ limit: String(this.#limit) })
    if (this.collections !== undefined) query.set('collections', this.collections)
    if (this.#token !== undefined) query.set('since', this.#token)
    const basis = await this.#world.basisOf(this)
    const { status, body } = await this.#world.get(`/api/cms/changes?${query}`, this.reader)
    if (status === 410) return this.#restart(basis, body as { readonly details: { readonly restart: string } })
    // A copy cannot begin with a collection that its reader may not read.
    if (status === 400 && this.entries.size === 0) {
      this.#token = undefined
      this.#basis = undefined
      return false
    }
    expect(status, JSON.stringify(body)).toBe(200)
    const { items, next } = body as { readonly items: readonly Item[]; readonly next: string }
    expect(items.length).toBeLessThanOrEqual(this.#limit)
    for (const item of items) this.#apply(item)
    const isOver = next === this.#token
    if (isOver) expect(items).toEqual([])
    this.#basis = isOver || !this.#basis ? basis : { ...basis, people: this.#basis.people }
    this.#token = next
    return !isOver
  }

  /** Starts over; fails unless the view may have changed. */
  async #restart(basis: Basis, { details }: { readonly details: { readonly restart: string } }): Promise<boolean> {
    const now = await this.#world.basisOf(this)
    expect(
      this.#basis && this.#world.mayRestart(this, this.#basis, now),
      `the copy of ${this.reader || 'nobody'}`,
    ).toBe(true)
    this.entries.clear()
    this.#basis = basis
    this.#token = details.restart
    return true
  }

  #apply({ action, collection, id, data }: Item): void {
    const key = `${collection} ${id}`
    if (action === 'upsert') this.entries.set(key, data)
    else {
      this.entries.delete(key)
      this.deleted.add(key)
    }
  }
}

class World {
  readonly #service: StoredService
  readonly #ids: Record<'posts' | 'people', string[]> = { posts: [], people: [] }
  readonly copies: Copy[] = []
  /** Every document that each reader has ever been able to see. */
  readonly #seen = new Map<Reader, Set<string>>(READERS.map((name) => [name, new Set()]))
  /** True if rules may change while a page is read. */
  readonly #isConcurrent: boolean

  constructor(service: StoredService, isConcurrent: boolean) {
    this.#service = service
    this.#isConcurrent = isConcurrent
  }

  async basisOf(copy: Copy): Promise<Basis> {
    const rule = rules.of(copy.reader)
    const view = JSON.stringify([copy.follows('posts') && rule, copy.follows('globals') && rule === true])
    const [row] = await this.#service.rows(`SELECT max(seq) AS seq FROM daybook$journal WHERE collection = 'people'`)
    return { view, rulesVersion: rules.version, people: Number(row?.seq ?? 0) }
  }

  /** True if a reader's view may have changed since a page although the documents in it have not. */
  mayRestart(copy: Copy, before: Basis, now: Basis): boolean {
    const hasOtherView = this.#isConcurrent ? before.rulesVersion !== now.rulesVersion : before.view !== now.view
    const readsPeople = copy.follows('posts') && RELATED_RULES.includes(rules.of(copy.reader))
    return hasOtherView || (readsPeople && before.people !== now.people)
  }

  async get(path: string, reader: Reader): Promise<{ readonly status: number; readonly body: unknown }> {
    const headers = reader === '' ? {} : { Authorization: `Bearer ${reader}` }
    const response = await this.#service.request(path, { headers })
    return { status: response.status, body: await response.json() }
  }

  async do(step: Step): Promise<void> {
    if (step.op === 'begin') this.copies.push(new Copy(this, step.reader, step.limit, step.collections))
    else if (step.op === 'rule') rules.set(step.reader, step.rule)
    else if (step.op === 'read') await this.#read(step.at, step.pages)
    else await this.#write(step)
  }

  async #read(at: number, pages: number): Promise<void> {
    const copy = this.copies[at % Math.max(1, this.copies.length)]
    for (let page = 0; copy && page < pages; page += 1) if (!(await copy.readPage())) break
  }

  async #write(step: Exclude<Step, { op: 'begin' | 'rule' | 'read' }>): Promise<void> {
    if (step.op === 'draft') await this.#changeDraft(step)
    else if (step.op === 'undo') await this.#undo(step)
    else if (step.op === 'site') await this.#send('PUT', '/api/globals/site', { name: `name ${step.at}` })
    else if (step.op === 'create')
      this.#ids.posts.push(await this.#create('posts', this.#createBody(step.post), step.by))
    else if (step.op === 'update') await this.#change('posts', step.at, this.#createBody(step.post), step.by)
    else if (step.op === 'delete') await this.#delete('posts', step.at)
    else if (step.op === 'leave') await this.#delete('people', step.at)
    else if (this.#ids.people.length <= step.at) this.#ids.people.push(await this.#create('people', teamOf(step)))
    else await this.#change('people', step.at, teamOf(step))
  }

  /** Changes the draft of an entry, as the service. */
  async #changeDraft({ at, act, post, back }: Extract<Step, { op: 'draft' }>): Promise<void> {
    const id = this.#ids.posts[at % Math.max(1, this.#ids.posts.length)]
    if (id === undefined) return
    const path = `/api/posts/${id}`
    const { status: _, ...data } = post
    if (act === 'save') await this.#send('PUT', `${path}?draft=true`, this.#createBody(data))
    else if (act === 'discard') await this.#send('DELETE', `${path}?draft=true`)
    else if (act === 'restore')
      await this.#send('POST', `${path}/restore`, { revision: await this.#revisionOf(id, back) })
    else await this.#send('POST', `${path}/${act}`)
  }

  /** Returns the number of an earlier change to an entry. */
  async #revisionOf(id: string, back: number): Promise<number> {
    const rows = await this.#service.rows('SELECT seq FROM daybook$journal WHERE id = ? ORDER BY seq DESC', id)
    return Number(rows[back % Math.max(1, rows.length)]?.seq ?? 1)
  }

  /** Undoes some of the latest changes. Documents that have changed since are skipped. */
  async #undo({ back, length }: Extract<Step, { op: 'undo' }>): Promise<void> {
    const [row] = await this.#service.rows('SELECT seq FROM daybook$head')
    const from = Math.max(1, Number(row?.seq ?? 0) - back)
    await this.#send('POST', '/api/cms/undo', { from, to: from + length })
  }

  #createBody({ author, friends, ...post }: Post): object {
    const person = (at: number): string | undefined => this.#ids.people[at]
    return {
      ...post,
      ...(author === undefined ? {} : { author: author === null ? null : (person(author) ?? null) }),
      ...(friends === undefined ? {} : { friends: friends.map(person).filter((id) => id !== undefined) }),
    }
  }

  async #create(collection: string, data: object, by: Reader = 'ann'): Promise<string> {
    const body = collection === 'posts' ? { title: 'apple', ...data } : data
    const { id } = await this.#send('POST', `/api/${collection}`, body, by)
    return String(id)
  }

  /** Writes as `by`, or as the service if `by` cannot see the document. */
  async #change(collection: 'posts' | 'people', at: number, data: object, by: Reader = 'ann'): Promise<void> {
    const id = this.#ids[collection][at % Math.max(1, this.#ids[collection].length)]
    if (id !== undefined) await this.#send('PUT', `/api/${collection}/${id}`, data, by)
  }

  async #delete(collection: 'posts' | 'people', at: number): Promise<void> {
    const [id] = this.#ids[collection].splice(at, 1)
    if (id !== undefined) await this.#send('DELETE', `/api/${collection}/${id}`)
  }

  async #send(method: string, path: string, data?: object, by?: Reader): Promise<Readonly<Record<string, unknown>>> {
    const send = (token: string): Promise<Response> =>
      this.#service.request(path, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(data ? { body: JSON.stringify(data) } : {}),
      })
    const first = by ? await send(by) : undefined
    const response = first?.ok ? first : await send(this.#service.token)
    return response.status === 204 ? {} : ((await response.json()) as Readonly<Record<string, unknown>>)
  }

  /** Lists everything that a reader can see, in the form of a copy. */
  async listed(reader: Reader): Promise<ReadonlyMap<string, unknown>> {
    const entries = new Map<string, unknown>()
    for (const collection of ['posts', 'people']) {
      const { status, body } = await this.get(`/api/${collection}?limit=100`, reader)
      if (status !== 200) continue
      for (const item of (body as { readonly items: readonly { readonly id: string }[] }).items)
        entries.set(`${collection} ${item.id}`, item)
    }
    const site = await this.get('/api/globals/site', reader)
    if (site.status === 200) entries.set('globals site', site.body)
    return entries
  }

  async recordVisible(): Promise<void> {
    for (const name of READERS) for (const key of (await this.listed(name)).keys()) this.#seen.get(name)?.add(key)
  }

  /** Lets every copy read to the end, and compares it with what its reader can list. */
  async checkCopies(hasRecorded: boolean): Promise<void> {
    for (const copy of this.copies) {
      while (await copy.readPage()) {
        // Read until there are no more pages.
      }
      if (!copy.hasBegun) continue
      const { reader } = copy
      const listed = [...(await this.listed(reader))].filter(([key]) => copy.follows(key.split(' ')[0] ?? ''))
      expect(sorted(copy.entries), `the copy of ${reader || 'nobody'}`).toEqual(sorted(new Map(listed)))
      for (const key of hasRecorded ? copy.deleted : [])
        expect(this.#seen.get(reader)?.has(key), `${reader || 'nobody'} never saw ${key}`).toBe(true)
    }
  }
}

const teamOf = (step: Step): object => ('team' in step ? { team: step.team } : {})

const sorted = (entries: ReadonlyMap<string, unknown>): readonly unknown[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1))

const runs = { numRuns: Number(process.env.DAYBOOK_FEED_RUNS ?? 25), endOnFailure: true }

describe.each(STORES)('the changes feed for any reader on $name', (store) => {
  test('keeps a copy equal to what the reader can list, never names a document that the reader could not see, and restarts only if the view changed', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 60 })
    const property = fc.asyncProperty(steps, async (all) => {
      rules.reset()
      await using service = await store.open(config)
      const world = new World(service, false)
      for (const name of READERS) await world.do({ op: 'begin', reader: name, limit: 2, collections: undefined })
      for (const item of all) {
        await world.do(item)
        await world.recordVisible()
      }
      await world.checkCopies(true)
    })
    await fc.assert(property, runs)
  })

  test('does the same under concurrent writes', { timeout: LARGE_TEST_MS }, async () => {
    const steps = fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 5, maxLength: 15 })
    const property = fc.asyncProperty(steps, async (all) => {
      rules.reset()
      await using service = await store.open(config)
      const world = new World(service, true)
      for (const name of READERS) await world.do({ op: 'begin', reader: name, limit: 1, collections: undefined })
      for (const group of all) await Promise.all(group.map((item) => world.do(item)))
      await world.checkCopies(false)
    })
    await fc.assert(property, runs)
  })
})
