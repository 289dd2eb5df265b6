import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv4, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseExposure } from '../content/access/exposure.ts'
import type { Route } from '../http/contract.ts'
import type { Service } from '../service.ts'
import { waitForEmptyBacklog } from './connections.ts'
import { Listener } from './listener.ts'
import { MAX_HEADER_BYTES } from './refusals.ts'

/** The address of a server, and its time-outs. */
export interface ServeOptions {
  /** 0 picks a free one. @default 3000 */
  readonly port?: number
  /** @default '127.0.0.1', this machine alone */
  readonly host?: string
  /** The time for a client to send its headers, in milliseconds. @default 15,000 */
  readonly headersTimeoutMs?: number
  /**
   * The time for a client to send the body of a request, in milliseconds. An upload may take longer, as long as it brings 64 KiB in each such
   * period. @default 60,000
   */
  readonly requestTimeoutMs?: number
}

/** The part of a service that is served. `handle` answers requests: a function that wraps the service's `fetch` is not called. */
export type Servable = Pick<Service, 'handle' | 'bodyLimit' | 'drain' | 'close'> &
  Partial<Pick<Service, 'routes' | 'exposureFaults'>>

/** The other processes that share the port of this one, and end with it. */
export interface Peers {
  /** Resolves when this process may stop listening: no connection is on its way to any of the processes. */
  accepted(): Promise<void>
  /**
   * Called once this process has stopped listening; resolves when no other one listens either. Until then responses wait: a client that
   * has one may connect again, and no process would accept its connection.
   */
  closed(): Promise<void>
}

/** A service that listens. */
export interface Listening {
  /** `http://HOST:PORT` */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting connections, answers the requests on open ones, and closes the service. Each response says
   * `Connection: close`.
   *
   * @param graceMs after this time, connections that are still busy are cut, in milliseconds; @default 30,000
   * @param idleMs the time after its last response for which a connection stays open, in milliseconds;
   *   @default 250
   * @param peers if several processes share the port
   */
  stop(graceMs?: number, idleMs?: number, peers?: Peers): Promise<void>
}

/** The longest time that a start waits for routes which prepare a response, in milliseconds; after it they go on while the server listens. */
const PREPARE_MS = 100
const KEEP_ALIVE_MS = 10_000
const SHUTDOWN_GRACE_MS = 30_000
/** The time after a response in which a client may be sending its next request, in milliseconds. */
const RECENT_RESPONSE_MS = 250

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
  const { handle, bodyLimit, routes = [] } = service
  const listener = new Listener({ handle, bodyLimit, routes, bodyTimeoutMs: requestTimeoutMs })
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    // The listener limits bodies by itself, since Node has one limit for all.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  listener.attach(server)
  await prepare(routes)
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  let stopped: Promise<void> | undefined
  return {
    url: `http://${shown}:${address.port}`,
    port: address.port,
    stop: (graceMs = SHUTDOWN_GRACE_MS, idleMs = RECENT_RESPONSE_MS, peers) => {
      stopped ??= stop(server, service, listener, { graceMs, idleMs, peers })
      return stopped
    },
  }
}

/** True if only this machine reaches an address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Lets routes prepare their first responses, so that the first clients get them at once. */
async function prepare(routes: readonly Route[]): Promise<void> {
  // A failure is reported by the first request, where it occurs again.
  const prepared = Promise.allSettled(routes.map((route) => route.prepare?.()))
  const waiting = new AbortController()
  const limit = sleep(PREPARE_MS, undefined, waiting).catch(() => {})
  await Promise.race([prepared, limit])
  waiting.abort()
}

/** The parameters of {@link Listening.stop}. */
interface Stop {
  readonly graceMs: number
  readonly idleMs: number
  readonly peers: Peers | undefined
}

async function stop(
  server: Server,
  service: Servable,
  listener: Listener,
  { graceMs, idleMs, peers }: Stop,
): Promise<void> {
  service.drain()
  listener.connections.drain(idleMs)
  const closed = once(server, 'close')
  const timer = setTimeout(() => listener.connections.destroy(), graceMs)
  // A client that waits for its response does not connect again before the listener is closed.
  const { promise, resolve: release } = Promise.withResolvers<void>()
  listener.pausedUntil = promise
  await backlogAccepted(server)
  await peers?.accepted()
  // The close of an HTTP server destroys idle connections, with data that has arrived on them. The close of a net server does not.
  NetServer.prototype.close.call(server)
  await peers?.closed()
  listener.pausedUntil = undefined
  release()
  await closed
  clearTimeout(timer)
  // This also ends the timer of Node's HTTP server that checks for slow connections.
  server.close()
  await service.close()
}

/** Waits for connections that clients opened before they could know that the server stops. */
async function backlogAccepted(server: Server): Promise<void> {
  let lastAt = 0
  const note = (): void => {
    lastAt = performance.now()
  }
  server.on('connection', note)
  await waitForEmptyBacklog(() => lastAt)
  server.off('connection', note)
}
