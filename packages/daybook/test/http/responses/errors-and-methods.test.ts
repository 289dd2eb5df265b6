import { kitchen, small } from '../../support/configs/configs.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put } from '../../support/scenarios/steps.ts'
import { IN_PROCESS, SOCKET } from '../../support/scenarios/transports.ts'

const PAGE = 'https://app.example.org'
const missing = '/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

/** The methods of an entry. */
const ENTRY_METHODS = /^GET, HEAD, PUT(?:, PATCH)?, DELETE, OPTIONS$/

const notAllowed = (method: string, path: string, allow: string | RegExp): Step => ({
  method,
  path,
  auth: true,
  status: 405,
  body: { code: 'METHOD_NOT_ALLOWED' },
  responseHeaders: { Allow: allow },
})

runPolicyScenarios('paths', [
  {
    name: 'are matched exactly: doubled, trailing and escaped slashes and other case are 404',
    steps: [
      '//api/posts',
      '/api//posts',
      '/api/posts/',
      '/API/posts',
      '/api/Posts',
      '/api%2Fposts',
      '/api/posts%2Fwhat-a-daybook-is',
      '/api/posts/what-a-daybook-is/',
      '/api/posts//what-a-daybook-is',
      '/api/globals/site/',
      '/api%5Cposts',
      '/api/posts%5C',
      '/api/..%2Fapi/posts',
      '/api;x/posts',
      '/api/posts;x',
      '/',
      '/api',
      '/api/',
      '/uploads/x.png',
    ].flatMap((path) => [
      get(path, { status: 404, body: { code: 'NOT_FOUND' } }),
      create('', { title: 'x' }, { path, status: 404 }),
    ]),
  },
  {
    name: 'are decoded once',
    steps: [get('/api/p%6Fsts', {}), get('/api/posts/what%2Da-daybook-is', {}), get('/api/p%256Fsts', { status: 404 })],
  },
  {
    name: 'with escapes that are not UTF-8 are 400',
    steps: ['%zz', '%', '%c0%af', '%00', 'a%00b', '%ff', '%ed%a0%80', '%e6%9d'].flatMap((segment) => [
      get(`/api/posts/${segment}`, { status: 400, body: { code: 'VALIDATION_ERROR' } }),
      get(`/api/${segment}`, { status: 400 }),
      get(`/${segment}/posts`, { status: 400 }),
      put(`/api/posts/${segment}`, { title: 'x' }, { status: 400 }),
    ]),
  },
])

