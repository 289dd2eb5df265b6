import { describe, expect, test } from 'vitest'
import { ItemKeys } from '../../src/app/editor/saving/item-keys.ts'

const quote = (words: string) => ({ _type: 'quote', words })

/** The keys of a list, after it came in the place of another one whose keys were asked for. */
function carried(former: readonly object[], make: (former: readonly object[]) => readonly object[]) {
  const keys = new ItemKeys()
  const before = former.map((item) => keys.keyOf(item))
  const value = make(former)
  keys.carryAll(former, value)
  return { before, after: value.map((item) => keys.keyOf(item)) }
}

describe('keys of items', () => {
  test('stay with items that come anew and say the same', () => {
    const { before, after } = carried(
      [quote('a'), quote('b')],
      ([a, b]) => [structuredClone(b), structuredClone(a)] as object[],
    )
    expect(after).toEqual([before[1], before[0]])
  })

  test('stay in their places where items say something else', () => {
    const { before, after } = carried([quote('a'), quote('b')], () => [quote('a'), quote('c')])
    expect(after).toEqual(before)
  })

  test('are new for the copy of an item that is still there', () => {
    const { before, after } = carried([quote('a'), quote('b')], ([a, b]) => [a, structuredClone(a), b] as object[])
    expect([after[0], after[2]]).toEqual(before)
    expect(before).not.toContain(after[1])
  })

  test('never stand for two items of a list', () => {
    const { after } = carried(
      [quote('a'), quote('a')],
      ([first, second]) => [structuredClone(first), structuredClone(first), second, structuredClone(first)] as object[],
    )
    expect(new Set(after).size).toBe(after.length)
  })
})
