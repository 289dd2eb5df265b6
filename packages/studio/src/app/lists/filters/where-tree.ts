export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]

export interface FilterCondition {
  readonly kind: 'condition'
  readonly path: string
  readonly operator: string
  /** `undefined` until a value is entered. */
  readonly value: FilterValue | undefined
}

export interface FilterGroup {
  readonly kind: 'group'
  readonly mode: 'all' | 'any'
  readonly nodes: readonly FilterNode[]
}

/** A part of a filter without a form in the Studio, which is kept unchanged. */
export interface FilterOther {
  readonly kind: 'other'
  readonly where: unknown
}

export type FilterNode = FilterCondition | FilterGroup | FilterOther

type PlainObject = Readonly<Record<string, unknown>>

/** Parses a `where` of the API into a tree without losing any part. */
export function parseWhere(where: unknown): FilterGroup {
  const node = parsePart(where)
  return node.kind === 'group' && node.mode === 'all' ? node : { kind: 'group', mode: 'all', nodes: [node] }
}

/** Serializes a tree to a `where` without conditions that have no value; `undefined` if it is empty. */
export function serializeWhere(group: FilterGroup): unknown {
  const node = simplify(group)
  return node === undefined ? undefined : serializeNode(node)
}

export const countConditions = (node: FilterNode): number =>
  node.kind === 'group' ? node.nodes.reduce((sum, inner) => sum + countConditions(inner), 0) : 1

/** True if every condition has a value. */
export const isComplete = (node: FilterNode): boolean => {
  if (node.kind === 'group') return node.nodes.every(isComplete)
  return node.kind === 'other' || (node.value !== undefined && node.value !== '' && !isEmptyList(node.value))
}

function parsePart(where: unknown): FilterNode {
  if (where === undefined) return { kind: 'group', mode: 'all', nodes: [] }
  if (!isPlainObject(where)) return { kind: 'other', where }
  const nodes = Object.entries(where).flatMap(([key, value]) => parseEntry(key, value))
  const [node] = nodes
  return nodes.length === 1 && node ? node : flatten({ kind: 'group', mode: 'all', nodes })
}

function parseEntry(key: string, value: unknown): readonly FilterNode[] {
  const unsupported: FilterNode = { kind: 'other', where: { [key]: value } }
  if (key === 'and' || key === 'or') {
    if (!Array.isArray(value) || value.length === 0) return [unsupported]
    return [flatten({ kind: 'group', mode: key === 'and' ? 'all' : 'any', nodes: value.map(parsePart) })]
  }
  if (key === 'not' || !isPlainObject(value) || Object.keys(value).length === 0) return [unsupported]
  return Object.entries(value).map(([operator, compared]) =>
    isValue(compared)
      ? { kind: 'condition', path: key, operator, value: compared }
      : { kind: 'other', where: { [key]: { [operator]: compared } } },
  )
}

/** Merges nested groups of the same mode. */
const flatten = (group: FilterGroup): FilterGroup => ({
  ...group,
  nodes: group.nodes.flatMap((node) =>
    node.kind === 'group' && node.mode === group.mode ? flatten(node).nodes : [node],
  ),
})

/** Removes empty groups, groups of one node, and conditions without a value. */
function simplify(node: FilterNode): FilterNode | undefined {
  if (node.kind !== 'group') return isComplete(node) ? node : undefined
  const { mode, nodes } = flatten({ ...node, nodes: node.nodes.flatMap((inner) => simplify(inner) ?? []) })
  return nodes.length < 2 ? nodes[0] : { kind: 'group', mode, nodes }
}

function serializeNode(node: FilterNode): unknown {
  if (node.kind === 'other') return node.where
  if (node.kind === 'condition') return { [node.path]: { [node.operator]: node.value } }
  const parts = node.nodes.map(serializeNode)
  if (node.mode === 'any') return { or: parts }
  return mergeParts(parts) ?? { and: parts }
}

/** Merges parts into one object; `undefined` if two of them need the same key. */
function mergeParts(parts: readonly unknown[]): PlainObject | undefined {
  if (!parts.every(isPlainObject)) return undefined
  const merged = new Map<string, unknown>()
  for (const [key, value] of parts.flatMap((part) => Object.entries(part))) {
    const joined = merged.has(key) ? joinOperators(key, merged.get(key), value) : value
    if (joined === undefined) return undefined
    merged.set(key, joined)
  }
  return Object.fromEntries(merged)
}

/** Merges the operators of two conditions on a field; `undefined` if they overlap. */
function joinOperators(key: string, first: unknown, second: unknown): PlainObject | undefined {
  if (GROUPS.has(key) || !isPlainObject(first) || !isPlainObject(second)) return undefined
  const names = Object.keys(second)
  const isDisjoint = names.length > 0 && names.every((name) => !Object.hasOwn(first, name))
  return isDisjoint && Object.keys(first).length > 0 ? { ...first, ...second } : undefined
}

const GROUPS: ReadonlySet<string> = new Set(['and', 'or', 'not'])

const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const isValue = (value: unknown): value is FilterValue =>
  Array.isArray(value) ? value.length > 0 && value.every(isScalar) : isScalar(value) && value !== ''

const isEmptyList = (value: FilterValue): boolean => Array.isArray(value) && value.length === 0
