import type { Texts } from '../../messages/messages.tsx'
import { getStatusLabel, type StudioCollection } from '../../model/studio-model.ts'
import { getFieldLabel, getListFields, type ListField } from '../list-fields.ts'
import type { FilterNode } from './where-tree.ts'

/** The fields that a filter can name: those of the collection, and those of what its relations lead to. */
export function getFilterFields(
  fields: readonly ListField[],
  collections: ReadonlyMap<string, StudioCollection>,
): readonly ListField[] {
  const through = fields.flatMap((field) => {
    const [to] = field.to
    const target = field.to.length === 1 && to !== undefined ? collections.get(to) : undefined
    if (!target || field.operators.length === 0) return []
    return getListFields(target).map((inner) => ({
      ...inner,
      path: `${field.path}.${inner.path}`,
      label: `${field.label} › ${inner.label}`,
    }))
  })
  return [...fields, ...through].filter(({ operators }) => operators.length > 0)
}

/** The operator that people mean most often. */
export const getDefaultOperator = ({ operators, many }: ListField): string =>
  (many ? 'in' : ['contains', 'eq'].find((one) => operators.includes(one))) ?? operators[0] ?? 'exists'

/** Operators that compare with several values. */
export const LIST_OPERATORS: ReadonlySet<string> = new Set(['in', 'nin', 'all'])

/** The value that a condition of another kind begins with. */
export const getInitialValue = (operator: string): boolean | undefined => (operator === 'exists' ? true : undefined)

/** What is needed to say a filter in words. */
interface FilterContext extends Pick<Texts, 't' | 'formats'> {
  readonly fields: ReadonlyMap<string, ListField>
  /** The titles of entries, by id. */
  readonly titles: ReadonlyMap<string, string>
}

/** What an operator is called for a field. */
export function getOperatorLabel(operator: string, { type, many }: ListField, { t }: Pick<Texts, 't'>): string {
  const { operators, timeOperators, manyOperators } = t.lists.filter
  const isTime = type === 'date' || type === 'datetime'
  const own: Readonly<Record<string, string>> = isTime ? timeOperators : many ? manyOperators : {}
  const all: Readonly<Record<string, string>> = operators
  return (Object.hasOwn(own, operator) ? own[operator] : all[operator]) ?? operator
}

/** A part of a filter in words; one that the Studio has no words for, as it is written. */
export function formatFilter(node: FilterNode, words: FilterContext): string {
  const { t, fields } = words
  if (node.kind === 'other') return JSON.stringify(node.where)
  if (node.kind === 'group') {
    const parts = node.nodes.map((inner) =>
      inner.kind === 'group' ? `(${formatFilter(inner, words)})` : formatFilter(inner, words),
    )
    return parts.join(node.mode === 'all' ? t.lists.filter.and : t.lists.filter.or)
  }
  const field = fields.get(node.path)
  if (!field?.operators.includes(node.operator)) return JSON.stringify({ [node.path]: { [node.operator]: node.value } })
  const label = getFieldLabel(field, t)
  if (node.operator === 'exists')
    return node.value === true ? t.lists.filter.present(label) : t.lists.filter.absent(label)
  const values = [node.value ?? '…'].flat().map((value) => valueText(value, field, words))
  return `${label} ${getOperatorLabel(node.operator, field, words)} ${values.join(', ')}`
}

function valueText(
  value: string | number | boolean,
  { type, to }: ListField,
  { t, formats, titles }: FilterContext,
): string {
  if (typeof value === 'boolean') return value ? t.lists.yes : t.lists.no
  if (typeof value === 'number') return formats.number(value)
  if (type === 'status') return getStatusLabel(value, t)
  const isTime = !Number.isNaN(Date.parse(value))
  if (type === 'date' && isTime) return formats.calendarDay(value)
  if (type === 'datetime' && isTime) return formats.moment(value)
  return to.length > 0 ? (titles.get(value) ?? value) : value
}
