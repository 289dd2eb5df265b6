import { defineCollection, defineConfig, f, type Service } from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../src/auth/api-tokens.ts'
import type { RecentMetrics } from '../../src/http/routes/metrics.ts'
import { People } from '../support/auth/people.ts'
import { failingPlugin } from '../support/configs/configs.ts'
import { expectDocumented } from '../support/scenarios/documented.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'
import type { Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const PATH = '/api/cms/metrics'
const SERVICE_TOKEN = 'a-service-token-of-many-characters'

const people = new People({ cleo: [], ann: ['editor'], root: ['admin'] })

const config = defineConfig({
  auth: people.adapter,
  plugins: [failingPlugin],
  collections: { posts: defineCollection({ fields: { title: f.text() } }) },
})

describe.each(POLICY_STORES)('the last hour of a service on $name', ({ at }) => {
  let place: Place
  let service: Service
  beforeAll(async () => {
    place = await at()
    service = await place.open(config, { metrics: true, serviceToken: SERVICE_TOKEN, strict: true })
  })
  afterAll(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  /** Sends a request with a token; the response has to match the OpenAPI document. */
  async function sendRequest(path: string, token?: string): Promise<TestResponse> {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const response = await service.fetch(new Request(`http://cms.example${path}`, { headers }))
    const result = { status: response.status, headers: response.headers, text: await response.text() }
    if (path === PATH) await expectDocumented(service, { method: 'GET', path, headers }, result)
    return result
  }

  const read = async (): Promise<RecentMetrics> => JSON.parse((await sendRequest(PATH, 'root')).text)
  const sum = ({ points }: RecentMetrics, name: 'requests' | 'failures'): number =>
    points.reduce((total, point) => total + point[name], 0)

  test('is available to administrators and the service token only', async () => {
    const store = await place.store()
    const tokens = new ApiTokens(store.records)
    const rights = { roles: ['service', 'admin'], expiresAt: null }
    const { token: reader } = await tokens.create({ name: 'reader', scopes: ['*:read'], ...rights })
    const { token: all } = await tokens.create({ name: 'all', scopes: ['*'], ...rights })
    await store.close()
    expect((await sendRequest(PATH)).status).toBe(401)
    for (const token of ['cleo', 'ann', reader, all]) expect((await sendRequest(PATH, token)).status, token).toBe(403)
    for (const token of ['root', SERVICE_TOKEN]) {
      const result = await sendRequest(PATH, token)
      expect([result.status, result.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    }
  })

  test('counts every request once, and responses of 500 as failures', async () => {
    const before = await read()
    await sendRequest('/api/posts')
    await sendRequest('/api/posts/missing')
    expect((await sendRequest('/fail')).status).toBe(500)
    const after = await read()
    // The first request counts after its response, and so does the request for the OpenAPI document.
    expect(sum(after, 'requests') - sum(before, 'requests')).toBe(5)
    expect(sum(after, 'failures') - sum(before, 'failures')).toBe(1)
  })

  test('names the process and the start of counting', async () => {
    const { node, since, points } = await read()
    expect(node).toMatch(new RegExp(`^[^/]+/${process.pid}$`))
    expect(points[0]?.at).toBe(`${since.slice(0, 16)}:00.000Z`)
    const last = points.findLast(({ requests }) => requests > 0)
    expect(last?.p50).toBeGreaterThan(0)
    expect(last?.p95).toBeGreaterThanOrEqual(last?.p50 as number)
  })
})

test('without metrics, the route and its operation do not exist', async () => {
  await using service = await createTestService(config)
  const headers = { Authorization: `Bearer ${service.token}` }
  expect((await service.request(PATH, { headers })).status).toBe(404)
  expect(await (await service.request('/openapi.json', { headers })).text()).not.toContain('getMetrics')
})
