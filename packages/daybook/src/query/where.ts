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

/** The most conditions in one `where`. */
export const MAX_CONDITIONS = 50
/** The most levels of `and`, `or` and `not` inside each other. */
export const MAX_LEVELS = 3
/** The most values in one `in`, `nin` or `all`. */
export const MAX_VALUES = 500

/** A filter, checked against the model. Negations stand at the leaves alone. */
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
      /** Statuses that the reader may see there; `undefined`: all. */
      readonly statuses: readonly string[] | undefined
      readonly where: Condition
      readonly negated: boolean
    }

/** The condition that a field has a value. */
export const equals = (by: FilterableField, value: QueryValue): Condition => ({
  kind: 'compare',
  by,
  operator: EQUALS,
  values: [value],
  negated: false,
})

/** The parts of a filter that must all hold. */
export function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(conjuncts) : [condition]
}

/** Which entries of a collection a rule lets through: those that hold a condition. */
export interface AccessFilter {
  readonly where: Condition
  /** The rule's answer as text: equal for callers that the rule treats alike. */
  readonly cacheKey: string
}

/** The fields that a reader may filter by, in the collection itself and in related ones. */
export interface QueryScope {
  /** In which language it is asked. */
  readonly localeChoice: LocaleChoice
  /** Every collection in that language, whether the reader may read it or not. */
  readonly collections: ReadonlyMap<string, CollectionModel>
  /** The collection of that key, if the reader may read it. */
  readableCollection(key: string): CollectionModel | undefined
  /** Top-level fields that do not exist for the reader. */
  hiddenFields(document: DocumentModel): ReadonlySet<string>
  /** Whether the reader may know who made and last changed a document. */
  canSeeAuthors(document: DocumentModel): boolean
  /** Statuses that the reader may see; `undefined`: all. */
  visibleStatuses(collection: CollectionModel): readonly string[] | undefined
  /** The filter that an access rule sets; `undefined`: none. */
  accessFilter(collection: CollectionModel): AccessFilter | undefined
}

/** The single value of this path, if the reader may filter and sort by it. */
export function findComparable(
  scope: QueryScope,
  collection: CollectionModel,
  path: string,
): FilterableField | undefined {
  const own = collection.filterableFields.get(path)
  if (own) return scope.hiddenFields(collection).has(own.owner) ? undefined : own
  return scope.canSeeAuthors(collection) ? FILTERABLE_AUTHOR_FIELDS.get(path) : undefined
}

/** The paths of single values that the reader may filter and sort by. */
export const comparableNames = (collection: CollectionModel, scope: QueryScope): readonly string[] =>
  [...collection.filterableFields.keys(), ...FILTERABLE_AUTHOR_FIELDS.keys()].filter(
    (path) => findComparable(scope, collection, path) !== undefined,
  )

/** The names that the reader may filter by: of the collection, and of those that its relations lead to. */
function filterNames(collection: CollectionModel, scope: QueryScope, mayHop = true): readonly string[] {
  const hidden = scope.hiddenFields(collection)
  const many = [...collection.multiValuedFields.values()].filter(({ owner }) => !hidden.has(owner))
  const names = [...comparableNames(collection, scope), ...many.map(({ path }) => path)]
  if (!mayHop) return names
  const links = [...collection.filterableFields.values(), ...many].filter(({ owner }) => !hidden.has(owner))
  const related = links.flatMap(({ path, to }) => {
    const target = to === undefined ? undefined : scope.readableCollection(to)
    return target ? filterNames(target, scope, false).map((name) => `${path}.${name}`) : []
  })
  return [...names, ...related]
}

/** A filter as it is written inside the process: `{ title: { eq: 'x' }, or: [ … ], not: { … } }`. */
export type Where = { readonly [fieldOrGroup: string]: unknown }

/** A filter taken apart, before anything in it is looked up. */
export interface WhereNode {
  readonly children: Map<string, WhereNode>
  readonly values: string[]
}

/** A filter as a request writes it. */
export interface ParsedWhere {
  readonly root: WhereNode
  /** The same for filters that are written in the same way. */
  readonly name: string
}

const makeNode = (): WhereNode => ({ children: new Map(), values: [] })

/** Before a value that may hold commas. No request can write it: NUL is refused there. */
export const LITERAL_PREFIX = '\0'

/** A name that ends with `[]` gives one value, whatever commas it holds. */
const NAME = /^where((?:\[[^[\]]{1,128}\])+)(\[\])?$/

