import { useQuery } from '@tanstack/react-query'
import { useStudio } from '../../talk/studio.ts'

/** What the process that answers counted in one minute. */
export interface MinutePoint {
  /** When the minute began: ISO 8601. */
  readonly at: string
  readonly requests: number
  readonly failures: number
  /** In milliseconds; `null` without requests. */
  readonly p50: number | null
  readonly p95: number | null
}

/** The last hour of the process that answers. */
export interface RecentMetrics {
  readonly node: string
  /** ISO 8601. */
  readonly since: string
  /** At most sixty, the oldest first; the last one is the present minute. */
  readonly points: readonly MinutePoint[]
}

/** How often the figures are asked for, in milliseconds. */
const ASK_MS = 20_000

/** The figures of the service; `undefined` where metrics are off, or not for this person. */
export function useMetrics(): RecentMetrics | undefined {
  const { client } = useStudio()
  const { data } = useQuery({
    queryKey: ['metrics'],
    queryFn: ({ signal }) => client.request<RecentMetrics>({ path: '/api/cms/metrics', signal }),
    retry: false,
    // A service without metrics has none until it is started again.
    refetchInterval: ({ state }) => (state.data ? ASK_MS : false),
  })
  return data
}
