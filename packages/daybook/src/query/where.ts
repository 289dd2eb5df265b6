import { validationErrorAt } from '../errors.ts'
import { isStorableText, UNSTORABLE_TEXT_MESSAGE } from '../fields/text.ts'
import { foldText } from '../fold.ts'
import type { Violation } from '../issues.ts'
import { FILTERABLE_AUTHOR_FIELDS } from '../model/authors.ts'
import type { CollectionModel, DocumentModel, FilterableField, MultiValuedField } from '../model/model.ts'
import { didYouMean, findNearestField } from '../nearest.ts'
import type { LocaleChoice } from './locale-parameters.ts'
import {
  EQUALS,
  LIST_OPERATORS,
  listOperators,
  MEMBER_OPERATORS,
  type MemberOperator,
  type NamedOperator,
  type QueryValue,
  type ValueOperator,
} from './operators.ts'
import type { Faults, Parameter } from './parameters.ts'

/** The maximum number of conditions in a `where`. */
export const MAX_CONDITIONS = 50
/** The maximum depth of nested `and`, `or` and `not`. */
export const MAX_LEVELS = 3
/** The maximum number of values in `in`, `nin` or `all`. */
export const MAX_VALUES = 500

/** A filter, checked against the model. Only leaves are negated. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | {
      readonly kind: 'compare'
      readonly by: FilterableField
      readonly operator: ValueOperator
      readonly values: readonly QueryValue[]
      readonly negated: boolean
    }
  | {
      readonly kind: 'member'
      readonly of: MultiValuedField
      readonly operator: MemberOperator
      readonly values: readonly QueryValue[]
      readonly negated: boolean
    }
  | {
      readonly kind: 'related'
      readonly through: FilterableField | MultiValuedField
      readonly isMany: boolean
      readonly to: CollectionModel
      /** The statuses that the caller can see there; `undefined` for all. */
      readonly statuses: readonly string[] | undefined
      readonly where: Condition
      readonly negated: boolean
    }

export const equals = (by: FilterableField, value: QueryValue): Condition => ({
  kind: 'compare',
  by,
  operator: EQUALS,
  values: [value],
  negated: false,
})

/** Returns the parts of a filter that must all match. */
export function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(conjuncts) : [condition]
}

export interface AccessFilter {
  readonly where: Condition
  /** The rule's result as text, equal for callers that the rule treats alike. */
  readonly cacheKey: string
}

/** The part of the model that a caller can filter by, in a collection and in related ones. */
export interface QueryScope {
  /** The chosen locales. */
  readonly localeChoice: LocaleChoice
  /** All collections in the chosen locale, even unreadable ones. */
  readonly collections: ReadonlyMap<string, CollectionModel>
  /** Returns the collection with this key, if the caller can read it. */
  readableCollection(key: string): CollectionModel | undefined
  /** Returns the top-level fields that are hidden from the caller. */
  hiddenFields(document: DocumentModel): ReadonlySet<string>
  canSeeAuthors(document: DocumentModel): boolean
  /** Returns the statuses that the caller can see; `undefined` for all. */
  visibleStatuses(collection: CollectionModel): readonly string[] | undefined
  /** Returns the filter of the access rule; `undefined` if there is none. */
  accessFilter(collection: CollectionModel): AccessFilter | undefined
}

/** Returns the single-valued field at a path, if the caller can filter and sort by it. */
export function findFilterableField(
  scope: QueryScope,
  collection: CollectionModel,
  path: string,
): FilterableField | undefined {
  const field = collection.filterableFields.get(path)
  if (field) return scope.hiddenFields(collection).has(field.owner) ? undefined : field
  return scope.canSeeAuthors(collection) ? FILTERABLE_AUTHOR_FIELDS.get(path) : undefined
}

/** Lists the paths of single-valued fields that the caller can filter and sort by. */
export const listFilterableNames = (collection: CollectionModel, scope: QueryScope): readonly string[] =>
  [...collection.filterableFields.keys(), ...FILTERABLE_AUTHOR_FIELDS.keys()].filter(
    (path) => findFilterableField(scope, collection, path) !== undefined,
  )

