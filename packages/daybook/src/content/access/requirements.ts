import type { Issue } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { type Condition, conjuncts, findComparable, type QueryScope, type QueryValue } from '../../query/where.ts'

/** The most values that a requirement lists. */
const MAX_LISTED_VALUES = 10

type Leaf = Extract<Condition, { negated: boolean }>

const isLeaf = (condition: Condition): condition is Leaf => condition.kind !== 'all' && condition.kind !== 'any'

/** A group of one is what it holds. */
function unwrapped(condition: Condition): Condition {
  const [only] = isLeaf(condition) || condition.of.length > 1 ? [] : condition.of
  return only ? unwrapped(only) : condition
}

/** What one condition requires of which field. */
interface Requirement {
  readonly path: string
  readonly message: string
}

/**
 * What a rule's condition requires of an entry, as far as it is about fields that the reader may read. A part that is about
 * others as well is left out whole.
 */
export function requirementsOf(where: Condition, collection: CollectionModel, scope: QueryScope): readonly Issue[] {
  if (!scope.collection(collection.key)) return []
  return conjuncts(where).flatMap((part): readonly Issue[] => {
    const requirement = requirementOf(unwrapped(part), collection, scope)
    return requirement ? [{ ...requirement, code: 'access' }] : []
  })
}

function requirementOf(part: Condition, collection: CollectionModel, scope: QueryScope): Requirement | undefined {
  if (isLeaf(part)) {
    const leaf = leafRequirement(part, collection, scope)
    return leaf && { path: pointerOf(leaf.path), message: leaf.message }
  }
  const inner = part.of.map((one) => sentenceOf(one, collection, scope))
  if (inner.length === 0 || inner.includes(undefined)) return undefined
  return { path: '/', message: inner.join(part.kind === 'all' ? ' and ' : ' or ') }
}

/** The requirement with the field that it is about. */
function sentenceOf(part: Condition, collection: CollectionModel, scope: QueryScope): string | undefined {
  if (!isLeaf(part)) return requirementOf(part, collection, scope)?.message
  const requirement = leafRequirement(part, collection, scope)
  return requirement && `${requirement.path} ${requirement.message}`
}

function leafRequirement(leaf: Leaf, collection: CollectionModel, scope: QueryScope): Requirement | undefined {
  if (leaf.kind === 'compare') {
    const { by, operator, values, negated } = leaf
    const path = by.foldOf ?? by.path
    if (findComparable(scope, collection, path) === undefined) return undefined
    const aside = by.foldOf === undefined ? '' : ', whatever the case and accents'
    return { path, message: PHRASES[operator](negated, values) + aside }
  }
  const owner = leaf.kind === 'member' ? leaf.of.owner : leaf.through.owner
  if (scope.hidden(collection).has(owner)) return undefined
  return leaf.kind === 'member' ? memberRequirement(leaf) : relatedRequirement(leaf, scope)
}

function memberRequirement({ of, operator, values, negated }: Extract<Leaf, { kind: 'member' }>): Requirement {
  if (operator === 'exists') return { path: of.path, message: PHRASES.exists(negated, values) }
  const some = operator === 'all' ? 'all' : 'one'
  const amount = negated && operator === 'in' ? 'none' : some
  return {
    path: of.path,
    message: `must ${negated && some === 'all' ? 'not ' : ''}hold ${amount} of: ${listed(values)}`,
  }
}

/** A rule names one field of a related entry at a time. */
function relatedRequirement(leaf: Extract<Leaf, { kind: 'related' }>, scope: QueryScope): Requirement | undefined {
  const { through, to, where, negated } = leaf
  if (!scope.collection(to.key) || !isLeaf(where)) return undefined
  const inner = leafRequirement({ ...where, negated: where.negated !== negated }, to, scope)
  return inner && { path: `${through.path}.${inner.path}`, message: inner.message }
}

type Phrase = (negated: boolean, values: readonly QueryValue[]) => string

const must =
  (affirmed: string, denied: string): Phrase =>
  (negated, values) =>
    `must ${negated ? denied : affirmed} ${listed(values)}`

const PHRASES: Readonly<Record<Extract<Leaf, { kind: 'compare' }>['operator'], Phrase>> = {
  eq: must('be', 'not be'),
  in: (negated, values) =>
    values.length === 1 ? PHRASES.eq(negated, values) : must('be one of:', 'be none of:')(negated, values),
  exists: (negated) => (negated ? 'must be empty' : 'must hold a value'),
  lt: must('be less than', 'be at least'),
  lte: must('be at most', 'be more than'),
  gt: must('be more than', 'be at most'),
  gte: must('be at least', 'be less than'),
  startsWith: must('begin with', 'not begin with'),
  contains: must('contain', 'not contain'),
}

function listed(values: readonly QueryValue[]): string {
  const shown = values.slice(0, MAX_LISTED_VALUES).join(', ')
  return values.length > MAX_LISTED_VALUES ? `${shown}, …` : shown
}

const pointerOf = (path: string): string => `/${path.replaceAll('.', '/')}`
