import { expect } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, patch, put, remove } from '../../support/scenarios/steps.ts'

const READ_HEADERS = {
  'Cache-Control': 'public, max-age=0, must-revalidate',
  Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
}

/** A read that returns 304, because the client has the current response. */
const unchanged = (path: string, tags: string, extra: Partial<Step> = {}): Step =>
  get(path, {
    headers: { 'If-None-Match': tags },
    status: 304,
    responseHeaders: { ...READ_HEADERS, ETag: /^"[^"]+"$/, 'Content-Type': null },
    ...extra,
  })

/** A read that returns 200, because the response has changed. */
const changed = (path: string, tag: string, extra: Partial<Step> = {}): Step =>
  get(path, { headers: { 'If-None-Match': tag }, status: 200, ...extra })

const post = '/api/posts/what-a-daybook-is'

runPolicyScenarios('a conditional read', [
  {
    name: 'returns 304 for the current tag: alone, in a list, weak, or *',
    steps: [post, '/api/posts', '/api/posts?q=daybook', '/api/globals/site'].flatMap((path) => [
      get(path, { keep: { tag: 'ETag' } }),
      unchanged(path, '{tag}', { responseHeaders: { ...READ_HEADERS, ETag: '{tag}' } }),
      unchanged(path, '"other", {tag}'),
      unchanged(path, 'W/{tag}'),
      unchanged(path, '"a",W/"b"  , {tag}'),
      unchanged(path, '*'),
      changed(path, '"other"'),
      changed(path, '"other", W/"another"'),
    ]),
  },
  {
    name: 'accepts any entity tag of RFC 9110, including commas in a tag and empty list members',
    steps: [
      get(post, { keep: { tag: 'ETag' } }),
      changed(post, '"a,b"'),
      unchanged(post, '"a,b", {tag}'),
      unchanged(post, '"x", , {tag}'),
      changed(post, '""'),
    ],
  },
  {
    name: 'rejects a malformed entity tag',
    steps: ['x', '"open', 'w/"x"', '"a" "b"', '*, "a"', "'a'", '"a b"', 'W/', ','].flatMap((tag) => [
      get(post, {
        headers: { 'If-None-Match': tag },
        status: 400,
        body: { details: { issues: [{ path: 'If-None-Match' }] } },
      }),
      get(post, { headers: { 'If-Match': tag }, status: 400, body: { details: { issues: [{ path: 'If-Match' }] } } }),
    ]),
  },
  {
    name: 'has a separate tag for each query and each kind of caller',
    steps: [
      get('/api/posts', { keep: { list: 'ETag' } }),
      ...['?limit=1', '?offset=1', '?sort=title', '?q=daybook', '?select=title', '?status=published'].map((query) =>
        changed(`/api/posts${query}`, '{list}'),
      ),
      changed('/api/posts', '{list}', { auth: true }),
      changed('/api/tags', '{list}'),
      get(post, { keep: { entry: 'ETag' } }),
      changed(`${post}?select=title`, '{entry}'),
    ],
  },
  {
    name: 'changes the tag of an entry with each stored change only',
    steps: [
      get(post, { auth: true, keep: { id: '/id', tag: 'ETag' } }),
      put('/api/posts/{id}', { category: 'news' }, { keep: { next: 'ETag' } }),
      changed(post, '{tag}', { auth: true, responseHeaders: { ETag: '{next}' } }),
      put('/api/posts/{id}', { category: 'news' }, { responseHeaders: { ETag: '{next}' } }),
      put('/api/posts/{id}', { category: 'stories' }, { keep: { last: 'ETag' } }),
      changed(post, '{tag}', { auth: true, responseHeaders: { ETag: '{last}' } }),
    ],
  },
  {
    name: 'changes the tag of a list when an entry is created, updated, deleted, published or unpublished',
    steps: [
      get('/api/posts', { keep: { t0: 'ETag' } }),
      create('posts', { title: 'New' }, { keep: { id: '/id' } }),
      changed('/api/posts', '{t0}', { keep: { t1: 'ETag' } }),
      put('/api/posts/{id}', { title: 'Newer' }),
      changed('/api/posts', '{t1}', { keep: { t2: 'ETag' } }),
      put('/api/posts/{id}', { status: 'draft' }),
      changed('/api/posts', '{t2}', { keep: { t3: 'ETag' } }),
      put('/api/posts/{id}', { status: 'published' }),
      changed('/api/posts', '{t3}', { keep: { t4: 'ETag' } }),
      remove('/api/posts/{id}'),
      changed('/api/posts', '{t4}'),
    ],
  },
  {
    name: 'keeps the tag of a list while its content cannot have changed',
    steps: [
      get('/api/posts', { keep: { list: 'ETag' } }),
      get('/api/posts?q=ledger', { keep: { search: 'ETag' } }),
      create('tags', { name: 'Other' }),
      create('posts', {}, { status: 400 }),
      get(post, { keep: { id: '/id' } }),
      put('/api/posts/{id}', { title: 'What a daybook is' }),
      put('/api/posts/{id}', { title: 'x' }, { headers: { 'If-Match': '"stale"' }, status: 412 }),
      unchanged('/api/posts', '{list}'),
      unchanged('/api/posts?q=ledger', '{search}'),
    ],
  },
  {
    name: 'changes the tag of a session but not the public one when drafts change',
    steps: [
      get('/api/posts', { keep: { open: 'ETag' } }),
      get('/api/posts', { auth: true, keep: { s0: 'ETag' } }),
      create('posts', { title: CANARY, status: 'draft' }, { keep: { id: '/id' } }),
      changed('/api/posts', '{s0}', { auth: true, keep: { s1: 'ETag' } }),
      unchanged('/api/posts', '{open}'),
      put('/api/posts/{id}', { body: CANARY }),
      changed('/api/posts', '{s1}', { auth: true, keep: { s2: 'ETag' } }),
      put('/api/posts/{id}', { status: 'archived' }),
      changed('/api/posts', '{s2}', { auth: true }),
      unchanged('/api/posts', '{open}'),
      remove('/api/posts/{id}'),
      unchanged('/api/posts', '{open}'),
      unchanged('/api/posts?status=draft', '*'),
    ],
  },
  {
    name: 'reveals nothing about hidden entries: 404, never 304',
    steps: [
      get(post, { keep: { id: '/id', tag: 'ETag' } }),
      put('/api/posts/{id}', { status: 'draft' }, { keep: { draft: 'ETag' } }),
      ...['{tag}', '{draft}', '*'].map((tag) => get(post, { headers: { 'If-None-Match': tag }, status: 404 })),
      get('/api/posts/{id}', { headers: { 'If-None-Match': '*' }, status: 404 }),
      get('/api/posts/nope', { headers: { 'If-None-Match': '*' }, status: 404 }),
    ],
  },
])

