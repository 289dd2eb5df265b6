import type { Caller } from '../../auth/adapter.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { MinutePoint } from '../../metrics/recent-minutes.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { defineRoute, type Route } from '../contract.ts'
import { describeResponse, LIST_ERRORS, toJsonResponse } from './administration.ts'
import { objectSchema } from './schemas.ts'

/** What a process tells about its last hour. */
export interface RecentMetrics {
  /** The process that counted: `HOST/PID`. */
  readonly node: string
  /** When it began to count: ISO 8601 in UTC. */
  readonly since: string
  /** The minutes, the oldest first. */
  readonly points: readonly MinutePoint[]
}

/** The parts that the route of metrics needs. */
export interface MetricsRouteParts {
  /** Where metrics are on. @throws FORBIDDEN to a caller who may not know how the service does */
  readonly recentMetrics: ((caller: Caller) => RecentMetrics) | undefined
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const MILLISECONDS: JsonSchema = { type: ['number', 'null'], minimum: 0 }

const POINT: JsonSchema = objectSchema({
  at: { ...TIME, description: 'When the minute began.' },
  requests: COUNT,
  failures: { ...COUNT, description: 'Answers of 500 and above.' },
  p50: {
    ...MILLISECONDS,
    description: 'The time that half of the requests took at most, in milliseconds; `null` without requests.',
  },
  p95: { ...MILLISECONDS, description: 'The same for 95 of 100 requests.' },
})

const METRICS: JsonSchema = objectSchema({
  node: { type: 'string', description: 'The process that counted: `HOST/PID`. Each process counts for itself.' },
  since: { ...TIME, description: 'When it began to count.' },
  points: {
    type: 'array',
    items: POINT,
    minItems: 1,
    description:
      'One for each minute of the last hour since it began to count, the oldest first. The last one still runs.',
  },
})

/** The last hour of the process, where metrics are on. */
export function metricsRoutes({ recentMetrics }: MetricsRouteParts): readonly Route[] {
  if (!recentMetrics) return []
  return [
    defineRoute({
      method: 'GET',
      path: '/api/cms/metrics',
      operationId: 'getMetrics',
      protection: 'session',
      summary:
        'Tells requests and latency of the last hour, minute by minute, to administrators and the service token.',
      parameters: NO_PARAMETERS,
      requestHeaders: [],
      responses: [describeResponse(200, 'What the process that answers has counted.', METRICS, 'metrics')],
      errors: LIST_ERRORS,
      run: async ({ access: { caller } }) => toJsonResponse(200, recentMetrics(caller)),
    }),
  ]
}
