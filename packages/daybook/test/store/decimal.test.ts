import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { DecimalSum, divideDecimal, parseDecimal, printDecimal } from '../../src/store/decimal.ts'

const addUp = (values: readonly number[]): string => {
  const sum = new DecimalSum()
  for (const value of values) sum.add(value)
  return sum.toString()
}

test.each([
  [[], '0'],
  [[0.1, 0.2], '0.3'],
  [[1.005, 2.995], '4'],
  [[-0.5, 0.25], '-0.25'],
  [[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], '27021597764222973'],
  [[1e21, 1], '1000000000000000000001'],
  [[1e21, -1e21, 1e-7], '0.0000001'],
  [[1e308, 1e308], `2${'0'.repeat(308)}`],
  [[5e-324, -5e-324], '0'],
] as const)('the sum of %j is %s', (values, expected) => {
  expect(addUp(values)).toBe(expected)
})

test('a sum equals the exact sum of the decimals as written, in any order', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((cents) => cents / 100),
  )
  fc.assert(
    fc.property(fc.array(number, { maxLength: 60 }), (values) => {
      const parts = values.map((value) => parseDecimal(String(value)))
      const scale = Math.max(0, ...parts.map((part) => part.scale))
      const units = parts.reduce((sum, part) => sum + part.units * 10n ** BigInt(scale - part.scale), 0n)
      expect(addUp(values)).toBe(printDecimal({ units, scale }))
      expect(addUp(values.toReversed())).toBe(addUp(values))
    }),
  )
})

test.each([
  ['-0.75', 3, -0.25],
  ['27021597764222973', 3, Number.MAX_SAFE_INTEGER],
  ['1', 3, 1 / 3],
  ['0.3', 3, 0.1],
  ['5e-324', 1, 5e-324],
  [`2${'0'.repeat(308)}`, 2, 1e308],
] as const)('%s divided by %d is rounded once', (sum, by, expected) => {
  expect(divideDecimal(parseDecimal(sum), by)).toBe(expected)
})
