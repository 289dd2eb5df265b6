import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { KeepAliveClient, whatHasCome } from '../../support/network/keep-alive-client.ts'
import { requestText } from '../../support/network/raw-http.ts'
import { folderOf } from '../cli.ts'
import { startSupervised, TOKEN } from './supervised.ts'

const FILES = {
  'daybook.config.ts': `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text({ required: true }), text: f.text() } } } })`,
}

const data = (title: string) => ({ title, text: 'some words of a note '.repeat(20) })
const operations = Array.from({ length: 200 }, (_, index) => {
  return { op: 'create', collection: 'notes', data: data(`note ${index}`) }
})
const body = JSON.stringify({ operations })
const HEADERS = [`Authorization: Bearer ${TOKEN}`, 'Content-Type: application/json']
const READ = requestText('GET /api/notes?limit=5')
const BATCH = requestText('POST /api/cms/batch', [...HEADERS, `Content-Length: ${Buffer.byteLength(body)}`], body)

/** The number of drains for each kind of load. */
const DRAINS = 3
/** The number of responses of each client before the signal. */
const RESPONSES = 3
/**
 * The maximum number of lost connections in all drains: a connection may arrive between the last check and the close of the listener,
 * which the system then resets. A listener that closed with connections in its backlog would lose dozens.
 */
const LATE = 4

const loads: readonly (readonly [name: string, clients: number, request: string, pauseMs: () => number])[] = [
  ['64 clients in a loop', 64, READ, () => 0],
  ['64 clients that pause for up to 40 ms', 64, READ, () => Math.random() * 40],
  ['4 clients that send large batches', 4, BATCH, () => 0],
]

/** Repeats requests until the connection is refused; returns their outcomes. */
async function askUntilRefused(url: string, agent: Agent, answered: () => void): Promise<readonly string[]> {
  const outcomes: string[] = []
  while (outcomes.at(-1) !== 'ECONNREFUSED') {
    const outcome = await new Promise<string>((resolve) => {
      const sent = get(`${url}/api/notes?limit=5`, { agent }, (response) => {
        text(response).then(
          () => resolve(String(response.statusCode)),
          () => resolve('broken off'),
        )
      })
      sent.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    })
    outcomes.push(outcome)
    answered()
    await whatHasCome()
  }
  return outcomes
}

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('SIGTERM to %s', (_name, args) => {
  it.each(loads)('loses no request from %s', { timeout: 120_000 }, async (_load, count, request, pauseMs) => {
    await using folder = await folderOf(FILES)
    for (let drain = 1; drain <= DRAINS; drain += 1) {
      await using service = await startSupervised(folder.path, '--log', 'warn', ...args)
      const clients = await Promise.all(
        Array.from({ length: count }, () => KeepAliveClient.open(service.url, request, pauseMs)),
      )
      await Promise.all(clients.map((client) => client.reached(RESPONSES)))
      service.signal('SIGTERM')
      const reports = await Promise.all(clients.map(({ report }) => report))
      expect(reports.filter(({ lost }) => lost > 0)).toEqual([])
      expect(new Set(reports.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]))
      expect(await service.ended).toBe(0)
    }
  })

  it('answers on the connections in the backlog', { timeout: 120_000 }, async () => {
    await using folder = await folderOf(FILES)
    const lost: string[] = []
    for (let drain = 1; drain <= DRAINS; drain += 1) {
      await using service = await startSupervised(folder.path, '--log', 'warn', ...args)
      const started = Promise.withResolvers<void>()
      let responses = 0
      const answered = (): void => {
        responses += 1
        if (responses === 32 * RESPONSES) started.resolve()
      }
      const keepAliveAgent = new Agent({ keepAlive: true, maxSockets: 24 })
      const clients = Array.from({ length: 32 }, (_, index) =>
        askUntilRefused(service.url, index < 24 ? keepAliveAgent : new Agent(), answered),
      )
      await started.promise
      service.signal('SIGTERM')
      const outcomes = (await Promise.all(clients)).flat()
      keepAliveAgent.destroy()
      lost.push(...outcomes.filter((outcome) => outcome !== '200' && outcome !== 'ECONNREFUSED'))
      expect(await service.ended).toBe(0)
    }
    expect(lost.length).toBeLessThanOrEqual(LATE)
  })
})
