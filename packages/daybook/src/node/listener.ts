import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileBody } from '../assets/file-body.ts'
import type { Route } from '../http/contract.ts'
import type { RequestHandler } from '../http/request.ts'
import type { FinishedResponse } from '../http/response.ts'
import { EventStream } from '../journal/live/event-stream.ts'
import { Connections, type HttpConnection } from './connections.ts'
import { buildTargetRejection, rejectMalformed, rejectRequest } from './rejections.ts'
import { findHeadFault, NodeRequest, TargetReader } from './request.ts'

/** The minimum number of bytes of a streamed body that have to arrive within a body timeout. */
const STEADY_BYTES = 64 * 1024
/** The maximum pause in the rest of a rejected body, in milliseconds. */
const REST_PAUSE_MS = 500
/** The maximum time for that rest, in milliseconds. */
const REST_MS = 30_000

/** The parts of a service that a listener needs. */
export interface ListenerOptions {
  readonly handle: RequestHandler
  /** The default limit of a body, in bytes. */
  readonly bodyLimit: number
  readonly routes: readonly Pick<Route, 'method' | 'path' | 'body'>[]
  /** See {@link watchBody}. */
  readonly bodyTimeoutMs: number
}

/** Passes the requests of a Node server to a handler, and the responses back. */
export class Listener {
  readonly options: ListenerOptions
  readonly connections: Connections = new Connections()
  readonly targets: TargetReader = new TargetReader()
  /** New requests start when it resolves; `undefined`: at once. */
  pausedUntil: Promise<void> | undefined

  constructor(options: ListenerOptions) {
    this.options = options
  }

  attach(server: Server): void {
    server.on('connection', (socket: Socket) => this.connections.add(socket))
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) =>
      handleRequest(this, incoming, response),
    )
    server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
      // Without 100 Continue, the client does not send a body that exceeds the limit.
      if (Number(incoming.headers['content-length'] ?? 0) <= getBodyLimit(this.options, incoming))
        response.writeContinue()
      handleRequest(this, incoming, response)
    })
    server.on('checkExpectation', (_incoming: IncomingMessage, response: ServerResponse) => {
      rejectRequest(response, 417, 'VALIDATION_ERROR', 'Only Expect: 100-continue is supported.')
    })
    server.on('clientError', (error: Error, socket: Socket) => {
      this.connections.rejectNext(socket, () => rejectMalformed(error, socket))
    })
  }
}

/** Returns the body limit of the route of a request, in bytes. */
function getBodyLimit({ bodyLimit, routes }: ListenerOptions, { method, url = '' }: IncomingMessage): number {
  const [path] = url.split('?')
  const limited = routes.find(
    (route) => route.body?.limit !== undefined && route.method === method && route.path === path,
  )
  return limited?.body?.limit ?? bodyLimit
}

interface Exchange {
  readonly connection: HttpConnection
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
}

/** Handles a `request` event of Node's HTTP server. */
function handleRequest(server: Listener, incoming: IncomingMessage, response: ServerResponse): void {
  const connection = server.connections.get(incoming.socket)
  if (!connection.begin(response)) {
    incoming.resume()
    return
  }
  const fault = findHeadFault(incoming)
  if (fault) {
    rejectRequest(response, fault.status, 'VALIDATION_ERROR', fault.message)
    connection.finish()
    return
  }
  const exchange = { connection, incoming, response }
  if (server.pausedUntil) void server.pausedUntil.then(() => beginRequest(server, exchange))
  else beginRequest(server, exchange)
}

function beginRequest(server: Listener, exchange: Exchange): void {
  const { incoming } = exchange
  const target = server.targets.read(incoming)
  if (target === undefined) {
    send(exchange, buildTargetRejection())
    return
  }
  const request = new NodeRequest(incoming, target)
  if (hasBody(incoming)) watchBody(server, incoming, request)
  server.options.handle(request, (httpResponse) => send(exchange, httpResponse))
}

/** True if a request announces a body (RFC 9112, section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Rejects a request whose body is late: a body has to be complete within the timeout; of a streamed one, {@link STEADY_BYTES} have to arrive. */
function watchBody(server: Listener, incoming: IncomingMessage, request: NodeRequest): void {
  const { socket } = incoming
  let bytesSeen = socket.bytesRead
  const check = (): void => {
    if (incoming.complete) return
    const isSteady = request.isStreamed && socket.bytesRead - bytesSeen >= STEADY_BYTES
    bytesSeen = socket.bytesRead
    if (isSteady) timer = setTimeout(check, server.options.bodyTimeoutMs).unref()
    else rejectLate(server, socket)
  }
  let timer = setTimeout(check, server.options.bodyTimeoutMs).unref()
  incoming.once('close', () => clearTimeout(timer))
}

