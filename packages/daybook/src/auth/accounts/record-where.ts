import type { CleanedWhere } from 'better-auth/adapters'
import type { AuthRecord } from '../records.ts'

/** Every condition joined by AND, and one of those joined by OR. */
export function recordMatches(row: AuthRecord, where: readonly CleanedWhere[]): boolean {
  const some = where.filter(({ connector }) => connector === 'OR')
  const every = where.filter(({ connector }) => connector !== 'OR')
  return every.every((one) => isMet(row, one)) && (some.length === 0 || some.some((one) => isMet(row, one)))
}

function isMet(row: AuthRecord, { field, operator, value, mode }: CleanedWhere): boolean {
  const fold = (given: unknown): unknown =>
    mode === 'insensitive' && typeof given === 'string' ? given.toLowerCase() : plainValue(given)
  const own = fold(row[field] ?? null)
  const others = [value].flat().map(fold)
  const [other = null] = others
  switch (operator) {
    case 'in':
      return others.includes(own)
    case 'not_in':
      return !others.includes(own)
    case 'ne':
      return own !== other
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return compares(own, other, operator)
    case 'contains':
      return String(own ?? '').includes(String(other))
    case 'starts_with':
      return String(own ?? '').startsWith(String(other))
    case 'ends_with':
      return String(own ?? '').endsWith(String(other))
    default:
      return own === other
  }
}

/** As JSON tells it. */
const plainValue = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

type OrderOperator = 'lt' | 'lte' | 'gt' | 'gte'

function compares(own: unknown, other: unknown, operator: OrderOperator): boolean {
  const isText = typeof own === 'string' && typeof other === 'string'
  const isNumber = typeof own === 'number' && typeof other === 'number'
  if (!isText && !isNumber) return false
  if (own === other) return operator === 'lte' || operator === 'gte'
  return own < other ? operator.startsWith('lt') : operator.startsWith('gt')
}

/** Missing values come first; texts compare by code unit. */
export function orderRecords(
  one: AuthRecord,
  other: AuthRecord,
  { field, direction }: { readonly field: string; readonly direction: 'asc' | 'desc' },
): number {
  const [left, right] = [one[field] ?? null, other[field] ?? null]
  const sign = direction === 'asc' ? 1 : -1
  if (left === right) return 0
  if (left === null || right === null) return left === null ? -sign : sign
  return (left as string | number) < (right as string | number) ? -sign : sign
}
