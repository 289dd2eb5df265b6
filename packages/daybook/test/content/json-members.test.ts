import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pickMembers } from '../../src/content/reads/json-members.ts'

const KEYS = ['id', 'title', 'body', 'bodyHtml', 'parts', 'rating', 'updatedAt', 'a', 'b_1']

/** What is hard to tell from structure: quotes, backslashes before them, brackets, whole members inside of strings. */
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

test('members are picked as if the document were parsed, and those that stay written again', () => {
  fc.assert(
    fc.property(DOCUMENT, fc.subarray(KEYS), (document, picked) => {
      const text = JSON.stringify(document)
      const parsed = Object.entries(JSON.parse(text)).filter(([key]) => picked.includes(key))
      expect(pickMembers(text, Object.keys(document), (key) => picked.includes(key))).toBe(
        JSON.stringify(Object.fromEntries(parsed)),
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
])('nothing is picked of a text that has %s than is said', (_, text) => {
  expect(pickMembers(text, ['id', 'title'], () => true)).toBeUndefined()
})

test('a text that was cut off comes to an end, too', () => {
  const text = JSON.stringify({ id: '1', parts: [{ title: 'a "b" \\' }, [1.5, null]], rating: 4 })
  for (let length = 0; length < text.length; length++) {
    const cut = text.slice(0, length)
    expect(() => pickMembers(cut, ['id', 'parts', 'rating'], (key) => key === 'rating')).not.toThrow()
  }
})
