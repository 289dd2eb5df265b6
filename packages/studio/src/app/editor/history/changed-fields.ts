import type { FieldDescription } from 'daybook'
import { valueText } from '../differences/value-text.ts'
import { isRecord, type Values } from '../saving/saved-field.ts'

/** A field that two versions say otherwise. */
export interface ChangedField {
  /** Its keys, joined by dots. */
  readonly path: string
  readonly from: string
  readonly to: string
}

/** The fields that two versions say otherwise, one by one inside groups, in the order of the form. */
export function changedFields(
  fields: readonly FieldDescription[],
  from: Values,
  to: Values,
  around = '',
): readonly ChangedField[] {
  return fields.flatMap((field) => {
    const path = `${around}${field.key}`
    const [before, after] = [from[field.key], to[field.key]]
    if (field.type === 'reverse') return []
    if (field.type === 'group' && field.fields && !field.many)
      return changedFields(field.fields, membersOf(before), membersOf(after), `${path}.`)
    const change = { path, from: valueText(before, field), to: valueText(after, field) }
    return change.from === change.to ? [] : [change]
  })
}

const membersOf = (value: unknown): Values => (isRecord(value) ? value : {})
