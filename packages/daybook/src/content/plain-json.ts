/**
 * A value of the config's own code as JSON has it: a copy, of nothing but what JSON can hold.
 *
 * @throws {TypeError} when it holds anything else
 */
export const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value, refuseUnstorable))

/** JSON would leave these out, or make `null` of them. */
function refuseUnstorable(key: string, value: unknown): unknown {
  const isStorable = typeof value !== 'function' && typeof value !== 'symbol' && !Number.isNaN(value)
  if (!isStorable || value === Infinity || value === -Infinity)
    throw new TypeError(`${key === '' ? 'The value' : key} is ${String(value)}, which JSON cannot hold`)
  return value
}