/** Lists the names that the caller can filter by: of the collection, and of related ones. */
function filterNames(collection: CollectionModel, scope: QueryScope, mayHop = true): readonly string[] {
  const hidden = scope.hiddenFields(collection)
  const many = [...collection.multiValuedFields.values()].filter(({ owner }) => !hidden.has(owner))
  const names = [...listFilterableNames(collection, scope), ...many.map(({ path }) => path)]
  if (!mayHop) return names
  const links = [...collection.filterableFields.values(), ...many].filter(({ owner }) => !hidden.has(owner))
  const related = links.flatMap(({ path, to }) => {
    const target = to === undefined ? undefined : scope.readableCollection(to)
    return target ? filterNames(target, scope, false).map((name) => `${path}.${name}`) : []
  })
  return [...names, ...related]
}

/** A filter of an in-process call: `{ title: { eq: 'x' }, or: [ … ], not: { … } }`. */
export type Where = { readonly [fieldOrGroup: string]: unknown }

/** A parsed filter, before its names are checked against the model. */
export interface WhereNode {
  readonly children: Map<string, WhereNode>
  readonly values: string[]
}

export interface ParsedWhere {
  readonly root: WhereNode
  /** The text of the filter, for the fingerprint of the query. */
  readonly name: string
}

const makeNode = (): WhereNode => ({ children: new Map(), values: [] })

/** The prefix of a value that may contain commas. Requests cannot send it, since NUL is rejected. */
export const LITERAL_PREFIX = '\0'

/** The name of a parameter. A final `[]` marks a single value, which may contain commas. */
const NAME = /^where((?:\[[^[\]]{1,128}\])+)(\[\])?$/

export const WHERE_PARAMETER: Parameter<ParsedWhere> = {
  description: `A filter, written in brackets as deep as the object goes: \`where[field][operator]=value\`, \`where[or][0][field][operator]=value\`, \`where[not][field][operator]=value\`. Lists of values are separated by commas or repeated; \`where[field][in][]=value\`, repeated, takes values that contain commas. At most ${MAX_CONDITIONS} conditions, and ${MAX_LEVELS} levels of and, or and not.`,
  schema: { type: 'object', additionalProperties: true },
  style: 'brackets',
  nameKind: 'filters',
  parse: (raw, faults) => {
    const root = makeNode()
    for (const { name, values } of raw) {
      const [, brackets, ending] = NAME.exec(name) ?? []
      const path = brackets?.slice(1, -1).split('][')
      if (path && ending && !LIST_OPERATORS.includes(path.at(-1) ?? ''))
        faults.add(
          name.slice(0, 64),
          'operator',
          `[] is allowed only after an operator that takes a list: ${LIST_OPERATORS.join(', ')}.`,
          { values: LIST_OPERATORS },
        )
      else if (path) insertNode(root, path, ending ? values.map((value) => LITERAL_PREFIX + value) : values)
      else faults.add(name.slice(0, 64), 'where', 'must be written as where[field][operator]=value')
    }
    if (root.children.size === 0) return undefined
    return { root, name: JSON.stringify(raw.map(({ name, values }) => [name, values])) }
  },
}

export function readWhereNode(
  faults: Faults,
  root: WhereNode,
  collection: CollectionModel,
  scope: QueryScope,
): Condition {
  return new WhereReader(faults, scope).group(root, collection, 'where', { level: 0, negated: false })
}

/**
 * Converts the filter of an in-process call to parameters.
 *
 * @throws VALIDATION_ERROR for a list without values
 */
