import { expect } from 'vitest'
import { KEPT_IDS, library } from '../../support/configs/library.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { get, put, refused, remove } from '../../support/scenarios/steps.ts'

const book = '/api/books/a'

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
      const message = `Unknown relation "${params.name}".`
      return get(`${book}?include=${path}`, {
        status: 400,
        exactly: {
          code: 'VALIDATION_ERROR',
          message,
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
