import { as } from '../../support/auth/people.ts'
import { notebook as config } from '../../support/configs/notebook.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, patch, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'

/** A private and a shared note of Ann's, and one of Bob's. */
const NOTES: readonly Step[] = [
  as(
    'ann',
    create(
      'notes',
      { title: 'Anns own', owner: 'ann', body: CANARY, labels: ['red'] },
      { keep: { own: '/id', tag: 'ETag' } },
    ),
  ),
  as(
    'ann',
    create('notes', { title: 'Anns shared', owner: 'ann', shared: true, body: 'common' }, { keep: { shared: '/id' } }),
  ),
  as(
    'bob',
    create(
      'notes',
      { title: 'Bobs own', owner: 'bob', body: CANARY, labels: ['red', 'green'] },
      { keep: { bobs: '/id' } },
    ),
  ),
]

const missing = { status: 404, body: { code: 'NOT_FOUND', details: {} } } as const
const forbidden = { status: 403, body: { code: 'FORBIDDEN' } } as const

runPolicyScenarios('a read rule with a where', [
  {
    name: 'narrows lists, counts, filters, sorts and searches to entries that match',
    config,
    steps: [
      ...NOTES,
      get('/api/notes', { body: { total: 1, ...slugs('anns-shared') }, lacks: ['{own}', '{bobs}'] }),
      as('ann', get('/api/notes?sort=title', { body: { total: 2, ...slugs('anns-own', 'anns-shared') } })),
      as('bob', get('/api/notes?sort=-title', { body: { total: 2, ...slugs('bobs-own', 'anns-shared') } })),
      as('cleo', get('/api/notes', { body: { total: 1 } })),
      as('ada', get('/api/notes?limit=0', { body: { total: 3 } })),
      get('/api/notes?limit=0', { body: { total: 1 } }),
      get('/api/notes?status=published', { body: { total: 1 } }),
      get('/api/notes?status=draft', { body: { total: 0 } }),
      get(`/api/notes?q=${CANARY}`, { body: { total: 0, items: [] } }),
      get('/api/notes?q=common', { body: { total: 1 } }),
      as('bob', get(`/api/notes?q=${CANARY}`, { body: { total: 1, ...slugs('bobs-own') } })),
      as('bob', get(`/api/notes?q=${CANARY}&sort=title`, { body: { total: 1, ...slugs('bobs-own') } })),
      get('/api/notes?where[owner][eq]=bob', { body: { total: 0 } }),
      get('/api/notes?where[labels][in]=red', { body: { total: 0 } }),
      get('/api/notes?where[not][owner][eq]=ann', { body: { total: 0 } }),
      as('ann', get('/api/notes?where[or][0][owner][eq]=bob&where[or][1][owner][eq]=ann', { body: { total: 2 } })),
      as(
        'ann',
        get('/api/notes?sort=title&limit=1', {
          body: { total: 2, ...slugs('anns-own') },
          keep: { next: '/nextCursor' },
        }),
      ),
      as(
        'ann',
        get('/api/notes?sort=title&limit=1&cursor={next}', { body: { ...slugs('anns-shared'), nextCursor: null } }),
      ),
      get('/api/notes?offset=1', { body: { total: 1, items: [] } }),
    ],
  },
  {
    name: 'hides an entry as if it did not exist: by slug, id, tag, HEAD, and from every change',
    config,
    steps: [
      ...NOTES,
      ...['anns-own', '{own}', 'none-at-all', '01900000-0000-7000-8000-000000000000'].flatMap((address) => [
        get(`/api/notes/${address}`, missing),
        get(`/api/notes/${address}`, { method: 'HEAD', status: 404 }),
        get(`/api/notes/${address}`, { headers: { 'If-None-Match': '{tag}' }, ...missing }),
        get(`/api/notes/${address}?select=title`, missing),
        as('bob', get(`/api/notes/${address}?depth=1`, missing)),
      ]),
      ...['{own}', '01900000-0000-7000-8000-000000000000'].flatMap((id) => [
        as('bob', put(`/api/notes/${id}`, { title: 'Mine now' }, missing)),
        as('bob', put(`/api/notes/${id}`, { title: 'Mine now' }, { ...missing, headers: { 'If-Match': '{tag}' } })),
        as('bob', patch(`/api/notes/${id}`, { owner: 'bob' }, missing)),
        as('bob', remove(`/api/notes/${id}`, missing)),
        as('bob', get(`/api/notes/${id}/references`, missing)),
        as('bob', batch([{ op: 'delete', collection: 'notes', id }], { status: 404 })),
      ]),
      as('ann', get('/api/notes/anns-own', { body: { id: '{own}' } })),
      as('ada', get('/api/notes/{own}', { body: { slug: 'anns-own' } })),
    ],
  },
  {
    name: 'gives each caller its own tags, and 304 for these alone',
    config,
    steps: [
      ...NOTES,
      get('/api/notes', { keep: { public: 'ETag' } }),
      as(
        'ann',
        get('/api/notes', { keep: { anns: 'ETag' }, responseHeaders: { 'Cache-Control': 'private, no-store' } }),
      ),
      get('/api/notes', { headers: { 'If-None-Match': '{public}' }, status: 304 }),
      get('/api/notes', { headers: { 'If-None-Match': '{anns}' }, body: { total: 1 } }),
      as('ann', get('/api/notes', { headers: { 'If-None-Match': '{anns}' }, status: 304 })),
      as('bob', get('/api/notes', { headers: { 'If-None-Match': '{anns}' }, body: { total: 2 } })),
      as('bob', get('/api/notes?limit=0', { keep: { bobs0: 'ETag' } })),
      as('ann', get('/api/notes?limit=0', { headers: { 'If-None-Match': '{bobs0}' }, body: { total: 2 } })),
      as('ann', put('/api/notes/{shared}', { shared: false })),
      get('/api/notes', { headers: { 'If-None-Match': '{public}' }, body: { total: 0 } }),
      as('bob', get('/api/notes', { body: { total: 1 } })),
    ],
  },
  {
    name: 'narrows expanded relations, and filters through them',
    config,
    steps: [
      ...NOTES,
      create('pages', { title: 'P', note: '{own}', notes: ['{own}', '{shared}', '{bobs}'] }, { keep: { page: '/id' } }),
      get('/api/pages/p?include=note,notes', {
        body: { note: null, notes: [{ id: '{shared}' }] },
        lacks: ['{own}', '{bobs}'],
      }),
      get('/api/pages?depth=3', {
        body: { items: [{ note: null, notes: [{ id: '{shared}' }] }] },
        keep: { tag: 'ETag' },
      }),
      get('/api/pages?include=notes&select=title,notes.title', {
        body: { items: [{ notes: [{ title: 'Anns shared' }] }] },
      }),
      as(
        'bob',
        get('/api/pages/p?include=note,notes', {
          body: { note: null, notes: [{ id: '{shared}' }, { id: '{bobs}' }] },
          keep: { bobs1: 'ETag' },
        }),
      ),
      as(
        'ann',
        get('/api/pages/p?include=note,notes', {
          headers: { 'If-None-Match': '{bobs1}' },
          body: { note: { id: '{own}' } },
        }),
      ),
      as(
        'ann',
        get('/api/pages?depth=3', {
          headers: { 'If-None-Match': '{tag}' },
          body: { items: [{ note: { id: '{own}' } }] },
        }),
      ),
      get('/api/pages?where[note.owner][eq]=ann', { body: { total: 0 } }),
      get('/api/pages?where[notes.owner][eq]=bob', { body: { total: 0 } }),
      get('/api/pages?where[notes.owner][eq]=ann', { body: { total: 1 }, keep: { through: 'ETag' } }),
      get('/api/pages?where[not][notes.owner][eq]=bob', { body: { total: 1 } }),
      as('bob', get('/api/pages?where[notes.owner][eq]=bob', { body: { total: 1 } })),
      as('bob', get('/api/pages?where[note.owner][exists]=true', { body: { total: 0 } })),
      as('ann', put('/api/notes/{shared}', { shared: false })),
      get('/api/pages?depth=3', { headers: { 'If-None-Match': '{tag}' }, body: { items: [{ notes: [] }] } }),
      get('/api/pages?where[notes.owner][eq]=ann', { headers: { 'If-None-Match': '{through}' }, body: { total: 0 } }),
    ],
  },
  {
    name: 'may filter through a relation, whose changes affect lists and tags even if the caller cannot see them',
    config,
    steps: [
      create('teams', { name: 'Red', open: true, status: 'draft' }, { keep: { red: '/id' } }),
      create('teams', { name: 'Blue', open: false }, { keep: { blue: '/id' } }),
      create('boards', { name: 'A', team: '{red}' }, { keep: { a: '/id' } }),
      create('boards', { name: 'B', team: '{blue}' }),
      create('boards', { name: 'C' }),
      get('/api/boards?sort=name', { body: { total: 1, ...slugs('a') }, keep: { tag: 'ETag' } }),
      get('/api/boards/a', {}),
      get('/api/boards/b', missing),
      get('/api/boards?where[team.name][eq]=Red', { body: { total: 0 } }),
      put('/api/teams/{red}', { open: false }),
      get('/api/boards?sort=name', { headers: { 'If-None-Match': '{tag}' }, body: { total: 0 } }),
      get('/api/boards/a', missing),
      put('/api/teams/{blue}', { open: true }),
      get('/api/boards?sort=name', { headers: { 'If-None-Match': '{tag}' }, body: { total: 1, ...slugs('b') } }),
      get('/api/boards', { auth: true, body: { total: 3 } }),
    ],
  },
  {
    name: 'hides referring entries from the caller, also as the reason of a rejected deletion',
    config,
    steps: [
      ...NOTES,
      create('pages', { title: 'P', pin: '{shared}' }, { keep: { page: '/id' } }),
      create('ledgers', { title: 'L', note: '{shared}', pin: '{shared}' }, { keep: { ledger: '/id' } }),
      put('/api/globals/vault', { pin: '{shared}' }),
      as('bob', put('/api/notes/{bobs}', { next: '{shared}' })),
      as('ann', put('/api/notes/{own}', { next: '{shared}', links: ['{shared}'] })),
      as(
        'ann',
        get('/api/notes/{shared}/references', {
          exactly: {
            total: 3,
            limit: 20,
            offset: 0,
            items: [
              { collection: 'notes', id: '{own}', field: 'links' },
              { collection: 'notes', id: '{own}', field: 'next' },
              { collection: 'pages', id: '{page}', field: 'pin' },
            ],
          },
        }),
      ),
      as('cleo', get('/api/notes/{shared}/references', { body: { total: 1 }, lacks: ['{own}', '{bobs}', '{ledger}'] })),
      as('cleo', get('/api/notes/{shared}/references?limit=0', { body: { total: 1, items: [] } })),
      as('ada', get('/api/notes/{shared}/references', { body: { total: 7 } })),
      as(
        'ann',
        remove('/api/notes/{shared}', {
          status: 409,
          body: { details: { references: [{ collection: 'pages', id: '{page}', field: 'pin' }] } },
          lacks: ['{ledger}', 'vault'],
        }),
      ),
      as('ada', remove('/api/pages/{page}')),
      as('ann', remove('/api/notes/{shared}', { status: 409, body: { details: { references: [] } } })),
      as('ada', remove('/api/notes/{shared}', { status: 409, lacks: ['pages'] })),
    ],
  },
])

