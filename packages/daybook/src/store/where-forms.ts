import { type SqlBool, sql } from 'kysely'
import type { SortBy } from '../query/listing.ts'
import { type Condition, conjuncts } from '../query/where.ts'
import type { WhereSql } from './compile.ts'
import type { Dialect } from './dialect.ts'
import { valueIndex } from './tables/tables.ts'
import { type CompareCondition, combinePieces, type FilteredTable, type Piece, translateCondition } from './where.ts'

/**
 * How a condition is written: how its values are reached is decided by that, and what it says is the same.
 *
 * - `plain`: each value is compared where the engine finds it best, for questions about few entries
 * - `drive`: one part leads to the entries by its index; the others are looked up in theirs
 * - `walk`: every part is looked up in its own index for each entry that an order comes to; no document is read
 * - `each`: what cannot be looked up by the id is compared in the document of each entry that an order comes to
 */
export type WhereForm = 'plain' | 'drive' | 'walk' | 'each'

/** The query around a condition, as far as toWhereSql needs it. */
export interface WherePlace {
  /** Key of the collection. */
  readonly key: string
  /** The collection's table, or that of a locale. */
  readonly table: string
  /** @default 'plain' */
  readonly form?: WhereForm
  /** The key that entries are sorted by first. */
  readonly lead?: SortBy | undefined
  /** Parts that the index of the walk finds. */
  readonly found?: readonly Condition[] | undefined
  /** Before the names of its parameters. @default 'where' */
  readonly prefix?: string
}

/** Translates a filter on the table that is called `entry`. */
export function toWhereSql(dialect: Dialect, condition: Condition, place: WherePlace): WhereSql {
  const { key, table, form = 'plain', lead, found = [], prefix = 'where' } = place
  const values: Record<string, unknown> = {}
  const bind = (value: unknown): string => {
    const name = `${prefix}${Object.keys(values).length}`
    values[name] = value
    return name
  }
  const own: FilteredTable = { dialect, collection: key, alias: 'entry', bind }
  const built =
    form === 'plain'
      ? translateCondition(condition, own)
      : planned(condition, { ...own, name: table }, form, { lead, found })
  return { cacheKey: built.cacheKey, values, build: () => built.sql() }
}

type Leaf = Exclude<Condition, { kind: 'all' | 'any' }>

/** A table with the name that it has in the database. */
interface IndexedTable extends FilteredTable {
  readonly name: string
}

/** Whether one step tells if an entry holds a condition: by a column, or in an index by the value together with the id. */
export function isOneStep(condition: Condition): boolean {
  if (condition.kind !== 'compare') return false
  return condition.by.column !== undefined || condition.operator === 'eq' || condition.operator === 'exists'
}

/** The part whose index leads to the fewest entries, as far as that can be told, and in the order that is asked for. */
function driverOf(parts: readonly Condition[], lead: SortBy | undefined): Condition | undefined {
  const positive = parts.filter((one) => !('negated' in one && one.negated) && one.kind !== 'any')
  const equal = positive.filter((one) => one.kind === 'compare' && one.operator === 'eq')
  return (
    equal.find((one) => one.kind === 'compare' && one.by.scalar !== 'boolean') ??
    equal[0] ??
    positive.find((one) => one.kind === 'compare' && one.by.path === lead?.by.path) ??
    positive[0]
  )
}

function planned(
  condition: Condition,
  table: IndexedTable,
  form: WhereForm,
  { lead, found }: { readonly lead: SortBy | undefined; readonly found: readonly Condition[] },
): Piece {
  const parts = conjuncts(condition)
  const leading = form === 'drive' ? [driverOf(parts, lead)] : found
  const pieces = parts.map((one) => (leading.includes(one) ? translateCondition(one, table) : lookUp(one, table, form)))
  return combinePieces('all', pieces)
}

/** A condition that leads nowhere, for entries that something else has led to. */
function lookUp(condition: Condition, table: IndexedTable, form: WhereForm): Piece {
  if (condition.kind === 'compare') {
    if (condition.by.column) return compareInEntry(condition, table)
    if (isOneStep(condition)) return probe(condition, table)
    return form === 'each' ? compareInEntry(condition, table) : amongSet(condition, table)
  }
  if (condition.kind === 'member' || condition.kind === 'related') return amongSet(condition, table)
  const pieces = condition.of.map((one) => lookUp(one, table, form))
  return combinePieces(condition.kind, pieces)
}

/** Looks for the value and the id in the index that holds both; of itself, SQLite may take the one of ids, and read the document. */
function probe(condition: CompareCondition, table: IndexedTable): Piece {
  // An index finds what is missing, and not what is there.
  const isThere = condition.operator === 'exists'
  const inner = translateCondition({ ...condition, negated: isThere }, { ...table, alias: 'own' })
  const holds = isThere === condition.negated
  return {
    cacheKey: `${holds ? '' : '!'}?${inner.cacheKey}`,
    sql: () => {
      const index = sql.id(valueIndex(table.name, condition.by.path))
      const found = sql`(SELECT 1 FROM ${sql.table(table.name)} AS own INDEXED BY ${index}
        WHERE ${inner.sql()} AND own.id = entry.id)`
      return holds ? sql`EXISTS ${found}` : sql`NOT EXISTS ${found}`
    },
  }
}

/** Collects the entries that hold a condition from its index, once. */
function amongSet(condition: Leaf, table: IndexedTable): Piece {
  const { negated } = condition
  const inner = translateCondition({ ...condition, negated: false }, { ...table, alias: 'own' })
  return {
    cacheKey: `${negated ? '!' : ''}#${inner.cacheKey}`,
    sql: () => {
      // The unary plus keeps SQLite from going through the set.
      const found = sql<SqlBool>`+entry.pk IN (SELECT own.pk FROM ${sql.table(table.name)} AS own WHERE ${inner.sql()})`
      return negated ? sql`NOT (${found})` : found
    },
  }
}

/** Compares the value in the entry itself. The unary plus keeps SQLite from taking its index. */
function compareInEntry(condition: CompareCondition, table: FilteredTable): Piece {
  const inner = translateCondition(condition, table)
  return { cacheKey: `+${inner.cacheKey}`, sql: () => sql`+(${inner.sql()})` }
}
