import fc from 'fast-check'
import { expect, test } from 'vitest'
import { insertItems, moveItem, removeItem } from '../../src/app/editor/fields/lists/items.ts'

const lists = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 30 })
const places = fc.integer({ min: -3, max: 33 })

test('a move keeps all items, puts one at its new index, and keeps the order of the rest', () => {
  fc.assert(
    fc.property(lists, fc.nat(29), places, (items, from, to) => {
      fc.pre(from < items.length)
      const moved = moveItem(items, from, to)
      const place = Math.max(0, Math.min(to, items.length - 1))
      expect(moved[place]).toBe(items[from])
      expect(moved.filter((item) => item !== items[from])).toEqual(items.filter((item) => item !== items[from]))
      expect(moved).toHaveLength(items.length)
    }),
  )
})

test('inserting and removing an item leaves the list unchanged', () => {
  fc.assert(
    fc.property(lists, fc.nat(30), (items, at) => {
      fc.pre(at <= items.length)
      const more = insertItems(items, at, ['new'])
      expect(more[at]).toBe('new')
      expect(removeItem(more, at)).toEqual(items)
    }),
  )
})

test('moving an index outside the list changes nothing', () => {
  const items = [1, 2]
  expect(moveItem(items, 5, 0)).toBe(items)
  expect(moveItem(items, -1, 0)).toBe(items)
})
