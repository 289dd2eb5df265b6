import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatNumber, parseJson, parseNumber } from '../../src/app/editor/fields/value-formats.ts'

describe('numbers', () => {
  test.each(['en', 'de'])('survive formatting and parsing in %s', (language) => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parseNumber(formatNumber(number, language), language)).toBe(
          number === 0 ? parseNumber(formatNumber(number, language), language) : number,
        )
      }),
    )
  })

  test.each<[string, number | undefined, number | undefined]>([
    ['1.5', 1.5, 1.5],
    ['1,5', 1.5, 1.5],
    ['1,234.5', 1234.5, 1234.5],
    ['1.234,5', 1234.5, 1234.5],
    ['1.234', 1.234, 1234],
    ['1,234', 1234, 1.234],
    ['1 234', 1234, 1234],
    ['-3', -3, -3],
    ['\u22123', -3, -3],
    ['1e3', 1000, 1000],
    ['', undefined, undefined],
    ['twelve', undefined, undefined],
    ['0x10', undefined, undefined],
    ['1.2.3,4,5', undefined, undefined],
    ['Infinity', undefined, undefined],
  ])('%j is %j in English and %j in German', (text, english, german) => {
    expect([parseNumber(text, 'en'), parseNumber(text, 'de')]).toEqual([english, german])
  })
})

test.each([
  ['{"a": 1', { isValid: false, line: 1, column: 8 }],
  ['{\n "a" 1 }', { isValid: false, line: 2, column: 6 }],
  ['  ', { isValid: true, value: null }],
  ['[1, null]', { isValid: true, value: [1, null] }],
])('%j is parsed as JSON, or its fault is located', (text, read) => expect(parseJson(text)).toEqual(read))
