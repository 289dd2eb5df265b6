import { defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { readMetrics, sumOf } from './read-metrics.ts'

const collections = { posts: { fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) } } }
const config = defineConfig({ collections })

const ON = { metrics: true }
const requestsOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries([...readMetrics(text)].filter(([sample]) => sample.startsWith('daybook_http_requests_total')))

describe('metrics of a service', () => {
  test('are off by default', async () => {
    await using service = await createTestService(config)
    await expect(service.metrics()).rejects.toThrow('metrics: true')
    expect((await service.request('/metrics')).status).toBe(404)
    expect((await service.request('/api/metrics')).status).toBe(404)
  })

  test('count requests by method, route and status, with a bounded number of labels', async () => {
    await using service = await createTestService(config, ON)
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
    await service.request('/api/posts', { method: 'POST', headers, body: '{"title":"Hello"}' })
    await service.request('/api/posts', { method: 'POST', body: '{}' })
    for (const slug of ['hello', 'hello?select=title', 'missing', 'other']) await service.request(`/api/posts/${slug}`)
    await service.request('/api/posts/hello', { method: 'HEAD' })
    for (const path of ['/nothing', '/api/%ff', '/wp-login.php?user=1']) await service.request(path)
    await service.request('/api/posts', { method: 'OPTIONS' })
    await service.request('/api/posts', { method: 'PROPFIND' })
    expect(requestsOf(await service.metrics())).toEqual({
      'daybook_http_requests_total{method="POST",route="/api/:collection",status="201"}': 1,
      'daybook_http_requests_total{method="POST",route="/api/:collection",status="401"}': 1,
      'daybook_http_requests_total{method="GET",route="/api/:collection/:slug",status="200"}': 2,
      'daybook_http_requests_total{method="GET",route="/api/:collection/:slug",status="404"}': 2,
      'daybook_http_requests_total{method="HEAD",route="/api/:collection/:slug",status="200"}': 1,
      'daybook_http_requests_total{method="GET",route="unmatched",status="404"}': 2,
      'daybook_http_requests_total{method="GET",route="unmatched",status="400"}': 1,
      'daybook_http_requests_total{method="OPTIONS",route="unmatched",status="204"}': 1,
      'daybook_http_requests_total{method="other",route="unmatched",status="405"}': 1,
    })
  })

  test('record the duration of each request once, in consistent buckets', async () => {
    await using service = await createTestService(config, ON)
    for (let count = 0; count < 5; count += 1) await service.request('/api/posts')
    const metrics = readMetrics(await service.metrics())
    const labels = 'method="GET",route="/api/:collection"'
    expect(metrics.get(`daybook_http_request_duration_seconds_count{${labels}}`)).toBe(5)
    expect(metrics.get(`daybook_http_request_duration_seconds_bucket{le="+Inf",${labels}}`)).toBe(5)
    expect(metrics.get(`daybook_http_request_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0)
  })

  test('include the last journal number, the statements and the process', async () => {
    await using service = await createTestService(config, ON)
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
    for (const title of ['a', 'b', 'c']) {
      await service.request('/api/posts', { method: 'POST', headers, body: JSON.stringify({ title }) })
    }
    const metrics = readMetrics(await service.metrics())
    expect(metrics.get('daybook_journal_seq')).toBe(3)
    expect(metrics.get('daybook_store_statements_total')).toBeLessThanOrEqual(service.statements())
    for (const name of [
      'daybook_store_statements_total',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
    ]) {
      expect(metrics.get(name)).toBeGreaterThan(0)
    }
    const delays = [0.5, 0.9, 0.99, 1].map((quantile) =>
      metrics.get(`daybook_event_loop_delay_seconds{quantile="${quantile}"}`),
    )
    expect(delays.every((delay) => delay !== undefined && delay >= 0)).toBe(true)
    expect(delays).toEqual(delays.toSorted((a = 0, b = 0) => a - b))
    expect(sumOf(metrics, 'daybook_pool_connections')).toBe(0)
  })

  test('are available while the store does not respond, without its own values', async () => {
    const service = await createTestService(config, ON)
    await service.request('/api/posts')
    await service.close()
    const metrics = readMetrics(await service.metrics())
    expect(metrics.has('daybook_journal_seq')).toBe(false)
    expect(sumOf(metrics, 'daybook_http_requests_total')).toBe(1)
  })

  test('of two services in one process are separate', async () => {
    await using first = await createTestService(config, ON)
    await using second = await createTestService(config, ON)
    await first.request('/api/posts')
    expect(sumOf(readMetrics(await first.metrics()), 'daybook_http_requests_total')).toBe(1)
    expect(sumOf(readMetrics(await second.metrics()), 'daybook_http_requests_total')).toBe(0)
  })

  test('show the pool of connections on PostgreSQL', async () => {
    await using database = await PostgresDatabase.make()
    await using service = await createTestService({ ...config, database: slowMachinePostgres(database.url) }, ON)
    await service.request('/api/posts')
    const metrics = readMetrics(await service.metrics())
    const states = ['busy', 'idle', 'waiting'].map((state) => metrics.get(`daybook_pool_connections{state="${state}"}`))
    expect(states.every((count) => count !== undefined && count >= 0)).toBe(true)
    expect(Number(states[0]) + Number(states[1])).toBeGreaterThan(0)
    expect(metrics.get('daybook_journal_seq')).toBe(0)
  })
})
