import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv4, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireNoExposure } from '../content/access/exposure.ts'
import type { Route } from '../http/contract.ts'
import type { Service } from '../service.ts'
import { waitForEmptyBacklog } from './connections.ts'
import { Listener } from './listener.ts'
import { MAX_HEADER_BYTES } from './rejections.ts'

/** The address of a server, and its timeouts. */
export interface ServeOptions {
  /** The port; 0 chooses a free one. @default 3000 */
  readonly port?: number
  /** @default '127.0.0.1', which only this machine can reach */
  readonly host?: string
  /** The time for a client to send its headers, in milliseconds. @default 15,000 */
  readonly headersTimeoutMs?: number
  /**
   * The time for a client to send the body of a request, in milliseconds. An upload may take longer, as long as 64 KiB arrive in each such
   * period. @default 60,000
   */
  readonly requestTimeoutMs?: number
}

/** The part of a service that is served. `handle` handles requests: a wrapper of the service's `fetch` is not called. */
export type Servable = Pick<Service, 'handle' | 'bodyLimit' | 'drain' | 'close'> &
  Partial<Pick<Service, 'routes' | 'exposureFaults'>>

/** The other processes that share the port of this one, and stop with it. */
export interface Peers {
  /** Resolves when this process may stop listening: no connection is on its way to any of the processes. */
  accepted(): Promise<void>
  /**
   * Called once this process has stopped listening; resolves when no other one listens either. Until then, responses wait: a client with a
   * response might open a connection that no process would accept.
   */
  closed(): Promise<void>
}

/** A service that listens. */
export interface Listening {
  /** `http://HOST:PORT` */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting connections, responds to the requests on open ones, and closes the service. Each response says
   * `Connection: close`.
   *
   * @param graceMs the time after which busy connections are cut, in milliseconds; @default 30,000
   * @param idleMs the time for which a connection stays open after its last response, in milliseconds; @default 250
   * @param peers the other processes, if several share the port
   */
  stop(graceMs?: number, idleMs?: number, peers?: Peers): Promise<void>
}

/** The maximum time for routes to prepare responses before the server listens, in milliseconds. Slower ones continue afterwards. */
const PREPARE_MS = 100
const KEEP_ALIVE_MS = 10_000
const SHUTDOWN_GRACE_MS = 30_000
/** The time after a response in which a client may be sending its next request, in milliseconds. */
const RECENT_RESPONSE_MS = 250

/**
 * Serves over HTTP/1.1 with Node.
 *
 * @throws {StartupError} if other machines could reach a service with `exposureFaults`
 *
 * @example
 * ```ts
 * const { url, stop } = await serve(await createService(config), { port: 3000 })
 * process.once('SIGTERM', () => stop())
 * ```
 */
export async function serve(service: Servable, options: ServeOptions = {}): Promise<Listening> {
  const { port = 3000, host = '127.0.0.1', headersTimeoutMs = 15_000, requestTimeoutMs = 60_000 } = options
  if (!isLoopback(host)) requireNoExposure(service.exposureFaults ?? [], `at ${host}, where other machines reach it`)
  const { handle, bodyLimit, routes = [] } = service
  const listener = new Listener({ handle, bodyLimit, routes, bodyTimeoutMs: requestTimeoutMs })
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    // The listener limits bodies itself, since Node has a single limit for all.
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
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address
  let stopped: Promise<void> | undefined
  return {
    url: `http://${shownHost}:${address.port}`,
    port: address.port,
    stop: (graceMs = SHUTDOWN_GRACE_MS, idleMs = RECENT_RESPONSE_MS, peers) => {
      stopped ??= stop(server, service, listener, { graceMs, idleMs, peers })
      return stopped
    },
  }
}

/** True if only this machine can reach an address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Lets routes prepare their first responses, so that the first clients get them at once. */
async function prepare(routes: readonly Route[]): Promise<void> {
  // A failure occurs again in the first request, which reports it.
  const prepared = Promise.allSettled(routes.map((route) => route.prepare?.()))
  const waiting = new AbortController()
  const limit = sleep(PREPARE_MS, undefined, waiting).catch(() => {})
  await Promise.race([prepared, limit])
  waiting.abort()
}

/** The parameters of {@link Listening.stop}. */
interface StopOptions {
  readonly graceMs: number
  readonly idleMs: number
  readonly peers: Peers | undefined
}

async function stop(
  server: Server,
  service: Servable,
  listener: Listener,
  { graceMs, idleMs, peers }: StopOptions,
): Promise<void> {
  service.drain()
  listener.connections.drain(idleMs)
  const closed = once(server, 'close')
  const timer = setTimeout(() => listener.connections.destroy(), graceMs)
  // A client that waits for its response does not connect again before the listener is closed.
  const { promise, resolve: release } = Promise.withResolvers<void>()
  listener.pausedUntil = promise
  await waitForBacklog(server)
  await peers?.accepted()
  // The close of an HTTP server destroys idle connections, with data that has arrived on them. The close of a net server does not.
  NetServer.prototype.close.call(server)
  await peers?.closed()
  listener.pausedUntil = undefined
  release()
  await closed
  clearTimeout(timer)
  // This also stops the timer of Node's HTTP server for slow connections.
  server.close()
  await service.close()
}

/** Waits until connections that clients opened before the stop are accepted. */
async function waitForBacklog(server: Server): Promise<void> {
  let lastAt = 0
  const recordConnection = (): void => {
    lastAt = performance.now()
  }
  server.on('connection', recordConnection)
  await waitForEmptyBacklog(() => lastAt)
  server.off('connection', recordConnection)
}
