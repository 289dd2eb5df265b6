import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  computeScroll,
  computeShift,
  getTopRow,
  getTotalHeight,
  getVisibleRows,
  MAX_HEIGHT,
  type ScrollSizes,
} from '../../src/app/lists/rows/row-window.ts'

const sizes = (count: number): ScrollSizes => ({ count, row: 48, viewport: 700, above: 180 })

describe('the window of rendered rows', () => {
  test('holds the visible rows and a few around them', () => {
    expect(getVisibleRows(0, 0, sizes(1000), 8)).toEqual({ first: 0, last: 23 })
    expect(getVisibleRows(180 + 48 * 100, 0, sizes(1000), 8)).toEqual({ first: 92, last: 123 })
    expect(getVisibleRows(180 + 48 * 990, 0, sizes(1000), 8)).toEqual({ first: 982, last: 999 })
  })

  test('is no taller than browsers support, and reaches the last of a million rows', () => {
    const million = sizes(1_000_000)
    expect(getTotalHeight(million)).toBe(MAX_HEIGHT)
    const end = 180 + MAX_HEIGHT - 700
    const shift = computeShift(0, 0, end, million)
    expect(getVisibleRows(end, shift, million, 0).last).toBe(999_999)
    expect(computeShift(shift, end, 180, million)).toBe(0)
  })

  test('moves by single rows of a million when a wheel turns', () => {
    const million = sizes(1_000_000)
    const middle = 180 + MAX_HEIGHT / 2
    const shift = computeShift(0, 0, middle, million)
    const next = computeShift(shift, middle, middle + 48, million)
    expect(getTopRow(middle + 48, next, million) - getTopRow(middle, shift, million)).toBeCloseTo(1)
  })

  test('scrolls to any row of any list', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 2_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, part) => {
          const top = part * (count - 20)
          const { scrollTop, shift } = computeScroll(top, sizes(count))
          expect(scrollTop).toBeLessThanOrEqual(180 + getTotalHeight(sizes(count)))
          expect(getTopRow(scrollTop, shift, sizes(count))).toBeCloseTo(top, 3)
        },
      ),
    )
  })

  test('stays within the list at any scroll position', () => {
    const step = fc.tuple(fc.boolean(), fc.double({ min: -1, max: 1, noNaN: true }))
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 3_000_000 }), fc.array(step, { maxLength: 40 }), (count, steps) => {
        const all = sizes(count)
        const end = 180 + getTotalHeight(all) - 700
        let at = 0
        let shift = 0
        for (const [isJump, by] of steps) {
          const to = Math.min(Math.max(isJump ? Math.abs(by) * end : at + by * 2000, 0), Math.max(0, end))
          shift = computeShift(shift, at, to, all)
          at = to
          const { first, last } = getVisibleRows(at, shift, all, 0)
          expect(first).toBeGreaterThanOrEqual(0)
          expect(last).toBeLessThan(count)
          expect(first).toBeLessThanOrEqual(last)
        }
      }),
    )
  })
})