runPolicyScenarios('a write rule with a where', [
  {
    name: 'allows changes and deletions of entries that match; other readable entries are 403',
    config,
    steps: [
      ...NOTES,
      as('bob', put('/api/notes/{shared}', { title: 'x' }, forbidden)),
      as('bob', patch('/api/notes/{shared}', { title: 'x' }, forbidden)),
      as('bob', put('/api/notes/{shared}', { owner: 'bob' }, forbidden)),
      as('bob', patch('/api/notes/{shared}', { owner: 'bob' }, forbidden)),
      as(
        'bob',
        batch([{ op: 'update', collection: 'notes', id: '{shared}', data: { owner: 'bob' } }], { status: 403 }),
      ),
      as('bob', remove('/api/notes/{shared}', forbidden)),
      as('bob', put('/api/notes/{shared}', { title: 'x' }, { ...forbidden, headers: { 'If-Match': '"zzz"' } })),
      put('/api/notes/{shared}', { title: 'x' }, { auth: false, status: 401 }),
      remove('/api/notes/{shared}', { auth: false, status: 401 }),
      put('/api/notes/{own}', { title: 'x' }, { auth: false, status: 401 }),
      as('ann', put('/api/notes/{own}', { title: 'Anns new' }, { body: { title: 'Anns new' } })),
      as('ann', patch('/api/notes/{own}', { title: 'Anns newer' }, { body: { title: 'Anns newer' } })),
      as('ann', remove('/api/notes/{own}')),
      as('ada', remove('/api/notes/{bobs}')),
    ],
  },
  {
    name: 'must match the entry after a change, and a new entry',
    config,
    steps: [
      ...NOTES,
      as('ann', put('/api/notes/{own}', { owner: 'bob' }, forbidden)),
      as('ann', patch('/api/notes/{own}', { owner: null }, forbidden)),
      as('ann', put('/api/notes/{own}', { owner: 'ann', title: 'Still mine' })),
      as('ann', create('notes', { title: 'For Bob', owner: 'bob' }, forbidden)),
      as('ann', create('notes', { title: 'For nobody' }, forbidden)),
      as('cleo', create('notes', { title: 'Without a role', owner: 'cleo' }, forbidden)),
      create('notes', { title: 'x', owner: '' }, { auth: false, status: 401 }),
      as(
        'ann',
        batch(
          [
            { op: 'create', collection: 'notes', data: { title: 'Good', owner: 'ann' } },
            { op: 'create', collection: 'notes', data: { title: 'Bad', owner: 'bob' } },
          ],
          { status: 403, body: { details: { operation: 1 } } },
        ),
      ),
      as(
        'ann',
        batch(
          [
            { op: 'update', collection: 'notes', id: '{own}', data: { title: 'One' } },
            { op: 'update', collection: 'notes', id: '{own}', data: { title: 'Two' } },
            { op: 'update', collection: 'notes', id: '{shared}', data: { owner: 'bob' } },
          ],
          { status: 403, body: { details: { operation: 2 } } },
        ),
      ),
      as(
        'ann',
        batch([
          { op: 'update', collection: 'notes', id: '{own}', data: { title: 'One' } },
          { op: 'update', collection: 'notes', id: '{own}', data: { title: 'Two' } },
          { op: 'delete', collection: 'notes', id: '{own}' },
        ]),
      ),
      as('ada', get('/api/notes?sort=title', { body: { total: 2, ...slugs('anns-shared', 'bobs-own') } })),
    ],
  },
  {
    name: 'may inspect the entry instead, before and after the change',
    config,
    steps: [
      create('plans', { title: 'Draft', status: 'draft' }, { keep: { draft: '/id' } }),
      create('plans', { title: 'Done' }, { keep: { done: '/id' } }),
      as('cleo', put('/api/plans/{draft}', { title: 'Better' }, { body: { title: 'Better' } })),
      as('cleo', put('/api/plans/{draft}', { status: 'published' }, forbidden)),
      as('cleo', put('/api/plans/{done}', { status: 'draft' }, forbidden)),
      as('cleo', remove('/api/plans/{done}', forbidden)),
      put('/api/plans/{done}', { title: 'x' }, { auth: false, status: 401 }),
      put('/api/plans/{draft}', { title: 'x' }, { auth: false, status: 401 }),
      as(
        'cleo',
        batch([
          { op: 'update', collection: 'plans', id: '{draft}', data: { title: 'Best' } },
          { op: 'update', collection: 'plans', id: '{draft}', data: { title: 'Best of all' } },
          { op: 'delete', collection: 'plans', id: '{draft}' },
        ]),
      ),
    ],
  },
  {
    name: 'may restrict deletions only',
    config,
    steps: [
      create('teams', { name: 'Red', open: true }, { keep: { red: '/id' } }),
      create('teams', { name: 'Blue', open: false }, { keep: { blue: '/id' } }),
      as('ann', remove('/api/teams/{red}', forbidden)),
      as('ann', batch([{ op: 'delete', collection: 'teams', id: '{red}' }], { status: 403 })),
      remove('/api/teams/{red}', forbidden),
      remove('/api/teams/{blue}', { auth: false, status: 401 }),
      as('ann', remove('/api/teams/{blue}')),
      as('ann', put('/api/teams/{red}', { open: false })),
      as('ann', remove('/api/teams/{red}')),
    ],
  },
  {
    name: 'never reveals hidden values by a change',
    config,
    steps: [
      create('ledgers', { title: CANARY }, { keep: { id: '/id' } }),
      as('ann', put('/api/ledgers/{id}', {}, { ...forbidden, lacks: [CANARY] })),
      as('ann', remove('/api/ledgers/{id}', forbidden)),
      as('ann', put('/api/globals/internal', { text: 'x' })),
      put('/api/globals/internal', {}, { auth: false, status: 401 }),
      put('/api/globals/vault', { text: CANARY }),
      as('ann', put('/api/globals/vault', {}, { ...forbidden, lacks: [CANARY] })),
      create('letters', { text: 'Dear all' }, { auth: false, keep: { letter: '/id' } }),
      get('/api/letters', { status: 401 }),
      as('cleo', get('/api/letters/{letter}', forbidden)),
      as('cleo', put('/api/letters/{letter}', { text: 'x' }, forbidden)),
    ],
  },
])

