// The floor: what a server on this machine could do at most, with nothing between the socket and the statement.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import SqliteDatabase from 'better-sqlite3'
import type { FloorPlan, PagePlan, ReplayPlan } from './plan.ts'

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

/** The settings that Daybook's own connections have. */
function open(file: string): SqliteDatabase {
  const database = new SqliteDatabase(file, { timeout: 5000 })
  database.pragma('journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF')
  database.exec('PRAGMA cache_size = -128000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864')
  return database
}

const reader = open(plan.file)
reader.pragma('query_only = ON')
const readEntry = reader.prepare(plan.entry)
const replays = new Map(Object.entries(plan.replays).map(([path, replay]) => [path, replayer(replay)]))
const pages = new Map(Object.entries(plan.pages).map(([path, page]) => [path, pageReader(page)]))

function pageReader({ counters, page, shown, parts: [head, middle, tail] }: PagePlan): () => string {
  const readCounters = reader.prepare(counters.sql)
  const readPage = reader.prepare(page.sql)
  return () => {
    const { counts } = readCounters.get(...counters.parameters) as { counts: string }
    const rows = readPage.all(...page.parameters) as { doc: string }[]
    const items = rows.slice(0, shown).map(({ doc }) => doc)
    return `${head}${JSON.parse(counts).published}${middle}${items.join(',')}${tail}`
  }
}

function replayer({ calls, json }: ReplayPlan): () => string {
  const statements = calls.map(({ sql, parameters }) => ({ statement: reader.prepare(sql), parameters }))
  return () => {
    for (const { statement, parameters } of statements) statement.all(...parameters)
    return json
  }
}

const writer = open(plan.writeFile)
writer.exec('CREATE TABLE entries (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, doc TEXT NOT NULL) STRICT')
const insert = writer.prepare('INSERT INTO entries (id, doc) VALUES (?, ?)')

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, json: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(json) })
  response.end(json)
}

function read(url: string, response: ServerResponse): void {
  const page = pages.get(url) ?? replays.get(url)
  const json = page ? page() : (readEntry.get(url.slice(PREFIX.length)) as { doc: string } | undefined)?.doc
  if (json === undefined) send(response, 404, COMMON, '{}')
  else send(response, 200, READ, json)
}

function notModified(response: ServerResponse): void {
  const { 'Content-Type': _type, ...headers } = READ
  response.writeHead(304, headers)
  response.end()
}

function create(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = randomUUID()
    const json = JSON.stringify({ id, ...JSON.parse(Buffer.concat(chunks).toString()) })
    insert.run(id, json)
    send(response, 201, WRITTEN, json)
  })
}

const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
  if (request.method === 'POST') create(request, response)
  else if (request.headers['if-none-match']) notModified(response)
  else read(request.url ?? '', response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
