import type { SortBy } from '../../query/listing.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import { isOwn } from '../where.ts'
import { isOneStep, type WhereForm } from '../where-forms.ts'
import type { CompoundPath } from './compound-path.ts'

/** How many entries there are, so that a way to a page can be chosen. */
export interface ListSize {
  /** Entries that the question finds. */
  readonly found: number
  /** Entries in statuses that were asked for. */
  readonly visible: number
  /** All entries of the collection. */
  readonly all: number
}

/** The query of a page, as far as its cost depends on it. */
interface CostedPage {
  readonly where: Condition
  readonly sort: readonly SortBy[]
  readonly offset: number
  readonly limit: number
  readonly size: ListSize
  /** A declared index that leads to the page. */
  readonly compound: CompoundPath | undefined
}

/** How a page is found. */
export interface PagePlan {
  readonly form: WhereForm
  /** The declared index that is walked; by default that of the order. */
  readonly compound?: CompoundPath | undefined
  /** Whether the order leads to entries that a search finds. @default false */
  readonly walksOrder?: boolean
  /** Whether it takes few steps however entries lie, and need not be asked beside others. */
  readonly isShort: boolean
}

// What SQLite takes, in steps: one is an index entry that is passed, or looked up by its id, some 0.1 µs.
/** An entry that is read and not parsed. */
export const ENTRY = 30
/** A document that is read and parsed for a value in it: 20 µs for one of 10 KB. */
const DOCUMENT = 200
/** An id that is put into a set. */
export const MEMBER = 4
/** A question of so many steps is short. */
const SHORT = 10_000

/**
 * Chooses how to find a page. No engine does that well by itself here: SQLite keeps no statistics, and does not know that a value which
 * is not in the index that it walks costs a whole document.
 */
export function planPage({ where, sort, offset, limit, size, compound }: CostedPage): PagePlan {
  const all = conjuncts(where)
  const leaves = all.filter((one) => !compound?.found.includes(one))
  const [lead] = sort
  const isShown = compound !== undefined && leaves.length === 0
  const drivesInOrder = all.some((one) => isInOrder(one, lead))
  const sets = leaves.filter((one) => !isOneStep(one)).length
  const share = isShown ? 1 : size.all / Math.max(1, size.found)
  const passed = Math.min(size.all, (offset + limit) * share)
  const isEachCheaper = passed * DOCUMENT < (leaves.length === 1 ? size.found : size.all) * MEMBER
  const other = sets > 0 && isEachCheaper ? 'each' : 'walk'
  const walk = passed + sets * Math.min(passed * DOCUMENT, size.found * MEMBER)
  const drive = drivesInOrder ? offset + limit : size.found * DOCUMENT
  const form = drive < walk || (drive === walk && !compound) ? 'drive' : other
  const worst = worstOf(isShown ? 'drive' : form, isShown || drivesInOrder, sets, offset, size)
  return { form, compound: form === 'drive' ? undefined : compound, isShort: isOwn(where) && worst <= SHORT }
}

/** Chooses how to find a page of what a search finds, in an order: along the order, or by sorting all of it. */
export function planSorted({ offset, limit, size }: Pick<CostedPage, 'offset' | 'limit' | 'size'>): PagePlan {
  const passed = ((offset + limit) * size.all) / Math.max(1, size.found)
  return { form: 'walk', walksOrder: passed < size.found * ENTRY, isShort: false }
}

/** The steps that it takes at most, besides those to what is shown. */
function worstOf(form: WhereForm, drivesInOrder: boolean, sets: number, offset: number, size: ListSize): number {
  if (form === 'each') return size.all * DOCUMENT
  if (form === 'walk') return size.all * (1 + sets * MEMBER)
  return drivesInOrder ? offset + (size.all - size.visible) : size.found * DOCUMENT
}

/** Whether the index of a condition holds its entries in the order that is asked for. */
function isInOrder(condition: Condition, lead: SortBy | undefined): boolean {
  if (condition.kind !== 'compare' || condition.negated || !lead) return false
  return condition.by.path === lead.by.path || (condition.operator === 'eq' && lead.by.column === 'id')
}
