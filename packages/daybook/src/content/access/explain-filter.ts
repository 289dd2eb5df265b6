import { createIssue, type Issue, type IssueParams } from '../../issues.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { QueryValue } from '../../query/operators.ts'
import { type Condition, conjuncts, findComparable, type QueryScope } from '../../query/where.ts'

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
  /** Absent for a group of conditions. */
  readonly params?: IssueParams['access']
}

/**
 * What a rule's condition requires of an entry, as far as it is about fields that the reader may read. A part that is about
 * others as well is left out whole.
 */
export function explainFilter(where: Condition, collection: CollectionModel, scope: QueryScope): readonly Issue[] {
  if (!scope.readableCollection(collection.key)) return []
  return conjuncts(where).flatMap((part): readonly Issue[] => {
    const requirement = requirementOf(unwrapped(part), collection, scope)
    return requirement ? [createIssue(requirement.path, 'access', requirement.message, requirement.params)] : []
  })
}

function requirementOf(part: Condition, collection: CollectionModel, scope: QueryScope): Requirement | undefined {
  if (isLeaf(part)) {
    const leaf = leafRequirement(part, collection, scope)
    return leaf && { ...leaf, path: pointerOf(leaf.path) }
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
    const { by } = leaf
    const path = by.derived?.path ?? by.path
    if (findComparable(scope, collection, path) === undefined) return undefined
    const aside = by.derived === undefined ? '' : ', whatever the case and accents'
    return { path, message: messageOf(leaf) + aside, params: paramsOf(leaf) }
  }
  const owner = leaf.kind === 'member' ? leaf.of.owner : leaf.through.owner
  if (scope.hiddenFields(collection).has(owner)) return undefined
  if (leaf.kind === 'related') return relatedRequirement(leaf, scope)
  return { path: leaf.of.path, message: messageOf(leaf), params: paramsOf(leaf) }
}

/** A rule names one field of a related entry at a time. */
function relatedRequirement(leaf: Extract<Leaf, { kind: 'related' }>, scope: QueryScope): Requirement | undefined {
  const { through, to, where, negated } = leaf
  if (!scope.readableCollection(to.key) || !isLeaf(where)) return undefined
  const inner = leafRequirement({ ...where, negated: where.negated !== negated }, to, scope)
  return inner && { ...inner, path: `${through.path}.${inner.path}` }
}

type Comparison = Exclude<Leaf, { kind: 'related' }>

function messageOf({ operator, values, negated }: Comparison): string {
  const requirement = `must ${operator.phrase(negated, values.length)}`
  return operator.operand === 'presence' ? requirement : `${requirement} ${listed(values)}`
}

function paramsOf({ operator: { name }, values, negated }: Comparison): IssueParams['access'] {
  return { operator: name, values: values.slice(0, MAX_LISTED_VALUES), ...(negated ? { negated } : {}) }
}

function listed(values: readonly QueryValue[]): string {
  const shown = values.slice(0, MAX_LISTED_VALUES).join(', ')
  return values.length > MAX_LISTED_VALUES ? `${shown}, …` : shown
}

const pointerOf = (path: string): string => `/${path.replaceAll('.', '/')}`
