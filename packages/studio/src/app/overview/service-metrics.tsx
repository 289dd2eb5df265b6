import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import styles from './metrics.module.css'
import { Plot } from './plot.tsx'

/** Requests and latency of the last hour, if metrics are on and the user may read them. */
export function ServiceMetrics(): ReactNode {
  const metrics = useMetrics()
  return metrics && <Metrics {...metrics} />
}

function Metrics({ node, since, points }: RecentMetrics): ReactNode {
  const { t, formats } = useAdministrationTexts()
  return (
    <section className={styles.metrics} aria-label={t.metrics.title}>
      <h2>{t.metrics.title}</h2>
      <p className={styles.note}>{t.metrics.process(node, formats.moment(since))}</p>
      <div className={styles.plots}>
        <Requests points={points} />
        <Latency points={points} />
      </div>
      <details>
        <summary className={styles.summary}>{t.metrics.table}</summary>
        <Figures points={points} />
      </details>
    </section>
  )
}

interface PointsProps {
  readonly points: readonly MinutePoint[]
}

const getEnd = (points: readonly MinutePoint[]): string => points.at(-1)?.at ?? new Date().toISOString()

function Requests({ points }: PointsProps): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const sum = (name: 'requests' | 'failures'): string =>
    formats.number(points.reduce((total, point) => total + point[name], 0))
  return (
    <Plot
      title={t.metrics.requests}
      summary={t.metrics.requestsInAll(sum('requests'), sum('failures'))}
      until={getEnd(points)}
      series={[
        { name: t.metrics.count, kind: 'bars', values: points.map(({ requests }) => requests) },
        { name: t.metrics.failed, kind: 'failedBars', values: points.map(({ failures }) => failures) },
      ]}
    />
  )
}

function Latency({ points }: PointsProps): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const last = points.findLast(({ p50 }) => p50 !== null)
  return (
    <Plot
      title={t.metrics.latency}
      summary={
        last
          ? t.metrics.latencyNow(formats.number(last.p50 ?? 0), formats.number(last.p95 ?? 0))
          : t.metrics.latencyNone
      }
      until={getEnd(points)}
      series={[
        { name: t.metrics.p95, kind: 'dashedLine', values: points.map(({ p95 }) => p95) },
        { name: t.metrics.median, kind: 'line', values: points.map(({ p50 }) => p50) },
      ]}
    />
  )
}

/** The plotted values as a table, the current minute first. */
function Figures({ points }: PointsProps): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const formatValue = (value: number | null): string => (value === null ? '–' : formats.number(value))
  return (
    <ScrollRegion className={styles.scroll} label={t.metrics.table}>
      <table className={styles.table}>
        <thead>
          <tr>
            {[t.metrics.time, t.metrics.count, t.metrics.failed, t.metrics.medianMs, t.metrics.p95Ms].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map(({ at, requests, failures, p50, p95 }) => (
            <tr key={at}>
              <th scope="row">
                <time dateTime={at}>{formats.time(at)}</time>
              </th>
              <td>{formatValue(requests)}</td>
              <td>{formatValue(failures)}</td>
              <td>{formatValue(p50)}</td>
              <td>{formatValue(p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

/** Metrics of one minute, of the process that responds. */
export interface MinutePoint {
  /** The start of the minute, ISO 8601. */
  readonly at: string
  readonly requests: number
  readonly failures: number
  /** In milliseconds; `null` without requests. */
  readonly p50: number | null
  readonly p95: number | null
}

/** Metrics of the last hour, of the process that responds. */
export interface RecentMetrics {
  readonly node: string
  /** ISO 8601. */
  readonly since: string
  /** At most 60 points, the oldest first, the current minute last. */
  readonly points: readonly MinutePoint[]
}

/** The refresh interval, in milliseconds. */
const REFRESH_MS = 20_000

/** Loads the metrics; `undefined` if they are off or the user may not read them. */
export function useMetrics(): RecentMetrics | undefined {
  const { client } = useStudio()
  const { data } = useQuery({
    queryKey: ['metrics'],
    queryFn: ({ signal }) => client.request<RecentMetrics>({ path: '/api/cms/metrics', signal }),
    retry: false,
    // Metrics that are off stay off until the service restarts.
    refetchInterval: ({ state }) => (state.data ? REFRESH_MS : false),
  })
  return data
}
