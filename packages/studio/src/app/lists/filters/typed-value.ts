import type { FilterValue } from './where-tree.ts'

/** What a person typed, as a value of a field's type; `undefined`: it is none. @param isSeveral whether commas part values */
export function readTyped(text: string, type: string, isSeveral: boolean): FilterValue | undefined {
  if (!isSeveral) return readOne(text, type)
  const values = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => readOne(one, type))
  const known = values.filter((one) => one !== undefined)
  return known.length === 0 || known.length < values.length ? undefined : known
}

function readOne(text: string, type: string): string | number | undefined {
  if (text.trim() === '') return undefined
  if (type === 'number' || type === 'integer') {
    const number = Number(text)
    return Number.isFinite(number) ? number : undefined
  }
  if (type !== 'datetime') return text
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** A value as a person would type it. */
export function writeTyped(value: FilterValue | undefined, type: string): string {
  if (value === undefined) return ''
  if (typeof value === 'object') return value.join(', ')
  return type === 'datetime' && typeof value === 'string' ? localTime(value) : String(value)
}

/** A moment in the reader's time zone, as fields of browsers take it. */
function localTime(timestamp: string): string {
  const time = Date.parse(timestamp)
  if (Number.isNaN(time)) return timestamp
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
