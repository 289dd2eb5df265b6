import { ERRORS } from 'daybook'
import { describe, expect, test } from 'vitest'
import { createServiceCaller } from '../../../src/auth/adapter.ts'
import { kitchen, posts } from '../../support/configs/configs.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, patch, put, remove } from '../../support/scenarios/steps.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

const NOTHING = ERRORS.NOT_FOUND.message
const MISSING = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

/** Messages by requested path. */
const ADDRESSES: Readonly<Record<string, string>> = {
  '/': `${NOTHING} Content is below /api, such as /api/things.`,
  '/api': `${NOTHING} Content is below /api, such as /api/things.`,
  '/things': `${NOTHING} Did you mean /api/things?`,
  '/api/thing': `${NOTHING} Did you mean /api/things?`,
  '/api/thigns': `${NOTHING} Did you mean /api/things?`,
  '/api/things/': `${NOTHING} Did you mean /api/things?`,
  '/API/Things': `${NOTHING} Did you mean /api/things?`,
  '//api//things': `${NOTHING} Did you mean /api/things?`,
  '/api/things/a-slug/': `${NOTHING} Did you mean /api/things/:slug?`,
  '/things/a-slug': `${NOTHING} Did you mean /api/things/:slug?`,
  '/api/thing/%3Cb%3E': `${NOTHING} Did you mean /api/things/:slug?`,
  '/api/global/site': `${NOTHING} Did you mean /api/globals/site?`,
  '/api/globals/sit': `${NOTHING} Did you mean /api/globals/site?`,
  '/health': `${NOTHING} Did you mean /api/health?`,
  '/nothing-like-it': NOTHING,
  '/api/nothing/like/it/at/all': NOTHING,
  [`/api/${'things'.repeat(50)}`]: NOTHING,
  '/api/%3Cscript%3E': NOTHING,
}

/** Paths that resemble routes for sessions only, which a hint must not reveal. */
const CLOSED = ['/members', '/api/member', '/api/members/', '/api/members/x/', '/api/globals/interna', '/internal']

runPolicyScenarios('a path without a route', [
  {
    name: 'gets a suggestion, in the names of the config',
    config: kitchen,
    steps: Object.entries(ADDRESSES).flatMap(([path, message]) => [
      get(path, { status: 404, body: { message, details: {} } }),
      create('', {}, { path, status: 404, body: { message } }),
    ]),
  },
  {
    name: 'gets no suggestion of a route that is not public',
    config: kitchen,
    steps: CLOSED.flatMap((path) => [
      get(path, { status: 404, body: { message: NOTHING } }),
      get(path, { auth: true, status: 404, body: { message: NOTHING } }),
    ]),
  },
])

const BY_ID = 'This address takes the id of an entry, not its slug. GET by slug returns the id.'

const NOT_ITS_SLUG = 'operations.0.id must be the id of an entry, not its slug. GET by slug returns the id.'

runPolicyScenarios('a write by slug', [
  {
    name: 'is rejected with advice to send the id, whether or not the entry exists',
    config: kitchen,
    steps: [
      create('things', { title: 'x' }),
      create('things', { title: 'hidden', status: 'draft' }),
      ...['x', 'hidden', 'nope'].flatMap((slug): readonly Step[] => {
        const refused = { status: 404, body: { code: 'NOT_FOUND', message: BY_ID } }
        return [
          put(`/api/things/${slug}`, { title: 'y' }, refused),
          patch(`/api/things/${slug}`, { title: 'y' }, refused),
          remove(`/api/things/${slug}`, refused),
          get(`/api/things/${slug}/references`, { auth: true, ...refused }),
          {
            ...create(
              '',
              { operations: [{ op: 'delete', collection: 'things', id: slug }] },
              { path: '/api/cms/batch' },
            ),
            status: 400,
            body: { details: { issues: [{ path: '/operations/0/id', code: 'format', message: NOT_ITS_SLUG }] } },
          },
        ]
      }),
      put(`/api/things/${MISSING}`, { title: 'y' }, { status: 404, body: { message: NOTHING } }),
    ],
  },
])

const LIST_PARAMS =
  'limit, offset, cursor, sort, nulls, q, status, select, include, depth, reverse[field][option], locale, fallbackLocale, where[field][operator], aggregate, draft, deleted'

/** Unknown parameters, each with the advice. */
const PARAMS: readonly (readonly [path: string, param: string, advice: string])[] = [
  ['/api/posts?page=2', 'page', 'Use offset or cursor.'],
  ['/api/posts?populate=*', 'populate', 'Did you mean "include"?'],
  ['/api/posts?filters[title][$eq]=a', 'filters[title][$eq]', 'Did you mean "where[field][operator]=value"?'],
  ['/api/posts?filter[title]=a', 'filter[title]', 'Did you mean "where[field][operator]=value"?'],
  ['/api/posts?per_page=5', 'per_page', 'Did you mean "limit"?'],
  ['/api/posts?pagination[pageSize]=5', 'pagination[pageSize]', 'Use limit, offset or cursor.'],
  ['/api/posts?fields=title', 'fields', 'Did you mean "select"?'],
  ['/api/posts?orderBy=title', 'orderBy', 'Did you mean "sort"?'],
  ['/api/posts?limmit=5', 'limmit', 'Did you mean "limit"?'],
  ['/api/posts?title=a', 'title', `Use one of: ${LIST_PARAMS}.`],
  ['/api/posts?%3Cscript%3E=a', '<script>', `Use one of: ${LIST_PARAMS}.`],
  ['/api/posts/a?populate=author', 'populate', 'Did you mean "include"?'],
  [
    '/api/posts/a?page=2',
    'page',
    'Use one of: select, include, depth, reverse[field][option], locale, fallbackLocale, draft, preview.',
  ],
  ['/api/health?verbose=1', 'verbose', 'This address takes no parameters.'],
]

