import { Metrics } from '../../packages/daybook/src/metrics/metrics.ts'
import { table } from './table.ts'

/** A source of metrics in which every one has a value. */
const BUSY = {
  statements: () => 1,
  journalSeq: async () => 1,
  poolState: () => ({ total: 2, idle: 1, waiting: 0 }),
  readers: () => [{ name: 'replica', seq: 1 }],
  missingFiles: () => 0,
}

/** The label of histograms that Prometheus itself makes. */
const BUCKET = 'le'

/** Every metric with its labels and its help, those included that only some stores have. */
export async function metricTable(): Promise<string> {
  const metrics = new Metrics(BUSY)
  metrics.observe('GET', '/api/posts', 200, 1)
  const snapshot = await metrics.snapshot()
  metrics.close()
  const rows = snapshot.map(({ name, help, values }) => {
    const labels = new Set(values.flatMap((one) => Object.keys(one.labels)).filter((label) => label !== BUCKET))
    return [`\`${name}\``, [...labels].join(', '), help]
  })
  return table(['metric', 'labels', 'meaning'], rows)
}
