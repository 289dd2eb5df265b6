import { createTestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../../src/auth/api-tokens.ts'
import type { Route } from '../../../src/http/contract.ts'
import { requireProtection } from '../../../src/http/protection.ts'
import { Router } from '../../../src/http/router.ts'
import { textOf } from '../../support/scenarios/client.ts'
import { kindsOf, routesOf } from '../../support/scenarios/routes.ts'
import { expectSane } from '../../support/scenarios/sane.ts'
import type { Place } from '../../support/stores/place.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'
import { DOT, toForm, upload } from '../../support/uploads.ts'
import { config, SERVICE_TOKEN } from './authorization-config.ts'

/** `banned` sends the credential of a session that has ended, `readToken` one that may read everything. */
const ROLES = ['anonymous', 'banned', 'human', 'contributor', 'readToken', 'editor', 'service'] as const
type Role = (typeof ROLES)[number]

/** The statuses for a caller without a session, one with a session, an editor, and a program with the service token. */
type Statuses = readonly [anonymous: number, human: number, editor: number, service: number]
/** Statuses by the collection or global in the path. */
type ByDocument = Readonly<Record<string, Statuses>>

const everyone: Statuses = [200, 200, 200, 200]
const READ: ByDocument = { plain: everyone, edited: everyone, closed: [401, 403, 200, 200] }
const READ_ENTRY: ByDocument = { ...READ, limited: [404, 404, 200, 200] }

const READ_SESSION: ByDocument = {
  plain: [401, 200, 200, 200],
  edited: [401, 200, 200, 200],
  closed: [401, 403, 200, 200],
}

const write = (done: number): ByDocument => ({
  plain: [401, done, done, done],
  edited: [401, 403, done, done],
  closed: [401, 403, done, done],
})

const GLOBAL_HISTORY: ByDocument = {
  plain: [401, 200, 200, 200],
  edited: [401, 200, 200, 200],
  closed: [401, 403, 200, 200],
}
const HISTORY: ByDocument = { ...GLOBAL_HISTORY, limited: [401, 404, 200, 200] }

const EXPECTED: Readonly<Record<string, Statuses | ByDocument>> = {
  getHealth: everyone,
  getReady: everyone,
  getMetrics: [401, 403, 403, 200],
  getGlobal: READ,
  putGlobal: write(200),
  runBatch: { ...write(200), limited: [401, 200, 200, 200] },
  undoChanges: [401, 200, 200, 200],
  listChanges: everyone,
  streamEvents: everyone,
  listJournal: [401, 200, 200, 200],
  enterEntry: { ...READ_SESSION, limited: [401, 404, 200, 200] },
  leaveEntry: {
    plain: [401, 204, 204, 204],
    edited: [401, 204, 204, 204],
    closed: [401, 403, 204, 204],
    limited: [401, 404, 204, 204],
  },
  searchContent: everyone,
  listBrokenLinks: [401, 200, 200, 200],
  listDrafts: [401, 200, 200, 200],
  listSchedules: [401, 200, 200, 200],
  listEntries: { ...READ, limited: everyone },
  createEntry: { ...write(201), limited: [201, 201, 201, 201] },
  uploadAsset: [401, 201, 201, 201],
  getAssetImage: everyone,
  getEntry: READ_ENTRY,
  updateEntry: { ...write(200), limited: [404, 404, 200, 200] },
  patchEntry: { ...write(200), limited: [404, 404, 200, 200] },
  patchMany: { ...write(200), limited: [200, 200, 200, 200] },
  deleteMany: { ...write(200), limited: [200, 200, 200, 200] },
  findReferences: {
    plain: [401, 200, 200, 200],
    edited: [401, 200, 200, 200],
    closed: [401, 403, 200, 200],
    limited: [401, 404, 200, 200],
  },
  restoreEntry: { ...write(200), limited: [404, 404, 200, 200] },
  moveEntry: { ...write(200), limited: [404, 404, 200, 200] },
  publishEntry: { plain: [401, 200, 200, 200] },
  unpublishEntry: { plain: [401, 200, 200, 200] },
  unscheduleEntry: { plain: [401, 204, 204, 204] },
  previewEntry: { plain: [401, 201, 201, 201] },
  revokePreviewsOfEntry: { plain: [401, 204, 204, 204] },
  deleteEntry: { ...write(204), limited: [404, 404, 204, 204] },
  listVersionsOfEntry: HISTORY,
  getVersionOfEntry: HISTORY,
  listVersionsOfGlobal: GLOBAL_HISTORY,
  getVersionOfGlobal: GLOBAL_HISTORY,
  listThrough: { ...READ, limited: everyone },
  createThrough: { ...write(201), limited: [201, 201, 201, 201] },
  updateThrough: { ...write(200), limited: [404, 404, 200, 200] },
  deleteThrough: { ...write(204), limited: [404, 404, 204, 204] },
  sessionThrough: [401, 200, 200, 200],
  getSession: everyone,
  getAuthActions: everyone,
  getPermissions: everyone,
  listPeople: [401, 200, 200, 200],
  getAdministration: [401, 200, 200, 200],
  getModel: [401, 200, 200, 200],
  getOpenApi: everyone,
  getDocs: everyone,
  getDocsFile: [404, 404, 404, 404],
  exportContent: [401, 403, 403, 200],
  runAuthAction: everyone,
  getAuthProvider: everyone,
  postAuthProvider: everyone,
  putAuthProvider: everyone,
  patchAuthProvider: everyone,
  deleteAuthProvider: everyone,
}

/** Parameters that change the meaning of a request, by operation. */
const BY_QUERY: Readonly<Record<string, { readonly query: string; readonly expected: ByDocument }>> = {
  listEntries: {
    query: '?deleted=true',
    expected: {
      plain: [401, 200, 200, 200],
      edited: [401, 403, 200, 200],
      closed: [401, 403, 200, 200],
      limited: [401, 403, 200, 200],
    },
  },
}

const PUBLICATIONS = /^(?:publish|unpublish|unschedule|restore|preview)Entry$|^revokePreviewsOfEntry$/

/** Routes that write to collections outside their path. */
const WRITES_WITHOUT_ACTION: ReadonlySet<string> = new Set([
  'runBatch',
  'createThrough',
  'updateThrough',
  'deleteThrough',
])

const PRESENCE = /^(?:enter|leave)Entry$/

/** The status for a role. A role that no rule of this config names gets that of others. */
function statusFor({ route, document, expected, query }: Cell, role: Role): number {
  const [anonymous, human, editor, service] = expected
  if (role === 'editor') return editor
  if (role === 'service') return service
  if (role === 'anonymous' || role === 'banned') return anonymous
  // The list of deleted entries has those that the caller may write again.
  const isWrite = route.action !== undefined || WRITES_WITHOUT_ACTION.has(route.operationId) || query !== ''
  // Routes that the rules of the last document open to everyone are open to the token, too.
  const isOfDrafts = PRESENCE.test(route.operationId) && document === 'plain'
  const isRefused = role === 'readToken' && (isOfDrafts || (isWrite && document !== 'limited')) && human < 300
  return isRefused ? 403 : human
}

/** The parameters that a read requires, by its path. */
const QUERIES: Readonly<Record<string, string>> = { '/api/cms/search': '?q=made' }

const ALL: readonly Route[] = kindsOf(await routesOf(config))

interface Cell {
  readonly route: Route
  readonly document: string
  readonly expected: Statuses
  /** The operation and its parameters. */
  readonly name: string
  readonly query: string
}

const CELLS: readonly Cell[] = ALL.flatMap((route) => {
  const { operationId } = route
  const expected = EXPECTED[operationId]
  if (!expected) return []
  const byDocument = 'plain' in expected ? expected : { plain: expected as Statuses }
  const more = BY_QUERY[operationId]
  const cellsOf = (statuses: ByDocument, query: string): readonly Cell[] =>
    Object.entries(statuses).map(([document, byCaller]) => ({
      route,
      name: operationId + query,
      document,
      query,
      expected: byCaller,
    }))
  return [...cellsOf(byDocument, ''), ...(more ? cellsOf(more.expected, more.query) : [])]
})

test('the matrix has every route, with a status for each role, and nothing else', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(ALL.map(({ operationId }) => operationId).sort())
})

