import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv4, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseExposure } from '../content/access/exposure.ts'
import type { Route } from '../http/contract.ts'
import type { Service } from '../service.ts'
import { Connections } from './connections.ts'
import { TargetReader } from './head.ts'
import { answerRequest, type ServerState } from './listener.ts'
import { untilQuiet } from './quiet.ts'
import { MAX_HEADER_BYTES, refuseBroken, refuseRequest } from './refuse.ts'

/** Where and how a service listens. */
export interface ServeOptions {
  /** 0 picks a free one. @default 3000 */
  readonly port?: number
  /** @default '127.0.0.1', this machine alone */
  readonly host?: string
  /** How long a client may take to send its headers, in milliseconds. @default 15,000 */
  readonly headersTimeoutMs?: number
  /**
   * How long a client may take to send the body of a request, in milliseconds. An upload may take longer, as long as it brings 64 KiB in
   * this time. @default 60,000
   */
  readonly requestTimeoutMs?: number
}

/** The part of a service that is served. Requests are answered by `handle`: a function that was put around its `fetch` is not called. */
export type Servable = Pick<Service, 'handle' | 'bodyLimit' | 'drain' | 'close'> &
  Partial<Pick<Service, 'routes' | 'exposureFaults'>>

/** Other processes that share the port of this one, and end with it. */
export interface Peers {
  /** Resolves when this process may stop listening: no connection is on its way to any of them. */
  taken(): Promise<void>
  /**
   * Asked once this process has stopped listening; resolves when no other one listens either. Until then answers wait: a
   * client that has one asks again, and no process would take its connection.
   */
  closed(): Promise<void>
}

/** A service that listens. */
export interface Listening {
  /** `http://HOST:PORT` */
  readonly url: string
  readonly port: number
  /**
   * Stops taking connections, answers what was sent on those there are, and closes the service. Each answer says
   * `Connection: close`.
   *
   * @param graceMs after this time, connections that are still busy are cut, in milliseconds; @default 30,000
   * @param idleMs how long after its last answer a connection stays open for the next request, in milliseconds;
   *   @default 250
   * @param peers where several processes share the port
   */
  stop(graceMs?: number, idleMs?: number, peers?: Peers): Promise<void>
}

/** How long a start waits for first answers that routes prepare, in milliseconds; what takes longer is done while it listens. */
const PREPARE_MS = 100
const KEEP_ALIVE_MS = 10_000
const SHUTDOWN_GRACE_MS = 30_000
/** A client whose request was answered less than this ago may be sending the next one, in milliseconds. */
const RECENT_ANSWER_MS = 250

/**
 * Serves over HTTP/1.1 with Node.
 *
 * @throws {StartupError} if other machines would reach a service that has `exposureFaults`
 *
 * @example
 * ```ts
 * const { url, stop } = await serve(await createService(config), { port: 3000 })
 * process.once('SIGTERM', () => stop())
 * ```
 */
export async function serve(service: Servable, options: ServeOptions = {}): Promise<Listening> {
  const { port = 3000, host = '127.0.0.1', headersTimeoutMs = 15_000, requestTimeoutMs = 60_000 } = options
  if (!isLoopback(host)) refuseExposure(service.exposureFaults ?? [], `at ${host}, where other machines reach it`)
  const state: ServerState = {
    handle: service.handle,
    bodyTimeoutMs: requestTimeoutMs,
    connections: new Connections(),
    targets: new TargetReader(),
    pausedUntil: undefined,
  }
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    // The listener watches over bodies: Node knows one limit for all.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  server.on('connection', (socket: Socket) => state.connections.add(socket))
  server.on('request', (request: IncomingMessage, response: ServerResponse) => answerRequest(state, request, response))
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A body that is too large is refused before it is sent.
    if (Number(request.headers['content-length'] ?? 0) <= limitOf(service, request)) response.writeContinue()
    answerRequest(state, request, response)
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    refuseRequest(response, 417, 'VALIDATION_ERROR', 'Only Expect: 100-continue is understood.')
  })
  server.on('clientError', (error: Error, socket: Socket) => {
    state.connections.refuseNext(socket, () => refuseBroken(error, socket))
  })
  await prepare(service.routes ?? [])
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  let stopped: Promise<void> | undefined
  return {
    url: `http://${shown}:${address.port}`,
    port: address.port,
    stop: (graceMs = SHUTDOWN_GRACE_MS, idleMs = RECENT_ANSWER_MS, peers) => {
      stopped ??= stop(server, service, state, { graceMs, idleMs, peers })
      return stopped
    },
  }
}

/** True if only this machine reaches an address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** The largest body of the route that a request is for, in bytes. */
function limitOf({ bodyLimit, routes = [] }: Servable, { method, url = '' }: IncomingMessage): number {
  const [path] = url.split('?')
  const route = routes.find((one) => one.body?.limit !== undefined && one.method === method && one.path === path)
  return route?.body?.limit ?? bodyLimit
}

/** Lets routes prepare their first answers, so that the first clients get them at once. */
async function prepare(routes: readonly Route[]): Promise<void> {
  // What fails here fails again for the request that asks for it, which says so.
  const prepared = Promise.allSettled(routes.map((route) => route.prepare?.()))
  const waiting = new AbortController()
  const limit = sleep(PREPARE_MS, undefined, waiting).catch(() => {})
  await Promise.race([prepared, limit])
  waiting.abort()
}

/** How a server stops; see {@link Listening.stop}. */
interface Stop {
  readonly graceMs: number
  readonly idleMs: number
  readonly peers: Peers | undefined
}

async function stop(
  server: Server,
  service: Servable,
  state: ServerState,
  { graceMs, idleMs, peers }: Stop,
): Promise<void> {
  service.drain()
  state.connections.drain(idleMs)
  const closed = once(server, 'close')
  const timer = setTimeout(() => state.connections.destroy(), graceMs)
  // No client that waits for its answer opens another connection meanwhile.
  const { promise, resolve: release } = Promise.withResolvers<void>()
  state.pausedUntil = promise
  await backlogTaken(server)
  await peers?.taken()
  // The close of HTTP servers destroys idle connections and what has arrived on them; this one takes no new ones.
  NetServer.prototype.close.call(server)
  await peers?.closed()
  state.pausedUntil = undefined
  release()
  await closed
  clearTimeout(timer)
  // Ends what Node's HTTP server does besides: it looks for connections that are too slow.
  server.close()
  await service.close()
}

/** Waits for the connections that clients have opened before they could know of the end. */
async function backlogTaken(server: Server): Promise<void> {
  let lastAt = 0
  const note = (): void => {
    lastAt = performance.now()
  }
  server.on('connection', note)
  await untilQuiet(() => lastAt)
  server.off('connection', note)
}
