import { isRecord } from '../fields/field.ts'
import { isStorableText } from '../fields/text.ts'
import type { CollectionModel } from '../model/model.ts'
import { LIST_OPERATORS, MEMBER_OPERATORS } from './operators.ts'
import { Faults } from './parameters.ts'
import { type Condition, LITERAL_PREFIX, type QueryScope, readWhereNode, type WhereNode } from './where.ts'

const NO_FIELDS: ReadonlySet<string> = new Set()

/** A rule may look at everything: it speaks for the config. Its words are those of the default locale. */
const everything = (collections: ReadonlyMap<string, CollectionModel>): QueryScope => ({
  localeChoice: { locale: undefined, chain: undefined, isAll: false },
  collections,
  readableCollection: (key) => collections.get(key),
  hiddenFields: () => NO_FIELDS,
  canSeeAuthors: () => true,
  visibleStatuses: () => undefined,
  accessFilter: () => undefined,
})

/**
 * Reads the filter that an access rule gives: that of a list, within the same bounds. What a list would pass over, such
 * as an empty object, is a fault here: it would let more through than was meant.
 *
 * @param collections as their own tables hold them
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readRuleWhere(
  where: unknown,
  collection: CollectionModel,
  collections: ReadonlyMap<string, CollectionModel>,
): Condition {
  return readConfigWhere(where, collection, everything(collections))
}

/**
 * Reads a filter that the config gives, as {@link readRuleWhere}, within what a reader may ask about.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readConfigWhere(where: unknown, collection: CollectionModel, scope: QueryScope): Condition {
  const faults = new Faults()
  const root = takeApart(faults, where, 'where', '')
  const condition = readWhereNode(faults, root, collection, scope)
  faults.throwAny()
  return condition
}

const node = (children: readonly (readonly [string, WhereNode])[], values: readonly string[] = []): WhereNode => ({
  children: new Map(children),
  values: [...values],
})

function takeApart(faults: Faults, value: unknown, path: string, key: string): WhereNode {
  const isBranch = key === 'and' || key === 'or'
  if (Array.isArray(value) && !isBranch) return readRuleList(faults, value, path, key)
  if (Array.isArray(value) || isRecord(value)) {
    const parts = Object.entries(value)
    if (parts.length === 0) faults.add(path, 'where', 'must not be empty')
    return node(parts.map(([name, part]) => [name, takeApart(faults, part, `${path}[${name}]`, name)]))
  }
  const text = requireRuleText(faults, value, path)
  // One value is one value, whatever commas it holds.
  return node([], [LIST_OPERATORS.includes(key) ? LITERAL_PREFIX + text : text])
}

function readRuleList(faults: Faults, values: readonly unknown[], path: string, key: string): WhereNode {
  if (!LIST_OPERATORS.includes(key))
    faults.add(path, 'operator', `must be one value; lists belong to ${LIST_OPERATORS.join(', ')}`, {
      values: LIST_OPERATORS,
    })
  const requiresValues = MEMBER_OPERATORS.some(({ name, operator }) => name === key && operator.requiresValues)
  if (requiresValues && values.length === 0) faults.add(path, 'minItems', 'must have a value', { limit: 1 })
  return node(
    [],
    values.map((value) => LITERAL_PREFIX + requireRuleText(faults, value, path)),
  )
}

function requireRuleText(faults: Faults, value: unknown, path: string): string {
  const isPlain = typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  if (isPlain) return String(value)
  if (typeof value === 'string' && isStorableText(value)) return value
  faults.add(path, 'type', 'must be a text, a number, true or false', { types: ['string', 'number', 'boolean'] })
  return ''
}
