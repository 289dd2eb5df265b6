/** What was answered in one minute. */
export interface MinutePoint {
  /** When the minute began: ISO 8601 in UTC. */
  readonly at: string
  readonly requests: number
  /** Answers of 500 and above. */
  readonly failures: number
  /** The time that half of the requests took at most, in milliseconds; `null` without requests. */
  readonly p50: number | null
  /** The same for 95 of 100. */
  readonly p95: number | null
}

const MINUTE_MS = 60_000
/** How many minutes are kept, the present one included. */
const KEPT_MINUTES = 60

/** The upper bound of the first bucket of durations, in milliseconds. */
const LOWEST_MS = 0.05
/** How much wider each bucket is than the one before: a percentile is within 6 % of what was measured. */
const STEP = 1.12
/** The last bucket begins at 80 seconds. */
const BUCKETS = 128
const LOG_STEP = Math.log(STEP)

/** What is counted of one minute. */
interface Minute {
  /** Minutes since 1970. */
  number: number
  requests: number
  failures: number
  /** How many requests took how long. */
  readonly durations: Uint32Array
}

/**
 * The requests of the last {@link KEPT_MINUTES} minutes, in a ring that takes 32 KiB however many there are.
 *
 * @param now milliseconds since 1970
 */
export class RecentMinutes {
  /** When counting began, in milliseconds since 1970. */
  readonly since: number
  readonly #now: () => number
  readonly #ring: readonly Minute[] = Array.from({ length: KEPT_MINUTES }, () => ({
    number: -1,
    requests: 0,
    failures: 0,
    durations: new Uint32Array(BUCKETS),
  }))

  constructor(now: () => number = Date.now) {
    this.#now = now
    this.since = now()
  }

  /** @param ms how long the answer took, in milliseconds */
  record(status: number, ms: number): void {
    const minute = this.#minute(minuteOf(this.#now()))
    minute.requests += 1
    if (status >= 500) minute.failures += 1
    const bucket = bucketOf(ms)
    minute.durations[bucket] = (minute.durations[bucket] ?? 0) + 1
  }

  /** One point for each minute from the start on, the oldest first; the last one is the present minute, which still runs. */
  points(): readonly MinutePoint[] {
    const last = minuteOf(this.#now())
    const first = Math.min(last, Math.max(minuteOf(this.since), last - KEPT_MINUTES + 1))
    return Array.from({ length: last - first + 1 }, (_, index) => toPoint(this.#minute(first + index)))
  }

  /** The place of a minute in the ring, emptied when it still has an earlier one. */
  #minute(number: number): Minute {
    const minute = this.#ring[number % KEPT_MINUTES] as Minute
    if (minute.number === number) return minute
    minute.number = number
    minute.requests = 0
    minute.failures = 0
    minute.durations.fill(0)
    return minute
  }
}

const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS)

const bucketOf = (ms: number): number =>
  ms <= LOWEST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / LOWEST_MS) / LOG_STEP))

const toPoint = ({ number, requests, failures, durations }: Minute): MinutePoint => ({
  at: new Date(number * MINUTE_MS).toISOString(),
  requests,
  failures,
  p50: percentileOf(durations, requests * 0.5),
  p95: percentileOf(durations, requests * 0.95),
})

/** The middle of the bucket that the request of this rank is in, in milliseconds; `null` when there is none. */
function percentileOf(durations: Uint32Array, rank: number): number | null {
  let seen = 0
  for (const [bucket, count] of durations.entries()) {
    seen += count
    if (count > 0 && seen >= rank) return toHundredths(LOWEST_MS * STEP ** (bucket - 0.5))
  }
  return null
}

const toHundredths = (ms: number): number => Math.round(ms * 100) / 100
