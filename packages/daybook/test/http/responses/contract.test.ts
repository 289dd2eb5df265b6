import { defineCollection, ERRORS, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { RESERVED_SEGMENTS } from '../../../src/config/check-config.ts'
import { findUndeclared, type Route } from '../../../src/http/contract.ts'
import { Router } from '../../../src/http/router.ts'
import { kindsOf, routesOf } from '../../support/scenarios/routes.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get } from '../../support/scenarios/steps.ts'

const ROUTES = await routesOf(blog)
const KINDS = kindsOf(ROUTES)

const routeOf = (operationId: string): Route => {
  const route = KINDS.find((kind) => kind.operationId === operationId)
  if (!route) throw new Error(`There is no ${operationId}.`)
  return route
}

describe('the contract of a route', () => {
  test.each(KINDS.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is complete',
    (_name, route) => {
      const { method, parameters = {}, body, responses, errors, protection } = route
      expect(route.summary).toMatch(/\.$/)
      // A request that is forwarded to the provider may have a body with any method except GET.
      const isForwarded = protection === 'provider' && route.path.endsWith('/*')
      expect(body !== undefined, 'a body').toBe(isForwarded ? method !== 'GET' : !['GET', 'DELETE'].includes(method))
      for (const { description, schema } of Object.values(parameters)) {
        expect(description).toMatch(/\.$/)
        expect(schema).toBeTypeOf('object')
      }
      for (const code of errors) expect(Object.keys(ERRORS)).toContain(code)
      if (protection === 'provider') expect(responses, 'the adapter decides').toBeUndefined()
      else expect(responses?.length).toBeGreaterThan(0)
    },
  )

  test('undeclared statuses and headers are listed', () => {
    const list = routeOf('listEntries')
    expect(findUndeclared(list, { status: 200, headers: { ETag: '"a"' } })).toEqual([])
    expect(findUndeclared(list, { status: 404, headers: { 'Cache-Control': 'no-store' } })).toEqual([])
    expect(findUndeclared(list, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })).toEqual([])
    expect(findUndeclared(list, { status: 201 })).toEqual(['status 201'])
    expect(findUndeclared(list, { status: 409 })).toEqual(['status 409'])
    expect(findUndeclared(list, { status: 200, headers: { Location: '/a' } })).toEqual(['header Location of 200'])
  })

  test('collections cannot have the keys of other first path segments, and of assets; all other keys are free', () => {
    const segments = KINDS.flatMap(({ path }) => /^\/api\/([^/:]+)/.exec(path)?.[1] ?? [])
    expect([...new Set([...segments, 'assets'])].sort()).toEqual([...RESERVED_SEGMENTS].sort())
  })
})

describe('the router', () => {
  const route = (method: Route['method'], path: string): Route => ({
    method,
    path,
    operationId: `${method} ${path}`,
    summary: 'Answers.',
    protection: 'public',
    requestHeaders: [],
    errors: [],
    run: async () => ({ status: 200 }),
  })
  const router = new Router([
    route('GET', '/api/a/:one'),
    route('PUT', '/api/a/:other'),
    route('GET', '/api/a/:one/b/:two'),
    route('GET', '/api/a/fixed'),
    route('GET', '/api/p/*'),
  ])
  const find = (method: string, path: string): unknown => {
    const match = router.find(method, path)
    return match && 'route' in match ? [match.route.path, match.path] : match
  }

  test.each([
    ['GET', '/api/a/x', ['/api/a/:one', { one: 'x' }]],
    ['HEAD', '/api/a/x', ['/api/a/:one', { one: 'x' }]],
    ['PUT', '/api/a/x', ['/api/a/:other', { other: 'x' }]],
    ['GET', '/api/a/x%2Fy', ['/api/a/:one', { one: 'x/y' }]],
    ['GET', '/api/a/1/b/2', ['/api/a/:one/b/:two', { one: '1', two: '2' }]],
    ['GET', '/api/a/fixed', ['/api/a/fixed', {}]],
    ['GET', '/api/a/constructor', ['/api/a/:one', { one: 'constructor' }]],
    ['GET', '/api/p/x/y', ['/api/p/*', { '*': 'x/y' }]],
    ['DELETE', '/api/a/x', ['GET', 'HEAD', 'PUT', 'OPTIONS']],
    ['POST', '/api/a/1/b/2', ['GET', 'HEAD', 'OPTIONS']],
    ['__proto__', '/api/a/x', ['GET', 'HEAD', 'PUT', 'OPTIONS']],
  ])('%s %s', (method, path, expected) => {
    expect(find(method, path)).toEqual(expected)
  })

  test.each([
    '/api/a',
    '/api/a/',
    '/api/a/x/',
    '/api/a//b/x',
    '//api/a/x',
    '/API/a/x',
    '/api/a/x/b',
    '/',
    '',
    '/__proto__',
  ])('there is nothing at %j', (path) => {
    expect(find('GET', path)).toBeUndefined()
  })

  test('rejects two routes with the same method and path', () => {
    expect(() => new Router([route('GET', '/api/a/:b'), route('GET', '/api/a/:c')])).toThrow(/Two routes match GET/)
  })
})

/** Names of routes below `/api/cms/`, present or future. */
const FREE_KEYS = ['events', 'changes', 'search', 'journal', 'batch', 'mcp'] as const

runPolicyScenarios('keys that are free for collections', [
  {
    name: 'are served like any others, next to the routes of the service',
    config: {
      collections: Object.fromEntries(
        FREE_KEYS.map((key) => [key, defineCollection({ fields: { title: f.text({ required: true }) } })]),
      ),
    },
    steps: [
      ...FREE_KEYS.flatMap((key): readonly Step[] => [
        create(key, { title: key }, { keep: { id: '/id' } }),
        get(`/api/${key}/{id}`, { auth: true, body: { title: key } }),
        get(`/api/${key}?where[title][eq]=${key}`, { auth: true, body: { collection: key, total: 1 } }),
      ]),
      batch([{ op: 'create', collection: 'batch', data: { title: 'two' } }]),
      get('/api/batch?limit=0', { auth: true, body: { total: 2 } }),
    ],
  },
])
