import type NativeDatabase from 'better-sqlite3'
import { DecimalSum } from '../decimal.ts'

/** Gives a connection the function `exact_sum`: SQLite's own sums are those of doubles, and rounded at every step. */
export function addExactSum(native: NativeDatabase): void {
  native.aggregate<DecimalSum | undefined>('exact_sum', {
    start: () => undefined,
    step: (sum, value) => {
      if (typeof value !== 'number') return sum
      const own = sum ?? new DecimalSum()
      own.add(value)
      return own
    },
    result: (sum) => sum?.toString() ?? null,
  })
}
