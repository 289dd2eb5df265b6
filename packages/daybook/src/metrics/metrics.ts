import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { PoolState, ReplicaState } from '../store/database.ts'
import { RecentMinutes } from './recent-minutes.ts'

/** The parts of a service that its metrics read. */
export interface MetricsSource {
  statements(): number
  /** The last sequence number of the journal. */
  journalSeq(): Promise<number>
  /** `undefined` if the database has no pool. */
  poolState(): PoolState | undefined
  /** The readers of the journal, with their positions. */
  readers(): readonly ReplicaState[]
  /** The number of assets whose files are missing, according to the last checks. */
  missingFiles(): number
}

/** All metrics of one process, in a form for messages between processes. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The `Content-Type` of the text for Prometheus. */
export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE

/** The upper bounds of the buckets of durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** The methods with a label. Others share one label, so that clients cannot create labels. */
const COUNTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export class Metrics {
  /** The requests of the last hour, by minute. */
  readonly recent: RecentMinutes = new RecentMinutes()
  readonly #registry = new Registry()
  readonly #requests: Counter<'method' | 'route' | 'status'>
  readonly #durations: Histogram<'method' | 'route'>
  readonly #stopObserving: () => void

  constructor(source: MetricsSource) {
    const registers = [this.#registry]
    this.#requests = new Counter({
      name: 'daybook_http_requests_total',
      help: 'Requests with a response.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'daybook_http_request_duration_seconds',
      help: 'Time from the head of a request to its response, in seconds.',
      labelNames: ['method', 'route'],
      buckets: BUCKETS,
      registers,
    })
    watchStore(source, registers)
    this.#stopObserving = observeProcess(registers)
  }

  /**
   * Records a response.
   *
   * @param route the path pattern of the route; `undefined` if none matched
   */
  observe(method: string, route: string | undefined, status: number, ms: number): void {
    const labels = { method: COUNTED_METHODS.has(method) ? method : 'other', route: route ?? 'unmatched' }
    this.#requests.inc({ ...labels, status: String(status) })
    this.#durations.observe(labels, ms / 1000)
    this.recent.record(status, ms)
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  snapshot(): Promise<MetricsSnapshot> {
    return this.#registry.getMetricsAsJSON()
  }

  close(): void {
    this.#stopObserving()
  }
}

function watchStore(source: MetricsSource, registers: Registry[]): void {
  new Counter({
    name: 'daybook_store_statements_total',
    help: 'SQL statements that have run.',
    registers,
    collect() {
      this.reset()
      this.inc(source.statements())
    },
  })
  new Gauge({
    name: 'daybook_journal_seq',
    help: 'The last sequence number of the journal; missing while the store does not respond.',
    aggregator: 'max',
    registers,
    async collect() {
      // While the store does not respond, this metric is missing, and the others are still reported.
      const seq = await source.journalSeq().catch(() => undefined)
      if (seq === undefined) this.remove()
      else this.set(seq)
    },
  })
  new Gauge({
    name: 'daybook_files_missing',
    help: 'Assets with missing files, according to checks of about 100 assets every ten minutes. At most 100.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(source.missingFiles())
    },
  })
  watchReaders(source, registers)
  if (!source.poolState()) return
  new Gauge({
    name: 'daybook_pool_connections',
    help: 'Busy and idle connections to PostgreSQL, and work that waits for one: concurrent reads count once.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total = 0, idle = 0, waiting = 0 } = source.poolState() ?? {}
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
}

function watchReaders({ readers }: MetricsSource, registers: Registry[]): void {
  if (readers().length === 0) return
  new Gauge({
    name: 'daybook_journal_reader_seq',
    help: 'The last sequence number of the journal at each reader, such as a replica; missing while it does not respond.',
    labelNames: ['reader'],
    aggregator: 'min',
    registers,
    collect() {
      this.reset()
      for (const { name, seq } of readers()) if (seq !== undefined) this.set({ reader: name }, seq)
    },
  })
}

function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots])
}

export function formatMerged(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return merge(snapshots).metrics()
}

/** Merges the counters and histograms of exited processes, which have to stay so that no sum decreases. */
export async function mergeCumulative(...snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
  const all = await merge(snapshots).getMetricsAsJSON()
  return all.filter(({ type }) => (type as unknown) === 'counter' || (type as unknown) === 'histogram')
}

const RESOLUTION_MS = 10
const QUANTILES = [0.5, 0.9, 0.99, 1]
const NANOSECONDS = 1e9

/** Measures the process until the returned function is called. Names without `daybook_` are common to Prometheus clients. */
export function observeProcess(registers: Registry[]): () => void {
  observeUsage(registers)
  return observeEventLoop(registers)
}

function observeUsage(registers: Registry[]): void {
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  addGauge('process_resident_memory_bytes', 'Memory that the process holds, in bytes.', registers, () =>
    process.memoryUsage.rss(),
  )
  addGauge(
    'nodejs_heap_size_used_bytes',
    'Memory that objects take, in bytes.',
    registers,
    () => process.memoryUsage().heapUsed,
  )
  // Only on systems that list them as files.
  if (countOpenFiles() !== undefined)
    addGauge('process_open_fds', 'Open files and connections; on Linux.', registers, countOpenFiles)
}

function addGauge(name: string, help: string, registers: Registry[], read: () => number | undefined): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read() ?? 0)
    },
  })
}

function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

function observeEventLoop(registers: Registry[]): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  new Gauge({
    name: 'daybook_event_loop_delay_seconds',
    help: 'Delays of the event loop since the last collection, in seconds; quantile 1 is the maximum.',
    labelNames: ['quantile'],
    aggregator: 'max',
    registers,
    collect() {
      for (const quantile of QUANTILES) {
        // The measured time from one tick to the next includes the planned interval.
        const delay = delays.count === 0 ? 0 : delays.percentile(quantile * 100) / NANOSECONDS - RESOLUTION_MS / 1000
        this.set({ quantile }, Math.max(0, delay))
      }
      delays.reset()
    },
  })
  return () => delays.disable()
}
