import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { PoolState, ReplicaState } from '../store/database.ts'
import { RecentMinutes } from './recent-minutes.ts'

/** The parts of a service that its metrics read. */
export interface MetricsSource {
  statements(): number
  /** The last number of the journal. */
  journalSeq(): Promise<number>
  /** Undefined where there is no pool. */
  poolState(): PoolState | undefined
  /** The readers of the journal, and how far each has come. */
  readers(): readonly ReplicaState[]
  /** The number of assets whose files are missing, according to the last checks. */
  missingFiles(): number
}

/** All metrics of one process, in a form that can be sent to another one. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** `Content-Type` of the text that Prometheus reads. */
export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE

/** Upper bounds of the duration of requests, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Requests with any other method share one label: clients cannot make labels up. */
const COUNTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The metrics of one service. */
export class Metrics {
  /** Its last hour, minute by minute. */
  readonly recent: RecentMinutes = new RecentMinutes()
  readonly #registry = new Registry()
  readonly #requests: Counter<'method' | 'route' | 'status'>
  readonly #durations: Histogram<'method' | 'route'>
  readonly #stopObserving: () => void

  constructor(source: MetricsSource) {
    const registers = [this.#registry]
    this.#requests = new Counter({
      name: 'daybook_http_requests_total',
      help: 'Requests that were answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'daybook_http_request_duration_seconds',
      help: 'Time from the head of a request to its answer, in seconds.',
      labelNames: ['method', 'route'],
      buckets: BUCKETS,
      registers,
    })
    watchStore(source, registers)
    this.#stopObserving = observeProcess(registers)
  }

  /**
   * Counts a request that was answered.
   *
   * @param route its pattern in the route table; undefined when it has none
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
    help: 'The last number of the journal, as the store says when it is asked; missing while the store does not answer.',
    aggregator: 'max',
    registers,
    async collect() {
      // While the store does not answer there is no value, and all others are still told.
      const seq = await source.journalSeq().catch(() => undefined)
      if (seq === undefined) this.remove()
      else this.set(seq)
    },
  })
  new Gauge({
    name: 'daybook_files_missing',
    help: 'Assets that lack their files, as far as checks have found: one every ten minutes, of about 100 assets. At most 100.',
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
    help: 'Connections to PostgreSQL that are busy and idle, and what is waiting for one: reads that came together count once.',
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
    help: 'The last number of the journal that each reader, such as a replica, has come to; missing while it does not answer.',
    labelNames: ['reader'],
    aggregator: 'min',
    registers,
    collect() {
      this.reset()
      for (const { name, seq } of readers()) if (seq !== undefined) this.set({ reader: name }, seq)
    },
  })
}

/** Puts the metrics of several processes together. */
function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots])
}

/** The text of what several processes have measured together. */
export function formatMerged(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return merge(snapshots).metrics()
}

/** The counters and histograms of processes that have ended; they stay, so that no sum ever falls. */
export async function mergeCumulative(...snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
  const all = await merge(snapshots).getMetricsAsJSON()
  return all.filter(({ type }) => (type as unknown) === 'counter' || (type as unknown) === 'histogram')
}

const RESOLUTION_MS = 10
const QUANTILES = [0.5, 0.9, 0.99, 1]
const NANOSECONDS = 1e9

/** Measures the process itself, until what is returned is called. Names without `daybook_` are those that Prometheus' clients share. */
export function observeProcess(registers: Registry[]): () => void {
  observeUse(registers)
  return observeEventLoop(registers)
}

function observeUse(registers: Registry[]): void {
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that was used, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  gauge('process_resident_memory_bytes', 'Memory that the process holds, in bytes.', registers, () =>
    process.memoryUsage.rss(),
  )
  gauge(
    'nodejs_heap_size_used_bytes',
    'Memory that objects take, in bytes.',
    registers,
    () => process.memoryUsage().heapUsed,
  )
  // Only where the system shows them as files.
  if (openFiles() !== undefined)
    gauge('process_open_fds', 'Open files and connections; on Linux.', registers, openFiles)
}

function gauge(name: string, help: string, registers: Registry[], read: () => number | undefined): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read() ?? 0)
    },
  })
}

function openFiles(): number | undefined {
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
    help: 'How much later than planned the event loop came round since it was last asked, in seconds; quantile 1 is the worst.',
    labelNames: ['quantile'],
    aggregator: 'max',
    registers,
    collect() {
      for (const quantile of QUANTILES) {
        // What is measured is the time from one tick to the next, which includes the time that was planned.
        const delay = delays.count === 0 ? 0 : delays.percentile(quantile * 100) / NANOSECONDS - RESOLUTION_MS / 1000
        this.set({ quantile }, Math.max(0, delay))
      }
      delays.reset()
    },
  })
  return () => delays.disable()
}
