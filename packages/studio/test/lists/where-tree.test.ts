import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countConditions,
  type FilterGroup,
  type FilterNode,
  parseWhere,
  serializeWhere,
} from '../../src/app/lists/filters/where-tree.ts'

/** Evaluates a `where` as the API defines it: all fields of an object must match. */
function holds(where: unknown, entry: Readonly<Record<string, number>>): boolean {
  return Object.entries(where as Readonly<Record<string, unknown>>).every(([key, value]) => {
    if (key === 'and') return (value as readonly unknown[]).every((part) => holds(part, entry))
    if (key === 'or') return (value as readonly unknown[]).some((part) => holds(part, entry))
    if (key === 'not') return !holds(value, entry)
    return Object.entries(value as Readonly<Record<string, number>>).every(([operator, compared]) =>
      compares(entry[key] ?? 0, operator, compared),
    )
  })
}

function matches(node: FilterNode, entry: Readonly<Record<string, number>>): boolean {
  if (node.kind === 'other') return holds(node.where, entry)
  if (node.kind === 'condition') return compares(entry[node.path] ?? 0, node.operator, node.value as number)
  return node.mode === 'all'
    ? node.nodes.every((inner) => matches(inner, entry))
    : node.nodes.some((inner) => matches(inner, entry))
}

const compares = (value: number, operator: string, compared: number): boolean =>
  ({ eq: value === compared, ne: value !== compared, lt: value < compared, gte: value >= compared })[operator] ?? false

const condition: fc.Arbitrary<FilterNode> = fc.record({
  kind: fc.constant('condition' as const),
  path: fc.constantFrom('a', 'b', '__proto__'),
  operator: fc.constantFrom('eq', 'ne', 'lt', 'gte'),
  value: fc.integer({ min: 0, max: 3 }),
})

const { group } = fc.letrec<{ node: FilterNode; group: FilterGroup; other: FilterNode }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, condition, tie('group'), tie('other')),
  group: fc.record({
    kind: fc.constant('group' as const),
    mode: fc.constantFrom('all' as const, 'any' as const),
    nodes: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
  }),
  other: fc.record({
    kind: fc.constant('other' as const),
    where: condition.map((node) => ({ not: serializeWhere({ kind: 'group', mode: 'all', nodes: [node] }) })),
  }),
}))

const entry = fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 3 }), {
  minKeys: 2,
  noNullPrototype: true,
})

describe('a filter', () => {
  test('means the same in a URL, and after it is parsed again', () => {
    fc.assert(
      fc.property(group, entry, (tree, values) => {
        const written = JSON.parse(JSON.stringify(serializeWhere(tree)))
        expect(holds(written, values)).toBe(matches(tree, values))
        expect(matches(parseWhere(written), values)).toBe(matches(tree, values))
        expect(serializeWhere(parseWhere(written))).toEqual(written)
        expect(countConditions(parseWhere(written))).toBe(countConditions(tree))
      }),
    )
  })

  test('keeps two conditions on one field with one operator apart', () => {
    const twice = { kind: 'condition', path: 'tags.slug', operator: 'in' } as const
    const tree = parseWhere(undefined)
    const where = serializeWhere({
      ...tree,
      nodes: [
        { ...twice, value: ['a'] },
        { ...twice, value: ['b'] },
      ],
    })
    expect(where).toEqual({ and: [{ 'tags.slug': { in: ['a'] } }, { 'tags.slug': { in: ['b'] } }] })
    expect(serializeWhere(parseWhere(where))).toEqual(where)
  })

  test('is written as one plain object if possible', () => {
    const where = { minutes: { gte: 3, lt: 9 }, kind: { eq: 'essay' } }
    expect(serializeWhere(parseWhere(where))).toEqual(where)
    expect(parseWhere(where).nodes.length).toBe(3)
  })

  test.each([
    'text',
    7,
    [{ a: { eq: 1 } }],
    { a: 'no operator' },
    { a: {} },
    { or: [] },
    { or: { 0: { a: { eq: 1 } } } },
    { a: { in: [] } },
    { a: { eq: null } },
    { not: { a: { eq: 1 } }, b: { eq: 2 } },
    { or: ['text', { a: { eq: 1 } }] },
    { a: { eq: '' } },
  ])('keeps an unsupported part unchanged: %j', (where) => {
    expect(serializeWhere(parseWhere(where))).toEqual(where)
  })

  test('omits conditions without a value', () => {
    const empty = { kind: 'condition', path: 'a', operator: 'eq', value: undefined } as const
    const complete = { kind: 'condition', path: 'a', operator: 'eq', value: 1 } as const
    expect(
      serializeWhere({ kind: 'group', mode: 'all', nodes: [empty, { kind: 'group', mode: 'any', nodes: [empty] }] }),
    ).toBeUndefined()
    expect(serializeWhere({ kind: 'group', mode: 'any', nodes: [empty, complete] })).toEqual({ a: { eq: 1 } })
  })
})