runPolicyScenarios('methods', [
  {
    name: 'that a known path does not support are 405, with the supported ones in Allow',
    steps: [
      notAllowed('PUT', '/api/posts', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'),
      notAllowed('POST', '/api/posts/what-a-daybook-is', ENTRY_METHODS),
    ],
  },
  {
    name: 'of globals, health and ready are limited to theirs',
    steps: [
      ...['POST', 'DELETE'].map((method) =>
        notAllowed(method, '/api/globals/site', /^GET, HEAD, PUT(?:, PATCH)?, OPTIONS$/),
      ),
      ...['POST', 'PUT', 'DELETE'].map((method) => notAllowed(method, '/api/health', 'GET, HEAD, OPTIONS')),
      ...['POST', 'PUT', 'DELETE'].map((method) => notAllowed(method, '/api/ready', 'GET, HEAD, OPTIONS')),
    ],
  },
  {
    name: 'that are unknown are 405 on a known path, 404 elsewhere',
    transport: IN_PROCESS,
    steps: [
      notAllowed('BREW', '/api/posts', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'),
      notAllowed('PROPFIND', '/api/posts/what-a-daybook-is', ENTRY_METHODS),
      { method: 'BREW', path: '/api/nope', status: 404 },
      { method: 'PATCH', path: '/nope', status: 404 },
    ],
  },
  {
    name: 'do not include TRACE',
    transport: SOCKET,
    steps: [notAllowed('TRACE', '/api/posts', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS')],
  },
  {
    name: 'include HEAD and OPTIONS wherever GET is supported',
    config: kitchen,
    steps: [
      ...['/api/things', '/api/globals/site', '/api/health', '/api/ready'].flatMap((path): readonly Step[] => [
        { method: 'HEAD', path, status: 200 },
        { method: 'OPTIONS', path, status: 204, responseHeaders: { Allow: /^GET, HEAD(, \w+)*, OPTIONS$/ } },
      ]),
      { method: 'HEAD', path: '/api/members', status: 401 },
      { method: 'HEAD', path: '/api/things?foo=1', status: 400 },
      { method: 'OPTIONS', path: '/api/nope', status: 404 },
      { method: 'OPTIONS', path: '/api/globals/nope', status: 404 },
    ],
  },
])

runPolicyScenarios('health and readiness', [
  {
    name: 'return a code and are never cached',
    steps: [
      get('/api/health', { exactly: { status: 'ok' }, responseHeaders: { 'Cache-Control': 'no-store' } }),
      get('/api/ready', {
        exactly: { status: 'ready', checks: { database: 'ok' } },
        responseHeaders: { 'Cache-Control': 'no-store' },
      }),
    ],
  },
])

runPolicyScenarios('a request id', [
  {
    name: 'from the client is used if it is valid',
    steps: ['12345678', 'a.b-c_d.e', 'x'.repeat(64)].flatMap((id) => [
      get('/api/posts', { headers: { 'X-Request-Id': id }, responseHeaders: { 'X-Request-Id': id } }),
      get('/api/nope', { headers: { 'X-Request-Id': id }, status: 404, body: { requestId: id } }),
    ]),
  },
  {
    name: 'that is invalid is replaced',
    steps: ['short', 'x'.repeat(65), 'has space', '<script>', 'a,b,c,d,e', '"12345678"', '../../etc/passwd'].map((id) =>
      get('/api/posts', { headers: { 'X-Request-Id': id }, responseHeaders: { 'X-Request-Id': /^[0-9a-f-]{36}$/ } }),
    ),
  },
])

runPolicyScenarios('an answer', [
  {
    name: 'is JSON whatever the client accepts, and contains markup only as JSON text',
    steps: [
      get('/api/posts?q=%3Cscript%3Ealert(1)%3C/script%3E', { headers: { Accept: 'text/html' } }),
      ...['sort', 'select', 'status', 'limit', 'cursor', '%3Cb%3E'].map((param) =>
        get(`/api/posts?${param}=%3Cscript%3Ealert(1)%3C/script%3E`, { headers: { Accept: 'text/html' }, status: 400 }),
      ),
      get('/api/posts/%3Cscript%3E', { headers: { Accept: 'text/html' }, status: 404 }),
    ],
  },
  {
    name: 'does not depend on Host or forwarding headers',
    steps: [
      create(
        'posts',
        { title: 'x' },
        {
          headers: {
            Host: 'evil.example',
            'X-Forwarded-Host': 'evil.example',
            'X-Forwarded-Proto': 'gopher',
            Forwarded: 'host=evil.example',
          },
          responseHeaders: { Location: '/api/posts/x' },
          lacks: ['evil'],
        },
      ),
      get('/api/posts/nope', { headers: { Host: 'evil.example' }, status: 404, lacks: ['evil'] }),
    ],
  },
  {
    name: 'ignores headers that override the method',
    steps: [
      get('/api/posts', {
        headers: { 'X-HTTP-Method-Override': 'DELETE', 'X-Original-URL': '/api/nope', 'X-Rewrite-URL': '/api/nope' },
      }),
      create('posts', { title: 'x' }, { headers: { 'X-HTTP-Method-Override': 'GET' } }),
    ],
  },
])

/** Each request has one fault, and every fault that is checked later. */
runPolicyScenarios('the order of checks', [
  {
    name: 'is route, method, session, precondition headers, body, validation, target, precondition',
    steps: [
      { method: 'PUT', path: '/api/nope/x', raw: '{', headers: { 'If-Match': 'x' }, status: 404 },
      { method: 'POST', path: missing, raw: '{', headers: { 'If-Match': 'x' }, status: 405 },
      {
        method: 'PUT',
        path: missing,
        raw: '{',
        headers: { 'If-Match': 'x', Authorization: 'Bearer bad' },
        status: 401,
      },
      {
        method: 'PUT',
        path: missing,
        auth: true,
        raw: Buffer.from('{'),
        headers: { 'If-Match': 'x' },
        status: 400,
        body: { details: { issues: [{ path: 'If-Match' }] } },
      },
      { method: 'PUT', path: missing, auth: true, raw: Buffer.from('{'), headers: { 'If-Match': '"x"' }, status: 415 },
      put(
        missing,
        {},
        {
          json: undefined,
          raw: '{',
          headers: { 'If-Match': '"x"', 'Content-Type': 'application/json' },
          status: 400,
          body: { details: { issues: [{ path: 'body' }] } },
        },
      ),
      put(
        missing,
        { nope: 1 },
        { headers: { 'If-Match': '"x"' }, status: 400, body: { details: { issues: [{ path: '/nope' }] } } },
      ),
      put(missing, { title: 'x' }, { headers: { 'If-Match': '"x"' }, status: 404 }),
      get('/api/posts/what-a-daybook-is', { keep: { id: '/id' } }),
      put('/api/posts/{id}', { title: 'x' }, { headers: { 'If-Match': '"x"' }, status: 412 }),
    ],
  },
  {
    name: 'checks the session before the body, and the size of the body before its syntax',
    config: small,
    steps: [
      {
        method: 'POST',
        path: '/api/notes',
        raw: 'x'.repeat(2000),
        headers: { 'Content-Type': 'application/json' },
        status: 401,
      },
      { method: 'POST', path: '/api/notes', auth: true, raw: Buffer.from('x'.repeat(2000)), status: 415 },
      {
        method: 'POST',
        path: '/api/notes',
        auth: true,
        raw: 'x'.repeat(2000),
        headers: { 'Content-Type': 'application/json' },
        status: 413,
      },
    ],
  },
  {
    name: 'evaluates access rules after the target: 404 for a missing entry, then 403',
    config: kitchen,
    steps: [
      create('archive', { title: 'a' }, { keep: { id: '/id' } }),
      put('/api/archive/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { title: 'b' }, { status: 404 }),
      put('/api/archive/{id}', { nope: 1 }, { status: 400 }),
      put('/api/archive/{id}', { title: 'b' }, { headers: { 'If-Match': '"x"' }, status: 403 }),
    ],
  },
  {
    name: 'ignores an invalid credential on a public route',
    steps: [
      get('/api/posts', {
        headers: { Authorization: 'Bearer nope' },
        body: { total: 4 },
        responseHeaders: { 'Cache-Control': /^public/ },
      }),
      get('/api/posts', { headers: { Cookie: 'better-auth.session_token=nope' }, body: { total: 4 } }),
      get('/api/posts/notes-for-the-next-issue', { headers: { Authorization: 'Basic x' }, status: 404 }),
    ],
  },
])

const NO_CORS = { 'Access-Control-Allow-Origin': null, 'Access-Control-Allow-Credentials': null }
const preflight = (origin: string): Step => ({
  method: 'OPTIONS',
  path: '/api/things',
  headers: {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,if-match',
  },
  status: 204,
})

runPolicyScenarios('other origins (CORS)', [
  {
    name: 'get no CORS headers by default',
    steps: [
      get('/api/posts', { headers: { Origin: PAGE }, responseHeaders: NO_CORS }),
      { ...preflight(PAGE), path: '/api/posts', responseHeaders: NO_CORS },
    ],
  },
  {
    name: 'in the config may read and write',
    config: kitchen,
    steps: [
      get('/api/things', {
        headers: { Origin: PAGE },
        responseHeaders: {
          'Access-Control-Allow-Origin': PAGE,
          'Access-Control-Allow-Credentials': 'true',
          'Access-Control-Expose-Headers': /ETag/,
          Vary: /Origin/,
        },
      }),
      create(
        'things',
        { title: 'x' },
        { headers: { Origin: PAGE }, responseHeaders: { 'Access-Control-Allow-Origin': PAGE } },
      ),
      {
        ...preflight(PAGE),
        responseHeaders: {
          'Access-Control-Allow-Origin': PAGE,
          'Access-Control-Allow-Methods': /PUT/,
          'Access-Control-Allow-Headers': /authorization.*if-match/i,
          'Access-Control-Max-Age': /^\d+$/,
          Vary: /Origin/,
        },
      },
    ],
  },
  {
    name: 'in the config may also read errors and 304',
    config: kitchen,
    steps: [
      get('/api/things?foo=1', {
        headers: { Origin: PAGE },
        status: 400,
        responseHeaders: { 'Access-Control-Allow-Origin': PAGE },
      }),
      get('/api/things/nope', {
        headers: { Origin: PAGE },
        status: 404,
        responseHeaders: { 'Access-Control-Allow-Origin': PAGE },
      }),
      create(
        'things',
        {},
        {
          auth: false,
          headers: { Origin: PAGE },
          status: 401,
          responseHeaders: { 'Access-Control-Allow-Origin': PAGE },
        },
      ),
      get('/api/things', {
        headers: { Origin: PAGE, 'If-None-Match': '*' },
        status: 304,
        responseHeaders: { 'Access-Control-Allow-Origin': PAGE },
      }),
    ],
  },
  {
    name: 'that resemble a configured one get no CORS headers',
    config: kitchen,
    steps: [
      'https://app.example.org.evil.example',
      'https://evil.example',
      'null',
      'http://app.example.org',
      'https://APP.example.org',
      `${PAGE}:443`,
      `${PAGE}/`,
      '*',
      '',
    ].flatMap((origin) => [
      get('/api/things', { headers: { Origin: origin }, responseHeaders: { ...NO_CORS, Vary: /Origin/ } }),
      { ...preflight(origin), responseHeaders: NO_CORS },
    ]),
  },
])
