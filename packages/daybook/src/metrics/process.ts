import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

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