/** Rejects a request whose body does not arrive, and closes its connection. */
function rejectLate({ connections }: Listener, socket: Socket): void {
  const error = Object.assign(new Error('body timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  connections.rejectNext(socket, () => rejectMalformed(error, socket))
}

function send(exchange: Exchange, httpResponse: FinishedResponse): void {
  try {
    const sent = startSending(exchange, httpResponse)
    if (sent) return void finishLater(exchange, sent)
  } catch {
    // A header is invalid. A closed connection tells the client as much as an error response would.
    exchange.response.destroy()
  }
  exchange.connection.finish()
}

async function finishLater({ connection, response }: Exchange, sent: Promise<void>): Promise<void> {
  try {
    await sent
  } catch {
    response.destroy()
  }
  connection.finish()
}

function startSending(
  { connection, incoming, response }: Exchange,
  httpResponse: FinishedResponse,
): Promise<void> | undefined {
  connection.prepareHead(response)
  const sent = writeResponse(response, httpResponse)
  if (hasBody(incoming) && !incoming.complete) boundRest(incoming)
  return sent
}

/** Sends head and content at once, so that they leave in one segment. Node omits the content in response to HEAD. */
function writeResponse(
  response: ServerResponse,
  { status, head, json, octets, content }: FinishedResponse,
): Promise<void> | undefined {
  if (content) return stream(response.writeHead(status, [...head]), content)
  if (octets !== undefined)
    response.writeHead(status, [...head, 'Content-Length', String(octets.length)]).end(octets, 'latin1')
  else if (json === undefined) response.writeHead(status, [...head]).end()
  else response.writeHead(status, [...head, 'Content-Length', String(Buffer.byteLength(json))]).end(json)
  return undefined
}

/** Streams content. If it breaks off, so does the response, since the client must not take a part for the whole. */
async function stream(response: ServerResponse, content: ReadableStream<Uint8Array>): Promise<void> {
  if (response.req.method === 'HEAD') {
    response.end()
    await content.cancel()
    return
  }
  if (content instanceof FileBody) await streamFile(response, content)
  else if (content instanceof EventStream) await streamEvents(response, content)
  else await pipeline(Readable.fromWeb(content), response)
}

/** The time for a client to read the last events of a stream, in milliseconds. */
const LAST_EVENTS_MS = 1000

/** Sends events as they arrive, without a web stream in between, until either side ends the stream. */
async function streamEvents(response: ServerResponse, events: EventStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('close', resolve)
  if (response.closed) resolve()
  else {
    response.flushHeaders()
    events.attach({
      write: (bytes) => void response.write(bytes),
      get unsentBytes() {
        return response.writableLength
      },
      end: () => {
        response.end()
        setTimeout(() => response.destroy(), LAST_EVENTS_MS).unref()
      },
      drop: () => void response.destroy(),
    })
  }
  await promise
  events.markClosed()
}

/** Sends a file as it is read, without a web stream in between. */
async function streamFile(response: ServerResponse, { source, length }: FileBody): Promise<void> {
  let sent = 0
  source.on('data', (chunk: Uint8Array) => {
    sent += chunk.length
  })
  await pipeline(source, response, { end: false })
  // The head contains the length, so a client would wait for the rest of a file that is too short.
  if (sent === length) response.end()
  else response.destroy()
}

/**
 * Closes a connection whose client stops sending the rest of a body, or sends for too long. Node discards the rest of a body after the response.
 * Until the client ends, the rest has to be read: closing a connection with unread bytes resets it, and the client could lose the response
 * (RFC 9112, section 9.6).
 */
function boundRest(incoming: IncomingMessage): void {
  const { socket } = incoming
  const endsAt = performance.now() + REST_MS
  let bytesSeen = socket.bytesRead
  const check = (): void => {
    if (incoming.complete || socket.destroyed) return
    const hasStopped = socket.bytesRead === bytesSeen
    bytesSeen = socket.bytesRead
    if (hasStopped || performance.now() > endsAt) socket.destroySoon()
    else checkLater()
  }
  // On a busy machine, bytes may wait to be read. The event loop reads them before it calls the immediate.
  const checkLater = (): void => void setTimeout(() => setImmediate(check), REST_PAUSE_MS).unref()
  checkLater()
}