/** The filter of a list, taken apart. */
export const WHERE_PARAMETER: Parameter<ParsedWhere> = {
  description: `What entries must hold, written in brackets as deep as the object goes: \`where[field][operator]=value\`, \`where[or][0][field][operator]=value\`, \`where[not][field][operator]=value\`. Lists of values are separated by commas or repeated; \`where[field][in][]=value\`, repeated, takes values that hold commas. At most ${MAX_CONDITIONS} conditions, and ${MAX_LEVELS} levels of and, or and not.`,
  schema: { type: 'object', additionalProperties: true },
  style: 'brackets',
  nameKind: 'filters',
  parse: (given, faults) => {
    const root = makeNode()
    for (const { name, values } of given) {
      const [, brackets, ending] = NAME.exec(name) ?? []
      const path = brackets?.slice(1, -1).split('][')
      if (path && ending && !LIST_OPERATORS.includes(path.at(-1) ?? ''))
        faults.add(
          name.slice(0, 64),
          'operator',
          `[] belongs to operators that take lists: ${LIST_OPERATORS.join(', ')}`,
          { values: LIST_OPERATORS },
        )
      else if (path) plant(root, path, ending ? values.map((value) => LITERAL_PREFIX + value) : values)
      else faults.add(name.slice(0, 64), 'where', 'must be written as where[field][operator]=value')
    }
    if (root.children.size === 0) return undefined
    return { root, name: JSON.stringify(given.map(({ name, values }) => [name, values])) }
  },
}

/** Checks a filter that was taken apart. */
export function readWhereNode(
  faults: Faults,
  root: WhereNode,
  collection: CollectionModel,
  scope: QueryScope,
): Condition {
  return new WhereReader(faults, scope).group(root, collection, 'where', { level: 0, negated: false })
}

/**
 * The parameters that say the same as a filter written inside the process.
 *
 * @throws VALIDATION_ERROR for a list without values
 */
