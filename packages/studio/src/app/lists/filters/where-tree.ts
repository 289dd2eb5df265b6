/** What a condition compares with. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]

/** One condition on one field. */
export interface FilterCondition {
  readonly kind: 'condition'
  readonly path: string
  readonly operator: string
  /** `undefined`: nothing was entered yet. */
  readonly value: FilterValue | undefined
}

/** Conditions of which all must hold, or any. */
export interface FilterGroup {
  readonly kind: 'group'
  readonly mode: 'all' | 'any'
  readonly nodes: readonly FilterNode[]
}

/** A part of a filter that the Studio has no form for; it stays as it is. */
export interface FilterOther {
  readonly kind: 'other'
  readonly where: unknown
}

/** A part of a filter. */
export type FilterNode = FilterCondition | FilterGroup | FilterOther

type PlainObject = Readonly<Record<string, unknown>>

/** A filter as a tree; nothing of it is left out. @param where as the API takes it */
export function parseWhere(where: unknown): FilterGroup {
  const node = readPart(where)
  return node.kind === 'group' && node.mode === 'all' ? node : { kind: 'group', mode: 'all', nodes: [node] }
}

/** A tree as the API takes it; `undefined`: it says nothing. Conditions without a value are no conditions. */
export function serializeWhere(group: FilterGroup): unknown {
  const said = simplified(group)
  return said === undefined ? undefined : writeNode(said)
}

/** How many conditions a tree has. */
export const countConditions = (node: FilterNode): number =>
  node.kind === 'group' ? node.nodes.reduce((sum, inner) => sum + countConditions(inner), 0) : 1

/** Whether every condition has a value. */
export const isComplete = (node: FilterNode): boolean => {
  if (node.kind === 'group') return node.nodes.every(isComplete)
  return node.kind === 'other' || (node.value !== undefined && node.value !== '' && !isEmptyList(node.value))
}

function readPart(where: unknown): FilterNode {
  if (where === undefined) return { kind: 'group', mode: 'all', nodes: [] }
  if (!isPlainObject(where)) return { kind: 'other', where }
  const of = Object.entries(where).flatMap(([key, value]) => readEntry(key, value))
  const [only] = of
  return of.length === 1 && only ? only : flat({ kind: 'group', mode: 'all', nodes: of })
}

function readEntry(key: string, value: unknown): readonly FilterNode[] {
  const other: FilterNode = { kind: 'other', where: { [key]: value } }
  if (key === 'and' || key === 'or') {
    if (!Array.isArray(value) || value.length === 0) return [other]
    return [flat({ kind: 'group', mode: key === 'and' ? 'all' : 'any', nodes: value.map(readPart) })]
  }
  if (key === 'not' || !isPlainObject(value) || Object.keys(value).length === 0) return [other]
  return Object.entries(value).map(([operator, compared]) =>
    isValue(compared)
      ? { kind: 'condition', path: key, operator, value: compared }
      : { kind: 'other', where: { [key]: { [operator]: compared } } },
  )
}

/** A group in a group of its own kind says no more than its parts. */
const flat = (group: FilterGroup): FilterGroup => ({
  ...group,
  nodes: group.nodes.flatMap((node) => (node.kind === 'group' && node.mode === group.mode ? flat(node).nodes : [node])),
})

/** A tree without what says nothing: empty groups, groups of one, conditions without a value. */
function simplified(node: FilterNode): FilterNode | undefined {
  if (node.kind !== 'group') return isComplete(node) ? node : undefined
  const { mode, nodes: of } = flat({ ...node, nodes: node.nodes.flatMap((inner) => simplified(inner) ?? []) })
  return of.length < 2 ? of[0] : { kind: 'group', mode, nodes: of }
}

function writeNode(node: FilterNode): unknown {
  if (node.kind === 'other') return node.where
  if (node.kind === 'condition') return { [node.path]: { [node.operator]: node.value } }
  const parts = node.nodes.map(writeNode)
  if (node.mode === 'any') return { or: parts }
  return mergeParts(parts) ?? { and: parts }
}

/** One object that says what all parts say; `undefined`: two of them would take the same place. */
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

/** The operators of a field from two conditions; `undefined`: they cannot stand together. */
function joinOperators(key: string, first: unknown, second: unknown): PlainObject | undefined {
  if (GROUPS.has(key) || !isPlainObject(first) || !isPlainObject(second)) return undefined
  const names = Object.keys(second)
  const isApart = names.length > 0 && names.every((name) => !Object.hasOwn(first, name))
  return isApart && Object.keys(first).length > 0 ? { ...first, ...second } : undefined
}

const GROUPS: ReadonlySet<string> = new Set(['and', 'or', 'not'])

const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const isValue = (value: unknown): value is FilterValue =>
  Array.isArray(value) ? value.length > 0 && value.every(isScalar) : isScalar(value) && value !== ''

const isEmptyList = (value: FilterValue): boolean => Array.isArray(value) && value.length === 0
