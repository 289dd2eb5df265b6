// The load generator, in a process of its own so that it never takes time from the server that it measures.
import autocannon, { type Client, type RequestSpec } from 'autocannon'
import { makePost, type Targets } from '../databases/text.ts'

/** One stretch of load. */
export interface Load {
  /** Where connections go, in turn. */
  readonly urls: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Addresses to read, in turn, shared out among the connections. */
  readonly paths?: readonly string[]
  /** What each address has as its tag, sent as `If-None-Match`. */
  readonly tags?: readonly string[]
  /** Sent with every address. */
  readonly headers?: Readonly<Record<string, string>>
  /** Requests a second, on all connections together. @default as many as there can be */
  readonly rate?: number
  /** What to create: posts from this number on. */
  readonly posts?: { readonly path: string; readonly token: string; readonly from: number; readonly targets: Targets }
}

/** What came of it. */
export interface Loaded {
  readonly requests: number
  readonly seconds: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>
  /** Connections that failed, and requests without an answer in time. */
  readonly failures: number
  /** How much of the load generator's own core was used, from 0 to 1. */
  readonly busy: number
}

function requestsFor({ paths, tags, posts, headers = {}, connections }: Load): (client: Client) => void {
  let client = 0
  let number = posts?.from ?? 0
  const reads = paths?.map((path, index): RequestSpec => {
    const tag = tags?.[index]
    return { method: 'GET', path, headers: tag === undefined ? headers : { ...headers, 'if-none-match': tag } }
  })
  return (one) => {
    if (reads) one.setRequests(shareOf(reads, client++, connections))
    else if (posts) one.setRequests([creation(posts, () => number++)])
  }
}

/** Each connection's own part of the requests; all of them, where there are too few to share. */
function shareOf(reads: readonly RequestSpec[], client: number, clients: number): readonly RequestSpec[] {
  return reads.length < clients ? reads : reads.filter((_, index) => index % clients === client)
}

function creation({ path, token, targets }: NonNullable<Load['posts']>, next: () => number): RequestSpec {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    method: 'POST',
    path,
    headers,
    setupRequest: (request) => ({ ...request, body: JSON.stringify(makePost(next(), targets)) }),
  }
}

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

async function runLoad(load: Load): Promise<Loaded> {
  const times: number[] = []
  let startedAt = 0
  let endedAt = 0
  let before = process.cpuUsage()
  const instance = autocannon({
    url: load.urls,
    connections: load.connections,
    duration: load.seconds,
    setupClient: requestsFor(load),
    ...(load.rate === undefined ? {} : { overallRate: load.rate }),
  })
  instance.on('response', (_client, _status, _bytes, milliseconds) => {
    if (times.length === 0) {
      startedAt = performance.now()
      before = process.cpuUsage()
    }
    times.push(milliseconds)
    endedAt = performance.now()
  })
  const { statusCodeStats, errors, timeouts } = await instance
  const statuses = Object.fromEntries(Object.entries(statusCodeStats).map(([code, { count }]) => [code, count]))
  const sorted = Float64Array.from(times).sort()
  const { user, system } = process.cpuUsage(before)
  const seconds = (endedAt - startedAt) / 1000
  return {
    requests: times.length,
    seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    statuses,
    failures: errors + timeouts,
    busy: (user + system) / 1e6 / seconds,
  }
}

process.on('message', async (load: Load) => process.send?.(await runLoad(load)))
process.once('disconnect', () => process.exit(0))
