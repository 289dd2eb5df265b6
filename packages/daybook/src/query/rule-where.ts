import { isRecord } from '../fields/field.ts'
import { isStorableText } from '../fields/text.ts'
import type { CollectionModel } from '../model/model.ts'
import { LIST_OPERATORS, MEMBER_OPERATORS } from './operators.ts'
import { Faults } from './parameters.ts'
import { type Condition, LITERAL_PREFIX, type QueryScope, readWhereNode, type WhereNode } from './where.ts'

const NO_FIELDS: ReadonlySet<string> = new Set()

/** Returns a scope with access to everything, in the default locale, since rules belong to the config. */
const unrestrictedScope = (collections: ReadonlyMap<string, CollectionModel>): QueryScope => ({
  localeChoice: { locale: undefined, chain: undefined, isAll: false },
  collections,
  readableCollection: (key) => collections.get(key),
  hiddenFields: () => NO_FIELDS,
  canSeeAuthors: () => true,
  visibleStatuses: () => undefined,
  accessFilter: () => undefined,
})

/**
 * Reads the filter that an access rule returns, with the syntax and the limits of a list's filter. Parts that a list would ignore, such as an
 * empty object, are faults, because the rule would allow more than intended.
 *
 * @param collections the collections in the default locale
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readRuleWhere(
  where: unknown,
  collection: CollectionModel,
  collections: ReadonlyMap<string, CollectionModel>,
): Condition {
  return readConfigWhere(where, collection, unrestrictedScope(collections))
}

/**
 * Reads a filter of the config like {@link readRuleWhere}, limited to the fields that a caller can use.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readConfigWhere(where: unknown, collection: CollectionModel, scope: QueryScope): Condition {
  const faults = new Faults()
  const root = toNode(faults, where, 'where', '')
  const condition = readWhereNode(faults, root, collection, scope)
  faults.throwAny()
  return condition
}

const node = (children: readonly (readonly [string, WhereNode])[], values: readonly string[] = []): WhereNode => ({
  children: new Map(children),
  values: [...values],
})

function toNode(faults: Faults, value: unknown, path: string, key: string): WhereNode {
  const isBranch = key === 'and' || key === 'or'
  if (Array.isArray(value) && !isBranch) return readRuleList(faults, value, path, key)
  if (Array.isArray(value) || isRecord(value)) {
    const parts = Object.entries(value)
    if (parts.length === 0) faults.add(path, 'where', 'must not be empty')
    return node(parts.map(([name, part]) => [name, toNode(faults, part, `${path}[${name}]`, name)]))
  }
  const text = requireRuleText(faults, value, path)
  // A single value may contain commas.
  return node([], [LIST_OPERATORS.includes(key) ? LITERAL_PREFIX + text : text])
}

function readRuleList(faults: Faults, values: readonly unknown[], path: string, key: string): WhereNode {
  if (!LIST_OPERATORS.includes(key))
    faults.add(
      path,
      'operator',
      `must be a single value. Only these operators take lists: ${LIST_OPERATORS.join(', ')}.`,
      {
        values: LIST_OPERATORS,
      },
    )
  const requiresValues = MEMBER_OPERATORS.some(({ name, operator }) => name === key && operator.requiresValues)
  if (requiresValues && values.length === 0)
    faults.add(path, 'minItems', 'must contain at least one value', { limit: 1 })
  return node(
    [],
    values.map((value) => LITERAL_PREFIX + requireRuleText(faults, value, path)),
  )
}

function requireRuleText(faults: Faults, value: unknown, path: string): string {
  const isPlain = typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  if (isPlain) return String(value)
  if (typeof value === 'string' && isStorableText(value)) return value
  faults.add(path, 'type', 'must be a string, a number or a boolean', { types: ['string', 'number', 'boolean'] })
  return ''
}