runPolicyScenarios('a reference', [
  {
    name: 'to a hidden entry gets the same response as one to a missing entry',
    config,
    steps: [
      ...NOTES,
      create('ledgers', { title: 'L' }, { keep: { ledger: '/id' } }),
      ...['{bobs}', '01900000-0000-7000-8000-000000000000'].flatMap((id) => {
        const unknown = (field: string) => ({
          status: 400,
          body: {
            details: {
              issues: [
                { code: 'reference', message: `${field} refers to the entry ${id} of notes, which does not exist.` },
              ],
            },
          },
        })
        return [
          as('ann', create('pages', { title: 'P', note: id }, unknown('note'))),
          as('ann', create('pages', { title: 'P', notes: ['{shared}', id] }, unknown('notes'))),
          as('ann', put('/api/notes/{own}', { next: id }, unknown('next'))),
          as('ann', patch('/api/notes/{own}', { links: [id] }, unknown('links'))),
          as('ann', put('/api/globals/internal', { note: id }, unknown('note'))),
          as('ann', batch([{ op: 'create', collection: 'pages', data: { title: 'P', note: id } }], { status: 400 })),
        ]
      }),
      as('ann', create('pages', { title: 'P', note: '{own}', notes: ['{shared}'] }, { keep: { page: '/id' } })),
      // Former references stay, no matter who saves the page again.
      as('bob', put('/api/pages/{page}', { title: 'Q', note: '{own}' }, { body: { note: '{own}' } })),
    ],
  },
])