export function toWhereParams(where: Where, prefix = 'where'): readonly (readonly [string, string])[] {
  return Object.entries(where).flatMap(([key, value]) => {
    const name = `${prefix}[${key}]`
    if (Array.isArray(value) && (key === 'and' || key === 'or')) {
      return value.flatMap((part, index) => toWhereParams(part as Where, `${name}[${index}]`))
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return toWhereParams(value as Where, name)
    // Without any parameter, there would be no condition.
    if (Array.isArray(value) && value.length === 0)
      throw validationErrorAt(name, 'minItems', 'must contain at least one value', { limit: 1 })
    return Array.isArray(value)
      ? value.map((item) => [name, `${LITERAL_PREFIX}${item}`] as const)
      : [[name, String(value)] as const]
  })
}

function insertNode(root: WhereNode, path: readonly string[], values: readonly string[]): void {
  let node = root
  for (const key of path) {
    const next = node.children.get(key) ?? makeNode()
    node.children.set(key, next)
    node = next
  }
  node.values.push(...values)
}

interface FilterPlace {
  readonly level: number
  readonly negated: boolean
}

type FilterField =
  | { readonly kind: 'one'; readonly by: FilterableField }
  | { readonly kind: 'many'; readonly by: MultiValuedField }
  | {
      readonly kind: 'related'
      readonly through: FilterableField | MultiValuedField
      readonly isMany: boolean
      readonly to: CollectionModel
      readonly rest: string
    }

const MATCHES_NOTHING: Condition = { kind: 'any', of: [] }

class WhereReader {
  readonly #faults: Faults
  readonly #scope: QueryScope
  #conditions = 0

  constructor(faults: Faults, scope: QueryScope) {
    this.#faults = faults
    this.#scope = scope
  }

  /** Reads the members of a group, all of which must match. */
  group(node: WhereNode, collection: CollectionModel, path: string, place: FilterPlace): Condition {
    if (node.values.length > 0) this.#fault(path, 'where', 'must be written as where[field][operator]=value')
    const of = [...node.children].map(([key, child]) => {
      const inner = `${path}[${key}]`
      if (key === 'and' || key === 'or') return this.#branches(key, child, collection, inner, place)
      if (key === 'not')
        return this.group(child, collection, inner, this.#deeper(inner, { ...place, negated: !place.negated }))
      return this.#field(key, child, collection, inner, place)
    })
    // De Morgan: not (a and b) is (not a) or (not b).
    return { kind: place.negated ? 'any' : 'all', of }
  }

  #branches(
    key: 'and' | 'or',
    node: WhereNode,
    collection: CollectionModel,
    path: string,
    place: FilterPlace,
  ): Condition {
    const next = this.#deeper(path, place)
    if (next.level > MAX_LEVELS) return MATCHES_NOTHING
    if (node.children.size === 0) this.#fault(path, 'where', `must be written as ${path}[0][field][operator]=value`)
    const of = [...node.children].map(([index, child]) => {
      if (!/^\d{1,3}$/.test(index)) this.#fault(`${path}[${index}]`, 'where', 'must be numbered from 0')
      return this.group(child, collection, `${path}[${index}]`, next)
    })
    return { kind: (key === 'or') === place.negated ? 'all' : 'any', of }
  }

  #deeper(path: string, place: FilterPlace): FilterPlace {
    const level = place.level + 1
    if (level === MAX_LEVELS + 1)
      this.#fault(path, 'depth', `must have at most ${MAX_LEVELS} levels of and, or and not`, { limit: MAX_LEVELS })
    return { ...place, level }
  }

  #field(name: string, node: WhereNode, collection: CollectionModel, path: string, place: FilterPlace): Condition {
    const field = this.#find(name, collection, true)
    if (!field) {
      this.#fault(path, ...this.#unknownField(name, collection))
      return MATCHES_NOTHING
    }
    if (node.values.length > 0 || node.children.size === 0) {
      this.#fault(path, 'operator', `must have an operator, such as ${path}[eq]`)
      return MATCHES_NOTHING
    }
    const of = [...node.children].map(([operator, child]) => {
      const inner = `${path}[${operator}]`
      if (child.children.size > 0) this.#fault(inner, 'operator', 'must not have further brackets after the operator')
      return this.#leaf(field, operator, child.values, inner, place.negated)
    })
    return { kind: place.negated ? 'any' : 'all', of }
  }

  /** Finds a field of the collection, or of a related one (one hop). */
  #find(name: string, collection: CollectionModel, mayHop: boolean): FilterField | undefined {
    const hidden = this.#scope.hiddenFields(collection)
    const single = findFilterableField(this.#scope, collection, name)
    if (single) return { kind: 'one', by: single }
    const many = collection.multiValuedFields.get(name)
    if (many) return hidden.has(many.owner) ? undefined : { kind: 'many', by: many }
    return mayHop ? this.#hop(name, collection, hidden) : undefined
  }

  #hop(name: string, collection: CollectionModel, hidden: ReadonlySet<string>): FilterField | undefined {
    for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
      const path = name.slice(0, dot)
      const many = collection.multiValuedFields.get(path)
      const through = many ?? collection.filterableFields.get(path)
      if (!through?.to || hidden.has(through.owner)) continue
      const to = this.#scope.readableCollection(through.to)
      const rest = name.slice(dot + 1)
      if (to && this.#find(rest, to, false)) return { kind: 'related', through, isMany: many !== undefined, to, rest }
    }
    return undefined
  }

  /** Returns the violation of an unknown field, with advice for a relation to several collections. */
  #unknownField(name: string, collection: CollectionModel): Violation {
    const shown = name.slice(0, 64)
    const relation = findPolymorphicRelation(name, collection, this.#scope)
    if (relation === undefined) {
      const nearest = findNearestField(name, filterNames(collection, this.#scope))
      return [
        'unknown_field',
        `Filtering by "${shown}" is not possible.${didYouMean(nearest)}`,
        { name: shown, nearest },
      ]
    }
    const values = [`${relation}.collection`, `${relation}.id`]
    const message = `Filtering by "${shown}" is not possible, because ${relation} refers to several collections. Filter by ${values.join(' or ')}.`
    return ['unknown_field', message, { name: shown, values }]
  }

  #leaf(field: FilterField, operator: string, texts: readonly string[], path: string, negated: boolean): Condition {
    if (field.kind === 'related') {
      const inner = this.#find(field.rest, field.to, false) as FilterField
      const where = this.#leaf(inner, operator, texts, path, false)
      const { through, isMany, to } = field
      const filter = this.#scope.accessFilter(to)
      const visible: Condition = filter ? { kind: 'all', of: [filter.where, where] } : where
      return {
        kind: 'related',
        through,
        isMany,
        to,
        statuses: this.#scope.visibleStatuses(to),
        where: visible,
        negated,
      }
    }
    this.#conditions += 1
    if (this.#conditions === MAX_CONDITIONS + 1) {
      this.#fault('where', 'maxItems', `must have at most ${MAX_CONDITIONS} conditions`, { limit: MAX_CONDITIONS })
    }
    return field.kind === 'one'
      ? this.#compare(field.by, operator, texts, path, negated)
      : this.#member(field.by, operator, texts, path, negated)
  }

  #compare(field: FilterableField, name: string, texts: readonly string[], path: string, negated: boolean): Condition {
    const named = this.#operator(listOperators(field), name, path)
    if (!named) return MATCHES_NOTHING
    const by = (named.isFolded && field.folded) || field
    const { values, isNegated } = this.#operand(named, by, texts, path)
    return { kind: 'compare', by, operator: named.operator, values, negated: negated !== isNegated }
  }

  #member(of: MultiValuedField, name: string, texts: readonly string[], path: string, negated: boolean): Condition {
    const named = this.#operator(MEMBER_OPERATORS, name, path)
    if (!named) return MATCHES_NOTHING
    const { values, isNegated } = this.#operand(named, of, texts, path)
    return { kind: 'member', of, operator: named.operator, values, negated: negated !== isNegated }
  }

  #operator<O extends NamedOperator>(operators: readonly O[], name: string, path: string): O | undefined {
    const operator = operators.find((candidate) => candidate.name === name)
    if (operator) return operator
    const values = operators.map((candidate) => candidate.name)
    this.#fault(path, 'operator', `must use one of the operators: ${values.join(', ')}`, { values })
    return undefined
  }

  #operand(
    { operator: { operand }, isNegated, isFolded }: NamedOperator,
    by: FilterableField | MultiValuedField,
    texts: readonly string[],
    path: string,
  ): { readonly values: readonly QueryValue[]; readonly isNegated: boolean } {
    if (operand === 'presence') return { values: [], isNegated: this.#flag(texts, path) === isNegated }
    if (operand === 'values') return { values: this.#values(by, texts, path), isNegated }
    const text = this.#single(texts, path)
    if (operand === 'value') return { values: this.#typed(by, [text], path), isNegated }
    return { values: [isFolded ? foldText(text) : text], isNegated }
  }

  #single(texts: readonly string[], path: string): string {
    if (texts.length > 1) this.#fault(path, 'repeated', 'must not be repeated')
    const [text = ''] = texts
    this.#requireStorable([text], path)
    return text
  }

  #flag(texts: readonly string[], path: string): boolean {
    const text = this.#single(texts, path)
    if (text !== 'true' && text !== 'false') this.#fault(path, 'type', 'must be true or false', { types: ['boolean'] })
    return text === 'true'
  }

  #values(by: FilterableField | MultiValuedField, texts: readonly string[], path: string): readonly QueryValue[] {
    const parts = texts.flatMap((text) =>
      text.startsWith(LITERAL_PREFIX) ? [text.slice(LITERAL_PREFIX.length)] : text.split(','),
    )
    this.#requireStorable(parts, path)
    if (parts.length <= MAX_VALUES) return [...new Set(this.#typed(by, parts, path))]
    this.#fault(path, 'maxItems', `must have at most ${MAX_VALUES} values`, { limit: MAX_VALUES })
    return []
  }

  #requireStorable(texts: readonly string[], path: string): void {
    if (!texts.every(isStorableText)) this.#fault(path, 'character', UNSTORABLE_TEXT_MESSAGE)
  }

  #typed(by: FilterableField | MultiValuedField, texts: readonly string[], path: string): readonly QueryValue[] {
    return texts.flatMap((text) => {
      const value = by.fromQuery(text)
      if (value !== undefined && this.#isReadable(by, value)) return [value]
      this.#fault(path, ...this.#typeViolation(by))
      return []
    })
  }

  /** Rejects the key of an unreadable collection like one that does not exist. */
  #isReadable({ part }: FilterableField | MultiValuedField, value: QueryValue): boolean {
    return part?.name !== 'collection' || this.#scope.readableCollection(String(value)) !== undefined
  }

  #typeViolation({ path: field, part }: FilterableField | MultiValuedField): Violation {
    if (part?.name !== 'collection') return ['type', `must be a valid value of ${field}`, { field }]
    const values = part.targets.filter((target) => this.#scope.readableCollection(target))
    const message =
      values.length > 0
        ? `must be one of: ${values.join(', ')}`
        : 'must be a collection that you are allowed to read, but there is none'
    return ['enum', message, { values }]
  }

  #fault(path: string, ...violation: Violation): void {
    this.#faults.add(path.slice(0, 200), ...violation)
  }
}