test('every operation of the OpenAPI document is in the matrix, and declares whether it needs a session', async () => {
  await using service = await createTestService(config, { export: true, metrics: true })
  const response = await service.request('/openapi.json', { headers: { Authorization: `Bearer ${service.token}` } })
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security: readonly object[] }>>>>
  }
  const router = new Router(service.routes)
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, { security }]) => ({ path, verb, security })),
  )
  for (const { path, verb, security } of operations) {
    const match = router.find(verb.toUpperCase(), path.replace(/\{\w+\}/g, 'x'))
    const route = match && 'route' in match ? match.route : undefined
    const expected = EXPECTED[route?.operationId ?? '']
    expect(expected, `${verb} ${path}`).toBeDefined()
    const statuses = expected && 'plain' in expected ? expected[route?.resource?.key ?? 'plain'] : expected
    const [anonymous] = (statuses ?? []) as readonly number[]
    const needsSession = security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0)
    // A public route of a plugin decides in its `run`.
    if (route?.plugin !== undefined) expect(needsSession, `${verb} ${path}`).toBe(route.protection === 'session')
    // A route without a collection in its path is checked with the plain one.
    else if (anonymous !== undefined) expect(needsSession, `${verb} ${path}`).toBe(anonymous === 401)
  }
  const documented = new Set(
    operations.map(({ path, verb }) => `${verb.toUpperCase()} ${path.replace(/\{\w+\}/g, 'x')}`),
  )
  // Pages are not part of the API.
  const served = service.routes
    .filter(({ ignoresCaller }) => !ignoresCaller)
    .map(({ method, path, resource }) => `${method} ${shapeOf(path, resource?.key ?? 'x')}`)
  expect(served.filter((operation) => !documented.has(operation))).toEqual([])
})

