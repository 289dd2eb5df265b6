import { type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { SortBy } from '../../query/listing.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import type { FilteredTable, Piece, PlannedPage, QueryPlan, QueryPlanner } from '../dialect.ts'
import { compoundPath } from '../reads/compound-path.ts'
import { valueIndex } from '../tables/tables.ts'
import { type CompareCondition, combinePieces, isOwn, translateCondition } from '../where.ts'

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
  const isShort = !search && parts.every(isOwn) && best.worst <= SHORT
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

function translate(condition: Condition, table: FilteredTable, { form, covered = [] }: QueryPlan): Piece {
  const parts = conjuncts(condition)
  const lead = form === 'lead' ? findLead(parts) : undefined
  const leading = lead ? [lead] : covered
  const pieces = parts.map((part) => {
    if (leading.includes(part)) return translateCondition(part, table)
    // Fewer entries are usually reached by an index than hold the value.
    if (leading.length > 0 && form !== 'compare' && isEquality(part) && !part.by.column) return probeIndex(part, table)
    return lookUp(part, table, form === 'compare')
  })
  return combinePieces('all', pieces)
}

/** Looks for the value and the id of an entry in the index that has both. */
function probeIndex(condition: CompareCondition, table: FilteredTable): Piece {
  const inner = translateCondition(condition, { ...table, alias: 'own' })
  return {
    cacheKey: `?${inner.cacheKey}`,
    sql: () => {
      const index = sql.id(valueIndex(table.name, condition.by.path))
      return sql`EXISTS (SELECT 1 FROM ${sql.table(table.name)} AS own INDEXED BY ${index}
        WHERE ${inner.sql()} AND own.id = entry.id)`
    },
  }
}

/** Translates a condition on entries that something else leads to. */
function lookUp(condition: Condition, table: FilteredTable, compares: boolean): Piece {
  if (isGroup(condition)) {
    const pieces = condition.of.map((part) => lookUp(part, table, compares))
    return combinePieces(condition.kind, pieces)
  }
  const isOfColumn = condition.kind === 'compare' && condition.by.column !== undefined
  // A condition on references or members is a set of ids in itself.
  const isOfIds = condition.kind === 'member' || (condition.kind === 'related' && condition.isMany)
  if (compares || isOfColumn || isOfIds) return compareInEntry(condition, table)
  return collectSet(condition, table)
}

/** Compares the value in the entry itself. The unary plus keeps SQLite from using the index of the value. */
function compareInEntry(condition: Condition, table: FilteredTable): Piece {
  const inner = translateCondition(condition, table)
  return { cacheKey: `+${inner.cacheKey}`, sql: () => sql`+(${inner.sql()})` }
}

/** Collects the entries that hold a condition from its index, once. The unary plus keeps SQLite from reading the entries of the set. */
function collectSet(condition: Exclude<Condition, Group>, table: FilteredTable): Piece {
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
