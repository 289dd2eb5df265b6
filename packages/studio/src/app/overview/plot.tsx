import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import styles from './metrics.module.css'

/** The width of a plot, one unit for each minute. */
const MINUTES = 60
/** The height of a plot in its own units. */
const HEIGHT = 100
const MINUTE_MS = 60_000

/** Values by minute, the oldest first; `null` for a minute without a value. */
export type Values = readonly (number | null)[]

export interface Series {
  readonly name: string
  readonly values: Values
  readonly kind: 'bars' | 'failedBars' | 'line' | 'dashedLine'
}

export interface PlotProps {
  readonly title: string
  /** A sentence that summarizes the plot. */
  readonly summary: string
  /** The start of the last minute, ISO 8601. */
  readonly until: string
  /** Later series are drawn over earlier ones. */
  readonly series: readonly Series[]
}

/** A plot of the last hour, the current minute at the right edge. */
export function Plot({ title, summary, until, series }: PlotProps): ReactNode {
  const { formats } = useTexts()
  const values = series.flatMap((line) => line.values.filter((value) => value !== null))
  // An empty plot has the scale 0 to 1.
  const top = Math.max(...values) || 1
  const from = new Date(Date.parse(until) - (MINUTES - 1) * MINUTE_MS).toISOString()
  return (
    <figure className={styles.plot}>
      <figcaption>
        <h3>{title}</h3>
        <p className={styles.note}>{summary}</p>
      </figcaption>
      <div className={styles.canvas}>
        <p className={styles.top} aria-hidden="true">
          {formats.number(top)}
        </p>
        <svg
          className={styles.drawing}
          viewBox={`0 0 ${MINUTES} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. ${summary}`}
        >
          {series.map(({ name, kind, values }) => (
            <path key={name} className={styles[kind]} d={buildPath(values, kind, top)} />
          ))}
        </svg>
        <p className={styles.times} aria-hidden="true">
          <span>{formats.time(from)}</span>
          <span>{formats.time(until)}</span>
        </p>
      </div>
      <ul className={styles.legend}>
        {series.map(({ name, kind }) => (
          <li key={name}>
            <svg className={styles.sample} viewBox="0 0 16 8" aria-hidden="true">
              <path
                className={styles[kind]}
                d={kind === 'bars' || kind === 'failedBars' ? 'M4 0H12V8H4Z' : 'M0 4H16'}
              />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}

/** Builds the SVG path of a series, whose last value is at the right edge. */
function buildPath(values: Values, kind: Series['kind'], top: number): string {
  const start = MINUTES - values.length
  const isBar = kind === 'bars' || kind === 'failedBars'
  const scale = (value: number): number => Math.round((value / top) * HEIGHT * 100) / 100
  return values
    .map((value, index) => {
      if (value === null || (isBar && value === 0)) return ''
      const left = start + index
      const y = HEIGHT - scale(value)
      if (isBar) return `M${left + 0.1} ${HEIGHT}V${y}H${left + 0.9}V${HEIGHT}Z`
      // A step is also visible for a single minute between two without a value.
      const isConnected = (values[index - 1] ?? null) !== null
      return `${isConnected ? 'V' : `M${left} `}${y}H${left + 1}`
    })
    .join('')
}
