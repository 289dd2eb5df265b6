import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type { Service } from '../service.ts'
import { toListener } from './listener.ts'
import { MAX_HEADER_BYTES, refuse, refuseBroken } from './refuse.ts'

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

/** What of a service is served. It answers by `handle`: a function that was put around its `fetch` is not called. */
export type Servable = Pick<Service, 'handle' | 'bodyLimit' | 'drain' | 'close'>

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

const KEEP_ALIVE_MS = 10_000
const GRACE_MS = 30_000

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
  const listener = toListener(service.handle, state)
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
    listener(request, response)
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    refuse(response, 417, 'VALIDATION_ERROR', 'Only Expect: 100-continue is understood.')
  })
  server.on('clientError', refuseBroken)
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
