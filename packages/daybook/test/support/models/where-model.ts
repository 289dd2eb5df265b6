import type { Item } from './list-model.ts'

/** One question about a field; `values` are as they stand in a query. */
export interface Leaf {
  /** Dotted path; `author.name` goes through the relation `author`. */
  readonly field: string
  readonly operator: string
  readonly values: readonly string[]
}

/** Questions side by side, all of which must hold, with groups of them inside. */
export interface Filter {
  readonly leaves: readonly Leaf[]
  readonly and?: readonly Filter[] | undefined
  readonly or?: readonly Filter[] | undefined
  readonly not?: Filter | undefined
}

/** How a value of a field is read and compared. */
export type Kind = 'text' | 'number' | 'boolean' | 'many'

/** What the entries of a collection hold. */
export interface Table {
  readonly kinds: Readonly<Record<string, Kind>>
  /** Relations by path, each with the entries that the reader may see there. */
  readonly relations: Readonly<Record<string, { readonly items: readonly Item[]; readonly table: Table }>>
}

/** A filter as query parameters. */
export function toWhere(filter: Filter, prefix = 'where'): readonly string[] {
  return [
    ...filter.leaves.map(
      ({ field, operator, values }) => `${prefix}[${field}][${operator}]=${encodeURIComponent(values.join(','))}`,
    ),
    ...(filter.and ?? []).flatMap((one, index) => toWhere(one, `${prefix}[and][${index}]`)),
    ...(filter.or ?? []).flatMap((one, index) => toWhere(one, `${prefix}[or][${index}]`)),
    ...(filter.not ? toWhere(filter.not, `${prefix}[not]`) : []),
  ]
}

/** Whether an entry passes a filter: every question holds or does not, whatever is missing. */
export function passes(item: Item, { leaves, and, or, not }: Filter, table: Table): boolean {
  return (
    leaves.every((leaf) => answers(item, leaf, table)) &&
    (and ?? []).every((one) => passes(item, one, table)) &&
    (!or || or.some((one) => passes(item, one, table))) &&
    (!not || !passes(item, not, table))
  )
}

function answers(item: Item, leaf: Leaf, table: Table): boolean {
  const kind = table.kinds[leaf.field]
  if (kind === 'many') return holdsMany((valueAt(item, leaf.field) ?? []) as readonly string[], leaf)
  if (kind) return holds(valueAt(item, leaf.field), kind, leaf)
  const path = Object.keys(table.relations).find((one) => leaf.field.startsWith(`${one}.`))
  const relation = path === undefined ? undefined : table.relations[path]
  if (path === undefined || !relation) throw new Error(`The model knows no ${leaf.field}`)
  const ids = [valueAt(item, path) ?? []].flat()
  const inner = { ...leaf, field: leaf.field.slice(path.length + 1) }
  return relation.items.some((target) => ids.includes(target.id) && answers(target, inner, relation.table))
}

function valueAt(item: Item, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key] ?? null, item)
}

function holdsMany(held: readonly string[], { operator, values }: Leaf): boolean {
  if (operator === 'exists') return held.length > 0 === (values[0] === 'true')
  if (operator === 'all') return values.every((value) => held.includes(value))
  return values.some((value) => held.includes(value)) === (operator === 'in')
}

function holds(held: unknown, kind: Kind, { operator, values }: Leaf): boolean {
  const isThere = held !== null
  if (operator === 'exists') return isThere === (values[0] === 'true')
  const given = values.map((value) => typed(value, kind))
  const [first] = given
  if (operator === 'eq' || operator === 'in') return isThere && given.includes(held as never)
  if (operator === 'ne' || operator === 'nin') return !isThere || !given.includes(held as never)
  if (!isThere) return false
  if (operator === 'startsWith') return String(held).startsWith(String(first))
  if (operator === 'contains') return String(held).includes(String(first))
  const order = compare(held, first)
  return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator] ?? false
}

function typed(value: string, kind: Kind): string | number | boolean {
  if (kind === 'number') return Number(value)
  return kind === 'boolean' ? value === 'true' : value
}

/** Texts compare by code point. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return Number(a) - Number(b)
}
