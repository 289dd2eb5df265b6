import { expect } from 'vitest'
import { kitchen, posts } from '../../support/configs/configs.ts'
import { runScenarios } from '../../support/scenarios/scenario.ts'
import { create, get, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'

const NEWEST = ['backups-you-have-restored', 'two-editors-one-entry', 'your-first-collection', 'what-a-daybook-is']

runScenarios('a list', [
  {
    name: 'returns the newest published entries with the total',
    steps: [
      get('/api/posts', {
        body: { collection: 'posts', total: 4, limit: 20, offset: 0, nextCursor: null, ...slugs(...NEWEST) },
        responseHeaders: {
          ETag: /^"[^"]+"$/,
          'Cache-Control': 'public, max-age=0, must-revalidate',
          Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
        },
      }),
    ],
  },
  {
    name: 'has exactly these members, and all fields in every entry',
    steps: [
      get('/api/tags?limit=1&sort=name', {
        keep: { id: '/items/0/id', at: '/items/0/createdAt', next: '/nextCursor' },
        exactly: {
          collection: 'tags',
          total: 3,
          limit: 1,
          offset: 0,
          items: [
            {
              id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
              name: 'Basics',
              slug: 'basics',
              createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
              updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            },
          ],
          nextCursor: expect.any(String),
        },
      }),
    ],
  },
  {
    name: 'is never stored by a shared cache if the request has a credential',
    steps: [
      get('/api/posts', { auth: true, body: { total: 5 }, responseHeaders: { 'Cache-Control': 'private, no-store' } }),
    ],
  },
  {
    name: 'applies limit and offset',
    steps: [
      get('/api/posts?limit=2', { body: { total: 4, limit: 2, ...slugs(...NEWEST.slice(0, 2)) } }),
      get('/api/posts?limit=2&offset=3', {
        body: { total: 4, offset: 3, ...slugs('what-a-daybook-is'), nextCursor: null },
      }),
      get('/api/posts?offset=4', { body: { total: 4, offset: 4, items: [], nextCursor: null } }),
      get('/api/posts?limit=0', { body: { total: 4, limit: 0, items: [], nextCursor: null } }),
      get('/api/posts?limit=00002', { body: { limit: 2 } }),
    ],
  },
  {
    name: 'reduces a limit above the maximum and reports it',
    config: kitchen,
    steps: [
      ...['a', 'b', 'c', 'd'].map((title) => create('few', { title })),
      get('/api/few', { body: { total: 4, limit: 3, ...slugs('d', 'c', 'b') } }),
      get('/api/few?limit=1000000', { body: { total: 4, limit: 3, ...slugs('d', 'c', 'b') } }),
      get('/api/things?limit=101', { body: { limit: 100 } }),
    ],
  },
  {
    name: 'rejects limits and offsets that are not whole numbers from 0 on',
    steps: [
      ...[
        '-1',
        'NaN',
        '1.5',
        '10abc',
        '',
        '%201',
        '1e3',
        '0x10',
        'Infinity',
        '1&limit=2',
        '99999999999999999999',
        '%D9%A1',
      ].flatMap((value) => [
        refused(`/api/posts?limit=${value}`, 'limit'),
        refused(`/api/posts?offset=${value}`.replace('&limit', '&offset'), 'offset'),
      ]),
      refused('/api/posts?limit[]=1', 'limit[]'),
      get('/api/posts?offset=1000000000000000', { body: { total: 4, items: [] } }),
    ],
  },
  {
    name: 'rejects unknown parameters in any position',
    steps: [
      refused('/api/posts?foo=1', 'foo'),
      refused('/api/posts?Limit=1', 'Limit'),
      refused('/api/posts?filter[title][eq]=x', 'filter[title][eq]'),
      refused('/api/posts?%5F%5Fproto%5F%5F=1', '__proto__'),
      refused('/api/posts?constructor=1', 'constructor'),
      refused('/api/posts?=1', ''),
      refused('/api/posts/what-a-daybook-is?limit=1', 'limit'),
      refused('/api/globals/site?x', 'x'),
      refused('/api/health?x', 'x'),
      get('/api/posts?', {}),
    ],
  },
  {
    name: 'reports all invalid parameters at once',
    steps: [
      get('/api/posts?limit=x&sort=nope&foo=1', {
        status: 400,
        body: { details: { issues: [{ path: 'foo' }, { path: 'limit' }, { path: 'sort' }] } },
      }),
    ],
  },
  {
    name: 'sorts by any sortable field, ascending and descending, ties by id',
    config: posts,
    steps: [
      create('posts', { title: 'b', rank: 2, score: 0.5, flag: true, day: '2026-01-02', seo: { order: 10 } }),
      create('posts', { title: 'a', rank: 10, score: -1, flag: false, day: '2026-01-01', seo: { order: 9 } }),
      create('posts', { title: 'é', rank: 2, score: 1e3, flag: true, day: '2025-12-31', seo: { order: 100 } }),
      create('posts', { title: 'B', rank: 1, score: 2, flag: false, day: '2026-02-01' }),
      get('/api/posts?sort=rank', { body: slugs('b-2', 'b', 'e', 'a') }),
      get('/api/posts?sort=-rank', { body: slugs('a', 'e', 'b', 'b-2') }),
      get('/api/posts?sort=title', { body: slugs('b-2', 'a', 'b', 'e') }),
      get('/api/posts?sort=score', { body: slugs('a', 'b', 'b-2', 'e') }),
      get('/api/posts?sort=day', { body: slugs('e', 'a', 'b', 'b-2') }),
      get('/api/posts?sort=flag,-rank', { body: slugs('a', 'b-2', 'e', 'b') }),
      get('/api/posts?sort=flag&sort=rank', { body: slugs('b-2', 'a', 'b', 'e') }),
      get('/api/posts?sort=seo.order', { body: slugs('b-2', 'a', 'b', 'e') }),
      get('/api/posts?sort=-seo.order', { body: slugs('e', 'b', 'a', 'b-2') }),
      get('/api/posts?sort=createdAt', { body: slugs('b', 'a', 'e', 'b-2') }),
      get('/api/posts?sort=id', { body: slugs('b', 'a', 'e', 'b-2') }),
      get('/api/posts?sort=-slug', { body: slugs('e', 'b-2', 'b', 'a') }),
      get('/api/posts?sort=status,title', { body: slugs('b-2', 'a', 'b', 'e') }),
    ],
  },
  {
    name: 'places empty values first or last on request, and only with a sort',
    config: posts,
    steps: [
      create('posts', { title: 'a', rank: 2 }),
      create('posts', { title: 'b' }),
      create('posts', { title: 'c', rank: 1 }),
      get('/api/posts?sort=rank&nulls=last', { body: slugs('c', 'a', 'b') }),
      get('/api/posts?sort=-rank&nulls=first&limit=2', {
        body: slugs('b', 'a'),
        keep: { next: '/nextCursor' },
      }),
      get('/api/posts?sort=-rank&nulls=first&limit=2&cursor={next}', { body: slugs('c') }),
      refused('/api/posts?sort=-rank&limit=2&cursor={next}', 'cursor'),
      get('/api/posts?q=a&sort=rank&nulls=last', { body: slugs('a') }),
      ...[
        'nulls=last',
        'q=a&nulls=last',
        'sort=rank&nulls=middle',
        'sort=rank&nulls=',
        'sort=rank&nulls=last&nulls=last',
      ].map((query) => refused(`/api/posts?${query}`, 'nulls')),
    ],
  },
  {
    name: 'rejects sorting by fields that are unknown, unindexed, multi-valued or repeated',
    config: kitchen,
    steps: [
      ...[
        'nope',
        'long',
        'body',
        'bodyHtml',
        'data',
        'kinds',
        'friends',
        'seo',
        'words',
        'rows.name',
        'parts',
        '__proto__',
        'constructor',
      ].map((field) => refused(`/api/things?sort=${field}`, 'sort')),
      ...[
        '',
        '-',
        '--title',
        'title,',
        ',',
        'title,title',
        'title,-title',
        'title%20desc',
        '%2Btitle',
        'TITLE',
        'parent.title',
      ].map((value) => refused(`/api/things?sort=${value}`, 'sort')),
      refused('/api/things?sort=title,slug,status,code,amount,count', 'sort'),
      get('/api/things?sort=seo.inner.rank,-parent', {}),
    ],
  },
  {
    name: 'filters by one status or several that the caller may see',
    steps: [
      get('/api/posts?status=published', { body: { total: 4 } }),
      get('/api/posts?status=draft', { auth: true, body: { total: 1, ...slugs('notes-for-the-next-issue') } }),
      get('/api/posts?status=draft,published', { auth: true, body: { total: 5 } }),
      get('/api/posts?status=draft&status=published', { auth: true, body: { total: 5 } }),
      get('/api/posts?status=archived', { auth: true, body: { total: 0, items: [] } }),
      ...['nope', '', 'draft,', 'draft,nope', 'Draft', '__proto__'].map((value) =>
        refused(`/api/posts?status=${value}`, 'status'),
      ),
      refused('/api/tags?status=published', 'status'),
    ],
  },
  {
    name: 'returns the selected fields and the id',
    steps: [
      get('/api/tags?select=name&sort=name&limit=1', {
        body: { items: [{ name: 'Basics' }] },
        lacks: ['"slug"', '"createdAt"'],
      }),
      get('/api/tags?select=slug,name&sort=name&limit=1', {
        body: { items: [{ id: expect.any(String), name: 'Basics', slug: 'basics' }] },
        lacks: ['"updatedAt"'],
      }),
      get('/api/tags?select=slug&select=createdAt&sort=name&limit=1', { lacks: ['"name"', '"updatedAt"'] }),
      get('/api/posts?select=bodyHtml&limit=1', { lacks: ['"body"', '"title"'] }),
      get('/api/tags?select=id&sort=name&limit=1', { keep: { id: '/items/0/id' }, lacks: ['"name"', '"slug"'] }),
      get('/api/tags/basics?select=name', { exactly: { id: '{id}', name: 'Basics' } }),
      get('/api/tags/{id}?select=slug&select=name', { exactly: { id: '{id}', name: 'Basics', slug: 'basics' } }),
    ],
  },
  {
    name: 'rejects the selection of unknown fields',
    steps: [
      'nope',
      '*',
      '',
      'title,',
      '__proto__',
      'constructor',
      'toString',
      'doc',
      'author.name',
      'status,nope',
    ].flatMap((value) => [
      refused(`/api/posts?select=${value}`, 'select'),
      refused(`/api/posts/what-a-daybook-is?select=${value}`, 'select'),
    ]),
  },
  {
    name: 'rejects a thousand selected names and a query string above 8 KiB',
    steps: [
      refused(`/api/posts?select=${Array(1000).fill('title').join(',')}`, 'select'),
      get(`/api/posts?q=${'a'.repeat(8192)}`, { status: 400 }),
      get(`/api/posts?q=${'a'.repeat(256)}`, { body: { total: 0 } }),
      refused(`/api/posts?q=${'a'.repeat(257)}`, 'q'),
    ],
  },
  {
    name: 'decodes parameters like forms: plus and %20 are spaces, and broken escapes stay as they are',
    steps: [
      get('/api/posts?q=first+collection', { body: { total: 1 } }),
      get('/api/posts?q=first%20collection', { body: { total: 1 } }),
      get('/api/posts?q=%zz', { body: { total: 0 } }),
      get('/api/posts?q=%c0%af', { body: { total: 0 } }),
      get('/api/posts?q=a%00b', { status: 400 }),
      get('/api/posts?li%6Dit=1', { body: { limit: 1 } }),
    ],
  },
  {
    name: 'reflects writes in its total and order',
    config: posts,
    steps: [
      get('/api/posts', {
        exactly: { collection: 'posts', total: 0, limit: 20, offset: 0, items: [], nextCursor: null },
      }),
      create('posts', { title: 'One' }, { keep: { one: '/id' } }),
      create('posts', { title: 'Two', status: 'draft' }, { keep: { two: '/id' } }),
      get('/api/posts', { body: { total: 1, ...slugs('one') } }),
      put('/api/posts/{two}', { status: 'published' }),
      get('/api/posts', { body: { total: 2, ...slugs('two', 'one') } }),
      put('/api/posts/{one}', { status: 'archived' }),
      get('/api/posts', { body: { total: 1, ...slugs('two') } }),
      remove('/api/posts/{two}'),
      get('/api/posts', { body: { total: 0, items: [] } }),
      get('/api/posts', { auth: true, body: { total: 1, ...slugs('one') } }),
    ],
  },
])
