// The baseline: a bare node:http server with nothing between the socket and the statement.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BaselinePlan, type MaybePromise, openBaselineStore } from './baseline-store.ts'

const ENTRY_PREFIX = '/api/posts/'
/** The names are those of the headers that Daybook sends. */
const COMMON_HEADERS = {
  'X-Request-Id': randomUUID(),
  'X-Content-Type-Options': 'nosniff',
  ETag: '"baseline.00000"',
  Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
  'Content-Type': 'application/json',
}
const READ_HEADERS = { ...COMMON_HEADERS, 'Cache-Control': 'public, max-age=0, must-revalidate' }
const WRITE_HEADERS = {
  ...COMMON_HEADERS,
  'Cache-Control': 'private, no-store',
  'Daybook-Seq': '1',
  Location: '/api/posts/baseline',
}

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BaselinePlan
const store = await openBaselineStore(plan.store, plan.address)
const pages = new Map(Object.entries(plan.pages))

/** Continues with a value as soon as it is there, without a turn for a value that is there already. */
function whenReady<A>(value: MaybePromise<A>, next: (value: A) => void): void {
  if (value instanceof Promise) void value.then(next)
  else next(value)
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, json: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(json) })
  response.end(json)
}

function sendRead(url: string, response: ServerResponse): void {
  const page = pages.get(url)
  const reading = page ? store.readPage(page) : store.readEntry(url.slice(ENTRY_PREFIX.length))
  whenReady<string | undefined>(reading, (json) => {
    if (json === undefined) send(response, 404, COMMON_HEADERS, '{}')
    else send(response, 200, READ_HEADERS, json)
  })
}

function sendCreated(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = randomUUID()
    const json = JSON.stringify({ id, ...JSON.parse(Buffer.concat(chunks).toString()) })
    whenReady(store.insert(id, json), () => send(response, 201, WRITE_HEADERS, json))
  })
}

const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
  if (request.method === 'POST') sendCreated(request, response)
  else sendRead(request.url ?? '', response)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
