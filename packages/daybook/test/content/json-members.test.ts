import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinParts, splitMembers } from '../../src/content/reads/json-members.ts'

const KEYS = ['id', 'title', 'body', 'bodyHtml', 'parts', 'rating', 'updatedAt', 'a', 'b_1']

/** Strings that resemble JSON syntax: quotes, backslashes before them, brackets, whole members. */
const HARD_TEXT = fc
  .array(
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"id":',
      '","title":"',
      '\n',
      '\u0000',
      '€',
      '\ud800',
      'x',
    ),
  )
  .map((parts) => parts.join(''))
const NUMBER = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-0, 1e21, 5e-324, 1.7976931348623157e308))
const VALUE = fc.oneof(
  HARD_TEXT,
  fc.string({ unit: 'binary' }),
  NUMBER,
  fc.jsonValue(),
  fc.array(fc.oneof(HARD_TEXT, NUMBER), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom(...KEYS), fc.oneof(HARD_TEXT, fc.array(HARD_TEXT, { maxLength: 3 })), { maxKeys: 4 }),
)
const DOCUMENT = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), VALUE), { selector: ([key]) => key, maxLength: KEYS.length })
  .map((members) => Object.fromEntries(members))

const NO_KEYS: ReadonlySet<string> = new Set()

test('splitting yields the members of the parsed document, and joining prints them as JSON.stringify does', () => {
  fc.assert(
    fc.property(DOCUMENT, fc.subarray(KEYS), fc.subarray(KEYS), (document, included, separate) => {
      const text = JSON.stringify(document)
      const parsed = Object.entries(JSON.parse(text)).filter(([key]) => included.includes(key))
      const parts = splitMembers(text, Object.keys(document), (key) => included.includes(key), new Set(separate)) ?? []
      expect(joinParts(parts)).toBe(JSON.stringify(Object.fromEntries(parsed)))
      expect(parts.filter((part) => typeof part !== 'string')).toEqual(
        parsed.filter(([key]) => separate.includes(key)).map(([key, value]) => ({ key, text: JSON.stringify(value) })),
      )
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['another key', '{"id":"1","name":"x"}'],
  ['a key that is longer', '{"id":"1","titles":"x"}'],
  ['another order', '{"title":"x","id":"1"}'],
  ['no more keys', '{"id":"1"}'],
])('a text that has %s than the listed ones is not split', (_, text) => {
  expect(splitMembers(text, ['id', 'title'], () => true, NO_KEYS)).toBeUndefined()
})

test('splitting a truncated text terminates', () => {
  const text = JSON.stringify({ id: '1', parts: [{ title: 'a "b" \\' }, [1.5, null]], rating: 4 })
  for (let length = 0; length < text.length; length++) {
    const cut = text.slice(0, length)
    expect(() => splitMembers(cut, ['id', 'parts', 'rating'], (key) => key === 'rating', NO_KEYS)).not.toThrow()
  }
})
