import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SearchTerm, splitWords, toSearchTerms } from '../../src/store/search-words.ts'

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

test('the words of a long text do not depend on where it is sliced', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, between), { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 20_000, max: 60_000 }),
      (parts, length) => {
        const piece = parts.flat().join('')
        const times = Math.ceil(length / piece.length)
        expect([...splitWords(`${piece} `.repeat(times))]).toEqual([...splitWords(piece)])
      },
    ),
    { numRuns: 200 },
  )
})

test('a word is found in a text whatever surrounds it', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (parts) => {
      const each = new Set(parts.flatMap((part) => [...splitWords(part)]))
      expect([...splitWords(parts.join(' '))]).toEqual([...each])
      expect([...splitWords(`${'plain '.repeat(100)}${parts.join(' ')}`)]).toEqual([...new Set(['plain', ...each])])
    }),
    { numRuns: 300 },
  )
})

const letters = fc.constantFrom(
  ...[
    'abcXYZ',
    'éßøłıİğæþ',
    'λΣςά',
    'йЁщї',
    'हिन्दीक्ष',
    'ที่น้ำ',
    'ខ្មែរ',
    'עִבְ',
    'فَتْحَ',
    '東京タワーが',
    '한글ㅋ',
    '0129',
    '٣٤',
    '😀👍🏽🇩🇪',
  ].flatMap((characters) => [...characters]),
)
const signs = fc.constantFrom('-', "'", '’', '.', ',', '+', '#', '++', '_', '·', '\u00a0', '\u00ad', '(', '/')
const copied = fc.array(fc.oneof({ weight: 4, arbitrary: letters }, signs), { minLength: 1, maxLength: 12 })

/** Matches as the engines do: a stored word, a prefix of one, or all parts of a compound. */
const isFound = (words: ReadonlySet<string>, { word, isPrefix, parts }: SearchTerm): boolean =>
  words.has(word) ||
  (isPrefix && [...words].some((stored) => stored.startsWith(word))) ||
  (parts?.every((part) => isFound(words, part)) ?? false)

test('a passage copied from a text finds it, in any case', () => {
  fc.assert(
    fc.property(fc.array(copied, { minLength: 1, maxLength: 5 }), fc.nat(), (chunks, index) => {
      const texts = chunks.map((chunk) => chunk.join(''))
      const text = texts[index % texts.length] ?? ''
      const words = splitWords(texts.join(' '))
      for (const q of [text, `${text} ${texts[0]}`, text.toUpperCase(), text.normalize('NFD')]) {
        expect(
          toSearchTerms(q).filter((term) => !isFound(words, term)),
          q,
        ).toEqual([])
      }
    }),
    { numRuns: 500 },
  )
})
