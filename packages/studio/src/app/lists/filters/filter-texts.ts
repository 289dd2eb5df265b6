import type { Texts } from '../../messages/messages.tsx'
import { statusLabel } from '../../model/status-label.ts'
import { fieldLabel } from '../field-label.ts'
import type { ListField } from '../list-fields.ts'
import type { FilterNode } from './where-tree.ts'

/** What is needed to say a filter in words. */
export interface FilterWords extends Pick<Texts, 't' | 'formats'> {
  readonly fields: ReadonlyMap<string, ListField>
  /** The titles of entries, by id. */
  readonly titles: ReadonlyMap<string, string>
}

/** What an operator is called for a field. */
export function operatorLabel(operator: string, { type, many }: ListField, { t }: Pick<Texts, 't'>): string {
  const { operators, timeOperators, manyOperators } = t.lists.filter
  const isTime = type === 'date' || type === 'datetime'
  const own: Readonly<Record<string, string>> = isTime ? timeOperators : many ? manyOperators : {}
  const all: Readonly<Record<string, string>> = operators
  return (Object.hasOwn(own, operator) ? own[operator] : all[operator]) ?? operator
}

/** A part of a filter in words; one that the Studio has no words for, as it is written. */
export function filterText(node: FilterNode, words: FilterWords): string {
  const { t, fields } = words
  if (node.kind === 'other') return JSON.stringify(node.where)
  if (node.kind === 'group') {
    const parts = node.of.map((inner) =>
      inner.kind === 'group' ? `(${filterText(inner, words)})` : filterText(inner, words),
    )
    return parts.join(node.mode === 'all' ? t.lists.filter.and : t.lists.filter.or)
  }
  const field = fields.get(node.path)
  if (!field?.operators.includes(node.operator)) return JSON.stringify({ [node.path]: { [node.operator]: node.value } })
  const label = fieldLabel(field, t)
  if (node.operator === 'exists')
    return node.value === true ? t.lists.filter.present(label) : t.lists.filter.absent(label)
  const values = [node.value ?? '…'].flat().map((value) => valueText(value, field, words))
  return `${label} ${operatorLabel(node.operator, field, words)} ${values.join(', ')}`
}

function valueText(
  value: string | number | boolean,
  { type, to }: ListField,
  { t, formats, titles }: FilterWords,
): string {
  if (typeof value === 'boolean') return value ? t.lists.yes : t.lists.no
  if (typeof value === 'number') return formats.number(value)
  if (type === 'status') return statusLabel(value, t)
  const isTime = !Number.isNaN(Date.parse(value))
  if (type === 'date' && isTime) return formats.calendarDay(value)
  if (type === 'datetime' && isTime) return formats.moment(value)
  return to.length > 0 ? (titles.get(value) ?? value) : value
}
