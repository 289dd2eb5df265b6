import type { Texts } from '../../messages/messages.tsx'
import { getOptionLabel, type StudioCollection } from '../../model/studio-model.ts'
import { getFieldLabel, getListFields, type ListField } from '../list-fields.ts'
import type { FilterCondition, FilterNode } from './where-tree.ts'

/** Returns the fields for filters: those of the collection and those of its related collections. */
export function getFilterFields(
  fields: readonly ListField[],
  collections: ReadonlyMap<string, StudioCollection>,
): readonly ListField[] {
  const relatedFields = fields.flatMap((field) => {
    const [to] = field.to
    const target = field.to.length === 1 && to !== undefined ? collections.get(to) : undefined
    if (!target || field.operators.length === 0) return []
    return getListFields(target).map((inner) => ({
      ...inner,
      path: `${field.path}.${inner.path}`,
      label: `${field.label} › ${inner.label}`,
    }))
  })
  return [...fields, ...relatedFields].filter(({ operators }) => operators.length > 0)
}

const getDefaultOperator = ({ operators, many }: ListField): string =>
  (many ? 'in' : ['contains', 'eq'].find((operator) => operators.includes(operator))) ?? operators[0] ?? 'exists'

export const LIST_OPERATORS: ReadonlySet<string> = new Set(['in', 'nin', 'all'])

/** Returns a new condition on a field, without a value. */
export function createCondition(field: ListField): FilterCondition {
  const operator = getDefaultOperator(field)
  return { kind: 'condition', path: field.path, operator, value: getInitialValue(operator) }
}

/** Changes the operator of a condition, and keeps the value if it fits the new one. */
export function changeOperator(condition: FilterCondition, operator: string): FilterCondition {
  const fits = LIST_OPERATORS.has(operator) === LIST_OPERATORS.has(condition.operator)
  const isPresence = operator === 'exists' || condition.operator === 'exists'
  return { ...condition, operator, value: fits && !isPresence ? condition.value : getInitialValue(operator) }
}

const getInitialValue = (operator: string): boolean | undefined => (operator === 'exists' ? true : undefined)

interface FilterContext extends Pick<Texts, 't' | 'formats'> {
  readonly fields: ReadonlyMap<string, ListField>
  /** The titles of entries, by id. */
  readonly titles: ReadonlyMap<string, string>
}

export function getOperatorLabel(operator: string, { type, many }: ListField, { t }: Pick<Texts, 't'>): string {
  const { operators, timeOperators, manyOperators } = t.lists.filter
  const isTime = type === 'date' || type === 'datetime'
  const special: Readonly<Record<string, string>> = isTime ? timeOperators : many ? manyOperators : {}
  const general: Readonly<Record<string, string>> = operators
  return (Object.hasOwn(special, operator) ? special[operator] : general[operator]) ?? operator
}

/** Formats a part of a filter in words, or as JSON if the Studio has no form for it. */
export function formatFilter(node: FilterNode, context: FilterContext): string {
  const { t, fields } = context
  if (node.kind === 'other') return JSON.stringify(node.where)
  if (node.kind === 'group') {
    const parts = node.nodes.map((inner) =>
      inner.kind === 'group' ? `(${formatFilter(inner, context)})` : formatFilter(inner, context),
    )
    return parts.join(node.mode === 'all' ? t.lists.filter.and : t.lists.filter.or)
  }
  const field = fields.get(node.path)
  if (!field?.operators.includes(node.operator)) return JSON.stringify({ [node.path]: { [node.operator]: node.value } })
  const label = getFieldLabel(field, t)
  if (node.operator === 'exists')
    return node.value === true ? t.lists.filter.present(label) : t.lists.filter.absent(label)
  const values = [node.value ?? '…'].flat().map((value) => formatValue(value, field, context))
  return `${label} ${getOperatorLabel(node.operator, field, context)} ${values.join(', ')}`
}

function formatValue(
  value: string | number | boolean,
  field: ListField,
  { t, formats, titles }: FilterContext,
): string {
  const { type, to } = field
  if (typeof value === 'boolean') return value ? t.lists.yes : t.lists.no
  if (typeof value === 'number') return formats.number(value)
  if (field.options) return getOptionLabel(value, field, t)
  const isTime = !Number.isNaN(Date.parse(value))
  if (type === 'date' && isTime) return formats.calendarDay(value)
  if (type === 'datetime' && isTime) return formats.moment(value)
  return to.length > 0 ? (titles.get(value) ?? value) : value
}