runPolicyScenarios('an idempotent response', [
  {
    name: 'is not returned to a caller who can no longer see the entry',
    config,
    steps: [
      as(
        'ann',
        create(
          'notes',
          { title: 'Once', owner: 'ann', body: CANARY },
          { headers: { 'Idempotency-Key': 'k1' }, keep: { id: '/id' } },
        ),
      ),
      as(
        'ann',
        create(
          'notes',
          { title: 'Once', owner: 'ann', body: CANARY },
          {
            headers: { 'Idempotency-Key': 'k1' },
            body: { id: '{id}' },
            responseHeaders: { 'Idempotency-Replayed': 'true' },
          },
        ),
      ),
      as('ada', put('/api/notes/{id}', { owner: 'bob' })),
      as(
        'ann',
        create(
          'notes',
          { title: 'Once', owner: 'ann', body: CANARY },
          { headers: { 'Idempotency-Key': 'k1' }, ...forbidden, lacks: [CANARY, '{id}'] },
        ),
      ),
      create(
        'letters',
        { text: 'Dear all' },
        { auth: false, headers: { 'Idempotency-Key': 'k2' }, keep: { letter: '/id' } },
      ),
      create(
        'letters',
        { text: 'Dear all' },
        { auth: false, headers: { 'Idempotency-Key': 'k2' }, body: { id: '{letter}' } },
      ),
    ],
  },
  {
    name: 'is not returned for a batch either',
    config,
    steps: [
      as(
        'ann',
        batch([{ op: 'create', collection: 'notes', data: { title: 'Once', owner: 'ann' } }], {
          headers: { 'Idempotency-Key': 'k3' },
          keep: { id: '/results/0/id' },
        }),
      ),
      as(
        'ann',
        batch([{ op: 'create', collection: 'notes', data: { title: 'Once', owner: 'ann' } }], {
          headers: { 'Idempotency-Key': 'k3' },
          body: { results: [{ id: '{id}' }] },
        }),
      ),
      as('ada', put('/api/notes/{id}', { owner: 'bob' })),
      as(
        'ann',
        batch([{ op: 'create', collection: 'notes', data: { title: 'Once', owner: 'ann' } }], {
          headers: { 'Idempotency-Key': 'k3' },
          status: 403,
        }),
      ),
    ],
  },
])

runPolicyScenarios('a closed collection', [
  {
    name: 'is hidden from filters through relations',
    config,
    steps: [
      create('ledgers', { title: CANARY }, {}),
      as('ann', get('/api/ledgers', forbidden)),
      refused('/api/notes?where[ledger.title][exists]=true', 'where[ledger.title]'),
    ],
  },
])