test('a route without protection is rejected at start, and so is one that changes content past the rules', () => {
  expect(() => requireProtection(ALL)).not.toThrow()
  const [route] = ALL as readonly [Route]
  const unprotected = { ...route, method: 'POST', path: '/api/open', protection: undefined } as unknown as Route
  const unruled: Route = {
    ...route,
    method: 'PUT',
    path: '/api/:collection/:id',
    protection: 'session',
    resource: ALL.find(({ operationId }) => operationId === 'updateEntry')?.resource as NonNullable<Route['resource']>,
  }
  expect(() => requireProtection([...ALL, unprotected])).toThrow(/POST \/api\/open has no protection/)
  expect(() => requireProtection([unruled])).toThrow(/PUT \/api\/:collection\/:id changes content/)
})

test('only routes for signing in and out accept changes without a session', () => {
  const coreRoutes = ALL.filter(({ plugin }) => plugin === undefined)
  const open = coreRoutes.filter(({ method, protection }) => method !== 'GET' && protection !== 'session')
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/cms/auth/actions/:action',
    'POST /api/auth/*',
    'PUT /api/auth/*',
    'PATCH /api/auth/*',
    'DELETE /api/auth/*',
  ])
})

describe.each(POLICY_STORES)('the authorization matrix on $name', (store) => {
  let place: Place
  let opened: Awaited<ReturnType<Place['open']>>
  let readToken = ''
  let entryCount = 0
  const service = {
    token: SERVICE_TOKEN,
    request: (path: string, init?: RequestInit): Promise<Response> =>
      opened.fetch(new Request(`http://cms.example${path}`, init)),
  }
  beforeAll(async () => {
    place = await store.at()
    opened = await place.open(config, { export: true, metrics: true, strict: true, serviceToken: SERVICE_TOKEN })
    const stored = await place.store()
    const rights = { scopes: ['*:read'], roles: ['reader'], expiresAt: null } as const
    readToken = (await new ApiTokens(stored.records).create({ name: 'site', ...rights })).token
    await stored.close()
  })
  afterAll(async () => {
    await opened?.close()
    await place?.[Symbol.asyncDispose]()
  })

  const headersOf = (role: Role): Readonly<Record<string, string>> => {
    const token = {
      anonymous: undefined,
      banned: 'eve',
      human: 'cleo',
      contributor: 'ines',
      readToken,
      editor: 'ann',
      service: service.token,
    }[role]
    return token === undefined ? {} : { Authorization: `Bearer ${token}` }
  }

  async function send(method: string, path: string, role: Role, json?: unknown): Promise<number> {
    const isForm = json instanceof FormData
    const response = await service.request(path, {
      method,
      headers: { ...headersOf(role), ...(json === undefined || isForm ? {} : { 'Content-Type': 'application/json' }) },
      ...(json === undefined ? {} : { body: isForm ? json : JSON.stringify(json) }),
    })
    const result = { status: response.status, headers: response.headers, text: await textOf(response) }
    expectSane(result, method)
    return response.status
  }

  /** The revision of the last prepared write. */
  let revision = ''

  async function prepare(method: 'POST' | 'PUT', path: string, json: object): Promise<unknown> {
    const response = await service.request(path, {
      method,
      headers: { ...headersOf('service'), 'Content-Type': 'application/json' },
      body: JSON.stringify(json),
    })
    expect(response.status).toBe(method === 'POST' ? 201 : 200)
    revision = response.headers.get('Daybook-Seq') ?? ''
    return response.json()
  }

  async function makeEntry(collection: string): Promise<string> {
    return ((await prepare('POST', `/api/${collection}`, { title: `made ${entryCount++}` })) as { id: string }).id
  }

  const makePicture = async (): Promise<string> => (await upload(service, { content: DOT, name: 'dot.png' })).id

  /** Fills a path with a new entry or picture. */
  async function addressOf(path: string, document: string): Promise<string> {
    const make = path.endsWith('/image') ? makePicture : () => makeEntry(document)
    if (path.startsWith('/api/globals/:key/versions'))
      await prepare('PUT', `/api/globals/${document}`, { text: `made ${entryCount++}` })
    const address = path
      .replace(':collection', document)
      .replace(':key', document)
      .replace(/:(?:slug|id)\b/, /:(?:slug|id)\b/.test(path) ? await make() : '')
      .replace(':action', 'any')
      .replace('*', 'any')
    return address.replace(':revision', revision) + (QUERIES[path] ?? '')
  }

  async function publicationOf(operationId: string, document: string, path: string) {
    const id = path.split('/')[3] ?? ''
    if (operationId === 'unscheduleEntry')
      await send('POST', `/api/${document}/${id}/publish`, 'service', { publishAt: '2999-01-01T00:00:00Z' })
    if (operationId !== 'restoreEntry') return { path }
    const [record] = await place.rows<{ seq: number }>('SELECT seq FROM daybook$journal WHERE id = ?', id)
    return { path, json: { revision: Number(record?.seq) } }
  }

  /** A request that succeeds for a permitted caller. */
  async function requestOf({
    route,
    document,
    query,
  }: Cell): Promise<{ readonly path: string; readonly json?: unknown }> {
    const { path, method, operationId } = route
    const target = (await addressOf(path, document)) + query
    if (operationId === 'deleteMany' || operationId === 'patchMany') {
      const path = `${target}?where[id][eq]=${await makeEntry(document)}`
      return operationId === 'deleteMany' ? { path } : { path, json: { title: `sent ${entryCount++}` } }
    }
    if (PUBLICATIONS.test(operationId)) return publicationOf(operationId, document, target)
    if (method === 'GET' || method === 'DELETE') return { path: target }
    if (operationId === 'undoChanges') {
      await makeEntry('plain')
      return { path: target, json: { from: Number(revision) } }
    }
    if (operationId === 'runBatch') {
      const operation = { op: 'create', collection: document, data: { title: `batch ${entryCount++}` } }
      return { path: target, json: { operations: [operation] } }
    }
    return { path: target, json: createBody(route, `sent ${entryCount++}`) }
  }

  const cases = CELLS.flatMap((cell) => ROLES.map((role) => ({ cell, role, status: statusFor(cell, role) })))
  test.each(cases)('$cell.name of $cell.document returns $status for $role', async ({ cell, role, status }) => {
    const { path, json } = await requestOf(cell)
    expect(await send(cell.route.method, path, role, json)).toBe(status)
  })

  test.each(ROLES)('a method that a path does not have is 405 for %s', async (role) => {
    for (const path of new Set(ALL.map((route) => shapeOf(route.path)))) {
      const same = ALL.filter((route) => [shapeOf(route.path), shapeOf(route.path, 'assets')].includes(path))
      const undeclared = METHODS.filter((method) => !same.some((route) => route.method === method))
      for (const method of undeclared) expect(await send(method, path, role), `${method} ${path}`).toBe(405)
    }
  })

  test.each(ROLES)('a path in another spelling is 404 for %s', async (role) => {
    // A plugin interprets the open end of its paths itself.
    const routes = ALL.filter(({ path, plugin }) => !path.endsWith('*') && plugin === undefined)
    const spellings = routes.flatMap(({ method, path }) =>
      spellingsOf(path).map((spelling) => [method, spelling] as const),
    )
    for (const [method, spelling] of spellings) {
      expect(await send(method, spelling, role), `${method} ${spelling}`).toBe(404)
    }
  })
})

function createBody({ operationId, resource }: Route, title: string): object {
  if (operationId === 'uploadAsset') return toForm({})
  if (operationId === 'enterEntry') return {}
  if (operationId === 'moveEntry') return { position: 'first' }
  return resource?.kind === 'global' ? { text: 'x' } : { title }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The path of a route, with equal names of parameters. */
const shapeOf = (path: string, key = 'plain'): string =>
  path
    .replace(/:(?:collection|key)\b/, key)
    .replace(/:(?:slug|id|action|revision)\b/g, 'x')
    .replace('*', 'x')

/** Paths that a careless match would accept. A name in a path may have more characters than a fixed part. */
function spellingsOf(pattern: string): readonly string[] {
  const path = shapeOf(pattern)
  const general = [
    `${path}/`,
    `/${path}`,
    path.replace(/^\/\w+/, (first) => first.toUpperCase()),
    ...(path.startsWith('/api/') ? [path.replace('/api/', '/api%2F')] : []),
  ]
  return /:(?:slug|id|action|revision)$/.test(pattern)
    ? general
    : [...general, `${path}%2f`, `${path};a`, `${path}.json`]
}
