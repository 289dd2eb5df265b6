import { defineCollection, defineConfig, defineGlobal, f, hasRole, isAuthenticated, type Service } from 'daybook'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ApiTokens, type NewApiToken } from '../../src/auth/api-tokens.ts'
import { DuplicateKeyError } from '../../src/auth/records.ts'
import { findScopeViolation } from '../../src/auth/scopes.ts'
import type { Store } from '../../src/store/store.ts'
import { expectSane } from '../support/scenarios/sane.ts'
import type { Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const config = defineConfig({
  auth: { registration: 'closed' },
  collections: {
    people: defineCollection({ fields: { name: f.text({ required: true }), state: f.status() } }),
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        author: f.relation('people'),
        secret: f.text({ access: { read: hasRole('service') } }),
        state: f.status(),
      },
    }),
    closed: defineCollection({ fields: { title: f.text() }, access: { read: isAuthenticated } }),
    open: defineCollection({ fields: { title: f.text() }, access: { create: () => true } }),
    edited: defineCollection({ fields: { title: f.text() }, access: { create: hasRole('editor') } }),
  },
  globals: { site: defineGlobal({ fields: { title: f.text() } }) },
})

interface RequestOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

describe.each(POLICY_STORES)('named tokens on $name', ({ at }) => {
  let place: Place
  let service: Service
  let store: Store
  let tokens: ApiTokens
  let person: string
  let draft: string
  let published: string
  let count = 0

  beforeAll(async () => {
    vi.stubEnv('ENABLE_CMS_EXPORT', 'true')
    place = await at()
    service = await place.open({ ...config })
    store = await place.store()
    tokens = new ApiTokens(store.records)
    const create = (collection: string, data: object) =>
      service.content.create(collection, data as never) as Promise<{ readonly id: string }>
    person = (await create('people', { name: 'Ann', state: 'draft' })).id
    draft = (await create('posts', { title: 'Draft', state: 'draft', author: person, secret: 'canary-field' })).id
    published = (await create('posts', { title: 'Out', author: person, secret: 'canary-field' })).id
    await create('closed', { title: 'A' })
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await store.close()
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  async function make(scopes: readonly string[], more: Partial<NewApiToken> = {}): Promise<string> {
    count += 1
    return (await tokens.create({ name: `t${count}`, scopes, roles: ['service'], expiresAt: null, ...more })).token
  }

  async function sendRequest(
    token: string | undefined,
    path: string,
    { method = 'GET', body, headers = {} }: RequestOptions = {},
  ) {
    const response = await service.fetch(
      new Request(`http://cms.example${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    // The provider formats these responses.
    if (!path.startsWith('/api/auth/')) expectSane({ status: response.status, headers: response.headers, text })
    return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
  }

  const POST = (body: object): RequestOptions => ({ method: 'POST', body })
  const PATCH = (body: object): RequestOptions => ({ method: 'PATCH', body })
  const title = { title: 'B' }

  test.each<
    readonly [scopes: readonly string[], what: string, path: () => string, request: RequestOptions, status: number]
  >([
    [['posts:create'], 'creates a post', () => '/api/posts', POST(title), 201],
    [['posts:create'], 'changes no post', () => `/api/posts/${published}`, PATCH(title), 403],
    [['posts:create'], 'deletes no post', () => `/api/posts/${published}`, { method: 'DELETE' }, 403],
    [['posts:create'], 'knows of no draft', () => `/api/posts/${draft}`, PATCH(title), 404],
    [['posts:update'], 'changes a post', () => `/api/posts/${draft}`, PATCH({ title: 'Draft' }), 200],
    [['posts:update'], 'creates no post', () => '/api/posts', POST(title), 403],
    [['posts:*'], 'creates a post', () => '/api/posts', POST(title), 201],
    [['posts:*'], 'creates no person', () => '/api/people', POST({ name: 'B' }), 403],
    [['*:create'], 'creates a person', () => '/api/people', POST({ name: 'B', state: 'draft' }), 201],
    [['*:read'], 'reads what takes a session', () => '/api/closed', {}, 200],
    [['*:read'], 'creates nothing', () => '/api/posts', POST(title), 403],
    [['posts:*'], 'does not read what takes a session', () => '/api/closed', {}, 403],
    [['posts:*'], 'does what anyone may', () => '/api/open', POST(title), 201],
    [['*'], 'keeps to the rules of the config', () => '/api/edited', POST(title), 403],
    [['*'], 'writes a global', () => '/api/globals/site', { method: 'PUT', body: title }, 200],
    [['globals.site:update'], 'writes that global', () => '/api/globals/site', { method: 'PUT', body: title }, 200],
    [['posts:*'], 'writes no global', () => '/api/globals/site', { method: 'PUT', body: title }, 403],
    [
      ['posts:*'],
      'does nothing of a batch that goes beyond it',
      () => '/api/cms/batch',
      POST({
        operations: [
          { op: 'create', collection: 'posts', data: title },
          { op: 'create', collection: 'people', data: { name: 'B' } },
        ],
      }),
      403,
    ],
  ])('with %j: %s', async (scopes, _what, path, request, status) => {
    expect((await sendRequest(await make(scopes), path(), request)).status).toBe(status)
  })

  test('access rules see the roles of a token', async () => {
    const editor = await make(['edited:create'], { roles: ['editor'] })
    expect((await sendRequest(editor, '/api/edited', POST(title))).status).toBe(201)
  })

  test('outside its scopes, a token sees public content only, and no response of another token', async () => {
    const [updater, reader] = [await make(['posts:update']), await make(['people:*'])]
    const list = (token: string | undefined) => sendRequest(token, '/api/posts?sort=title&limit=100')
    const [asPublic, asOwn, asOther] = [await list(undefined), await list(updater), await list(reader)]
    expect(asOther.json.items).toEqual(asPublic.json.items)
    expect(asOther.json.total).toBe(asPublic.json.total)
    expect(asOwn.json.total).toBeGreaterThan(asPublic.json.total)
    expect(asOwn.json.items.map((post: { state: string }) => post.state)).toContain('draft')
    expect(asOther.headers.get('cache-control')).toBe('private, no-store')
    expect(asOther.headers.get('etag')).not.toBe(asOwn.headers.get('etag'))
    const tag = { 'If-None-Match': asOwn.headers.get('etag') ?? '' }
    expect((await sendRequest(reader, '/api/posts?sort=title&limit=100', { headers: tag })).status).toBe(200)
    expect((await sendRequest(reader, `/api/posts/${draft}`)).status).toBe(404)
    expect((await sendRequest(updater, `/api/posts/${draft}`)).status).toBe(200)
  })

  test('without the scope for updates, a token sees no drafts', async () => {
    const token = await make(['*:read', '*:create', '*:delete'])
    for (const path of [
      '/api/posts?limit=100',
      '/api/posts?draft=true',
      '/api/posts?q=draft',
      '/api/posts?status=draft',
      '/api/posts?aggregate=count:state',
      '/api/people?limit=0',
      `/api/people/${person}`,
      `/api/people/${person}?draft=true`,
      `/api/posts/${draft}/versions`,
      '/api/cms/search?q=draft',
      '/api/cms/drafts',
      '/api/cms/changes',
      '/api/cms/journal',
    ]) {
      const { json } = await sendRequest(token, path)
      expect(JSON.stringify(json), path).not.toMatch(/"(?:Draft|Ann|draft)"/)
      expect(JSON.stringify(json), path).not.toContain(draft)
    }
    for (const path of [`/api/posts/${draft}/preview`, `/api/posts/${published}/preview`])
      expect((await sendRequest(token, path, POST({}))).status).toBe(path.includes(draft) ? 404 : 403)
  })

  test('outside its scopes, a token sees public fields only', async () => {
    const [updater, reader] = [await make(['posts:update']), await make(['people:read'])]
    const secretly = '/api/posts?where[secret][eq]=canary-field'
    expect((await sendRequest(updater, secretly)).json.total).toBe(2)
    expect((await sendRequest(reader, secretly)).status).toBe(400)
    expect(JSON.stringify((await sendRequest(reader, '/api/posts')).json)).not.toContain('canary-field')
  })

  test('included relations respect the scopes', async () => {
    const path = `/api/posts/${draft}?include=author`
    expect((await sendRequest(await make(['posts:*', 'people:*']), path)).json.author).toMatchObject({ name: 'Ann' })
    expect((await sendRequest(await make(['posts:*']), path)).json.author).toBeNull()
    const references = `/api/people/${person}/references`
    const all = await sendRequest(await make(['*']), references)
    const some = await sendRequest(await make(['people:*']), references)
    expect([all.json.total, some.json.total]).toEqual([2, 1])
    expect((await sendRequest(await make(['posts:*']), references)).status).toBe(404)
  })

  test('the permissions of a token are reported', async () => {
    const token = await make(['posts:update', 'globals.site:*'])
    const { json } = await sendRequest(token, '/api/cms/auth/permissions')
    expect(json.collections.posts).toMatchObject({ read: true, create: false, update: true, delete: false })
    expect(json.collections.open).toMatchObject({ create: true, update: false })
    expect(json.collections.closed).toBeUndefined()
    expect(json.globals.site).toMatchObject({ read: true, update: true })
  })

  test('identifies a service with its name and scopes', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const token = await make(['posts:read'], { name: 'site build', expiresAt })
    const id = token.split('_')[1]
    expect((await sendRequest(token, '/api/cms/auth/session')).json).toEqual({
      authenticated: true,
      principal: { id, name: 'site build' },
      identity: {
        provider: 'api-token',
        subject: id,
        sessionId: id,
        actorType: 'service',
        expiresAt,
        claims: { name: 'site build', scopes: ['posts:read'] },
        roles: ['service'],
      },
    })
  })

  test('is no session of a person: routes that need one reject it, in any spelling of the path', async () => {
    const token = await make(['*'], { roles: ['admin'] })
    expect(
      (await sendRequest(token, '/api/cms/auth/actions/login', POST({ email: 'a@b.example', password: 'x' }))).status,
    ).toBe(401)
    const passwords = POST({ currentPassword: 'a long one', newPassword: 'another long one' })
    expect((await sendRequest(token, '/api/auth/change-password', passwords)).status).toBe(401)
    expect((await sendRequest(token, '/api/auth/admin/list-users')).status).toBe(401)
    for (const path of ['/api/auth//change-password', '/api/auth/change-password/', '/API/auth/change-password']) {
      expect([401, 404], path).toContain((await sendRequest(token, path, passwords)).status)
    }
  })

  test('gives no session if it has expired, is altered or truncated, or is sent outside of Authorization', async () => {
    const token = await make(['*'])
    const over = await make(['*'], { expiresAt: new Date(Date.now() - 1).toISOString() })
    const other = await make(['*'])
    const mixed = token.slice(0, 21) + other.slice(21)
    for (const wrong of [
      over,
      `${token.slice(0, -1)}~`,
      token.slice(0, -1),
      `${token}a`,
      mixed,
      'daybook_',
      token.toUpperCase(),
    ]) {
      expect((await sendRequest(wrong, '/api/posts', POST(title))).status, wrong).toBe(401)
    }
    expect((await sendRequest(undefined, `/api/posts?token=${token}`, POST(title))).status).not.toBe(201)
    expect(
      (await sendRequest(undefined, '/api/posts', { ...POST(title), headers: { Cookie: `token=${token}` } })).status,
    ).toBe(401)
    expect((await sendRequest(token, '/api/posts', POST(title))).status).toBe(201)
  })

  test('is invalid within a second of being revoked by name or by id', async () => {
    for (const toName of [(id: string) => id, () => 'by name']) {
      const token = await make(['*'], { name: 'by name' })
      expect((await sendRequest(token, '/api/closed')).status).toBe(200)
      expect(await tokens.revoke(toName(token.split('_')[1] ?? ''))).toBe(true)
      await expect.poll(async () => (await sendRequest(token, '/api/closed')).status).toBe(401)
    }
    expect(await tokens.revoke('by name')).toBe(false)
  })

  test('has a unique name, and records its last use', async () => {
    const token = await make(['*:read'], { name: 'once' })
    await expect(make(['*'], { name: 'once' })).rejects.toThrow(DuplicateKeyError)
    const readToken = async () => (await tokens.list()).find(({ name }) => name === 'once')
    expect(await readToken()).toMatchObject({ prefix: token.slice(0, 20), scopes: ['*:read'], lastUsedAt: null })
    await sendRequest(token, '/api/posts')
    await expect.poll(async () => (await readToken())?.lastUsedAt).toMatch(/^\d{4}-/)
    await expect(make(['*'], { name: 'once' })).rejects.toThrow(DuplicateKeyError)
  })

  test.each([
    [['export'], 200],
    [['*'], 200],
    [['*:read', 'posts:*'], 403],
  ])('with %j gets status %i for an export, which contains no tokens', async (scopes, status) => {
    const token = await make(scopes)
    const headers = { Authorization: `Bearer ${token}` }
    const response = await service.fetch(new Request('http://cms.example/api/export', { headers }))
    const text = await response.text()
    expect(response.status).toBe(status)
    expect(text).not.toContain('daybook_')
    if (status === 200) expect(text).toContain('canary-field')
  })

  test('cannot be recovered from the database', async () => {
    const token = await make(['*'])
    const rows = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'token'")
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(token.slice(21))
    expect(Object.keys((await tokens.list())[0] ?? {})).not.toContain('digest')
  })
})

test.each([
  ['*', undefined],
  ['export', undefined],
  ['posts:read', undefined],
  ['posts:*', undefined],
  ['*:delete', undefined],
  ['globals.site:update', undefined],
  ['posts', 'such as posts:update'],
  ['posts:write', 'such as posts:update'],
  ['posts:read:x', 'such as posts:update'],
  ['post:read', 'Unknown collection or global "post". Use one of: posts, globals.site.'],
  ['site:read', 'Unknown collection or global "site".'],
  ['', 'such as posts:update'],
])('the scope "%s" is accepted, or rejected with advice', (scope, fault) => {
  const documents = [
    { kind: 'collection', key: 'posts' },
    { kind: 'global', key: 'site' },
  ] as const
  const [, message] = findScopeViolation(scope, documents) ?? []
  if (fault === undefined) expect(message).toBeUndefined()
  else expect(message).toContain(fault)
})
