import type { Caller } from '../../auth/adapter.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { MinutePoint } from '../../metrics/recent-minutes.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { defineRoute, type Route } from '../contract.ts'
import { describeResponse, LIST_ERRORS, toJsonResponse } from './administration.ts'
import { objectSchema } from './schemas.ts'

/** The metrics of a process in its last hour. */
export interface RecentMetrics {
  /** The process: `HOST/PID`. */
  readonly node: string
  /** The start of counting, in ISO 8601 and UTC. */
  readonly since: string
  /** The minutes, the oldest first. */
  readonly points: readonly MinutePoint[]
}

export interface MetricsRouteParts {
  /** `undefined` if metrics are off. @throws FORBIDDEN unless the caller may see metrics */
  readonly recentMetrics: ((caller: Caller) => RecentMetrics) | undefined
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const MILLISECONDS: JsonSchema = { type: ['number', 'null'], minimum: 0 }

const POINT: JsonSchema = objectSchema({
  at: { ...TIME, description: 'The start of the minute.' },
  requests: COUNT,
  failures: { ...COUNT, description: 'Responses with a status of 500 and above.' },
  p50: {
    ...MILLISECONDS,
    description: 'The median duration of requests, in milliseconds; `null` without requests.',
  },
  p95: {
    ...MILLISECONDS,
    description: 'The 95th percentile of the duration, in milliseconds; `null` without requests.',
  },
})

const METRICS: JsonSchema = objectSchema({
  node: { type: 'string', description: 'The process: `HOST/PID`. Each process counts separately.' },
  since: { ...TIME, description: 'The start of counting.' },
  points: {
    type: 'array',
    items: POINT,
    minItems: 1,
    description:
      'The minutes of the last hour since the start of counting, the oldest first. The last one is incomplete.',
  },
})

/** The route of the metrics of the last hour, if metrics are on. */
export function metricsRoutes({ recentMetrics }: MetricsRouteParts): readonly Route[] {
  if (!recentMetrics) return []
  return [
    defineRoute({
      method: 'GET',
      path: '/api/cms/metrics',
      operationId: 'getMetrics',
      protection: 'session',
      summary: 'Returns requests and latency of the last hour by minute; for administrators and the service token.',
      parameters: NO_PARAMETERS,
      requestHeaders: [],
      responses: [describeResponse(200, 'The metrics of the process that responds.', METRICS, 'metrics')],
      errors: LIST_ERRORS,
      run: async ({ access: { caller } }) => toJsonResponse(200, recentMetrics(caller)),
    }),
  ]
}
