import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeValue, mergeWords } from '../../src/app/editor/saving/merge.ts'

describe('mergeWords()', () => {
  test.each([
    ['one two three', 'ONE two three', 'one two THREE', 'ONE two THREE'],
    ['a\n\nb\n', 'a!\n\nb\n', 'a\n\nb\nc\n', 'a!\n\nb\nc\n'],
    ['', 'mine', 'mine', 'mine'],
    ['one two three', 'one three', 'one two three four', 'one three four'],
    ['ein Füller', 'ein Füller aus Holz', 'mein Füller', 'mein Füller aus Holz'],
  ])('of %j merges %j and %j', (base, mine, theirs, merged) => {
    expect(mergeWords(base, mine, theirs)).toBe(merged)
    expect(mergeWords(base, theirs, mine)).toBe(merged)
  })

  test.each([
    ['one two three', 'one 2 three', 'one zwei three'],
    ['one two', 'one 2', 'eins two'],
    ['', 'mine', 'theirs'],
    ['one', '', 'one two'],
  ])('of %j does not merge %j and %j', (base, mine, theirs) => {
    expect(mergeWords(base, mine, theirs)).toBeUndefined()
  })

  test('merges lines of a megabyte, but does not compare such a text word by word', () => {
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

describe('mergeValue()', () => {
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
  ])('merges %s', (_what, base, mine, theirs, merged) => {
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
    ['a list and a text', ['a'], ['b'], 'c'],
  ])('does not merge %s', (_what, base, mine, theirs) => {
    expect(mergeValue(base, mine, theirs)).toBeUndefined()
  })

  test('returns a value that only one side changed, or both changed alike', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (base, changed) => {
        expect(mergeValue(base, changed, base)).toEqual({ value: changed })
        expect(mergeValue(base, base, changed)).toEqual({ value: changed })
        expect(mergeValue(base, changed, changed)).toEqual({ value: changed })
      }),
    )
  })

  test('keeps every tag that either side added, and none that either removed', () => {
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
