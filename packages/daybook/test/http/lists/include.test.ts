import { defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KEPT_IDS, library } from '../../support/configs/library.ts'
import { ask, bodyOf } from '../../support/scenarios/client.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { get, put, refused, remove } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'

const book = '/api/books/a'

/** Reads an entry with a session. */
const read = (path: string, body: object): Step => get(path, { auth: true, body })

runScenarios('include', [
  {
    name: 'gives the same response for every path into a collection that the caller may not read',
    config: library,
    steps: [
      get(`${book}?include=owner`, { body: { owner: null } }),
      ...['owner.name', 'owner.slug', 'owner.friend', 'owner.friend.name', 'owner.nothing', 'owner.id'].flatMap(
        (name) => [
          refused(`${book}?include=${name}`, 'include'),
          refused(`${book}?include=owner&select=${name}`, 'select'),
        ],
      ),
    ],
  },
  {
    name: 'replaces references, single or many, with the documents, in their order',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(book, { body: { author: '{ann}', authors: ['{ann}', '{bob}'], publisher: '{acme}' } }),
      get(`${book}?include=author`, {
        body: { slug: 'a', author: { id: '{ann}', name: 'Ann', employer: '{acme}' }, authors: ['{ann}', '{bob}'] },
      }),
      get(`${book}?include=authors`, { body: { author: '{ann}', authors: [{ name: 'Ann' }, { name: 'Bob' }] } }),
      get(`${book}?include=publisher`, { body: { author: '{ann}', publisher: { name: 'Acme' } } }),
      ...['author,publisher', 'publisher,author', 'author&include=publisher'].map((include) =>
        get(`${book}?include=${include}`, { body: { author: { name: 'Ann' }, publisher: { name: 'Acme' } } }),
      ),
      put('/api/books/{a}', { authors: ['{bob}', '{ann}'] }),
      get(`${book}?include=authors`, { body: { authors: [{ name: 'Bob' }, { name: 'Ann' }] } }),
      get('/api/books?sort=slug&include=author', {
        body: { total: 4, items: [{ author: { name: 'Ann' } }, { author: { name: 'Bob' } }, { author: null }, {}] },
      }),
      get('/api/books?sort=slug&include=author,publisher&limit=1&offset=1', {
        body: { items: [{ slug: 'b', author: { name: 'Bob' }, publisher: null }] },
      }),
    ],
  },
  {
    name: 'shows a related document as it is read by itself',
    config: library,
    steps: [
      ...KEPT_IDS,
      ...[false, true].flatMap((auth) => [
        get('/api/companies/acme', { auth, keep: { name: '/name', at: '/updatedAt' } }),
        get(`${book}?include=publisher`, {
          auth,
          body: {
            publisher: { id: '{acme}', name: '{name}', slug: 'acme', country: 'AT', updatedAt: '{at}' },
          },
        }),
      ]),
      get(`${book}?include=author`, {
        body: { author: { home: { city: 'Wien', patron: null }, skills: ['ink', 'glue'] } },
      }),
    ],
  },
  {
    name: 'follows a dotted path and expands every relation on the way',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?include=author.employer`, {
        body: { author: { name: 'Ann', employer: { name: 'Acme' }, mentor: null }, publisher: '{acme}' },
      }),
      get('/api/books/b?include=author.mentor.employer', {
        body: { author: { name: 'Bob', mentor: { name: 'Ann', employer: { name: 'Acme' } }, circle: ['{ann}'] } },
      }),
      get('/api/books/b?include=authors.circle.employer,author', {
        body: {
          author: { name: 'Bob', circle: ['{ann}'] },
          authors: [{ circle: [{ name: 'Ann', employer: { name: 'Acme' } }] }],
        },
      }),
      get('/api/books/b?include=author,author.mentor', {
        body: { author: { mentor: { name: 'Ann', employer: '{acme}' } } },
      }),
      get('/api/books/b?include=author.mentor,author.circle', {
        body: { author: { mentor: { name: 'Ann' }, circle: [{ name: 'Ann' }] } },
      }),
    ],
  },
  {
    name: 'expands relations inside groups, lists and blocks, at every level',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?include=meta.editor`, {
        body: { meta: { rank: 1, editor: { name: 'Bob', mentor: '{ann}' }, readers: ['{ann}', '{cyd}'] } },
      }),
      get(`${book}?include=meta.readers`, { body: { meta: { editor: '{bob}', readers: [{ name: 'Ann' }] } } }),
      get(`${book}?include=meta.editor.mentor`, { body: { meta: { editor: { mentor: { name: 'Ann' } } } } }),
      get(`${book}?include=credits.who`, {
        body: { credits: [{ who: { name: 'Bob' }, role: 'cover' }, { who: null }, { who: null, role: 'paper' }] },
      }),
      get(`${book}?include=picks`, { body: { picks: [{ name: 'Globex' }, { name: 'Acme' }] } }),
      get(`${book}?include=parts.by,parts.firms`, {
        body: {
          parts: [
            { _type: 'quote', text: 'x', by: { name: 'Ann' } },
            { _type: 'shelf', by: null, firms: [{ name: 'Acme' }, { name: 'Globex' }] },
          ],
        },
      }),
      get(`${book}?include=parts.by.employer`, { body: { parts: [{ by: { employer: { name: 'Acme' } } }, {}] } }),
      put('/api/people/{ann}', { home: { city: 'Graz', patron: '{bob}' } }),
      get(`${book}?include=author.home.patron`, {
        body: { author: { home: { city: 'Graz', patron: { name: 'Bob' } } } },
      }),
      get('/api/books/c?include=meta.editor,credits.who,picks,parts.by', {
        body: { meta: null, credits: [], picks: [], parts: [] },
      }),
    ],
  },
  {
    name: 'shows only the fields of the target that the caller may read',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?include=author`, { lacks: ['"secret"', '"shadow"'], body: { author: { name: 'Ann' } } }),
      read(`${book}?include=author`, { author: { secret: CANARY, shadow: null } }),
      get('/api/books/d?include=author,authors', { body: { author: null, authors: [{ name: 'Ann' }] } }),
      read('/api/books/d?include=author,authors', {
        author: { status: 'draft', employer: '{globex}' },
        authors: [{ slug: 'cyd' }, { slug: 'ann' }],
      }),
      get(`${book}?include=owner,owners`, { body: { owner: null, owners: [] } }),
      read(`${book}?include=owner,owners`, { owner: { slug: 'mia' }, owners: [{ slug: 'mia' }] }),
      read(`${book}?include=ghost`, { ghost: { name: 'Ann' } }),
      get(`${book}?depth=2`, { lacks: ['"secret"', '"ghost"', '"ghosts"', '"shadow"'] }),
      put('/api/people/{bob}', { status: 'archived' }),
      get('/api/books?sort=slug&include=author,authors', {
        body: { items: [{ authors: [{ name: 'Ann' }] }, { author: null, authors: [] }, {}, {}] },
      }),
    ],
  },
  {
    name: 'treats a hidden relation and paths through it like an unknown field',
    config: library,
    steps: [
      ...['nobody', 'ghost', 'ghosts', 'title', 'meta', 'credits', 'parts', 'id', '*', '__proto__', 'constructor'],
      ...['author.nobody', 'author.shadow', 'author.name', 'ghost.employer', 'parts.text', 'meta.rank', '.', 'author.'],
    ].map((path) => {
      const params = { name: lastUnknown(path) }
      const message = `there is no relation "${params.name}"`
      return get(`${book}?include=${path}`, {
        status: 400,
        exactly: {
          code: 'VALIDATION_ERROR',
          message: `include: ${message}`,
          details: { issues: [{ path: 'include', code: 'unknown_field', params, message }] },
          requestId: expect.any(String),
        },
      })
    }),
  },
])

/** Returns the part of a dotted name that is reported as unknown. */
function lastUnknown(name: string): string {
  return name.replace(/^author\./, '')
}

runScenarios('depth', [
  {
    name: 'expands every relation level by level; with include, it starts at the named relations',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?depth=0`, { body: { author: '{ann}' } }),
      get(`${book}?include=author&depth=0`, { body: { author: { employer: '{acme}' } } }),
      get('/api/books/b?depth=1', {
        body: { author: { name: 'Bob', mentor: '{ann}' }, authors: [{ circle: ['{ann}'] }], meta: { readers: [{}] } },
      }),
      get('/api/books/b?depth=2', {
        body: { author: { mentor: { name: 'Ann', employer: '{acme}' }, circle: [{ employer: '{acme}' }] } },
      }),
      get('/api/books/b?include=author', { body: { author: { mentor: '{ann}' }, authors: ['{bob}'] } }),
      get('/api/books/b?include=author&depth=2', {
        body: { author: { mentor: { employer: '{acme}' } }, authors: ['{bob}'] },
      }),
      get('/api/books/b?include=author&depth=3', {
        body: { author: { mentor: { employer: { name: 'Acme' } } }, authors: ['{bob}'] },
      }),
      get(`/api/companies/acme?depth=5`, { body: { name: 'Acme' } }),
    ],
  },
  {
    name: 'is at most 5 and expands at most 100 relations',
    config: library,
    steps: [
      ...['6', '1000000', '-1', '1.5', 'x', ''].map((depth) => refused(`${book}?depth=${depth}`, 'depth')),
      refused(`${book}?depth=1&depth=2`, 'depth'),
      refused(`${book}?depth=5`, 'depth'),
      refused(`/api/books?include=author&depth=99`, 'depth'),
      get('/api/companies?depth=5', { body: { total: 2 } }),
      get('/api/people/bob?include=mentor&depth=3', { body: { mentor: { employer: { name: 'Acme' } } } }),
      get(`/api/people/bob?include=${'mentor.'.repeat(50)}mentor`, { status: 400 }),
      get(`/api/people/bob?include=${'mentor.'.repeat(5)}mentor`, { status: 400 }),
      get(`/api/people/bob?include=mentor.mentor.mentor.mentor.mentor`, { body: { mentor: { mentor: null } } }),
      get(`/api/people?include=${Array.from({ length: 201 }, () => 'mentor').join()}`, { status: 400 }),
    ],
  },
  {
    name: 'limits how often a cycle is followed',
    config: library,
    steps: [
      ...KEPT_IDS,
      put('/api/people/{ann}', { mentor: '{bob}', circle: ['{ann}', '{bob}'] }),
      get('/api/people/bob?include=mentor.mentor.mentor', {
        body: { mentor: { name: 'Ann', mentor: { name: 'Bob', mentor: { name: 'Ann', mentor: '{bob}' } } } },
      }),
      get('/api/people/ann?include=circle.circle', {
        body: { circle: [{ circle: [{ circle: ['{ann}', '{bob}'] }, { circle: ['{ann}'] }] }, { circle: [{}] }] },
      }),
      get('/api/people/ann?include=circle', { body: { circle: [{ slug: 'ann', circle: ['{ann}', '{bob}'] }, {}] } }),
      put('/api/people/{ann}', { mentor: '{ann}' }),
      get('/api/people/ann?include=mentor', { body: { mentor: { id: '{ann}', mentor: '{ann}' } } }),
    ],
  },
])

