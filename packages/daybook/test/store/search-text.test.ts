import fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchWords } from '../../src/store/search/search-text.ts'

const word = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/),
  fc.constantFrom(
    'Ｃafé',
    'ΣΊΣΥΦΟΣ',
    '日本語テキスト',
    'ภาษาไทย',
    '𝒳'.repeat(40),
    'x'.repeat(70),
    'e\u0301',
    '—',
    '\u0301',
  ),
)
const between = fc.constantFrom(' ', '  ', '\n', ', ', '-', '\u00a0')

test('the words of a long text are those of its parts, wherever it is taken apart', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, between), { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 20_000, max: 60_000 }),
      (parts, length) => {
        const piece = parts.flat().join('')
        const times = Math.ceil(length / piece.length)
        expect([...searchWords(`${piece} `.repeat(times))]).toEqual([...searchWords(piece)])
      },
    ),
    { numRuns: 200 },
  )
})

test('the words of a text do not depend on what else stands in it', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (parts) => {
      const each = new Set(parts.flatMap((part) => [...searchWords(part)]))
      expect([...searchWords(parts.join(' '))]).toEqual([...each])
      expect([...searchWords(`${'plain '.repeat(100)}${parts.join(' ')}`)]).toEqual([...new Set(['plain', ...each])])
    }),
    { numRuns: 300 },
  )
})
