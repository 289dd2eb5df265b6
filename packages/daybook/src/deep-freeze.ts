/** Freezes a value of plain objects and arrays recursively. It must have no cycles. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}
