import { createIssue, type Issue, type IssueParams } from '../../issues.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { QueryValue } from '../../query/operators.ts'
import { type Condition, conjuncts, findFilterableField, type QueryScope } from '../../query/where.ts'

/** The maximum number of values that an issue lists. */
const MAX_LISTED_VALUES = 10

type Leaf = Extract<Condition, { negated: boolean }>

const isLeaf = (condition: Condition): condition is Leaf => condition.kind !== 'all' && condition.kind !== 'any'

function unwrapGroup(condition: Condition): Condition {
  const [only] = isLeaf(condition) || condition.of.length > 1 ? [] : condition.of
  return only ? unwrapGroup(only) : condition
}

interface Requirement {
  readonly path: string
  readonly message: string
  /** Absent for a group of conditions. */
  readonly params?: IssueParams['access']
}

/**
 * Describes the filter of an access rule as issues of an entry that does not match it. A part that involves a field which the caller may
 * not read is left out as a whole.
 */
export function explainFilter(where: Condition, collection: CollectionModel, scope: QueryScope): readonly Issue[] {
  if (!scope.readableCollection(collection.key)) return []
  return conjuncts(where).flatMap((part): readonly Issue[] => {
    const requirement = explainPart(unwrapGroup(part), collection, scope)
    if (!requirement) return []
    const { path, message, params } = requirement
    return [createIssue(path, 'access', params ? message : `Required: ${message}.`, params)]
  })
}

function explainPart(part: Condition, collection: CollectionModel, scope: QueryScope): Requirement | undefined {
  if (isLeaf(part)) {
    const leaf = explainLeaf(part, collection, scope)
    return leaf && { ...leaf, path: toPointer(leaf.path) }
  }
  const inner = part.of.map((member) => formatSentence(member, collection, scope))
  if (inner.length === 0 || inner.includes(undefined)) return undefined
  return { path: '/', message: inner.join(part.kind === 'all' ? ' and ' : ' or ') }
}

/** Returns the requirement of a filter with the name of its field. */
function formatSentence(part: Condition, collection: CollectionModel, scope: QueryScope): string | undefined {
  if (!isLeaf(part)) return explainPart(part, collection, scope)?.message
  const requirement = explainLeaf(part, collection, scope)
  return requirement && `${requirement.path} ${requirement.message}`
}

function explainLeaf(leaf: Leaf, collection: CollectionModel, scope: QueryScope): Requirement | undefined {
  if (leaf.kind === 'compare') {
    const { by } = leaf
    const path = by.derived?.path ?? by.path
    if (findFilterableField(scope, collection, path) === undefined) return undefined
    const suffix = by.derived === undefined ? '' : ', ignoring case and accents'
    return { path, message: formatMessage(leaf) + suffix, params: toIssueParams(leaf) }
  }
  const owner = leaf.kind === 'member' ? leaf.of.owner : leaf.through.owner
  if (scope.hiddenFields(collection).has(owner)) return undefined
  if (leaf.kind === 'related') return explainRelated(leaf, scope)
  return { path: leaf.of.path, message: formatMessage(leaf), params: toIssueParams(leaf) }
}

/** Explains a filter on one field of a related entry, the only kind that rules can have. */
function explainRelated(leaf: Extract<Leaf, { kind: 'related' }>, scope: QueryScope): Requirement | undefined {
  const { through, to, where, negated } = leaf
  if (!scope.readableCollection(to.key) || !isLeaf(where)) return undefined
  const inner = explainLeaf({ ...where, negated: where.negated !== negated }, to, scope)
  return inner && { ...inner, path: `${through.path}.${inner.path}` }
}

type Comparison = Exclude<Leaf, { kind: 'related' }>

function formatMessage({ operator, values, negated }: Comparison): string {
  const requirement = `must ${operator.phrase(negated, values.length)}`
  return operator.operand === 'presence' ? requirement : `${requirement} ${formatValues(values)}`
}

function toIssueParams({ operator: { name }, values, negated }: Comparison): IssueParams['access'] {
  return { operator: name, values: values.slice(0, MAX_LISTED_VALUES), ...(negated ? { negated } : {}) }
}

function formatValues(values: readonly QueryValue[]): string {
  const listed = values.slice(0, MAX_LISTED_VALUES).join(', ')
  return values.length > MAX_LISTED_VALUES ? `${listed}, …` : listed
}

const toPointer = (path: string): string => `/${path.replaceAll('.', '/')}`
