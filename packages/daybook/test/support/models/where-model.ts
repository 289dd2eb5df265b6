import type { Item } from './list-model.ts'

/** A filter on a field. `values` are those of the query string. */
export interface Leaf {
  /** Dotted path; `author.name` goes through the relation `author`. */
  readonly field: string
  readonly operator: string
  readonly values: readonly string[]
}

/** Filters that must all match, with nested groups. */
export interface Filter {
  readonly leaves: readonly Leaf[]
  readonly and?: readonly Filter[] | undefined
  readonly or?: readonly Filter[] | undefined
  readonly not?: Filter | undefined
}

/** The kind of a field, which decides how its values are compared. */
export type Kind = 'text' | 'number' | 'boolean' | 'many'

/** The fields and relations of a collection. */
export interface Table {
  readonly kinds: Readonly<Record<string, Kind>>
  /** Relations by path, with the entries that the caller may see. */
  readonly relations: Readonly<Record<string, { readonly items: readonly Item[]; readonly table: Table }>>
}

export function toWhere(filter: Filter, prefix = 'where'): readonly string[] {
  return [
    ...filter.leaves.map(
      ({ field, operator, values }) => `${prefix}[${field}][${operator}]=${encodeURIComponent(values.join(','))}`,
    ),
    ...(filter.and ?? []).flatMap((group, index) => toWhere(group, `${prefix}[and][${index}]`)),
    ...(filter.or ?? []).flatMap((group, index) => toWhere(group, `${prefix}[or][${index}]`)),
    ...(filter.not ? toWhere(filter.not, `${prefix}[not]`) : []),
  ]
}

export function passes(item: Item, { leaves, and, or, not }: Filter, table: Table): boolean {
  return (
    leaves.every((leaf) => matchesLeaf(item, leaf, table)) &&
    (and ?? []).every((group) => passes(item, group, table)) &&
    (!or || or.some((group) => passes(item, group, table))) &&
    (!not || !passes(item, not, table))
  )
}

function matchesLeaf(item: Item, leaf: Leaf, table: Table): boolean {
  const kind = table.kinds[leaf.field]
  if (kind === 'many') return holdsMany((valueAt(item, leaf.field) ?? []) as readonly string[], leaf)
  if (kind) return holds(valueAt(item, leaf.field), kind, leaf)
  const path = Object.keys(table.relations).find((relation) => leaf.field.startsWith(`${relation}.`))
  const relation = path === undefined ? undefined : table.relations[path]
  if (path === undefined || !relation) throw new Error(`The model has no field ${leaf.field}`)
  const ids = [valueAt(item, path) ?? []].flat()
  const inner = { ...leaf, field: leaf.field.slice(path.length + 1) }
  return relation.items.some((target) => ids.includes(target.id) && matchesLeaf(target, inner, relation.table))
}

function valueAt(item: Item, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key] ?? null, item)
}

function holdsMany(stored: readonly string[], { operator, values }: Leaf): boolean {
  if (operator === 'exists') return stored.length > 0 === (values[0] === 'true')
  if (operator === 'all') return values.every((value) => stored.includes(value))
  return values.some((value) => stored.includes(value)) === (operator === 'in')
}

function holds(stored: unknown, kind: Kind, { operator, values }: Leaf): boolean {
  const hasValue = stored !== null
  if (operator === 'exists') return hasValue === (values[0] === 'true')
  const operands = values.map((value) => typed(value, kind))
  const [first] = operands
  if (operator === 'eq' || operator === 'in') return hasValue && operands.includes(stored as never)
  if (operator === 'ne' || operator === 'nin') return !hasValue || !operands.includes(stored as never)
  if (!hasValue) return false
  if (operator === 'startsWith') return String(stored).startsWith(String(first))
  if (operator === 'contains') return String(stored).includes(String(first))
  const order = compare(stored, first)
  return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator] ?? false
}

function typed(value: string, kind: Kind): string | number | boolean {
  if (kind === 'number') return Number(value)
  return kind === 'boolean' ? value === 'true' : value
}

/** Compares texts by code point. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return Number(a) - Number(b)
}
