import { Metrics } from '../../packages/daybook/src/metrics/metrics.ts'
import { table } from './table.ts'

/** A source in which every metric has a value. */
const BUSY = {
  statements: () => 1,
  journalSeq: async () => 1,
  poolState: () => ({ total: 2, idle: 1, waiting: 0 }),
  readers: () => [{ name: 'replica', seq: 1 }],
  missingFiles: () => 0,
}

/** The label that the Prometheus client adds to histograms. */
const BUCKET = 'le'

/** The table of all metrics, including those that only some stores have. */
export async function metricTable(): Promise<string> {
  const metrics = new Metrics(BUSY)
  metrics.observe('GET', '/api/posts', 200, 1)
  const snapshot = await metrics.snapshot()
  metrics.close()
  const rows = snapshot.map(({ name, help, values }) => {
    const labels = new Set(values.flatMap((value) => Object.keys(value.labels)).filter((label) => label !== BUCKET))
    return [`\`${name}\``, [...labels].join(', '), help]
  })
  return table(['metric', 'labels', 'meaning'], rows)
}