export function toWhereParams(where: Where, prefix = 'where'): readonly (readonly [string, string])[] {
  return Object.entries(where).flatMap(([key, value]) => {
    const name = `${prefix}[${key}]`
    if (Array.isArray(value) && (key === 'and' || key === 'or')) {
      return value.flatMap((one, index) => toWhereParams(one as Where, `${name}[${index}]`))
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return toWhereParams(value as Where, name)
    // No parameter at all would be no condition at all.
    if (Array.isArray(value) && value.length === 0)
      throw validationErrorAt(name, 'minItems', 'must hold at least one value', { limit: 1 })
    return Array.isArray(value)
      ? value.map((one) => [name, `${LITERAL_PREFIX}${one}`] as const)
      : [[name, String(value)] as const]
  })
}

function plant(root: WhereNode, path: readonly string[], values: readonly string[]): void {
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

  /** Fields side by side: all of them must hold. */
  group(node: WhereNode, collection: CollectionModel, path: string, place: FilterPlace): Condition {
    if (node.values.length > 0) this.#fault(path, 'where', 'must name a field and an operator')
    const of = [...node.children].map(([key, child]) => {
      const inner = `${path}[${key}]`
      if (key === 'and' || key === 'or') return this.#branches(key, child, collection, inner, place)
      if (key === 'not')
        return this.group(child, collection, inner, this.#deeper(inner, { ...place, negated: !place.negated }))
      return this.#field(key, child, collection, inner, place)
    })
    // Not (a and b) is (not a) or (not b).
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
      if (!/^\d{1,3}$/.test(index)) this.#fault(`${path}[${index}]`, 'where', 'must be numbered, from 0')
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
      this.#fault(path, 'operator', `must name an operator, as ${path}[eq]`)
      return MATCHES_NOTHING
    }
    const of = [...node.children].map(([operator, child]) => {
      const inner = `${path}[${operator}]`
      if (child.children.size > 0) this.#fault(inner, 'operator', 'must be the last part of the name')
      return this.#leaf(field, operator, child.values, inner, place.negated)
    })
    return { kind: place.negated ? 'any' : 'all', of }
  }

  /** A field of the collection, or of one that a relation leads to: one hop. */
  #find(name: string, collection: CollectionModel, mayHop: boolean): FilterField | undefined {
    const hidden = this.#scope.hiddenFields(collection)
    const one = findComparable(this.#scope, collection, name)
    if (one) return { kind: 'one', by: one }
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

  /** Names what to write instead of a relation to several collections, or of a field on its other side. */
  #unknownField(name: string, collection: CollectionModel): Violation {
    const shown = name.slice(0, 64)
    const relation = findPolymorphicRelation(name, collection, this.#scope)
    if (relation === undefined) {
      const nearest = findNearestField(name, filterNames(collection, this.#scope))
      return ['unknown_field', `cannot filter by "${shown}"${didYouMean(nearest)}`, { name: shown, nearest }]
    }
    const values = [`${relation}.collection`, `${relation}.id`]
    const instead = `filter by ${values.join(' or ')}`
    const message =
      name === relation
        ? `${relation} refers to several collections; ${instead}`
        : `cannot filter through ${relation}, which refers to several collections; ${instead}`
    return ['unknown_field', message, { name: shown, values }]
  }

  #leaf(field: FilterField, operator: string, texts: readonly string[], path: string, negated: boolean): Condition {
    if (field.kind === 'related') {
      const inner = this.#find(field.rest, field.to, false) as FilterField
      const where = this.#leaf(inner, operator, texts, path, false)
      const { through, isMany, to } = field
      const filter = this.#scope.accessFilter(to)
      const seen: Condition = filter ? { kind: 'all', of: [filter.where, where] } : where
      return { kind: 'related', through, isMany, to, statuses: this.#scope.visibleStatuses(to), where: seen, negated }
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
    const operator = operators.find((one) => one.name === name)
    if (operator) return operator
    const values = operators.map((one) => one.name)
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
    if (texts.length > 1) this.#fault(path, 'repeated', 'may stand only once')
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
      if (value !== undefined && this.#isOpen(by, value)) return [value]
      this.#fault(path, ...this.#typeViolation(by))
      return []
    })
  }

  /** The key of a collection that the reader may not read is no value, as one that does not exist. */
  #isOpen({ part }: FilterableField | MultiValuedField, value: QueryValue): boolean {
    return part?.name !== 'collection' || this.#scope.readableCollection(String(value)) !== undefined
  }

  #typeViolation({ path: field, part }: FilterableField | MultiValuedField): Violation {
    if (part?.name !== 'collection') return ['type', `must be a value that ${field} can hold`, { field }]
    const values = part.targets.filter((target) => this.#scope.readableCollection(target))
    const message =
      values.length > 0
        ? `must be one of: ${values.join(', ')}`
        : 'must be a collection that you may read: there is none'
    return ['enum', message, { values }]
  }

  #fault(path: string, ...violation: Violation): void {
    this.#faults.add(path.slice(0, 200), ...violation)
  }
}

/** The path of the relation to several collections that a name is, or begins with, as far as the reader may know it. */
export function findPolymorphicRelation(
  name: string,
  collection: CollectionModel,
  scope: QueryScope,
): string | undefined {
  const hidden = scope.hiddenFields(collection)
  const found = [...collection.filterableFields.values(), ...collection.multiValuedFields.values()].find(
    ({ part, owner }) => part && !hidden.has(owner) && `${name}.`.startsWith(`${part.relation}.`),
  )
  return found?.part?.relation
}

/** The operators that a filter can use on a field; none when it cannot be filtered. */
export function listOperatorsAt(
  { filterableFields: comparables, multiValuedFields: manyValued }: CollectionModel,
  path: string,
): readonly NamedOperator[] {
  const by = comparables.get(path) ?? FILTERABLE_AUTHOR_FIELDS.get(path)
  if (by) return listOperators(by)
  return manyValued.has(path) ? MEMBER_OPERATORS : []
}

/** Collections that a filter looks into besides its own. */
export function relatedCollections(condition: Condition | undefined): readonly CollectionModel[] {
  if (condition?.kind === 'related') return [condition.to, ...relatedCollections(condition.where)]
  return condition?.kind === 'all' || condition?.kind === 'any' ? condition.of.flatMap(relatedCollections) : []
}

/** The field of the entry itself that a condition is about; `undefined`: it is made of other conditions. */
export function getField(condition: Condition): { readonly owner: string } | undefined {
  if (condition.kind === 'compare') return condition.by
  if (condition.kind === 'member') return condition.of
  return condition.kind === 'related' ? condition.through : undefined
}

/** True if a filter looks at one of these top-level fields of an entry, or at entries of the same collection. */
export function dependsOn(condition: Condition, collection: CollectionModel, fields: ReadonlySet<string>): boolean {
  if (condition.kind === 'all' || condition.kind === 'any')
    return condition.of.some((part) => dependsOn(part, collection, fields))
  const isFieldIncluded = fields.has(getField(condition)?.owner ?? '')
  return isFieldIncluded || relatedCollections(condition).some(({ key }) => key === collection.key)
}
