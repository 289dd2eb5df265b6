import { isRecord } from '../fields/field.ts'
import type { Values } from './document.ts'

/**
 * Applies a merge patch (RFC 7396, section 2): objects are merged, `null` removes a member, everything else replaces.
 * A patch that is no object takes the place of the whole.
 */
export function mergePatch(target: Values, patch: unknown): Values {
  if (!isRecord(patch)) return patch as Values
  const merged: Values = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (isRecord(value)) merged[key] = mergePatch(isRecord(merged[key]) ? merged[key] : {}, value)
    else merged[key] = value
  }
  return merged
}
