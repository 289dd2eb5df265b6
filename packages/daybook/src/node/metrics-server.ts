import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../log.ts'
import { formatMerged, METRICS_TYPE, type MetricsSnapshot, mergeCumulative } from '../metrics/metrics.ts'
import type { WorkerProcess } from './worker.ts'

export interface MetricsAddress {
  /** 0 picks a free one. */
  readonly port: number
  readonly host: string
}

export interface MetricsServer {
  /** `http://HOST:PORT/metrics` */
  readonly url: string
  close(): void
}

/**
 * Serves metrics on a separate port, since they are not public.
 *
 * @param read returns the text; the response is 503 if it fails
 */
export async function serveMetrics(
  read: () => Promise<string>,
  { port, host }: MetricsAddress,
  log: Log,
): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5000, requestTimeout: 10_000 }, async (request, response) => {
    if (request.url !== '/metrics') return sendMetrics(response, 404, 'Metrics are at /metrics.\n')
    if (request.method !== 'GET') return sendMetrics(response, 405, 'Use GET.\n', { Allow: 'GET' })
    try {
      sendMetrics(response, 200, await read(), { 'Content-Type': METRICS_TYPE })
    } catch (error) {
      log.error({ err: error }, 'metrics could not be read')
      sendMetrics(response, 503, 'The metrics cannot be read right now.\n')
    }
  })
  server.listen({ port, host, exclusive: true })
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${shownHost}:${address.port}/metrics`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function sendMetrics(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers })
  response.end(text)
}

/** The metrics of all workers, including exited ones. */
export class WorkersMetrics {
  #exitedMetrics: Promise<MetricsSnapshot> = Promise.resolve([])

  /** Adds the last metrics of an exited worker: a decreasing sum would look like a restart. */
  addExited({ lastMetrics }: WorkerProcess): void {
    this.#exitedMetrics = this.#exitedMetrics.then((earlier) => mergeCumulative(earlier, lastMetrics))
  }

  async text(alive: Iterable<WorkerProcess>): Promise<string> {
    const snapshots = await Promise.all([
      this.#exitedMetrics,
      ...Array.from(alive, (worker) => worker.collectMetrics()),
    ])
    return formatMerged(snapshots)
  }
}
