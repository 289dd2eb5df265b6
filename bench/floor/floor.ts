// The floor: what a server on this machine could do at most, with nothing between the socket and the statement.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FloorPlan, PagePlan, ReplayPlan } from '../load/plan.ts'
import { openPostgresFloor } from './floor-postgres.ts'
import { openSqliteFloor } from './floor-sqlite.ts'
import { after, type Maybe } from './floor-store.ts'

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FloorPlan
const PREFIX = '/api/posts/'

/** As many headers as Daybook sends, under the same names. */
const COMMON = {
  'X-Request-Id': randomUUID(),
  'X-Content-Type-Options': 'nosniff',
  ETag: '"floor.00000000"',
  Vary: 'Authorization, Cookie, Origin',
  'Content-Type': 'application/json',
}
const READ = { ...COMMON, 'Cache-Control': 'public, max-age=0, must-revalidate' }
const WRITTEN = { ...COMMON, 'Cache-Control': 'private, no-store', 'Daybook-Seq': '1', Location: '/api/posts/floor' }

const store = plan.engine === 'postgres' ? await openPostgresFloor(plan) : openSqliteFloor(plan)
const readEntry = store.prepare(plan.entry)
const replays = new Map(Object.entries(plan.replays).map(([path, replay]) => [path, replayer(replay)]))
const pages = new Map(Object.entries(plan.pages).map(([path, page]) => [path, pageReader(page)]))

function pageReader({ counters, page, shown, parts: [head, middle, tail] }: PagePlan): () => Maybe<string> {
  const readCounters = store.prepare(counters)
  const readPage = store.prepare(page)
  return () =>
    after(readCounters.get(...counters.parameters), (counted) =>
      after(readPage.all(...page.parameters), (rows) => {
        const { counts } = counted as { counts: string }
        const items = (rows as { doc: string }[]).slice(0, shown).map(({ doc }) => doc)
        return `${head}${JSON.parse(counts).published}${middle}${items.join(',')}${tail}`
      }),
    )
}

function replayer({ calls, json }: ReplayPlan): () => Maybe<string> {
  const statements = calls.map((call) => ({ statement: store.prepare(call), parameters: call.parameters }))
  return () => {
    let done: Maybe<unknown>
    for (const { statement, parameters } of statements) done = after(done, () => statement.all(...parameters))
    return after(done, () => json)
  }
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, json: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(json) })
  response.end(json)
}

function read(url: string, response: ServerResponse): void {
  const page = pages.get(url) ?? replays.get(url)
  if (page) after(page(), (json) => send(response, 200, READ, json))
  else after(readEntry.get(url.slice(PREFIX.length)), (row) => sendEntry(response, row as { doc: string } | undefined))
}

function sendEntry(response: ServerResponse, row: { readonly doc: string } | undefined): void {
  if (row) send(response, 200, READ, row.doc)
  else send(response, 404, COMMON, '{}')
}

function notModified(response: ServerResponse): void {
  const { 'Content-Type': _type, ...headers } = READ
  response.writeHead(304, headers)
  response.end()
}

function answerCreate(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = randomUUID()
    const json = JSON.stringify({ id, ...JSON.parse(Buffer.concat(chunks).toString()) })
    after(store.insert(id, json), () => send(response, 201, WRITTEN, json))
  })
}

const floorServer = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
  if (request.method === 'POST') answerCreate(request, response)
  else if (request.headers['if-none-match']) notModified(response)
  else read(request.url ?? '', response)
})
floorServer.listen(0, '127.0.0.1')
await once(floorServer, 'listening')
process.stdout.write(`listening on http://127.0.0.1:${(floorServer.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