const READ_PATHS = [
  post,
  '/api/posts/{id}',
  `${post}?select=title`,
  `${post}?include=author`,
  `${post}?locale=es`,
  '/api/posts',
  '/api/posts?limit=0',
  '/api/posts?q=daybook&limit=1',
  '/api/posts?where[title][exists]=true&sort=title&include=author,tags',
  '/api/globals/site',
  '/api/globals/site?select=siteName',
]

/** A GET and a HEAD with these headers. */
const reads = (path: string, headers: Record<string, string>, extra: Partial<Step>): readonly Step[] => {
  const head = { method: 'HEAD', path, headers, status: extra.status ?? 200, auth: extra.auth ?? false }
  return [
    get(path, { headers, ...extra }),
    { ...head, ...(extra.responseHeaders ? { responseHeaders: extra.responseHeaders } : {}) },
  ]
}

/** Reads whose `If-Match` names another response than the current one. */
const mismatch = (path: string, headers: Record<string, string>, extra: Partial<Step> = {}): readonly Step[] =>
  reads(path, headers, {
    status: 412,
    responseHeaders: { ETag: null, 'Cache-Control': 'no-store' },
    body: { code: 'PRECONDITION_FAILED', details: { current: '{tag}' } },
    ...extra,
  })

runPolicyScenarios('a read with If-Match (RFC 9110, section 13.2.2)', [
  {
    name: 'succeeds if the header contains the current tag, else 412; weak tags never match',
    steps: [
      get(post, { keep: { id: '/id' } }),
      ...READ_PATHS.flatMap((path) => [
        get(path, { keep: { tag: 'ETag' } }),
        ...['{tag}', '*', '"x", {tag}', '"a,b" ,, {tag}'].flatMap((tags) =>
          reads(path, { 'If-Match': tags }, { status: 200, responseHeaders: { ETag: '{tag}' } }),
        ),
        ...['"x"', 'W/{tag}', '"x", W/{tag}', '""'].flatMap((tags) => mismatch(path, { 'If-Match': tags })),
      ]),
    ],
  },
  {
    name: 'evaluates If-Match before If-None-Match',
    steps: [
      get(post, { keep: { id: '/id' } }),
      ...READ_PATHS.flatMap((path) => [
        get(path, { keep: { tag: 'ETag' } }),
        ...['{tag}', '*', '"x"'].flatMap((tags) => mismatch(path, { 'If-Match': '"y"', 'If-None-Match': tags })),
        ...reads(
          path,
          { 'If-Match': '{tag}', 'If-None-Match': '{tag}' },
          { status: 304, responseHeaders: { ETag: '{tag}' } },
        ),
        ...reads(path, { 'If-Match': '*', 'If-None-Match': '"x"' }, { status: 200 }),
      ]),
    ],
  },
  {
    name: 'matches only the current tag of the same query and the same kind of caller',
    steps: [
      get(`${post}?select=title`, { keep: { part: 'ETag', id: '/id' } }),
      get(post, { keep: { tag: 'ETag' } }),
      ...mismatch(post, { 'If-Match': '{part}' }),
      get('/api/posts', { keep: { tag: 'ETag' } }),
      ...mismatch('/api/posts', { 'If-Match': '{part}' }),
      get('/api/posts', { auth: true, keep: { session: 'ETag' } }),
      ...mismatch('/api/posts', { 'If-Match': '{session}' }),
      get(post, { auth: true, keep: { old: 'ETag' } }),
      put('/api/posts/{id}', { category: 'x' }, { keep: { tag: 'ETag' } }),
      ...mismatch(post, { 'If-Match': '{old}' }, { auth: true }),
      ...reads(post, { 'If-Match': '{tag}' }, { auth: true, status: 200 }),
      get(post, { keep: { tag: 'ETag' } }),
      ...mismatch(post, { 'If-Match': '{old}' }),
    ],
  },
  {
    name: 'reveals nothing about hidden entries: 404, 400 and 401 come first',
    config: kitchen,
    steps: [
      create('things', { title: 'x', status: 'draft' }, { keep: { id: '/id', draft: 'ETag' } }),
      ...['{draft}', '"x"', '*', 'W/{draft}'].flatMap((tag) => [
        ...reads('/api/things/x', { 'If-Match': tag }, { status: 404 }),
        ...reads('/api/things/{id}', { 'If-Match': tag }, { status: 404 }),
        ...reads('/api/things/nope', { 'If-Match': tag }, { status: 404 }),
        ...reads('/api/things?nope=1', { 'If-Match': tag }, { status: 400 }),
        ...reads('/api/members', { 'If-Match': tag }, { status: 401 }),
        ...reads('/api/globals/internal', { 'If-Match': tag }, { status: 401 }),
      ]),
      ...reads('/api/things/x', { 'If-Match': '{draft}' }, { status: 200, auth: true }),
      ...reads('/api/globals/banner', { 'If-Match': '*' }, { status: 200 }),
      ...reads('/api/globals/banner', { 'If-Match': '"x"' }, { status: 412 }),
    ],
  },
])

