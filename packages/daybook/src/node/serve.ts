import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { DaybookError, type ErrorCode } from '../errors.ts'
import { errorReply, toResponse } from '../http/respond.ts'
import type { Service } from '../service.ts'

/** Where and how a service listens. */
export interface ServeOptions {
  /** 0 picks a free one. @default 3000 */
  readonly port?: number
  /** @default '127.0.0.1', this machine alone */
  readonly host?: string
  /** How long a client may take to send its headers, in milliseconds. @default 15,000 */
  readonly headersTimeoutMs?: number
  /** How long a client may take to send a whole request, in milliseconds. @default 60,000 */
  readonly requestTimeoutMs?: number
}

/** What of a service is served. */
export type Servable = Pick<Service, 'fetch' | 'bodyLimit' | 'drain' | 'close'>

/** A service that listens. */
export interface Listening {
  /** `http://HOST:PORT` */
  readonly url: string
  readonly port: number
  /**
   * Stops taking connections, lets requests in flight finish, and closes the service.
   *
   * @param graceMs after this time, connections that are still busy are cut, in milliseconds; @default 30,000
   * @param idleMs how long connections without a request stay open, so that what a client is just sending is answered,
   *   in milliseconds; @default 0
   */
  stop(graceMs?: number, idleMs?: number): Promise<void>
}

const MAX_HEADER_BYTES = 16 * 1024
const MAX_HEADERS = 200
const KEEP_ALIVE_MS = 10_000
const GRACE_MS = 30_000

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>

/**
 * Serves over HTTP/1.1 with Node.
 *
 * @example
 * ```ts
 * const { url, stop } = await serve(await createService(config), { port: 3000 })
 * process.once('SIGTERM', () => stop())
 * ```
 */
export async function serve(service: Servable, options: ServeOptions = {}): Promise<Listening> {
  const { port = 3000, host = '127.0.0.1', headersTimeoutMs = 15_000, requestTimeoutMs = 60_000 } = options
  const state = { isStopping: false }
  const listener = guard(toListener(service), state)
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  server.on('request', listener)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A body that is too large is refused before it is sent.
    if (Number(request.headers['content-length'] ?? 0) <= service.bodyLimit) response.writeContinue()
    void listener(request, response)
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    sendError(response, 417, 'VALIDATION_ERROR', 'Only Expect: 100-continue is understood.')
  })
  server.on('clientError', refuseBrokenRequest)
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  let stopped: Promise<void> | undefined
  return {
    url: `http://${shown}:${address.port}`,
    port: address.port,
    stop: (graceMs = GRACE_MS, idleMs = 0) => {
      stopped ??= stop(server, service, state, graceMs, idleMs)
      return stopped
    },
  }
}

function toListener(service: Servable): Listener {
  return getRequestListener((request) => service.fetch(request), {
    errorHandler: refuseTarget,
  }) as Listener
}

function refuseTarget(): Response {
  const requestId = crypto.randomUUID()
  const error = new DaybookError('VALIDATION_ERROR', 'The request target or the Host header is not valid.')
  return toResponse(errorReply(error, requestId), { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' })
}

function guard(listener: Listener, state: { readonly isStopping: boolean }): (...of: Parameters<Listener>) => unknown {
  return (request, response) => {
    if (state.isStopping) response.setHeader('Connection', 'close')
    if (request.rawHeaders.length > MAX_HEADERS * 2) {
      return sendError(response, 431, 'VALIDATION_ERROR', `A request has at most ${MAX_HEADERS} headers.`)
    }
    // RFC 9112, section 3.2; Node's own answer would lack our envelope.
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      return sendError(response, 400, 'VALIDATION_ERROR', 'A request needs a Host header.')
    }
    return listener(request, response)
  }
}

function sendError(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  const requestId = crypto.randomUUID()
  const { json } = errorReply(new DaybookError(code, message), requestId)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  })
  response.end(json)
}

/** What a request that is no HTTP gets, by the parser's error code. */
const BROKEN: Readonly<Record<string, readonly [line: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'VALIDATION_ERROR',
    `Headers and URL have at most ${MAX_HEADER_BYTES} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'VALIDATION_ERROR', 'The request took too long to arrive.'],
  HPE_INVALID_METHOD: ['501 Not Implemented', 'NOT_IMPLEMENTED', 'This method is not known.'],
}

function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [line, code, message] = BROKEN[error.code ?? ''] ?? [
    '400 Bad Request',
    'VALIDATION_ERROR',
    'This is not valid HTTP.',
  ]
  const requestId = crypto.randomUUID()
  const { json = '' } = errorReply(new DaybookError(code as ErrorCode, message), requestId)
  const headers = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
    'Connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${json}`)
}

async function stop(
  server: Server,
  service: Servable,
  state: { isStopping: boolean },
  graceMs: number,
  idleMs: number,
): Promise<void> {
  service.drain()
  state.isStopping = true
  const closed = once(server, 'close')
  // The close of HTTP servers ends idle connections, too; this one takes no new ones.
  NetServer.prototype.close.call(server)
  const idle = idleMs > 0 ? setTimeout(() => server.close(), idleMs) : void server.close()
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(idle)
  clearTimeout(timer)
  await service.close()
}
