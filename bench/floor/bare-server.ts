// What both floors have in common: a server with nothing between the socket and the statement.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type Maybe } from './maybe.ts'

const PREFIX = '/api/posts/'

/** As many headers as Daybook sends, under the same names. */
const COMMON = {
  'X-Request-Id': randomUUID(),
  'X-Content-Type-Options': 'nosniff',
  ETag: '"floor.00000000"',
  Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
  'Content-Type': 'application/json',
}
const READ = { ...COMMON, 'Cache-Control': 'public, max-age=0, must-revalidate' }
const WRITTEN = { ...COMMON, 'Cache-Control': 'private, no-store', 'Daybook-Seq': '1', Location: '/api/posts/floor' }
const { 'Content-Type': _type, ...NOT_MODIFIED } = READ

/** What a bare server sends, as JSON text. */
export interface BareReads {
  /** Answers by address. */
  readonly lists: ReadonlyMap<string, () => Maybe<string>>
  /** A document by its slug, for all other addresses. */
  readonly entry: (slug: string) => Maybe<string | undefined>
}

/** A bare server, and what it does with a document that is posted: stored on the disk, once this is done. */
export interface Bare extends BareReads {
  readonly insert?: (id: string, doc: string) => Maybe<unknown>
}

/** Serves, and says where it listens. */
export async function serveBare(bare: Bare): Promise<void> {
  const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
    if (request.method === 'POST') answerCreate(bare, request, response)
    else if (request.headers['if-none-match']) response.writeHead(304, NOT_MODIFIED).end()
    else answerRead(bare, request.url ?? '', response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  process.once('SIGTERM', () => process.exit(0))
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, json: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(json) })
  response.end(json)
}

function answerRead({ lists, entry }: Bare, url: string, response: ServerResponse): void {
  const found = lists.get(url)?.() ?? entry(url.slice(PREFIX.length))
  after(found, (json) => (json === undefined ? send(response, 404, COMMON, '{}') : send(response, 200, READ, json)))
}

function answerCreate({ insert }: Bare, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = randomUUID()
    const json = JSON.stringify({ id, ...JSON.parse(Buffer.concat(chunks).toString()) })
    after(insert?.(id, json), () => send(response, 201, WRITTEN, json))
  })
}
