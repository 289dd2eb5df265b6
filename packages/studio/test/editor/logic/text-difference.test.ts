import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffTexts } from '../../../src/app/editor/differences/text-difference.ts'

const textOf = (parts: ReturnType<typeof diffTexts>, without: 'added' | 'removed'): string =>
  parts.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('')

/** Texts that share words and lines. */
const texts = fc
  .array(fc.constantFrom('ink', ' ', 'oak', '\n', ', ', 'galls', 'ö', '👩‍🚀', '\t'), { maxLength: 40 })
  .map((words) => words.join(''))

describe('the difference between two texts', () => {
  test('contains both texts completely', () => {
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        const parts = diffTexts(from, to)
        expect(textOf(parts, 'added')).toBe(from)
        expect(textOf(parts, 'removed')).toBe(to)
        expect(parts.every(({ text }) => text !== '')).toBe(true)
      }),
    )
  })

  test('marks single words within changed lines', () => {
    expect(diffTexts('Ink is old.\nStays.', 'Ink was old.\nStays.')).toEqual([
      { kind: 'same', text: 'Ink' },
      { kind: 'removed', text: ' is' },
      { kind: 'added', text: ' was' },
      { kind: 'same', text: ' old.\nStays.' },
    ])
  })

  test('marks both texts completely if they are too long to compare', () => {
    const [from, to] = ['a\n'.repeat(6000), 'b\n'.repeat(6000)]
    expect(diffTexts(from, to)).toEqual([
      { kind: 'removed', text: from },
      { kind: 'added', text: to },
    ])
  })
})
