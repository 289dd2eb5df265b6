import { kitchen } from '../../support/configs/configs.ts'
import { runPolicyScenarios } from '../../support/scenarios/scenario.ts'
import { create, get } from '../../support/scenarios/steps.ts'

const MISSING = { code: 'NOT_FOUND', details: {} }

runPolicyScenarios('an entry', [
  {
    name: 'is read by slug and by id, with the same tag and body',
    steps: [
      get('/api/posts/what-a-daybook-is', {
        body: {
          title: 'What a daybook is',
          slug: 'what-a-daybook-is',
          status: 'published',
          category: 'stories',
          publishedOn: '2026-09-01',
        },
        keep: { id: '/id', tag: 'ETag', html: '/bodyHtml' },
        responseHeaders: {
          ETag: /^"[^"]+"$/,
          'Cache-Control': 'public, max-age=0, must-revalidate',
          Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
        },
      }),
      get('/api/posts/{id}', { body: { id: '{id}', bodyHtml: '{html}' }, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'contains the HTML of its Markdown',
    steps: [get('/api/authors/tomasz-lis', { body: { bioHtml: '<p>Keeps the servers <em>boring</em>.</p>' } })],
  },
  {
    name: 'is found by its id in upper case, too',
    config: kitchen,
    steps: [
      create('notes', { text: 'x' }, { keep: { id: '/id' } }),
      get('/api/notes/{id}', { body: { text: 'x' } }),
      get('/api/notes/01A1F9D5-DDCA-7255-9A37-E7BF8CE09DF2', { status: 404, body: MISSING }),
    ],
  },
  {
    name: 'is 404 if it does not exist, or its collection does not',
    steps: [
      ...[
        'nope',
        '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2',
        'What-a-daybook-is',
        '%20',
        'a'.repeat(5000),
        '__proto__',
        'constructor',
      ].map((slug) => get(`/api/posts/${slug}`, { status: 404, body: MISSING })),
      ...[
        'nope',
        'nope/x',
        '__proto__',
        'constructor',
        'toString/x',
        'Posts',
        'posts_view',
        'daybook$journal',
        'posts%24search',
      ].map((path) => get(`/api/${path}`, { status: 404, body: MISSING })),
      get('/api/globals', { status: 404 }),
      get('/api/globals/nope', { status: 404 }),
      get('/api/globals/__proto__', { status: 404 }),
    ],
  },
  {
    name: 'in a collection without slugs is addressed by id only',
    config: kitchen,
    steps: [
      create(
        'notes',
        { text: 'first' },
        { keep: { id: '/id' }, responseHeaders: { Location: /^\/api\/notes\/[0-9a-f-]{36}$/ } },
      ),
      get('/api/notes/{id}', { body: { id: '{id}', text: 'first' }, lacks: ['slug', 'status'] }),
      get('/api/notes/first', { status: 404 }),
      get('/api/notes', { body: { total: 1, items: [{ id: '{id}' }] } }),
      get('/api/notes?select=slug', { status: 400 }),
    ],
  },
  {
    name: 'is found by a slug of any script, in either Unicode form, decoded once',
    config: kitchen,
    steps: [
      create('pages', { title: 'a', slug: 'caf\u00e9' }),
      create('pages', { title: 'b', slug: '東京' }),
      get('/api/pages/caf%C3%A9', { body: { title: 'a' } }),
      get('/api/pages/cafe%CC%81', { body: { title: 'a' } }),
      get('/api/pages/%E6%9D%B1%E4%BA%AC', { body: { title: 'b' } }),
      get('/api/pages/caf%25C3%25A9', { status: 404 }),
      get('/api/pages/caf%E9', { status: 400 }),
    ],
  },
  {
    name: 'answers HEAD like GET, without the body',
    steps: [
      get('/api/posts/what-a-daybook-is', { keep: { tag: 'ETag' } }),
      get('/api/posts/what-a-daybook-is', {
        method: 'HEAD',
        responseHeaders: { ETag: '{tag}', 'Content-Type': 'application/json' },
      }),
      get('/api/posts/what-a-daybook-is', { method: 'HEAD', headers: { 'If-None-Match': '{tag}' }, status: 304 }),
      get('/api/posts/nope', { method: 'HEAD', status: 404 }),
      get('/api/posts', { method: 'HEAD' }),
    ],
  },
])
