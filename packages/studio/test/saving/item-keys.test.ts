import { expect, test } from 'vitest'
import { setInside } from '../../src/app/editor/saving/document-fields.ts'
import { addMissingKeys, assignNewKeys, getItemKey, removeItemKeys } from '../../src/app/editor/saving/field-values.ts'

const text = { key: 'text', type: 'text', writable: true }
const rows = { key: 'rows', type: 'list', writable: true, itemKey: '_key', of: { type: 'group', fields: [text] } }
const free = { key: 'free', type: 'json', writable: true }
const parts = {
  key: 'parts',
  type: 'blocks',
  writable: true,
  itemKey: '_key',
  blocks: [{ type: 'table', fields: [rows, free] }],
}
const table = { _key: 'a', _type: 'table', rows: [{ _key: 'b', text: 'One' }], free: { _key: 'of its own' } }

test('a copied item gets new keys at any depth, and is otherwise equal', () => {
  const copied = assignNewKeys(parts, [table, table]) as (typeof table)[]
  const keys = copied.flatMap((item) => [item._key, item.rows[0]?._key])
  expect(new Set([...keys, 'a', 'b']).size).toBe(6)
  expect(removeItemKeys(parts, copied)).toEqual(removeItemKeys(parts, [table, table]))
  expect(copied[0]?.free).toEqual(table.free)
})

test('an edited item keeps its key', () => {
  const edited = setInside([{ ...table, _key: 'first' }, table], [{ item: 'a' }, 'free'], null) as readonly unknown[]
  expect([edited.map(getItemKey), edited[1]]).toEqual([['first', 'a'], { ...table, free: null }])
})

test('an item without a key gets one; an item with a key stays the same object', () => {
  const [first, second] = addMissingKeys(parts, [
    table,
    { _type: 'table', rows: [{ text: 'New' }] },
  ]) as readonly object[]
  expect(first).toBe(table)
  expect(second).toMatchObject({ _key: expect.any(String), rows: [{ _key: expect.any(String), text: 'New' }] })
})
