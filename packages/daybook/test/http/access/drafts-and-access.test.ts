import { kitchen } from '../../support/configs/configs.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put, refused, remove } from '../../support/scenarios/steps.ts'

/** A dossier whose hidden fields hold the canary. */
const dossier: Step = create(
  'dossiers',
  { title: 'Open', secret: `word ${CANARY}`, notes: `*${CANARY}*`, rank: 5, inner: { code: CANARY } },
  { keep: { id: '/id' }, body: { secret: `word ${CANARY}`, notesHtml: `<p><em>${CANARY}</em></p>` } },
)

runPolicyScenarios('drafts', [
  {
    name: 'do not exist without a session: not in lists, counts, search, nor by slug, id or tag',
    steps: [
      create(
        'posts',
        { title: CANARY, slug: 'unseen', body: CANARY, status: 'draft', category: CANARY },
        { keep: { id: '/id', tag: 'ETag' } },
      ),
      create('posts', { title: CANARY, slug: 'old', status: 'archived' }, {}),
      get('/api/posts', { body: { total: 4 }, lacks: ['{id}'] }),
      get('/api/posts?limit=0', { body: { total: 4 } }),
      get('/api/posts?status=draft', { body: { total: 0, items: [], nextCursor: null } }),
      get('/api/posts?status=draft,archived', { body: { total: 0, items: [] } }),
      get('/api/posts?status=draft,published', { body: { total: 4 } }),
      get(`/api/posts?q=${CANARY}`, { body: { total: 0, items: [] } }),
      get(`/api/posts?q=${CANARY}&sort=title`, { body: { total: 0, items: [] } }),
      get(`/api/posts?q=${CANARY}&status=draft`, { body: { total: 0, items: [] } }),
      get('/api/posts?sort=category&limit=1&offset=4', { body: { items: [], nextCursor: null } }),
      get('/api/posts?sort=status&limit=100', { body: { total: 4 } }),
      ...['unseen', 'old', '{id}'].flatMap((address) => [
        get(`/api/posts/${address}`, { status: 404, body: { code: 'NOT_FOUND', details: {} } }),
        get(`/api/posts/${address}`, { method: 'HEAD', status: 404 }),
        get(`/api/posts/${address}`, { headers: { 'If-None-Match': '{tag}' }, status: 404 }),
      ]),
    ],
  },
  {
    name: 'are visible with a session',
    steps: [
      create('posts', { title: 'Draft', body: 'unicorn', status: 'draft' }, { keep: { id: '/id' } }),
      get('/api/posts', { auth: true, body: { total: 6 } }),
      get('/api/posts?q=unicorn', { auth: true, body: { total: 1 } }),
      get('/api/posts/draft', {
        auth: true,
        body: { id: '{id}', status: 'draft' },
        responseHeaders: { 'Cache-Control': 'private, no-store' },
      }),
      get('/api/posts/{id}', { auth: true, body: { status: 'draft' } }),
    ],
  },
  {
    name: 'give a write without a session 401, like everything else',
    steps: [
      create('posts', { title: 'x', status: 'draft' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}', { title: 'y' }, { auth: false, status: 401 }),
      remove('/api/posts/{id}', { auth: false, status: 401 }),
    ],
  },
  {
    name: 'appear when they are published and disappear when they are unpublished',
    steps: [
      create('posts', { title: 'Wandering unicorn', status: 'draft' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}', { status: 'published' }),
      get('/api/posts/wandering-unicorn', { body: { status: 'published' } }),
      get('/api/posts?q=unicorn', { body: { total: 1 } }),
      get('/api/posts?limit=0', { body: { total: 5 } }),
      put('/api/posts/{id}', { status: 'archived' }),
      get('/api/posts/wandering-unicorn', { status: 404 }),
      get('/api/posts?q=unicorn', { body: { total: 0 } }),
      get('/api/posts?limit=0', { body: { total: 4 } }),
    ],
  },
])

runPolicyScenarios('hidden fields', [
  {
    name: 'are absent from every response without a session, and present with one',
    config: kitchen,
    steps: [
      dossier,
      ...[
        '/api/dossiers',
        '/api/dossiers/open',
        '/api/dossiers/{id}',
        '/api/dossiers?select=title',
        '/api/dossiers?q=open',
      ].map((path) => get(path, { lacks: ['"secret"', '"notes"', '"notesHtml"', '"rank"', '"inner"'] })),
      get('/api/dossiers/open', { auth: true, body: { secret: `word ${CANARY}`, rank: 5, inner: { code: CANARY } } }),
      get('/api/dossiers?select=rank', { auth: true, body: { items: [{ rank: 5 }] } }),
      get('/api/dossiers?sort=-rank', { auth: true, body: { total: 1 } }),
    ],
  },
  {
    name: 'can be neither selected nor sorted by, and q finds no word of them',
    config: kitchen,
    steps: [
      dossier,
      ...['secret', 'notes', 'notesHtml', 'rank', 'inner'].flatMap((field) => [
        refused(`/api/dossiers?select=${field}`, 'select'),
        refused(`/api/dossiers/open?select=title,${field}`, 'select'),
      ]),
      ...['secret', 'rank', 'inner.code', 'title,-rank'].map((field) => refused(`/api/dossiers?sort=${field}`, 'sort')),
      get(`/api/dossiers?q=${CANARY}`, { body: { total: 0, items: [] } }),
      get(`/api/dossiers?q=${CANARY.slice(0, 4)}`, { body: { total: 0, items: [] } }),
      get(`/api/dossiers?q=open+${CANARY}`, { body: { total: 0, items: [] } }),
      get('/api/dossiers?q=word&sort=title', { body: { total: 0, items: [] } }),
      get(`/api/dossiers?q=${CANARY}`, { auth: true, body: { total: 1 } }),
    ],
  },
  {
    name: 'that nobody may write keep their value: the same value is accepted, another is 403',
    config: kitchen,
    steps: [
      dossier,
      put('/api/dossiers/{id}', { title: 'Still open', frozen: null }, { body: { title: 'Still open', frozen: null } }),
      put(
        '/api/dossiers/{id}',
        { title: 'x', frozen: 'thawed' },
        { status: 403, body: { code: 'FORBIDDEN', details: { issues: [{ path: '/frozen' }] } } },
      ),
      create('dossiers', { title: 'x', frozen: 'thawed' }, { status: 403 }),
    ],
  },
])

runPolicyScenarios('access rules', [
  {
    name: 'of a collection that only sessions read: 401 without one, on every route',
    config: kitchen,
    steps: [
      create('members', { title: CANARY, slug: 'a' }, { keep: { id: '/id', tag: 'ETag' } }),
      ...[
        '/api/members',
        '/api/members/a',
        '/api/members/{id}',
        '/api/members/nope',
        `/api/members?q=${CANARY}`,
        '/api/members?limit=0',
      ].map((path) => get(path, { status: 401, body: { code: 'UNAUTHORIZED' } })),
      get('/api/members', { headers: { 'If-None-Match': '*' }, status: 401 }),
      get('/api/members/a', { headers: { 'If-None-Match': '{tag}' }, status: 401 }),
      get('/api/members', { auth: true, body: { total: 1 } }),
    ],
  },
  {
    name: 'that let anyone create do not let anyone change',
    config: kitchen,
    steps: [
      create('guestbook', { title: 'Hello' }, { auth: false, keep: { id: '/id' }, body: { slug: 'hello' } }),
      create('guestbook', {}, { auth: false, status: 400 }),
      put('/api/guestbook/{id}', { title: 'x' }, { auth: false, status: 401 }),
      remove('/api/guestbook/{id}', { auth: false, status: 401 }),
      put('/api/guestbook/{id}', { title: 'x' }),
    ],
  },
  {
    name: 'that let nobody change: 403 with a session, 401 without',
    config: kitchen,
    steps: [
      create('archive', { title: 'a' }, { keep: { id: '/id' } }),
      put('/api/archive/{id}', { title: 'b' }, { status: 403, body: { code: 'FORBIDDEN' } }),
      remove('/api/archive/{id}', { status: 403 }),
      put('/api/archive/{id}', { title: 'b' }, { auth: false, status: 401 }),
      remove('/api/archive/{id}', { auth: false, status: 401 }),
      get('/api/archive/a', { body: { title: 'a' } }),
    ],
  },
])