runScenarios('select', [
  {
    name: 'selects fields of included documents, which always have their id',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?include=author&select=title,author.name`, {
        exactly: { id: '{a}', title: 'Alpha', author: { id: '{ann}', name: 'Ann' } },
      }),
      get(`${book}?include=author&select=author.id`, { exactly: { id: '{a}', author: { id: '{ann}' } } }),
      get(`${book}?include=authors.employer&select=authors.employer.name&select=authors.name`, {
        exactly: {
          id: '{a}',
          authors: [
            { id: '{ann}', name: 'Ann', employer: { id: '{acme}', name: 'Acme' } },
            { id: '{bob}', name: 'Bob', employer: null },
          ],
        },
      }),
      get(`${book}?include=author&select=title`, { exactly: { id: '{a}', title: 'Alpha' } }),
      get(`${book}?include=author&select=author`, {
        body: { id: '{a}', author: { name: 'Ann', employer: '{acme}' } },
        lacks: ['"title"', '"authors"'],
      }),
      get(`${book}?include=meta.editor&select=meta.editor.name`, {
        body: { id: '{a}', meta: { editor: { id: '{bob}', name: 'Bob' } } },
        lacks: ['"mentor"'],
      }),
      get(`${book}?include=parts.by&select=parts.by.name`, {
        exactly: {
          id: '{a}',
          parts: [
            { _key: expect.any(String), _type: 'quote', text: 'x', by: { id: '{ann}', name: 'Ann' } },
            { _key: expect.any(String), _type: 'shelf', label: null, by: null, firms: ['{acme}', '{globex}'] },
          ],
        },
      }),
      get('/api/books?sort=slug&limit=2&include=author&select=slug,author.name', {
        body: {
          items: [
            { id: '{a}', slug: 'a', author: { id: '{ann}', name: 'Ann' } },
            { slug: 'b', author: { id: '{bob}', name: 'Bob' } },
          ],
        },
        lacks: ['"title"', '"age"'],
      }),
    ],
  },
  {
    name: 'rejects unknown fields, hidden fields, and fields of relations that are not included',
    config: library,
    steps: [
      ...['author.name', 'author.nobody', 'author.secret', 'nobody.name', 'ghost.name', 'meta.rank', 'title.x'].map(
        (name) => refused(`${book}?select=${name}`, 'select'),
      ),
      ...[
        'author.nobody',
        'author.secret',
        'author.shadow',
        'author.*',
        'author.',
        'author.__proto__',
        'authors.name',
      ].map((name) => refused(`${book}?include=author&select=${name}`, 'select')),
      read(`${book}?include=author&select=author.secret`, { author: { secret: CANARY } }),
      refused(`${book}?include=author&select=${Array.from({ length: 1000 }, () => 'id').join()}`, 'select'),
    ],
  },
])

runScenarios('a target that is gone', [
  {
    name: 'is null for a single reference and omitted from many',
    config: library,
    steps: [
      ...KEPT_IDS,
      remove('/api/people/{cyd}'),
      read('/api/books/d?include=author,authors', { author: null, authors: [{ name: 'Ann' }] }),
      remove('/api/people/{ann}'),
      remove('/api/companies/{acme}'),
      get(`${book}?include=author,authors,publisher,picks,credits.who,parts.by,parts.firms,meta.readers`, {
        body: {
          author: null,
          authors: [{ name: 'Bob' }],
          publisher: null,
          picks: [{ name: 'Globex' }],
          parts: [{ by: null }, { by: null, firms: [{ name: 'Globex' }] }],
          meta: { readers: [] },
        },
      }),
    ],
  },
])

/** Checks that a client with this response gets 304. */
const unchanged = (path: string, tag: string, auth = false): Step =>
  get(path, { auth, headers: { 'If-None-Match': tag }, status: 304 })

const changed = (path: string, tag: string, keep: string, auth = false): Step =>
  get(path, { auth, headers: { 'If-None-Match': tag }, keep: { [keep]: 'ETag' } })

runScenarios('the tag of a response with related documents', [
  ...[`${book}?include=author`, '/api/books?include=author.employer,meta.editor'].map((path) => ({
    name: `changes with each of them: ${path}`,
    config: library,
    steps: [
      ...KEPT_IDS,
      get(path, { keep: { t0: 'ETag' } }),
      unchanged(path, '{t0}'),
      put('/api/people/{ann}', { age: 31 }),
      changed(path, '{t0}', 't1'),
      put('/api/people/{ann}', { status: 'draft' }),
      changed(path, '{t1}', 't2'),
      put('/api/people/{ann}', { age: 32 }),
      unchanged(path, '{t2}'),
      put('/api/members/{mia}', { name: CANARY }),
      unchanged(path, '{t2}'),
      put('/api/people/{ann}', { status: 'published' }),
      changed(path, '{t2}', 't3'),
      put('/api/books/{a}', { title: 'New' }),
      changed(path, '{t3}', 't4'),
      remove('/api/people/{ann}'),
      changed(path, '{t4}', 't5'),
    ],
  })),
  {
    name: 'changes with documents two levels away',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?include=author.employer`, { keep: { deep: 'ETag' } }),
      get(`${book}?include=author`, { keep: { flat: 'ETag' } }),
      put('/api/companies/{acme}', { country: 'DE' }),
      changed(`${book}?include=author.employer`, '{deep}', 'next'),
      unchanged(`${book}?include=author`, '{flat}'),
    ],
  },
  {
    name: 'differs for every include, select and caller, and is accepted as If-Match in any form',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(`${book}?include=author`, { keep: { tag: 'ETag' } }),
      ...[
        book,
        `${book}?include=authors`,
        `${book}?include=author.employer`,
        `${book}?include=author&select=author.name`,
      ].map((path) => get(path, { headers: { 'If-None-Match': '{tag}' } })),
      get(`${book}?include=author`, { auth: true, headers: { 'If-None-Match': '{tag}' } }),
      put('/api/books/{a}', { title: 'New' }, { headers: { 'If-Match': '{tag}' } }),
    ],
  },
])

