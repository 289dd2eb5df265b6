import type { Caller } from '../auth/adapter.ts'
import { requireOperator } from '../auth/administration.ts'
import type { FileCheck } from '../content/assets/file-check.ts'
import type { AppOptions } from '../http/app.ts'
import type { RecentMetrics } from '../http/routes/metrics.ts'
import type { DeliveryThrottle } from '../journal/throttle.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { processName } from '../store/serving-process.ts'
import type { Store } from '../store/store.ts'

/** Opens the metrics of a service. The metrics library is loaded here, so that a service without metrics does not load it. */
export async function openMetrics({ database, read }: Store, fileCheck: FileCheck): Promise<Metrics> {
  const { Metrics } = await import('../metrics/metrics.ts')
  return new Metrics({
    statements: () => database.statementCount,
    journalSeq: () => read.journal.head(),
    poolState: () => database.poolState,
    readers: () => database.replicas ?? [],
    missingFiles: () => fileCheck.missingCount,
  })
}

/** Returns the last hour of this process. Each of several processes has its own. */
export function recentMetricsFor(caller: Caller, { recent }: Metrics): RecentMetrics {
  requireOperator(caller)
  return {
    node: processName(),
    since: new Date(recent.since).toISOString(),
    points: recent.points(),
  }
}

export function requireMetrics(metrics: Metrics | undefined): Metrics {
  if (!metrics) throw new Error('Metrics are off. Create the service with createService(config, { metrics: true }).')
  return metrics
}

/** Creates the observer of responses, or returns `undefined` if nothing needs one. */
export function createObserver(
  metrics: Metrics | undefined,
  throttle: DeliveryThrottle | undefined,
): AppOptions['observe'] {
  if (!throttle) return metrics?.observe.bind(metrics)
  return (...response) => {
    throttle.noteRequest()
    metrics?.observe(...response)
  }
}
