// The load generator, in a process of its own so that it takes no time from the server that it measures.
import autocannon, { type Client, type RequestSpec } from 'autocannon'
import { makePost, type Targets } from '../stores/text.ts'

export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Addresses to read, in turn, shared out among the connections. */
  readonly paths?: readonly string[]
  /** Requests a second, on all connections together. @default as many as possible */
  readonly rate?: number
  /** Posts to create, numbered from `first` on. */
  readonly posts?: { readonly token: string; readonly first: number; readonly targets: Targets }
}

/** The responses with one status. Times are in milliseconds. */
interface StatusResult {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly byStatus: Readonly<Record<string, StatusResult>>
  /** Failed connections, and requests that timed out. */
  readonly failures: number
  /** Processor time of the load generator, in milliseconds. */
  readonly processorMs: number
}

function clientSetup({ paths, posts, connections }: Load): (client: Client) => void {
  let clientIndex = 0
  let number = posts?.first ?? 0
  const reads = paths?.map((path): RequestSpec => ({ method: 'GET', path }))
  return (client) => {
    if (reads) client.setRequests(selectShare(reads, clientIndex++, connections))
    else if (posts) client.setRequests([creation(posts, () => number++)])
  }
}

/** Selects the requests of one connection: all of them if there are too few to share. */
function selectShare(reads: readonly RequestSpec[], client: number, clients: number): readonly RequestSpec[] {
  return reads.length < clients ? reads : reads.filter((_, index) => index % clients === client)
}

function creation({ token, targets }: NonNullable<Load['posts']>, nextNumber: () => number): RequestSpec {
  return {
    method: 'POST',
    path: '/api/posts',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    setupRequest: (request) => ({ ...request, body: JSON.stringify(makePost(nextNumber(), targets)) }),
  }
}

function summarize(times: readonly number[]): StatusResult {
  const sorted = Float64Array.from(times).sort()
  const percentile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return { count: times.length, p50: percentile(0.5), p99: percentile(0.99) }
}

async function runLoad(load: Load): Promise<LoadResult> {
  const timesByStatus: Record<string, number[]> = {}
  let startedAt = 0
  let endedAt = 0
  let requests = 0
  let cpuBefore = process.cpuUsage()
  const instance = autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    setupClient: clientSetup(load),
    ...(load.rate === undefined ? {} : { overallRate: load.rate }),
  })
  instance.on('response', (_client, status, _bytes, milliseconds) => {
    endedAt = performance.now()
    if (requests === 0) {
      startedAt = endedAt
      cpuBefore = process.cpuUsage()
    }
    requests += 1
    timesByStatus[status] ??= []
    timesByStatus[status].push(milliseconds)
  })
  const { errors, timeouts } = await instance
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    requests,
    seconds: (endedAt - startedAt) / 1000,
    byStatus: Object.fromEntries(Object.entries(timesByStatus).map(([status, times]) => [status, summarize(times)])),
    failures: errors + timeouts,
    processorMs: (user + system) / 1000,
  }
}

process.on('message', async (load: Load) => process.send?.(await runLoad(load)))
process.once('disconnect', () => process.exit(0))
