import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeValue, mergeWords } from '../../src/app/editor/saving/merge.ts'

describe('words of a text', () => {
  test.each([
    ['one two three', 'ONE two three', 'one two THREE', 'ONE two THREE'],
    ['a\n\nb\n', 'a!\n\nb\n', 'a\n\nb\nc\n', 'a!\n\nb\nc\n'],
    ['', 'mine', 'mine', 'mine'],
    ['one two three', 'one three', 'one two three four', 'one three four'],
    ['ein Füller', 'ein Füller aus Holz', 'mein Füller', 'mein Füller aus Holz'],
  ])('%j: %j and %j merge', (base, mine, theirs, merged) => {
    expect(mergeWords(base, mine, theirs)).toBe(merged)
    expect(mergeWords(base, theirs, mine)).toBe(merged)
  })

  test.each([
    ['one two three', 'one 2 three', 'one zwei three'],
    ['one two', 'one 2', 'eins two'],
    ['', 'mine', 'theirs'],
    ['one', '', 'one two'],
  ])('%j: %j and %j do not', (base, mine, theirs) => {
    expect(mergeWords(base, mine, theirs)).toBeUndefined()
  })

  test('of a megabyte merge in lines that only one side changed, and are not compared word by word', () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, line) => `Line ${line} has words, many of them again and again and again.\n`,
    )
    const text = lines.join('')
    const mine = text.replace('Line 17 ', 'Mine ')
    const theirs = text.replace('Line 9000 ', 'Theirs ')
    expect(mergeWords(text, mine, theirs)).toBe(mine.replace('Line 9000 ', 'Theirs '))
    const single = text.replaceAll('\n', ' ')
    expect(mergeWords(single, `a${single}`, `${single}b`)).toBeUndefined()
  })
})

describe('values', () => {
  test.each([
    ['different members', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    ['a member that one removes', { a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }],
    ['tags that both add', ['a'], ['a', 'b'], ['c', 'a'], ['c', 'a', 'b']],
    ['an order that one changes', ['a', 'b', 'c'], ['c', 'a', 'b'], ['a', 'b', 'c', 'd'], ['c', 'd', 'a', 'b']],
    [
      'keyed items that one moves and the other edits',
      [{ id: 'a', x: 1 }, { id: 'b' }],
      [{ id: 'b' }, { id: 'a', x: 1 }],
      [{ id: 'a', x: 2 }, { id: 'b' }],
      [{ id: 'b' }, { id: 'a', x: 2 }],
    ],
    [
      'items without keys, apart',
      ['a', 'a', 'b', 'c'],
      ['a', 'a', 'b', 'd'],
      ['x', 'a', 'a', 'b', 'c'],
      ['x', 'a', 'a', 'b', 'd'],
    ],
  ])('%s merge', (_what, base, mine, theirs, merged) => {
    expect(mergeValue(base, mine, theirs)).toEqual({ value: merged })
  })

  test.each([
    ['two texts', 'a', 'b', 'c'],
    ['two numbers', 1, 2, 3],
    ['emptied and changed', 'a', null, 'b'],
    ['a keyed item that one removes and the other edits', [{ id: 'a', x: 1 }], [], [{ id: 'a', x: 2 }]],
    ['two orders', ['a', 'b', 'c'], ['b', 'a', 'c'], ['a', 'c', 'b']],
    ['blocks that both put in one place', [], [{ _type: 'a', x: 1 }], [{ _type: 'a', x: 2 }]],
    [
      'a block that both moved',
      [{ _type: 'a' }, { _type: 'b' }, { _type: 'c' }, { _type: 'd' }],
      [{ _type: 'b' }, { _type: 'a' }, { _type: 'c' }, { _type: 'd' }],
      [{ _type: 'b' }, { _type: 'c' }, { _type: 'd' }, { _type: 'a' }],
    ],
    ['a list and what is none', ['a'], ['b'], 'c'],
  ])('%s are a conflict', (_what, base, mine, theirs) => {
    expect(mergeValue(base, mine, theirs)).toBeUndefined()
  })

  test('what only one side changed is taken, and what both changed to the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(mergeValue(one, other, one)).toEqual({ value: other })
        expect(mergeValue(one, one, other)).toEqual({ value: other })
        expect(mergeValue(one, other, other)).toEqual({ value: other })
      }),
    )
  })

  test('of two lists of tags, nothing that one added is missing, and nothing that one removed is there', () => {
    const tags = fc.uniqueArray(fc.constantFrom(...'abcdefgh'))
    fc.assert(
      fc.property(tags, tags, tags, (base, mine, theirs) => {
        const merged = mergeValue(base, mine, theirs)
        if (!merged) return
        const expected = [...'abcdefgh'].filter((tag) =>
          base.includes(tag) ? mine.includes(tag) && theirs.includes(tag) : mine.includes(tag) || theirs.includes(tag),
        )
        expect((merged.value as string[]).toSorted()).toEqual(expected)
      }),
    )
  })
})
