import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPatch, type PatchOperation } from '../../src/journal/history/json-patch.ts'

/** Applies a patch (RFC 6902). */
function patched(value: unknown, patch: readonly PatchOperation[]): unknown {
  let root: unknown = { '': structuredClone(value) }
  for (const operation of patch) {
    const steps = operation.path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = steps.pop() as string
    let parent = root as Record<string, unknown>
    for (const step of steps) {
      if (!Object.hasOwn(parent, step)) throw new Error(`${operation.path} leads nowhere`)
      parent = parent[step] as Record<string, unknown>
    }
    if (Array.isArray(parent)) applyToList(parent, Number(last), operation)
    else applyToObject(parent, last, operation)
  }
  ;({ '': root } = root as Record<string, unknown>)
  return root
}

function applyToList(list: unknown[], index: number, operation: PatchOperation): void {
  if (index > list.length || (operation.op !== 'add' && index === list.length)) throw new Error('beyond the end')
  if (operation.op === 'remove') list.splice(index, 1)
  else list.splice(index, operation.op === 'add' ? 0 : 1, operation.value)
}

function applyToObject(object: Record<string, unknown>, key: string, operation: PatchOperation): void {
  if (operation.op !== 'add' && !Object.hasOwn(object, key)) throw new Error(`there is no ${key} to change`)
  if (operation.op === 'remove') delete object[key]
  else object[key] = operation.value
}

const key = fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', '0', 'length', 'toString', 'é')
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1, '', 'a', '[]', '[object Object]'),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4 }),
  ),
}))

test('a patch turns any value into any other value', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(patched(before, createPatch(before, after))).toEqual(after)
    }),
    { numRuns: 3000 },
  )
})

test('equal values have an empty patch, whatever the order of their keys', () => {
  const property = fc.property(json, (value) => {
    expect(createPatch(value, structuredClone(value))).toEqual([])
  })
  fc.assert(property)
  expect(createPatch({ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] })).toEqual([])
})

test('an item added to a list is one operation, and so is a removed one', () => {
  const [before, after] = [
    ['a', 'b', 'c'],
    ['a', 'x', 'b', 'c'],
  ]
  expect(createPatch(before, after)).toEqual([{ op: 'add', path: '/1', value: 'x' }])
  expect(createPatch(after, before)).toEqual([{ op: 'remove', path: '/1' }])
})
