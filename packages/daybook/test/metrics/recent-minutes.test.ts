import { describe, expect, test } from 'vitest'
import { RecentMinutes } from '../../src/metrics/recent-minutes.ts'

const MINUTE_MS = 60_000
/** 12:00 in UTC. */
const NOON = Date.parse('2026-03-01T12:00:00.000Z')

/** Creates counters with a clock that the test moves. */
function atNoon() {
  const clock = { now: NOON + 20_000 }
  return { clock, minutes: new RecentMinutes(() => clock.now) }
}

describe('recent minutes', () => {
  test('start when counting starts', () => {
    const { minutes } = atNoon()
    expect(minutes.points()).toEqual([
      { at: '2026-03-01T12:00:00.000Z', requests: 0, failures: 0, p50: null, p95: null },
    ])
  })

  test('count each request in the minute of its response, and include minutes without requests', () => {
    const { clock, minutes } = atNoon()
    minutes.record(200, 1)
    minutes.record(503, 1)
    clock.now += 2 * MINUTE_MS
    minutes.record(404, 1)
    expect(minutes.points().map(({ at, requests, failures }) => [at.slice(11, 16), requests, failures])).toEqual([
      ['12:00', 2, 1],
      ['12:01', 0, 0],
      ['12:02', 1, 0],
    ])
  })

  test('are at most sixty, without older ones', () => {
    const { clock, minutes } = atNoon()
    for (let minute = 0; minute < 70; minute += 1) {
      for (let count = 0; count <= minute; count += 1) minutes.record(200, 1)
      clock.now += MINUTE_MS
    }
    clock.now -= MINUTE_MS
    const points = minutes.points()
    expect(points).toHaveLength(60)
    expect([points[0]?.at, points[0]?.requests]).toEqual(['2026-03-01T12:10:00.000Z', 11])
    expect([points[59]?.at, points[59]?.requests]).toEqual(['2026-03-01T13:09:00.000Z', 70])
  })

  test('are empty after an hour without requests', () => {
    const { clock, minutes } = atNoon()
    minutes.record(500, 1)
    clock.now += 60 * MINUTE_MS
    const points = minutes.points()
    expect(points).toHaveLength(60)
    expect(points.every(({ requests, failures, p95 }) => requests === 0 && failures === 0 && p95 === null)).toBe(true)
  })

  test.each([0.2, 1, 7, 42, 950, 30_000])('have percentiles of %d ms within six percent', (ms) => {
    const { minutes } = atNoon()
    for (let count = 0; count < 94; count += 1) minutes.record(200, ms)
    for (let count = 0; count < 6; count += 1) minutes.record(200, ms * 2)
    const [point] = minutes.points()
    expect(Math.abs(Number(point?.p50) / ms - 1)).toBeLessThan(0.06)
    expect(Math.abs(Number(point?.p95) / (ms * 2) - 1)).toBeLessThan(0.06)
  })

  test('accept durations of zero and of hours', () => {
    const { minutes } = atNoon()
    minutes.record(200, 0)
    minutes.record(200, 1e9)
    const [point] = minutes.points()
    expect([Number(point?.p50) <= 0.05, Number(point?.p95) > 60_000]).toEqual([true, true])
  })

  test('keep counting when the clock is set back', () => {
    const { clock, minutes } = atNoon()
    clock.now -= 10 * MINUTE_MS
    minutes.record(200, 1)
    expect(minutes.points()).toMatchObject([{ at: '2026-03-01T11:50:00.000Z', requests: 1 }])
  })
})