runPolicyScenarios('an unknown parameter', [
  {
    name: 'gets a suggestion, or the list of parameters that the path takes',
    config: posts,
    steps: PARAMS.map(([path, param, advice]) => {
      const message = `Unknown parameter "${param}". ${advice}`
      return get(path, {
        status: 400,
        body: { details: { issues: [{ path: param, code: 'unknown_param', message }] } },
      })
    }),
  },
])

const SLUG = 'slug must consist of letters and digits with single -, _ or . between them, such as my-first-post.'

runPolicyScenarios('a fault in a value', [
  {
    name: 'is described without a regular expression',
    config: kitchen,
    steps: (
      [
        ['slug', 'a slug', 'slug', SLUG],
        ['slug', '-a', 'slug', SLUG],
        ['slug', 'a--b', 'slug', SLUG],
        ['slug', '/', 'slug', SLUG],
        ['slug', MISSING, 'id_shape', 'slug must not have the form of an id.'],
        [
          'link',
          'ftp://a.example',
          'url',
          'link must begin with http:// or https://, such as https://example.org/page.',
        ],
      ] as const
    ).map(([field, value, code, message]) =>
      create(
        'things',
        { title: 'x', [field]: value },
        { status: 400, body: { details: { issues: [{ path: `/${field}`, code, message }] } } },
      ),
    ),
  },
])

const NO_SESSION = ERRORS.UNAUTHORIZED.message
const TOKEN = 'The token is unknown or has expired. Send another one, or sign in again.'
const SCHEME = 'A session is required. Write the header as Authorization: Bearer TOKEN.'
const COOKIE = 'The request has no session cookie, or the session has ended. Sign in again.'

/** Invalid credentials, each with its message. */
const CREDENTIALS: readonly (readonly [headers: Readonly<Record<string, string>>, message: string])[] = [
  [{}, NO_SESSION],
  [{ Authorization: 'Bearer nobody-knows-this-token-0123456789' }, TOKEN],
  [{ Authorization: 'bearer x' }, TOKEN],
  [{ Authorization: 'Basic bmFtZTp3b3Jk' }, SCHEME],
  [{ Authorization: 'nobody-knows-this-token-0123456789' }, SCHEME],
  [{ Cookie: 'better-auth.session_token=nobody.knows' }, COOKIE],
]

runPolicyScenarios('a credential', [
  {
    name: 'that is invalid gets another message than a missing one',
    config: kitchen,
    steps: CREDENTIALS.flatMap(([headers, message]): readonly Step[] => {
      const refused = { headers, status: 401, body: { code: 'UNAUTHORIZED', message, details: {} } }
      const json = { headers: { ...headers, 'Content-Type': 'application/json' }, raw: '{}' }
      return [
        { ...refused, ...json, method: 'POST', path: '/api/things' },
        { ...refused, ...json, method: 'PUT', path: '/api/globals/site' },
        get('/api/members', refused),
        get('/api/globals/internal', refused),
      ]
    }),
  },
])

runPolicyScenarios('a refusal by a rule', [
  {
    name: 'names the action, and nothing of the rule',
    config: kitchen,
    steps: [
      create('archive', { title: 'a' }, { keep: { id: '/id' } }),
      ...(['PUT', 'PATCH', 'DELETE'] as const).map((method): Step => {
        const verb = method === 'DELETE' ? 'delete' : 'change'
        const message = `You are signed in, but the access rules do not allow you to ${verb} entries of archive.`
        const json = method === 'DELETE' ? {} : { json: { title: 'b' } }
        return { method, path: '/api/archive/{id}', auth: true, ...json, status: 403, body: { message } }
      }),
    ],
  },
])

describe.each(POLICY_STORES)('a refusal on $name', (store) => {
  test('because of a missing scope names the scope', async () => {
    const service = await store.open(kitchen)
    const caller = { ...createServiceCaller('token', 'token:reader'), scopes: ['notes:read'] }
    try {
      await expect(service.content.as(caller).create('things', { title: 'x' })).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: 'You are signed in, but the scopes of your token do not allow you to create entries of things.',
      })
      await expect(service.content.as(caller).list('members')).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: 'You are signed in, but the scopes of your token do not allow you to read entries of members.',
      })
      await expect(service.content.as(caller).writeGlobal('site', { about: 'x' })).rejects.toMatchObject({
        message: 'You are signed in, but the scopes of your token do not allow you to change the global site.',
      })
    } finally {
      await service.close()
    }
  })
})
