import { findNearest } from '../nearest.ts'
import { type FaultReport, type Field, type Fields, isRecord } from './field.ts'

/** Finds the field at a dotted path inside groups. Checks of the config call this with any value. */
function findField(fields: unknown, [key = '', ...rest]: readonly string[]): Field | undefined {
  const field = isRecord(fields) && Object.hasOwn(fields, key) ? (fields[key] as Field) : undefined
  if (!isRecord(field?.type) || !isRecord(field.options)) return undefined
  if (rest.length === 0) return field
  return field.type.isGroup ? findField(field.options.fields, rest) : undefined
}

/** Returns true if a value is one text, number, date or choice. */
const isSingleValue = ({ type, options }: Field): boolean =>
  type.inner === undefined &&
  type.item === undefined &&
  type.relation === undefined &&
  type.reverse === undefined &&
  options.many !== true &&
  !type.hasFreeKeys

/** Reports a path of an item's title that does not name a value of the item. */
export function checkItemTitle(itemTitle: unknown, fields: unknown, path: string, report: FaultReport): void {
  if (typeof itemTitle !== 'string') return
  const field = findField(fields, itemTitle.split('.'))
  if (field && isSingleValue(field)) return
  const keys = Object.entries((isRecord(fields) ? fields : {}) as Fields)
    .filter(([, inner]) => isRecord(inner?.type) && isRecord(inner.options) && isSingleValue(inner))
    .map(([key]) => key)
  const meant = findNearest(itemTitle, keys)
  const advice = keys.length === 0 ? 'Leave it out' : `Use ${meant ?? `one of: ${keys.join(', ')}`}`
  report.add(
    `${path}.itemTitle`,
    field
      ? `is "${itemTitle}", which is not a single text, number, date or choice. ${advice}`
      : `is "${itemTitle}", which is not a field of the item. ${advice}`,
  )
}
