import { Agent } from 'node:http'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { describe, expect, it } from 'vitest'
import { checkStore } from '../../crash/check-store.ts'
import { PendingRequest } from '../../support/network/pending-request.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { eventually } from '../../support/timeouts.ts'
import { daybook, folderOf } from '../cli.ts'
import { AUTH, load, type ServiceResponse, sendRequest, startSupervised, startWith } from './supervised.ts'

const config = (fields = ''): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: { posts: { fields: { title: f.text({ required: true }), ${fields} } } },
  seed: async (content) => { await content.create('posts', { title: 'seeded' }) },
})
`
const EXAMPLE = join(import.meta.dirname, '../../../../../examples/blog/daybook.config.ts')
const FILES = { 'daybook.config.ts': config() }

const totalOf = ({ body }: ServiceResponse): number => JSON.parse(body).total

describe('daybook start --workers', () => {
  it('prints one URL, seeds once, and shows a write of one worker to all of them at once', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--workers', '2')
    for (let count = 1; count <= 30; count += 1) {
      expect((await sendRequest(`${service.url}/api/posts`, 'POST', { title: `note ${count}` })).status).toBe(201)
      // Each request opens a connection, and the workers take connections in turn.
      const totals = await Promise.all(
        [1, 2].map(async () => totalOf(await sendRequest(`${service.url}/api/posts?limit=1`))),
      )
      expect(totals).toEqual([count + 1, count + 1])
    }
    expect(service.stdout).toEqual([`listening on ${service.url}`])
    for (const worker of [1, 2]) {
      for (const method of ['GET', 'POST']) {
        expect(service.log.some((line) => line.worker === worker && line.method === method)).toBe(true)
      }
    }
  })

  it('serves from PostgreSQL, too', async () => {
    await using folder = await folderOf({})
    await using database = await PostgresDatabase.make()
    const env = { DATABASE_URL: database.url }
    await using service = await startWith(env, folder.path, '--workers', '2', '--config', EXAMPLE)
    const before = totalOf(await sendRequest(`${service.url}/api/tags`))
    for (let count = 1; count <= 6; count += 1) {
      expect((await sendRequest(`${service.url}/api/tags`, 'POST', { name: `tag ${count}` })).status).toBe(201)
      const totals = await Promise.all(
        [1, 2].map(async () => totalOf(await sendRequest(`${service.url}/api/tags?limit=1`))),
      )
      expect(totals).toEqual([before + count, before + count])
    }
    expect(await database.rows("SELECT count(*)::integer AS n FROM tags WHERE slug LIKE 'tag-%'")).toEqual([{ n: 6 }])
    service.signal('SIGHUP')
    await service.logged('all workers are replaced')
    expect(totalOf(await sendRequest(`${service.url}/api/tags`))).toBe(before + 6)
  })

  it('replaces a worker that is killed under load; no acknowledged write is lost, and no client waits forever', async () => {
    await using folder = await folderOf({})
    await using service = await startSupervised(folder.path, '--workers', '2', '--config', EXAMPLE)
    const acknowledged: string[] = []
    const failures: number[] = []
    const stop = load(8, async (count) => {
      const { status, body } = await sendRequest(`${service.url}/api/posts`, 'POST', { title: `note ${count}` })
      if (status === 201) acknowledged.push(JSON.parse(body).id)
      else if (status !== 0) failures.push(status)
    })
    for (let kill = 1; kill <= 3; kill += 1) {
      const before = acknowledged.length
      await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(before + 20))
      const listening = service.log.filter(({ msg }) => msg === 'worker listens').length
      process.kill(service.pidOf((kill % 2) + 1), 'SIGKILL')
      await service.logged('worker listens', listening + 1)
    }
    await stop()
    expect(failures).toEqual([])
    // A few at a time: all at once would exceed the limit of pending requests.
    const lost: string[] = []
    const read = pLimit(16)
    await read.map(acknowledged, async (id) => {
      if ((await sendRequest(`${service.url}/api/posts/${id}`)).status !== 200) lost.push(id)
    })
    expect(lost).toEqual([])
    service.signal('SIGTERM')
    expect(await service.ended).toBe(0)
    expect(checkStore(`${folder.path}/.daybook`)).toEqual([])
  })

  it('answers the pending requests of all workers after SIGTERM, and ends with status 0', async () => {
    await using folder = await folderOf(FILES)
    const service = await startSupervised(folder.path, '--workers', '2')
    const pending = await Promise.all(
      Array.from({ length: 6 }, () => PendingRequest.begin(`${service.url}/api/posts`, AUTH)),
    )
    // Terminals and service managers send the signal to the parent and to the workers.
    for (const pid of [service.pidOf(1), service.pidOf(2)]) process.kill(pid, 'SIGTERM')
    service.signal('SIGTERM')
    await service.logged('draining')
    const statuses = await Promise.all(pending.map((request) => request.finish()))
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 201))
    expect(await service.ended).toBe(0)
    expect((await sendRequest(`${service.url}/api/health`)).status).toBe(0)
  })

  it('ends at once at the second signal', async () => {
    await using folder = await folderOf(FILES)
    const service = await startSupervised(folder.path, '--workers', '2')
    const endless = await PendingRequest.begin(`${service.url}/api/posts`, AUTH)
    service.signal('SIGINT')
    await service.logged('draining')
    service.signal('SIGINT')
    expect([await service.ended, await endless.isBroken()]).toEqual([1, true])
  })

  it('replaces all workers at SIGHUP to apply a new config, without a failed request on any connection', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--workers', '2')
    const before = [service.pidOf(1), service.pidOf(2)]
    const failed: number[] = []
    const keepAliveAgent = new Agent({ keepAlive: true, maxSockets: 4 })
    const reads = load(4, async () =>
      count(await sendRequest(`${service.url}/api/posts`, 'GET', undefined, keepAliveAgent)),
    )
    const writes = load(2, async () =>
      count(await sendRequest(`${service.url}/api/posts`, 'POST', { title: 'A' }, keepAliveAgent)),
    )
    const newConnections = load(2, async () => count(await sendRequest(`${service.url}/api/posts`)))
    function count({ status }: ServiceResponse): void {
      if (status !== 200 && status !== 201) failed.push(status)
    }
    await folder.write({ 'daybook.config.ts': config('mood: f.text(),') })
    service.signal('SIGHUP')
    await service.logged('all workers are replaced')
    await Promise.all([reads(), writes(), newConnections()])
    keepAliveAgent.destroy()
    expect(failed).toEqual([])
    expect([service.pidOf(1), service.pidOf(2)].filter((pid) => before.includes(pid))).toEqual([])
    for (const title of ['through one', 'through the other']) {
      expect((await sendRequest(`${service.url}/api/posts`, 'POST', { title, mood: 'good' })).status).toBe(201)
    }
  })

  it('keeps the present workers if a new config is invalid', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--workers', '2', '--log', 'info')
    await folder.write({ 'broken.ts': 'throw new Error("broken")' })
    await folder.write({ 'daybook.config.ts': `${config()}\nexport const more = f.none()` })
    service.signal('SIGHUP')
    await service.logged('the new worker did not start; the running workers continue')
    const responses = await Promise.all([1, 2, 3, 4].map(() => sendRequest(`${service.url}/api/posts`)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('ends with status 1 if workers cannot be replaced', async () => {
    await using folder = await folderOf(FILES)
    const service = await startSupervised(folder.path, '--workers', '2')
    await service.logged('worker listens', 2)
    await folder.write({ 'daybook.config.ts': 'export const a = 1' })
    process.kill(service.pidOf(2), 'SIGKILL')
    expect(await service.ended).toBe(1)
  })
})

describe('daybook start --workers rejects', () => {
  const count = (text: string, part: string): number => text.split(part).length - 1

  it('an invalid config, with a single message', async () => {
    await using folder = await folderOf({
      'daybook.config.ts':
        "import { f } from 'DAYBOOK'\nexport default { collections: { health: { fields: { a: f.text() } } } }",
    })
    const ended = await daybook(folder.path, 'start', '--port', '0', '--workers', '3', '--log', 'warn')
    expect(ended).toMatchObject({ status: 1, stdout: '' })
    expect(count(ended.stderr, 'collections.health is not allowed, because /api/health belongs to the service')).toBe(1)
    expect(count(ended.stderr, 'daybook:')).toBe(1)
  })

  it('a folder without a config, with the status of a usage error', async () => {
    await using folder = await folderOf({})
    const ended = await daybook(folder.path, 'start', '--port', '0', '--workers', '2')
    expect(ended.status).toBe(2)
    expect(count(ended.stderr, 'The config does not exist')).toBe(1)
  })

  it('a port in use, with a single message', async () => {
    await using folder = await folderOf(FILES)
    await using service = await startSupervised(folder.path, '--workers', '1')
    const { port } = new URL(service.url)
    const ended = await daybook(folder.path, 'start', '--port', port, '--workers', '2')
    expect(ended.status).toBe(1)
    expect(count(ended.stderr, 'The port is already used')).toBe(1)
  })

  for (const [command, workers] of [
    ['start', '0'],
    ['start', 'many'],
    ['start', '1000'],
    ['dev', '2'],
  ] as const) {
    it(`daybook ${command} --workers ${workers}`, async () => {
      await using folder = await folderOf(FILES)
      const ended = await daybook(folder.path, command, '--workers', workers)
      expect(ended.status).toBe(2)
      expect(ended.stderr).toContain('--workers')
    })
  }
})
