import { type SqlBool, sql } from 'kysely'
import type { CollectionModel, CompoundIndexModel, IndexKey } from '../../model/model.ts'
import { isIndexOrder, type SortBy } from '../../query/sort-order.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import type { FilteredTable, PlannedPage, QueryPlan, QueryPlanner, SqlFragment } from '../dialect.ts'
import { compoundIndexName, valueIndexName } from '../tables/tables.ts'
import { type CompareCondition, combineFragments, isSelfContained, translateCondition } from '../where-sql.ts'

// Costs count steps. A step passes one entry of an index: some 0.04 µs.
/** The cost of reading and parsing a document for a value in it: 8 µs for 1.5 KB. */
const DOCUMENT = 200
/** The cost of adding an entry to a set. */
const MEMBER = 4
/** The most steps of a statement that may run on the thread that serves requests. */
const SHORT = 10_000

/**
 * Chooses how SQLite finds a page. SQLite's own planner does not know how many entries LIMIT leaves unread, nor that a value outside the
 * index that it walks costs a parsed document; its statistics (ANALYZE) contain neither.
 */
function planPage(collection: CollectionModel, { where, search, sort, offset, limit, size }: PlannedPage): QueryPlan {
  const { found, visible, all } = size
  const wanted = offset + limit
  const parts = where ? conjuncts(where) : []
  const path = search ? undefined : compoundPath(collection, where, sort)
  const covered = path?.found ?? (search ? [] : parts.filter((part) => isInOrder(part, sort[0])).slice(0, 1))
  const apart = parts.length - covered.length + (search ? 1 : 0)
  if (apart === 0) {
    return { form: 'compare', index: path?.index, covered, isShort: offset + all - visible <= SHORT }
  }
  const passed = Math.min(all, (wanted * all) / Math.max(1, found))
  const collected = (apart === 1 ? found : all) * MEMBER
  const compare = { form: 'compare', steps: passed * DOCUMENT, worst: all * DOCUMENT } as const
  const sets = { form: 'sets', steps: passed + collected, worst: all * (1 + apart * MEMBER) } as const
  const sorted = found * DOCUMENT + (apart > 1 ? collected : 0)
  const lead = { form: 'lead', steps: sorted, worst: all * (apart - 1) * MEMBER + found * DOCUMENT } as const
  const ways = [sets, ...(search ? [] : [compare]), ...(search || findLead(parts) ? [lead] : [])]
  const best = ways.reduce((a, b) => (b.steps < a.steps ? b : a))
  const isShort = !search && parts.every(isSelfContained) && best.worst <= SHORT
  if (best.form === 'lead') return { form: search ? 'sets' : 'lead', sortsFound: true, isShort }
  return { form: best.form, index: path?.index, covered, walksOrder: search !== undefined, isShort }
}

/** True if the index of a condition's value has its entries in the order, one after the other. */
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
    // Fewer entries are usually reached by an index than hold the value.
    if (leading.length > 0 && form !== 'compare' && isEquality(part) && !part.by.column) return probeIndex(part, table)
    return lookUp(part, table, form === 'compare')
  })
  return combineFragments('all', pieces)
}

/** Looks for the value and the id of an entry in the index that has both. */
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

/** Translates a condition on entries that something else leads to. */
function lookUp(condition: Condition, table: FilteredTable, compares: boolean): SqlFragment {
  if (isGroup(condition)) {
    const pieces = condition.of.map((part) => lookUp(part, table, compares))
    return combineFragments(condition.kind, pieces)
  }
  const isOfColumn = condition.kind === 'compare' && condition.by.column !== undefined
  // A condition on references or members is a set of ids in itself.
  const isOfIds = condition.kind === 'member' || (condition.kind === 'related' && condition.isMany)
  if (compares || isOfColumn || isOfIds) return compareInEntry(condition, table)
  return collectSet(condition, table)
}

/** Compares the value in the entry itself. The unary plus keeps SQLite from using the index of the value. */
function compareInEntry(condition: Condition, table: FilteredTable): SqlFragment {
  const inner = translateCondition(condition, table)
  return { cacheKey: `+${inner.cacheKey}`, sql: () => sql`+(${inner.sql()})` }
}

/** Collects the entries that hold a condition from its index, once. The unary plus keeps SQLite from reading the entries of the set. */
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

/** The planner of SQLite's queries. It changes how entries are found, and never which. */
export const SQLITE_PLANNER: QueryPlanner = { planPage, translate }

/** A declared index that leads to a page: to entries that hold parts of the condition, in the order that is asked for. */
interface CompoundPath {
  /** The name of the index. */
  readonly index: string
  /** The parts of the condition that its entries hold. */
  readonly found: readonly Condition[]
}

/** The declared index that leads to a page by the most equalities, and that leaves the least to sort; `undefined`: none does. */
function compoundPath(
  collection: CollectionModel,
  where: Condition | undefined,
  sort: readonly SortBy[],
): CompoundPath | undefined {
  if (collection.compoundIndexes.length === 0 || !where) return undefined
  const leaves = conjuncts(where)
  const paths = collection.compoundIndexes.map((one) => matchIndex(one, collection, leaves, sort))
  const [best] = paths.filter((one) => one.ordered > 0 && one.equal > 0).sort(compareMatches)
  return best && { index: best.index, found: best.found }
}

/** How far an index fits a page. */
interface IndexMatch extends CompoundPath {
  /** How many of its keys are held by equalities. */
  readonly equal: number
  /** How many keys of the order it serves. */
  readonly ordered: number
}

const compareMatches = (a: IndexMatch, b: IndexMatch): number => b.equal - a.equal || b.ordered - a.ordered

function matchIndex(
  index: CompoundIndexModel,
  { table, filterableFields: comparables }: CollectionModel,
  leaves: readonly Condition[],
  sort: readonly SortBy[],
): IndexMatch {
  const { keys } = index
  const isHeld = ({ by }: IndexKey): boolean => leaves.some((one) => isEqualityCondition(one) && isAbout(one, by))
  const held = keys.findIndex((key) => !isHeld(key))
  const equal = held < 0 ? keys.length : held
  const id = comparables.get('id')
  const ending = id ? [{ by: id, descending: keys.at(-1)?.descending === true }] : []
  const next = keys[equal]
  return {
    index: compoundIndexName(table, index),
    found: leaves.filter(
      (one) =>
        (isEqualityCondition(one) && keys.slice(0, equal).some(({ by }) => isAbout(one, by))) ||
        (next && isRange(one) && isAbout(one, next.by)),
    ),
    equal,
    ordered: countOrdered([...keys.slice(equal), ...ending], sort),
  }
}

const isEqualityCondition = (one: Condition): boolean =>
  one.kind === 'compare' && one.operator.keys === 'one' && !one.negated

const isRange = (one: Condition): boolean => one.kind === 'compare' && one.operator.keys === 'interval' && !one.negated

const isAbout = (one: Condition, by: IndexKey['by']): boolean => one.kind === 'compare' && one.by === by

/** How many keys of an order an index serves, read in one direction. */
function countOrdered(keys: readonly IndexKey[], sort: readonly SortBy[]): number {
  const isTurned = keys[0]?.descending !== sort[0]?.descending
  const differs = sort.findIndex(
    (key, place) =>
      keys[place]?.by !== key.by ||
      (keys[place].descending === key.descending) === isTurned ||
      // A page is read in two parts where the leading key has its empty values elsewhere.
      (place > 0 && !isIndexOrder(key)),
  )
  return differs < 0 ? sort.length : differs
}