runPolicyScenarios('a conditional write', [
  {
    name: 'succeeds if If-Match names the stored revision, whichever query returned the tag',
    steps: [
      get(post, { keep: { id: '/id', tag: 'ETag' } }),
      put('/api/posts/{id}', { category: 'a' }, { headers: { 'If-Match': '{tag}' } }),
      get(`${post}?select=title`, { keep: { tag: 'ETag' } }),
      put('/api/posts/{id}', { category: 'b' }, { headers: { 'If-Match': '{tag}' } }),
      get(post, { auth: true, keep: { tag: 'ETag' } }),
      put('/api/posts/{id}', { category: 'c' }, { headers: { 'If-Match': '"x", {tag}' }, keep: { tag: 'ETag' } }),
      put('/api/posts/{id}', { category: 'd' }, { headers: { 'If-Match': '*' }, keep: { tag: 'ETag' } }),
      remove('/api/posts/{id}', { headers: { 'If-Match': '{tag}' } }),
    ],
  },
  {
    name: 'is rejected if the stored revision differs; the error contains the current tag',
    steps: [
      get(post, { keep: { id: '/id', old: 'ETag' } }),
      put('/api/posts/{id}', { category: 'a' }, { keep: { now: 'ETag' } }),
      ...['{old}', 'W/{now}', '"nope"', '"nope", W/{now}', '""'].flatMap((tag) => [
        put(
          '/api/posts/{id}',
          { category: 'b' },
          {
            headers: { 'If-Match': tag },
            status: 412,
            body: { code: 'PRECONDITION_FAILED', details: { current: '{now}' } },
          },
        ),
        remove('/api/posts/{id}', {
          headers: { 'If-Match': tag },
          status: 412,
          body: { details: { current: '{now}' } },
        }),
      ]),
      put(
        '/api/posts/{id}',
        { category: 'b' },
        { headers: { 'If-Match': '{old}' }, status: 412, keep: { current: '/details/current' } },
      ),
      put('/api/posts/{id}', { category: 'b' }, { headers: { 'If-Match': '{current}' } }),
    ],
  },
  {
    name: 'is rejected even if it would change nothing',
    steps: [
      get(post, { keep: { id: '/id' } }),
      put('/api/posts/{id}', {}, { headers: { 'If-Match': '"nope"' }, status: 412 }),
    ],
  },
  {
    name: 'to a missing entry is 404, whatever the condition',
    steps: ['*', '"x"'].flatMap((tag) => [
      put(
        '/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2',
        { title: 'x' },
        { headers: { 'If-Match': tag }, status: 404 },
      ),
      remove('/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { headers: { 'If-Match': tag }, status: 404 }),
    ]),
  },
  {
    name: 'with If-None-Match: * is rejected if the entry exists',
    steps: [
      get(post, { keep: { id: '/id' } }),
      put('/api/posts/{id}', { title: 'x' }, { headers: { 'If-None-Match': '*' }, status: 412 }),
    ],
  },
  {
    name: 'is rejected if the header is not a list of tags',
    steps: [
      get(post, { keep: { id: '/id' } }),
      ...['x', '"open', '*,*', 'W/x', ''].map((tag) =>
        put(
          '/api/posts/{id}',
          { title: 'x' },
          { headers: { 'If-Match': tag }, status: 400, body: { code: 'VALIDATION_ERROR' } },
        ),
      ),
    ],
  },
  {
    name: 'is required if the collection sets requireIfMatch: 428 without the header',
    config: kitchen,
    steps: [
      create('ledgers', { title: 'a' }, { keep: { id: '/id', tag: 'ETag' } }),
      put('/api/ledgers/{id}', { title: 'b' }, { status: 428, body: { code: 'PRECONDITION_REQUIRED' } }),
      remove('/api/ledgers/{id}', { status: 428 }),
      put('/api/ledgers/{id}', { title: 'b' }, { headers: { 'If-Match': '"x"' }, status: 412 }),
      put('/api/ledgers/{id}', { title: 'b' }, { headers: { 'If-Match': '{tag}' } }),
      put('/api/ledgers/{id}', { title: 'c' }, { headers: { 'If-Match': '*' } }),
      put('/api/ledgers/{id}', { nope: 1 }, { status: 400 }),
      put('/api/ledgers/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { title: 'b' }, { status: 404 }),
      remove('/api/ledgers/{id}', { headers: { 'If-Match': '*' } }),
    ],
  },
  {
    name: 'to an entry that requires If-Match is 428 without it, whatever If-None-Match contains',
    config: kitchen,
    steps: [
      create('ledgers', { title: 'a' }, { keep: { id: '/id', tag: 'ETag' } }),
      ...['"x"', 'W/"x"', '"x", "y"', '{tag}', 'W/{tag}', '*'].flatMap((tags): readonly Step[] => {
        const headers = { 'If-None-Match': tags }
        const refused = { headers, status: 428, body: { code: 'PRECONDITION_REQUIRED' } }
        return [
          put('/api/ledgers/{id}', { title: 'b' }, refused),
          put('/api/ledgers/{id}', {}, refused),
          patch('/api/ledgers/{id}', { title: 'b' }, refused),
          remove('/api/ledgers/{id}', refused),
        ]
      }),
      {
        method: 'POST',
        path: '/api/cms/batch',
        auth: true,
        headers: { 'If-None-Match': '"x"', 'If-Match': '*' },
        json: { operations: [{ op: 'update', collection: 'ledgers', id: '{id}', data: { title: 'b' } }] },
        status: 428,
      },
      ...(['PUT', 'PATCH', 'DELETE'] as const).flatMap((method): readonly Step[] => {
        const json = method === 'DELETE' ? {} : { json: { title: 'b' } }
        const both = { method, path: '/api/ledgers/{id}', auth: true, ...json }
        return [
          { ...both, headers: { 'If-Match': '"x"', 'If-None-Match': '"y"' }, status: 412 },
          { ...both, headers: { 'If-Match': '{tag}', 'If-None-Match': '{tag}' }, status: 412 },
          { ...both, headers: { 'If-Match': '{tag}', 'If-None-Match': '*' }, status: 412 },
        ]
      }),
      put('/api/ledgers/{id}', { title: 'b' }, { headers: { 'If-Match': '{tag}', 'If-None-Match': '"y"' } }),
      remove('/api/ledgers/{id}', { headers: { 'If-Match': '*', 'If-None-Match': '"y"' } }),
    ],
  },
  {
    name: 'to an unwritten global that requires If-Match may send If-None-Match: * instead',
    config: kitchen,
    steps: [
      put('/api/globals/banner', { text: 'a' }, { status: 428 }),
      put('/api/globals/banner', { text: 'a' }, { headers: { 'If-Match': '*' }, status: 412 }),
      put('/api/globals/banner', { text: 'a' }, { headers: { 'If-None-Match': '*' } }),
      put('/api/globals/banner', { text: 'b' }, { headers: { 'If-None-Match': '*' }, status: 412 }),
      put('/api/globals/banner', { text: 'b' }, { status: 428 }),
      put('/api/globals/banner', { text: 'b' }, { headers: { 'If-Match': '*' } }),
    ],
  },
  {
    name: 'returns the tag that the same caller gets from a read',
    steps: [
      create('tags', { name: 'x' }, { keep: { id: '/id', tag: 'ETag' } }),
      get('/api/tags/{id}', { auth: true, responseHeaders: { ETag: '{tag}' } }),
      put('/api/tags/{id}', { name: 'y' }, { keep: { tag: 'ETag' }, body: { updatedAt: expect.any(String) } }),
      get('/api/tags/{id}', { auth: true, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
])
