import { expect } from 'vitest'
import { kitchen, small } from '../../support/configs/configs.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put, remove } from '../../support/scenarios/steps.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Expects a create to be rejected with exactly these issues. */
const wrong = (json: unknown, ...issues: readonly (readonly [path: string, code: string])[]): Step =>
  create('things', json as object, {
    status: 400,
    body: { details: { issues: issues.map(([path, code]) => ({ path, code })) } },
  })

runScenarios('creating', [
  {
    name: 'returns 201 with the stored entry, its address, its tag and its number in the journal',
    steps: [
      create(
        'posts',
        { title: 'Hello', body: '*hi*', status: 'draft' },
        {
          body: {
            id: expect.stringMatching(UUID_V7),
            title: 'Hello',
            slug: 'hello',
            body: '*hi*',
            bodyHtml: '<p><em>hi</em></p>',
            status: 'draft',
            author: null,
            tags: [],
            category: null,
            publishedOn: null,
            createdAt: expect.stringMatching(TIME),
            updatedAt: expect.stringMatching(TIME),
            createdBy: 'service',
            updatedBy: 'service',
          },
          responseHeaders: {
            Location: '/api/posts/hello',
            ETag: /^"[^"]+"$/,
            'Daybook-Seq': /^\d+$/,
            'Cache-Control': /no-store/,
          },
          keep: { id: '/id', tag: 'ETag' },
        },
      ),
      get('/api/posts/{id}', { auth: true, body: { id: '{id}', title: 'Hello' }, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'needs a session: without one, or with a bad one, 401 and nothing is stored',
    steps: [
      ...[
        {},
        { Authorization: 'Bearer wrong-token-of-the-service-principal' },
        { Authorization: 'Bearer ' },
        { Authorization: 'Basic dGVzdDp0ZXN0' },
        { Authorization: 'test-token-of-the-service-principal' },
        { Cookie: 'better-auth.session_token=x' },
      ].map(
        (headers): Step =>
          create('posts', { title: 'x' }, { auth: false, headers, status: 401, body: { code: 'UNAUTHORIZED' } }),
      ),
      create(
        'posts',
        { title: 'x' },
        { path: '/api/posts?token=test-token-of-the-service-principal', auth: false, status: 401 },
      ),
    ],
  },
  {
    name: 'gives every field a value: its default, the empty value of its type, or null',
    config: kitchen,
    steps: [
      create(
        'things',
        { title: 'Bare' },
        {
          body: {
            status: 'published',
            code: null,
            long: null,
            body: null,
            bodyHtml: null,
            amount: null,
            count: 7,
            flag: null,
            kind: 'red',
            kinds: [],
            data: null,
            parent: null,
            friends: [],
            words: [],
            rows: [],
            parts: [],
          },
          lacks: ['plainHtml'],
        },
      ),
    ],
  },
  {
    name: 'stores and returns every field type',
    config: kitchen,
    steps: [
      create('things', { title: 'Parent' }, { keep: { parent: '/id' } }),
      create(
        'things',
        {
          title: 'Full',
          slug: 'full',
          status: 'published',
          code: 'AB12',
          long: 'x'.repeat(1000),
          body: '# A\n\n**b**',
          plain: 'raw *text*',
          amount: -0.5,
          count: 9007199254740991,
          flag: false,
          day: '2024-02-29',
          moment: '2026-11-20T12:00:00+02:00',
          kind: 'blue',
          kinds: ['c', 'a'],
          mail: 'ada@example.org',
          link: 'https://example.org/a?b=c#d',
          data: { deep: [1, 'two', null, { three: true }] },
          point: { x: 1, y: 2.5 },
          parent: '{parent}',
          friends: ['{parent}'],
          seo: { title: 'T', text: '`c`', inner: { rank: 3 } },
          words: ['a', 'b', 'a'],
          rows: [{ name: 'n', size: 1 }, { name: 'm' }],
          parts: [
            { _type: 'prose', text: 'p' },
            { _type: 'quote', text: 'q', by: 'someone' },
          ],
        },
        {
          body: {
            code: 'AB12',
            bodyHtml: '<h1 id="a">A</h1>\n<p><strong>b</strong></p>',
            amount: -0.5,
            count: 9007199254740991,
            flag: false,
            day: '2024-02-29',
            moment: '2026-11-20T10:00:00.000Z',
            kinds: ['c', 'a'],
            link: 'https://example.org/a?b=c#d',
            data: { deep: [1, 'two', null, { three: true }] },
            parent: '{parent}',
            friends: ['{parent}'],
            seo: { title: 'T', text: '`c`', textHtml: '<p><code>c</code></p>', inner: { rank: 3 } },
            words: ['a', 'b', 'a'],
            rows: [
              { name: 'n', size: 1 },
              { name: 'm', size: null },
            ],
            parts: [
              { _type: 'prose', text: 'p', textHtml: '<p>p</p>' },
              { _type: 'quote', text: 'q', by: 'someone' },
            ],
          },
        },
      ),
      get('/api/things/full', { body: { count: 9007199254740991, parent: '{parent}' } }),
    ],
  },
  {
    name: 'rejects invalid values, each with its path',
    config: kitchen,
    steps: [
      wrong({}, ['/title', 'required']),
      wrong({ title: null }, ['/title', 'type']),
      wrong({ title: '' }, ['/title', 'required']),
      wrong({ title: 'x'.repeat(81) }, ['/title', 'maxLength']),
      wrong({ title: 5 }, ['/title', 'type']),
      wrong({ title: ['x'] }, ['/title', 'type']),
      wrong({ title: 't', code: 'ab1' }, ['/code', 'pattern']),
      wrong({ title: 't', amount: '1' }, ['/amount', 'type']),
      wrong({ title: 't', amount: -1001 }, ['/amount', 'minimum']),
      wrong({ title: 't', count: 1.5 }, ['/count', 'type']),
      wrong({ title: 't', count: 9007199254740992 }, ['/count', 'maximum']),
      wrong({ title: 't', flag: 'true' }, ['/flag', 'type']),
      wrong({ title: 't', flag: 0 }, ['/flag', 'type']),
      wrong({ title: 't', day: '2026-02-30' }, ['/day', 'format']),
      wrong({ title: 't', day: '2026-02-01T00:00:00Z' }, ['/day', 'maxLength'], ['/day', 'format']),
      wrong({ title: 't', moment: '2026-02-01' }, ['/moment', 'format']),
      wrong({ title: 't', moment: '2026-02-01T25:00:00Z' }, ['/moment', 'format']),
      wrong({ title: 't', kind: 'pink' }, ['/kind', 'enum']),
      wrong({ title: 't', kinds: ['a', 'a'] }, ['/kinds', 'uniqueItems']),
      wrong({ title: 't', kinds: 'a' }, ['/kinds', 'type']),
      wrong({ title: 't', mail: 'nobody' }, ['/mail', 'format']),
      wrong({ title: 't', link: 'javascript:alert(1)' }, ['/link', 'url']),
      wrong({ title: 't', link: 'data:text/html,x' }, ['/link', 'url']),
      wrong({ title: 't', status: 'nope' }, ['/status', 'enum']),
      wrong({ title: 't', point: { x: 1 } }, ['/point/y', 'required']),
      wrong({ title: 't', point: { x: 1, y: 2, z: 3 } }, ['/point/z', 'unknown_field']),
      wrong({ title: 't', parent: 'nope' }, ['/parent', 'format']),
      wrong({ title: 't', parent: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, ['/parent', 'reference']),
      wrong({ title: 't', friends: ['01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'] }, ['/friends', 'reference']),
      wrong({ title: 't', seo: { inner: { rank: 'x' } } }, ['/seo/inner/rank', 'type']),
      wrong({ title: 't', words: ['12345678901'] }, ['/words/0', 'maxLength']),
      wrong({ title: 't', words: [null] }, ['/words/0', 'type']),
      wrong({ title: 't', words: ['', '', '', '', '', ''] }, ['/words', 'maxItems']),
      wrong({ title: 't', rows: [{ size: 1 }] }, ['/rows/0/name', 'required']),
      wrong({ title: 't', rows: [{ name: 'a', 'x/y~z': 1 }] }, ['/rows/0/x~1y~0z', 'unknown_field']),
      wrong({ title: 't', parts: [{ _type: 'nope' }] }, ['/parts/0', 'discriminator']),
      create(
        'things',
        { title: 't', parts: [{ text: 'x' }] },
        {
          status: 400,
          body: { details: { issues: expect.arrayContaining([expect.objectContaining({ path: '/parts/0/_type' })]) } },
        },
      ),
      wrong({ title: 't', parts: [{ _type: 'quote' }] }, ['/parts/0/text', 'required']),
    ],
  },
  {
    name: 'rejects unknown fields and bodies that are not objects, with their paths',
    config: kitchen,
    steps: [
      wrong({ title: 't', titel: 'x' }, ['/titel', 'unknown_field']),
      wrong({ title: 't', role: 'admin' }, ['/role', 'unknown_field']),
      wrong({ title: 't', seo: { nope: 1 } }, ['/seo/nope', 'unknown_field']),
      wrong({ title: 't', plainHtml: 'x' }, ['/plainHtml', 'unknown_field']),
      ...[null, [], 'text', 5, true, [{ title: 't' }]].map((json) =>
        create('things', {}, { json, status: 400, body: { details: { issues: [{ path: '/' }] } } }),
      ),
    ],
  },
  {
    name: 'ignores read-only fields',
    config: kitchen,
    steps: [
      create(
        'things',
        {
          id: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2',
          title: 'Mine',
          body: 'x',
          bodyHtml: '<script>alert(1)</script>',
          createdAt: '1999-01-01T00:00:00.000Z',
          updatedAt: 'never',
          seo: { text: 'y', textHtml: '<b>no</b>' },
        },
        {
          body: { bodyHtml: '<p>x</p>', seo: { textHtml: '<p>y</p>' } },
          lacks: ['1999', 'never', 'script', '01a1f9d5-ddca', '<b>'],
        },
      ),
    ],
  },
  {
    name: 'enforces unique values: the second entry is a conflict that names the field',
    config: kitchen,
    steps: [
      create('things', { title: 'a', code: 'AB1' }, { keep: { a: '/id' } }),
      create(
        'things',
        { title: 'b', code: 'AB1' },
        { status: 409, body: { code: 'CONFLICT', details: { field: 'code' } } },
      ),
      create('things', { title: 'b', code: 'AB2' }, { keep: { b: '/id' } }),
      put('/api/things/{b}', { code: 'AB1' }, { status: 409, body: { details: { field: 'code' } } }),
      put('/api/things/{a}', { code: 'AB1', title: 'same' }),
      put('/api/things/{a}', { code: null }),
      put('/api/things/{b}', { code: 'AB1' }),
      create('things', { title: 'no code' }),
      create('things', { title: 'no code either' }),
    ],
  },
  {
    name: 'accepts only JSON',
    config: small,
    steps: [
      ...[
        undefined,
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json; charset=utf-7',
        'application/json; charset=latin1',
        'text/json',
        'application/jsonp',
        'application/json, text/plain',
      ].map(
        (type): Step => ({
          method: 'POST',
          path: '/api/notes',
          auth: true,
          raw: Buffer.from('{"text":"x"}'),
          headers: type === undefined ? {} : { 'Content-Type': type },
          status: 415,
          body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
        }),
      ),
      create('notes', {}, { headers: { 'Content-Encoding': 'gzip' }, status: 415 }),
      ...[
        'application/json',
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'application/vnd.api+json',
      ].map((type): Step => create('notes', { text: 'x' }, { headers: { 'Content-Type': type } })),
    ],
  },
  {
    name: 'rejects query parameters',
    steps: [
      create(
        'posts',
        { title: 'x' },
        { path: '/api/posts?nope=true', status: 400, body: { details: { issues: [{ path: 'nope' }] } } },
      ),
      get('/api/posts/what-a-daybook-is', { keep: { id: '/id' } }),
      put('/api/posts/{id}?locale=de', { title: 'x' }, { status: 400 }),
      remove('/api/posts/{id}?force=1', { status: 400 }),
    ],
  },
])

runScenarios('changing', [
  {
    name: 'changes only the fields that are named, and clears those that are null',
    config: kitchen,
    steps: [
      create(
        'things',
        { title: 'One', body: 'text', amount: 3, words: ['a'], seo: { title: 'T', inner: { rank: 1 } } },
        { keep: { id: '/id', created: '/createdAt', tag: 'ETag' } },
      ),
      put(
        '/api/things/{id}',
        { amount: 4 },
        { body: { title: 'One', bodyHtml: '<p>text</p>', amount: 4, words: ['a'], createdAt: '{created}' } },
      ),
      put(
        '/api/things/{id}',
        { body: null, words: null, amount: null },
        { body: { title: 'One', body: null, bodyHtml: null, words: [], amount: null } },
      ),
      put('/api/things/{id}', { title: 'Two' }, { body: { title: 'Two', slug: 'one' } }),
      put('/api/things/{id}', { title: null }, { status: 400, body: { details: { issues: [{ path: '/title' }] } } }),
      put('/api/things/{id}', {}, { body: { title: 'Two' } }),
      put('/api/things/{id}', { status: null }, { body: { status: 'published' } }),
    ],
  },
  {
    name: 'accepts an entry as it was read, without storing anything',
    steps: [
      get('/api/posts/what-a-daybook-is', {
        auth: true,
        keep: { id: '/id', tag: 'ETag', at: '/updatedAt', title: '/title', html: '/bodyHtml', body: '/body' },
      }),
      put(
        '/api/posts/{id}',
        {
          id: '{id}',
          title: '{title}',
          body: '{body}',
          bodyHtml: '{html}',
          updatedAt: '{at}',
          slug: 'what-a-daybook-is',
        },
        { body: { id: '{id}', updatedAt: '{at}', bodyHtml: '{html}' }, responseHeaders: { ETag: '{tag}' } },
      ),
    ],
  },
  {
    name: 'changes the tag, updatedAt and the journal with every stored change, but never createdAt',
    config: kitchen,
    steps: [
      create(
        'notes',
        { text: 'a' },
        { keep: { id: '/id', tag: 'ETag', at: '/createdAt' }, responseHeaders: { 'Daybook-Seq': '1' } },
      ),
      put(
        '/api/notes/{id}',
        { text: 'b' },
        { body: { createdAt: '{at}' }, responseHeaders: { 'Daybook-Seq': '2' }, keep: { next: 'ETag' } },
      ),
      get('/api/notes/{id}', {
        auth: true,
        headers: { 'If-None-Match': '{tag}' },
        body: { text: 'b' },
        responseHeaders: { ETag: '{next}' },
      }),
      remove('/api/notes/{id}', { responseHeaders: { 'Daybook-Seq': '3' } }),
    ],
  },
  {
    name: 'needs an id: slugs and missing entries are 404',
    steps: [
      put('/api/posts/what-a-daybook-is', { title: 'x' }, { status: 404 }),
      put('/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { title: 'x' }, { status: 404 }),
      remove('/api/posts/what-a-daybook-is', { status: 404 }),
      remove('/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { status: 404 }),
      put('/api/nope/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { title: 'x' }, { status: 404 }),
    ],
  },
  {
    name: 'an entry of another collection is 404',
    steps: [
      get('/api/authors/tomasz-lis', { keep: { id: '/id' } }),
      put('/api/tags/{id}', { name: 'x' }, { status: 404 }),
      remove('/api/tags/{id}', { status: 404 }),
      get('/api/tags/{id}', { status: 404 }),
    ],
  },
])

runScenarios('deleting', [
  {
    name: 'returns 204 once; then the entry is missing everywhere',
    steps: [
      get('/api/posts/what-a-daybook-is', { keep: { id: '/id', tag: 'ETag' } }),
      remove('/api/posts/{id}', { responseHeaders: { 'Content-Type': null, 'Daybook-Seq': /^\d+$/ } }),
      get('/api/posts/what-a-daybook-is', { status: 404 }),
      get('/api/posts/{id}', { status: 404, headers: { 'If-None-Match': '{tag}' } }),
      get('/api/posts?q=merchant', { body: { total: 0 } }),
      get('/api/posts', { body: { total: 3 } }),
      remove('/api/posts/{id}', { status: 404 }),
      put('/api/posts/{id}', { title: 'back' }, { status: 404 }),
    ],
  },
  {
    name: 'removes the references to the entry',
    steps: [
      get('/api/tags/basics', { keep: { tag: '/id' } }),
      get('/api/authors/ines-prado', { keep: { author: '/id' } }),
      get('/api/posts/what-a-daybook-is', { body: { author: '{author}' }, keep: { seen: 'ETag' } }),
      remove('/api/tags/{tag}'),
      remove('/api/authors/{author}'),
      get('/api/posts/what-a-daybook-is', {
        headers: { 'If-None-Match': '{seen}' },
        body: { author: null },
        lacks: ['{tag}', '{author}'],
      }),
    ],
  },
  {
    name: 'frees its slug and its unique values',
    config: kitchen,
    steps: [
      create('things', { title: 'Same', code: 'AB1' }, { keep: { id: '/id' } }),
      remove('/api/things/{id}'),
      create('things', { title: 'Same', code: 'AB1' }, { body: { slug: 'same' } }),
    ],
  },
  {
    name: 'needs a session',
    steps: [
      get('/api/posts/what-a-daybook-is', { keep: { id: '/id' } }),
      remove('/api/posts/{id}', { auth: false, status: 401 }),
      get('/api/posts/{id}', {}),
    ],
  },
])
