import { type SqlBool, sql } from 'kysely'
import type { CollectionModel, CompoundIndexModel, IndexKey } from '../../model/model.ts'
import { isIndexOrder, type SortBy } from '../../query/sort-order.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import type { FilteredTable, PlannedPage, QueryPlan, QueryPlanner, SqlFragment } from '../dialect.ts'
import { compoundIndexName, valueIndexName } from '../tables/tables.ts'
import { type CompareCondition, combineFragments, isSelfContained, translateCondition } from '../where-sql.ts'

// Costs are in steps. A step passes one entry of an index and takes some 0.04 µs.
/** The cost of reading and parsing a document for a value: 8 µs for 1.5 KB. */
const DOCUMENT = 200
/** The cost of adding an entry to a set. */
const MEMBER = 4
/** The maximum cost of a statement on the thread that serves requests. */
const SHORT = 10_000

/**
 * Plans a page. SQLite's own planner knows neither how many entries LIMIT leaves unread, nor that a value outside the walked index costs a
 * parsed document; its statistics (ANALYZE) contain neither.
 */
function planPage(collection: CollectionModel, { where, search, sort, offset, limit, size }: PlannedPage): QueryPlan {
  const { matching, visible, total: all } = size
  const wanted = offset + limit
  const parts = where ? conjuncts(where) : []
  const path = search ? undefined : compoundPath(collection, where, sort)
  const covered = path?.covered ?? (search ? [] : parts.filter((part) => isInOrder(part, sort[0])).slice(0, 1))
  const uncovered = parts.length - covered.length + (search ? 1 : 0)
  if (uncovered === 0) {
    return { form: 'compare', index: path?.index, covered, isShort: offset + all - visible <= SHORT }
  }
  const passed = Math.min(all, (wanted * all) / Math.max(1, matching))
  const collected = (uncovered === 1 ? matching : all) * MEMBER
  const compare = { form: 'compare', steps: passed * DOCUMENT, worst: all * DOCUMENT } as const
  const sets = { form: 'sets', steps: passed + collected, worst: all * (1 + uncovered * MEMBER) } as const
  const sorted = matching * DOCUMENT + (uncovered > 1 ? collected : 0)
  const lead = { form: 'lead', steps: sorted, worst: all * (uncovered - 1) * MEMBER + matching * DOCUMENT } as const
  const plans = [sets, ...(search ? [] : [compare]), ...(search || findLead(parts) ? [lead] : [])]
  const best = plans.reduce((a, b) => (b.steps < a.steps ? b : a))
  const isShort = !search && parts.every(isSelfContained) && best.worst <= SHORT
  if (best.form === 'lead') return { form: search ? 'sets' : 'lead', sortsMatches: true, isShort }
  return { form: best.form, index: path?.index, covered, walksSortIndex: search !== undefined, isShort }
}

/** True if the entries that match a condition are adjacent and in order in the index of its value. */
function isInOrder(condition: Condition, lead: SortBy | undefined): boolean {
  if (condition.kind !== 'compare' || condition.negated || !lead) return false
  const { keys } = condition.operator
  if (keys !== 'one' && keys !== 'interval') return false
  return condition.by.path === lead.by.path || (isEquality(condition) && lead.by.column === 'id')
}

type Group = Extract<Condition, { kind: 'all' | 'any' }>

const isGroup = (condition: Condition): condition is Group => condition.kind === 'all' || condition.kind === 'any'

const isEquality = (condition: Condition): condition is CompareCondition =>
  condition.kind === 'compare' && condition.operator.keys === 'one' && !condition.negated

/** Finds the part whose index leads to the entries of a filter. */
function findLead(parts: readonly Condition[]): Condition | undefined {
  const leading = parts.filter((part) => !isGroup(part) && !part.negated)
  return leading.find(isEquality) ?? leading[0]
}

function translate(condition: Condition, table: FilteredTable, { form, covered = [] }: QueryPlan): SqlFragment {
  const parts = conjuncts(condition)
  const lead = form === 'lead' ? findLead(parts) : undefined
  const leading = lead ? [lead] : covered
  const pieces = parts.map((part) => {
    if (leading.includes(part)) return translateCondition(part, table)
    // Usually fewer entries are reached than hold the value, so probing costs less than collecting a set.
    if (leading.length > 0 && form !== 'compare' && isEquality(part) && !part.by.column) return probeIndex(part, table)
    return checkEntries(part, table, form === 'compare')
  })
  return combineFragments('all', pieces)
}

/** Checks an entry by a look-up of its value and id in the index that holds both. */
function probeIndex(condition: CompareCondition, table: FilteredTable): SqlFragment {
  const inner = translateCondition(condition, { ...table, alias: 'own' })
  return {
    cacheKey: `?${inner.cacheKey}`,
    sql: () => {
      const index = sql.id(valueIndexName(table.name, condition.by.path))
      return sql`EXISTS (SELECT 1 FROM ${sql.table(table.name)} AS own INDEXED BY ${index}
        WHERE ${inner.sql()} AND own.id = entry.id)`
    },
  }
}