/** Creates people who all belong to each other's circle. */
async function openClique(store: (typeof STORES)[number], size: number): Promise<TestService> {
  const service = await store.open(circle)
  const post = async (operations: readonly object[]): Promise<readonly { id: string }[]> => {
    const response = await ask(service, '/api/cms/batch', { method: 'POST', json: { operations } })
    expect(response.status, response.text).toBe(200)
    return bodyOf(response).results as readonly { id: string }[]
  }
  const people = await post(
    Array.from({ length: size }, (_, index) => ({ op: 'create', collection: 'people', data: { slug: `p${index}` } })),
  )
  const ids = people.map(({ id }) => id)
  await post(ids.map((id) => ({ op: 'update', collection: 'people', id, data: { circle: ids } })))
  return service
}

const circle = defineConfig({
  collections: {
    people: defineCollection({ fields: { slug: f.slug(), circle: f.relation('people', { many: true }) } }),
  },
})

describe.each(STORES)('expanding on $name', (store) => {
  test('is limited to 2,000 documents in one response, each counted in every place', async () => {
    const service = await openClique(store, 44)
    try {
      const total = async (query: string): Promise<number> => {
        const response = await ask(service, `/api/people?${query}`)
        if (response.status === 400)
          expect(bodyOf(response)).toMatchObject({ details: { issues: [{ path: 'include' }] } })
        return response.status === 200 ? response.text.split('"slug"').length - 1 : response.status
      }
      expect(await total('limit=44&include=circle')).toBe(44 + 44 * 44)
      expect(await total('limit=1&include=circle.circle')).toBe(1 + 44 + 44 * 44)
      expect(await total('limit=2&include=circle.circle')).toBe(400)
      expect(await total('limit=1&include=circle.circle.circle')).toBe(400)
      await ask(service, '/api/people', { method: 'POST', json: { slug: 'last' } })
      expect(await total('limit=100&include=circle')).toBe(45 + 44 * 44)
    } finally {
      await service.close()
    }
  })

  test('is limited on every level, so that few entries that refer to each other cannot fill the memory', async () => {
    const service = await openClique(store, 6)
    try {
      const response = await ask(service, '/api/people/p0?include=circle.circle.circle.circle.circle')
      expect(response.status, `${response.text.length} bytes`).toBe(400)
      expect((await ask(service, '/api/people/p0?include=circle.circle.circle')).status).toBe(200)
    } finally {
      await service.close()
    }
  })

  test('distinguishes block types whose relations have the same key', async () => {
    const kinds = defineConfig({
      collections: {
        people: defineCollection({ fields: { name: f.text() } }),
        firms: defineCollection({ fields: { name: f.text() } }),
        pages: defineCollection({
          fields: {
            slug: f.slug(),
            parts: f.blocks({ quote: { by: f.relation('people') }, advert: { by: f.relation('firms') } }),
          },
        }),
      },
    })
    const service = await store.open(kinds)
    try {
      const person = await service.content.create('people', { name: 'Ann' } as never)
      const firm = await service.content.create('firms', { name: 'Acme' } as never)
      const parts = [
        { _type: 'quote', by: person.id },
        { _type: 'advert', by: firm.id },
      ]
      await service.content.create('pages', { slug: 'x', parts } as never)
      expect(bodyOf(await ask(service, '/api/pages/x?include=parts.by'))).toMatchObject({
        parts: [{ by: { name: 'Ann' } }, { by: { name: 'Acme' } }],
      })
    } finally {
      await service.close()
    }
  })

  test('takes one SQL statement for each relation and level, however many entries there are', async () => {
    const service = await openClique(store, 6)
    const statements = async (query: string): Promise<number> => {
      const { statements: count } = service as unknown as { statements(): number }
      const before = count()
      expect((await ask(service, `/api/people?${query}`)).status).toBe(200)
      return count() - before
    }
    try {
      // The counters of the collection are read once, as long as nothing is written.
      await statements('limit=5')
      const plain = await statements('limit=1')
      expect(await statements('limit=2')).toBe(plain)
      expect(await statements('limit=6')).toBe(plain)
      const levels = [plain]
      for (const include of ['circle', 'circle.circle', 'circle.circle.circle']) {
        const statementsForOne = await statements(`limit=1&select=circle&include=${include}`)
        expect(await statements(`limit=6&select=circle&include=${include}`), include).toBe(statementsForOne)
        levels.push(statementsForOne)
      }
      // PostgreSQL reads the counters of the collection for its part of the tag, and again for the included documents.
      for (const [level, count] of levels.entries()) expect(count).toBeLessThanOrEqual(plain + level + 1)
      expect(plain).toBeGreaterThan(0)
    } finally {
      await service.close()
    }
  })
})

