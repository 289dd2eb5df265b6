/** The requests of one minute. */
export interface MinutePoint {
  /** The start of the minute, in ISO 8601 and UTC. */
  readonly at: string
  readonly requests: number
  /** Responses with a status of 500 and above. */
  readonly failures: number
  /** The median duration, in milliseconds; `null` without requests. */
  readonly p50: number | null
  /** The 95th percentile of the duration. */
  readonly p95: number | null
}

const MINUTE_MS = 60_000
/** The number of stored minutes, including the current one. */
const MAX_MINUTES = 60

/** The upper bound of the first bucket of durations, in milliseconds. */
const LOWEST_MS = 0.05
/** The factor between the bounds of buckets: a percentile is within 6 % of the measured value. */
const STEP = 1.12
/** The last bucket begins at 80 seconds. */
const BUCKETS = 128
const LOG_STEP = Math.log(STEP)

interface Minute {
  /** Minutes since 1970. */
  number: number
  requests: number
  failures: number
  /** The number of requests by bucket of duration. */
  readonly durations: Uint32Array
}

/**
 * The requests of the last {@link MAX_MINUTES} minutes, in a ring buffer of 32 KiB.
 *
 * @param now milliseconds since 1970
 */
export class RecentMinutes {
  /** The start of counting, in milliseconds since 1970. */
  readonly since: number
  readonly #now: () => number
  readonly #ring: readonly Minute[] = Array.from({ length: MAX_MINUTES }, () => ({
    number: -1,
    requests: 0,
    failures: 0,
    durations: new Uint32Array(BUCKETS),
  }))

  constructor(now: () => number = Date.now) {
    this.#now = now
    this.since = now()
  }

  /** @param ms the duration, in milliseconds */
  record(status: number, ms: number): void {
    const minute = this.#minute(getMinute(this.#now()))
    minute.requests += 1
    if (status >= 500) minute.failures += 1
    const bucket = getBucket(ms)
    minute.durations[bucket] = (minute.durations[bucket] ?? 0) + 1
  }

  /** Returns a point for each minute since the start, the oldest first. The last one is the current minute, which is incomplete. */
  points(): readonly MinutePoint[] {
    const last = getMinute(this.#now())
    const first = Math.min(last, Math.max(getMinute(this.since), last - MAX_MINUTES + 1))
    return Array.from({ length: last - first + 1 }, (_, index) => toPoint(this.#minute(first + index)))
  }

  /** Returns the counts of a minute in the ring, cleared if they are those of an earlier minute. */
  #minute(number: number): Minute {
    const minute = this.#ring[number % MAX_MINUTES] as Minute
    if (minute.number === number) return minute
    minute.number = number
    minute.requests = 0
    minute.failures = 0
    minute.durations.fill(0)
    return minute
  }
}

const getMinute = (ms: number): number => Math.floor(ms / MINUTE_MS)

const getBucket = (ms: number): number =>
  ms <= LOWEST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / LOWEST_MS) / LOG_STEP))

const toPoint = ({ number, requests, failures, durations }: Minute): MinutePoint => ({
  at: new Date(number * MINUTE_MS).toISOString(),
  requests,
  failures,
  p50: estimatePercentile(durations, requests * 0.5),
  p95: estimatePercentile(durations, requests * 0.95),
})

/** Returns the middle of the bucket with the request of this rank, in milliseconds; `null` without requests. */
function estimatePercentile(durations: Uint32Array, rank: number): number | null {
  let seen = 0
  for (const [bucket, count] of durations.entries()) {
    seen += count
    if (count > 0 && seen >= rank) return toHundredths(LOWEST_MS * STEP ** (bucket - 0.5))
  }
  return null
}

const toHundredths = (ms: number): number => Math.round(ms * 100) / 100
