import { describe, expect, it } from 'vitest'
import { readMetrics, sumOf } from '../../metrics/read-metrics.ts'
import { eventually } from '../../support/timeouts.ts'
import { daybook, folderOf } from '../cli.ts'
import { sendRequest, startSupervised } from './supervised.ts'

const FILES = {
  'daybook.config.ts': `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { posts: { fields: { title: f.text({ required: true }) } } } })
`,
}
const TOTAL = 'daybook_http_requests_total'
const DURATIONS = 'daybook_http_request_duration_seconds_count'

describe('daybook start --metrics-port', () => {
  it('serves metrics on a separate port, on this machine only', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--metrics-port', '0')
    const [, said = ''] = service.stdout
    expect(said).toMatch(/^metrics on http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    const url = said.replace('metrics on ', '')
    await sendRequest(`${service.url}/api/posts`)
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(sumOf(readMetrics(await response.text()), TOTAL)).toBe(1)
    expect((await sendRequest(url, 'POST')).status).toBe(405)
    expect((await sendRequest(url.replace('/metrics', '/'))).status).toBe(404)
    expect((await sendRequest(`${service.url}/metrics`)).status).toBe(404)
    // The port of the service returns the last hour, to authorized callers.
    expect((await sendRequest(`${service.url}/api/cms/metrics`)).status).toBe(200)
    expect((await fetch(`${service.url}/api/cms/metrics`)).status).toBe(401)
  })

  it('is off by default', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path)
    expect(service.stdout).toEqual([`listening on ${service.url}`])
    expect((await sendRequest(`${service.url}/api/cms/metrics`)).status).toBe(404)
  })

  it('merges the metrics of all workers, including ended ones', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--metrics-port', '0', '--workers', '2')
    const url = String(service.stdout[1]).replace('metrics on ', '')
    const scrape = async () => readMetrics(await (await fetch(url)).text())
    for (let count = 0; count < 10; count += 1) await sendRequest(`${service.url}/api/posts`)
    const listWorkers = () => service.log.filter((line) => line.msg === 'request').map(({ worker }) => worker)
    await eventually(() => expect(new Set(listWorkers())).toEqual(new Set([1, 2])))
    const before = await scrape()
    expect([sumOf(before, TOTAL), sumOf(before, DURATIONS)]).toEqual([10, 10])
    expect(before.get('daybook_journal_seq')).toBe(0)
    service.signal('SIGHUP')
    await service.logged('all workers are replaced')
    await sendRequest(`${service.url}/api/posts`)
    const after = await scrape()
    expect([sumOf(after, TOTAL), sumOf(after, DURATIONS)]).toEqual([11, 11])
    expect(after.get('daybook_journal_seq')).toBe(0)
  })

  it('serves the last hour of each worker', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--metrics-port', '0', '--workers', '2')
    const nodes = new Set<string>()
    await eventually(async () => {
      nodes.add(JSON.parse((await sendRequest(`${service.url}/api/cms/metrics`)).body).node)
      expect(nodes.size).toBe(2)
    })
  })

  it('rejects a port that is invalid or in use', async () => {
    await using folder = await folderOf(FILES)
    expect(await daybook(folder.path, 'start', '--metrics-port', 'http')).toMatchObject({ status: 2 })
    await using service = await startSupervised(folder.path)
    const { port } = new URL(service.url)
    for (const workers of [[], ['--workers', '2']]) {
      const ended = await daybook(folder.path, 'start', '--port', '0', '--metrics-port', port, ...workers)
      expect(ended).toMatchObject({ status: 1, stdout: '' })
      expect(ended.stderr).toContain('--metrics-port')
    }
  })
})