/** Collections with the same keys on several levels, and with arbitrary JSON next to references. */
const mirrors = defineConfig({
  limits: { responseCacheBytes: 0 },
  collections: {
    left: defineCollection({
      fields: {
        slug: f.slug(),
        note: f.text(),
        one: f.relation('right'),
        many: f.relation('right', { many: true }),
        either: f.relation(['left', 'right']),
        secret: f.text({ access: { read: isAuthenticated } }),
        state: f.status(),
        rating: f.number(),
        inside: f.group({ link: f.relation('right'), data: f.json() }),
        parts: f.list(f.group({ twin: f.relation('left'), text: f.text() })),
      },
    }),
    right: defineCollection({
      fields: {
        many: f.text(),
        one: f.text(),
        data: f.json(),
        state: f.status(),
        twin: f.relation('left'),
        referrers: f.reverse('left.one'),
      },
    }),
  },
})

const hardText = fc.constantFrom(
  'plain',
  '"one":"x"',
  '\\"one\\":\\"',
  '","one":"',
  '{"many":["x"]}',
  '"many":[',
  ']',
  '\\',
  '$&',
  'é\u2028\u{1f600}',
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0.1, 1e21, 1e-7, 5e-324, 2 ** 53 + 2, 1.7976931348623157e308),
)
const anyJson = fc.oneof(number, hardText, fc.dictionary(fc.constantFrom('one', '2', '1', 'many'), number))
const state = fc.constantFrom('published', 'published', 'draft')
const place = fc.nat({ max: 5 })
const entries = <T>(entry: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(entry, { minLength: 6, maxLength: 6 })
const content = fc.record({
  left: entries(fc.record({ note: hardText, secret: hardText, rating: number, state })),
  right: entries(fc.record({ many: hardText, one: hardText, data: anyJson, state })),
  links: entries(
    fc.record({ one: fc.option(place), many: fc.uniqueArray(place, { maxLength: 3 }), either: place, data: anyJson }),
  ),
})

type MirrorContent = typeof content extends fc.Arbitrary<infer T> ? T : never

async function fillMirrors(service: TestService, { left, right, links }: MirrorContent): Promise<void> {
  const batch = async (operations: readonly object[]): Promise<readonly string[]> => {
    const response = await ask(service, '/api/cms/batch', { method: 'POST', json: { operations } })
    expect(response.status, response.text).toBe(200)
    return (bodyOf(response).results as readonly { id: string }[]).map(({ id }) => id)
  }
  const lefts = await batch(
    left.map((data, index) => ({ op: 'create', collection: 'left', data: { ...data, slug: `l${index}` } })),
  )
  const rights = await batch(
    right.map((data, index) => ({ op: 'create', collection: 'right', data: { ...data, twin: lefts[index] } })),
  )
  await batch(
    links.map(({ one: single, many, either, data }, index) => ({
      op: 'update',
      collection: 'left',
      id: lefts[index],
      data: {
        one: single === null ? null : rights[single],
        many: many.map((other) => rights[other]),
        either:
          either % 2 > 0 ? { collection: 'left', id: lefts[either] } : { collection: 'right', id: rights[either] },
        inside: { link: rights[either], data },
        parts: [{ twin: lefts[either], text: `"twin":"${index}"` }],
      },
    })),
  )
}

const LEFT = [
  '',
  'include=one',
  'include=one,many,either,inside.link,parts.twin',
  'include=one.twin.one,either',
  'include=many&select=note,many.data,updatedAt',
  'select=rating,inside,parts',
  'select=updatedAt,createdBy,state',
]
const RIGHT = ['', 'include=referrers,twin', 'include=referrers.many&select=one,referrers', 'select=data']
const PATHS = [
  ...LEFT.flatMap((query) => [`/api/left?sort=slug&${query}`, `/api/left/l0?${query}`]),
  ...RIGHT.map((query) => `/api/right?sort=createdAt&${query}`),
]

/** Returns the texts of all responses with status 200 by path, for callers with and without a session. */
async function readAll(service: TestService): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  for (const path of PATHS) {
    for (const auth of [false, true]) {
      const { status, text } = await ask(service, path, { auth })
      if (status === 200) texts[`${path} ${auth}`] = text
    }
  }
  return texts
}

describe.each(STORES)('stored JSON on $name', (store) => {
  test('is served as if it had been parsed, whatever is selected, hidden or included', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (written) => {
        await using service = await store.open(mirrors)
        await fillMirrors(service, written)
        const texts = await readAll(service)
        expect(Object.keys(texts).length).toBeGreaterThan(PATHS.length)
        for (const text of Object.values(texts)) expect(text).toBe(JSON.stringify(JSON.parse(text)))
        // A document without the hash of the current schema is parsed instead of split.
        for (const table of ['left', 'right']) await service.rows(`UPDATE "${table}" SET schema_hash = '' RETURNING id`)
        expect(await readAll(service)).toEqual(texts)
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })
})