/** Translates a condition on entries that another index leads to. */
function checkEntries(condition: Condition, table: FilteredTable, compares: boolean): SqlFragment {
  if (isGroup(condition)) {
    const pieces = condition.of.map((part) => checkEntries(part, table, compares))
    return combineFragments(condition.kind, pieces)
  }
  const isOfColumn = condition.kind === 'compare' && condition.by.column !== undefined
  // A condition on references or members already is a set of ids.
  const isOfIds = condition.kind === 'member' || (condition.kind === 'related' && condition.isMany)
  if (compares || isOfColumn || isOfIds) return compareInEntry(condition, table)
  return collectSet(condition, table)
}

/** Compares the value in the entry. The unary plus keeps SQLite from using the index of the value. */
function compareInEntry(condition: Condition, table: FilteredTable): SqlFragment {
  const inner = translateCondition(condition, table)
  return { cacheKey: `+${inner.cacheKey}`, sql: () => sql`+(${inner.sql()})` }
}

/** Collects the entries that match a condition from its index, once. The unary plus keeps SQLite from starting with the set. */
function collectSet(condition: Exclude<Condition, Group>, table: FilteredTable): SqlFragment {
  const inner = translateCondition({ ...condition, negated: false }, { ...table, alias: 'own' })
  return {
    cacheKey: `${condition.negated ? '!' : ''}#${inner.cacheKey}`,
    sql: () => {
      const isMember = sql<SqlBool>`+entry.pk IN (SELECT own.pk FROM ${sql.table(table.name)} AS own WHERE ${inner.sql()})`
      return condition.negated ? sql`NOT (${isMember})` : isMember
    },
  }
}

/** The planner of SQLite's queries. Plans never change which entries are found. */
export const SQLITE_PLANNER: QueryPlanner = { planPage, translate }

/** A compound index that leads to the entries of a page, in the requested order. */
interface CompoundPath {
  readonly index: string
  /** The parts of the condition that the index covers. */
  readonly covered: readonly Condition[]
}

/** Returns the compound index with the most equalities, and of those the one that serves most of the order; `undefined` if none fits. */
function compoundPath(
  collection: CollectionModel,
  where: Condition | undefined,
  sort: readonly SortBy[],
): CompoundPath | undefined {
  if (collection.compoundIndexes.length === 0 || !where) return undefined
  const leaves = conjuncts(where)
  const matches = collection.compoundIndexes.map((index) => matchIndex(index, collection, leaves, sort))
  const [best] = matches.filter(({ ordered, equal }) => ordered > 0 && equal > 0).sort(compareMatches)
  return best && { index: best.index, covered: best.covered }
}

/** A compound index, as far as it fits a page. */
interface IndexMatch extends CompoundPath {
  /** The number of keys that equalities fix. */
  readonly equal: number
  /** The number of keys of the order that the index serves. */
  readonly ordered: number
}

const compareMatches = (a: IndexMatch, b: IndexMatch): number => b.equal - a.equal || b.ordered - a.ordered

function matchIndex(
  index: CompoundIndexModel,
  { table, filterableFields }: CollectionModel,
  leaves: readonly Condition[],
  sort: readonly SortBy[],
): IndexMatch {
  const { keys } = index
  const isFixed = ({ by }: IndexKey): boolean => leaves.some((leaf) => isEquality(leaf) && isAbout(leaf, by))
  const firstFree = keys.findIndex((key) => !isFixed(key))
  const equal = firstFree < 0 ? keys.length : firstFree
  const id = filterableFields.get('id')
  const ending = id ? [{ by: id, descending: keys.at(-1)?.descending === true }] : []
  const next = keys[equal]
  return {
    index: compoundIndexName(table, index),
    covered: leaves.filter(
      (leaf) =>
        (isEquality(leaf) && keys.slice(0, equal).some(({ by }) => isAbout(leaf, by))) ||
        (next && isRange(leaf) && isAbout(leaf, next.by)),
    ),
    equal,
    ordered: countOrdered([...keys.slice(equal), ...ending], sort),
  }
}

const isRange = (condition: Condition): boolean =>
  condition.kind === 'compare' && condition.operator.keys === 'interval' && !condition.negated

const isAbout = (condition: Condition, by: IndexKey['by']): boolean =>
  condition.kind === 'compare' && condition.by === by

/** Counts the keys of an order that an index serves, read in one direction. */
function countOrdered(keys: readonly IndexKey[], sort: readonly SortBy[]): number {
  const isTurned = keys[0]?.descending !== sort[0]?.descending
  const differs = sort.findIndex(
    (key, place) =>
      keys[place]?.by !== key.by ||
      (keys[place].descending === key.descending) === isTurned ||
      // Only the leading key may have its missing values elsewhere, since a page is read in phases then.
      (place > 0 && !isIndexOrder(key)),
  )
  return differs < 0 ? sort.length : differs
}
