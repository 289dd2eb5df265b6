import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileBody } from '../assets/file-body.ts'
import type { Handle } from '../http/request.ts'
import type { FinishedReply } from '../http/respond.ts'
import { EventStream } from '../journal/live/event-stream.ts'
import { hasBody, watchBody } from './body-watch.ts'
import type { Connections, HttpConnection } from './connections.ts'
import { headFault, TargetReader } from './head.ts'
import { refuseBroken, refuseRequest, targetRefusal } from './refuse.ts'
import { NodeRequest } from './request.ts'
import { Turns } from './turns.ts'

/** How long the rest of a body that is not wanted may bring nothing, in milliseconds. */
const REST_PAUSE_MS = 500
/** How long it may take to arrive in all, in milliseconds. */
const REST_MS = 30_000

type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** The state of a server that its listener reads. */
export interface ListenerState {
  readonly connections: Connections
  /** Requests begin when it settles; undefined while they begin at once. */
  readonly held: Promise<void> | undefined
}

/**
 * Makes what answers a `request` event of Node's HTTP server.
 *
 * @param bodyLimitMs see {@link watchBody}
 */
export function toListener(handle: Handle, state: ListenerState, bodyLimitMs: number): Listener {
  const targets = new TargetReader()
  const turns = new Turns()
  const ask: AnswerRequest = (exchange) => {
    const { incoming, connection } = exchange
    const target = targets.read(incoming)
    if (target === undefined) return sendAnswer(exchange, targetRefusal())
    const request = new NodeRequest(incoming, target, connection.arrive(turns.current))
    if (hasBody(incoming)) watchBody(incoming, request, bodyLimitMs, () => refuseLate(state, incoming.socket))
    handle(request, (reply) => sendAnswer(exchange, reply))
  }
  return (incoming, response) => {
    const connection = state.connections.of(incoming.socket)
    if (!connection.begin(response)) return void incoming.resume()
    const fault = headFault(incoming)
    if (fault) {
      refuseRequest(response, fault.status, 'VALIDATION_ERROR', fault.message)
      return connection.finish()
    }
    const exchange = { connection, incoming, response }
    if (state.held) void state.held.then(() => ask(exchange))
    else ask(exchange)
  }
}

/** Answers a request whose body does not arrive, and closes its connection. */
function refuseLate({ connections }: ListenerState, socket: Socket): void {
  const error = Object.assign(new Error('body timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  connections.refuseNext(socket, () => refuseBroken(error, socket))
}

/** Answers a request. */
type AnswerRequest = (exchange: Exchange) => void

/** A request with its answer, and what they come over. */
interface Exchange {
  readonly connection: HttpConnection
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
}

function sendAnswer(exchange: Exchange, reply: FinishedReply): void {
  try {
    const sent = startAnswer(exchange, reply)
    if (sent) return void finishLater(exchange, sent)
  } catch {
    // A header that cannot be sent. Without an answer the client learns as much.
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

function startAnswer({ connection, incoming, response }: Exchange, reply: FinishedReply): Promise<void> | undefined {
  connection.prepareHead(response)
  connection.readNextAfter(response, reply)
  const sent = sendReply(response, reply)
  if (hasBody(incoming) && !incoming.complete) boundRest(incoming)
  return sent
}

/** Sends head and content at once, so that they leave in one segment. Node leaves the content of HEAD out. */
function sendReply(
  response: ServerResponse,
  { status, head, json, octets, content }: FinishedReply,
): Promise<void> | undefined {
  if (content) return stream(response.writeHead(status, [...head]), content)
  if (octets !== undefined)
    response.writeHead(status, [...head, 'Content-Length', String(octets.length)]).end(octets, 'latin1')
  else if (json === undefined) response.writeHead(status, [...head]).end()
  else response.writeHead(status, [...head, 'Content-Length', String(Buffer.byteLength(json))]).end(json)
  return undefined
}

/** Sends content as it comes. When it breaks off, so does the answer: the client must not take a part for the whole. */
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

/** How long a reader of events that end may take for the last of them, in milliseconds. */
const LAST_EVENTS_MS = 1000

/** Sends events as they come, without a web stream in between, until either side ends it. */
async function streamEvents(response: ServerResponse, events: EventStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('close', resolve)
  if (response.closed) resolve()
  else {
    response.flushHeaders()
    events.attach({
      write: (bytes) => void response.write(bytes),
      get unsent() {
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
  events.closed()
}

/** Sends a file as it is read, without a web stream in between. */
async function streamFile(response: ServerResponse, { source, length }: FileBody): Promise<void> {
  let sent = 0
  source.on('data', (chunk: Uint8Array) => {
    sent += chunk.length
  })
  await pipeline(source, response, { end: false })
  // The head has told the length: what is too short would leave the client waiting.
  if (sent === length) response.end()
  else response.destroy()
}

/**
 * Node lets go of what comes of a body after its answer. A client that goes on sending is read for a while: closed on unread bytes, its
 * connection would be reset, and the client would lose the answer (RFC 9112, section 9.6). One that stops, or sends on and on, is hung up on.
 */
function boundRest(incoming: IncomingMessage): void {
  const { socket } = incoming
  const endsAt = performance.now() + REST_MS
  let seen = socket.bytesRead
  const look = (): void => {
    if (incoming.complete || socket.destroyed) return
    const hasStopped = socket.bytesRead === seen
    seen = socket.bytesRead
    if (hasStopped || performance.now() > endsAt) socket.destroySoon()
    else lookLater()
  }
  // On a busy machine bytes may wait to be read: the turn of the event loop before the immediate reads them.
  const lookLater = (): void => void setTimeout(() => setImmediate(look), REST_PAUSE_MS).unref()
  lookLater()
}
