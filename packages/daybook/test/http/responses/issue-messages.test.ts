import { expect, test } from 'vitest'
import { formatIssueMessage } from '../../../src/issues.ts'

test.each([
  ['/title', 'is required', 'title is required.'],
  ['/parts/2/words', 'must be at least 3', 'parts.2.words must be at least 3.'],
  ['/a~1b~0c~01', 'is required', 'a/b~c~1 is required.'],
  ['where[title][eq]', 'must not be repeated', 'where[title][eq] must not be repeated.'],
  ['If-Match', 'must be * or a list', 'If-Match must be * or a list.'],
  ['/', 'must be an object', 'The body must be an object.'],
  ['', 'must be an object', 'The body must be an object.'],
  ['/slug', 'is used. Choose another.', 'slug is used. Choose another.'],
  ['/slug', 'is used. Did you mean "b"?', 'slug is used. Did you mean "b"?'],
  ['/titel', 'Unknown field "titel".', 'Unknown field "titel".'],
  ['/titel', '"titel" is unknown', '"titel" is unknown'],
  ['/größe', 'änderbar ist nur die Farbe', 'größe änderbar ist nur die Farbe.'],
])('the message at %j, %j, becomes %j', (path, message, sentence) => {
  expect(formatIssueMessage(path, message)).toBe(sentence)
})