/** Finds the relation to several collections that a name is or begins with, if the caller can see it. */
export function findPolymorphicRelation(
  name: string,
  collection: CollectionModel,
  scope: QueryScope,
): string | undefined {
  const hidden = scope.hiddenFields(collection)
  const field = [...collection.filterableFields.values(), ...collection.multiValuedFields.values()].find(
    ({ part, owner }) => part && !hidden.has(owner) && `${name}.`.startsWith(`${part.relation}.`),
  )
  return field?.part?.relation
}

/** Returns the operators of a field; none if it cannot be filtered by. */
export function listOperatorsAt(
  { filterableFields, multiValuedFields }: CollectionModel,
  path: string,
): readonly NamedOperator[] {
  const by = filterableFields.get(path) ?? FILTERABLE_AUTHOR_FIELDS.get(path)
  if (by) return listOperators(by)
  return multiValuedFields.has(path) ? MEMBER_OPERATORS : []
}

/** Returns the related collections that a filter reads. */
export function relatedCollections(condition: Condition | undefined): readonly CollectionModel[] {
  if (condition?.kind === 'related') return [condition.to, ...relatedCollections(condition.where)]
  return condition?.kind === 'all' || condition?.kind === 'any' ? condition.of.flatMap(relatedCollections) : []
}

/** Returns the entry's field in a condition; `undefined` for a group. */
export function getField(condition: Condition): { readonly owner: string } | undefined {
  if (condition.kind === 'compare') return condition.by
  if (condition.kind === 'member') return condition.of
  return condition.kind === 'related' ? condition.through : undefined
}

/** True if a filter depends on one of these top-level fields of an entry, or on entries of the same collection. */
export function dependsOn(condition: Condition, collection: CollectionModel, fields: ReadonlySet<string>): boolean {
  if (condition.kind === 'all' || condition.kind === 'any')
    return condition.of.some((part) => dependsOn(part, collection, fields))
  const isFieldIncluded = fields.has(getField(condition)?.owner ?? '')
  return isFieldIncluded || relatedCollections(condition).some(({ key }) => key === collection.key)
}
