import { type Field, type Fields, innerFields, isRecord } from '../../fields/field.ts'
import type { Values } from '../document.ts'

/**
 * Applies a merge patch (RFC 7396, section 2) to plain JSON: objects are merged, `null` removes a member, everything else
 * replaces.
 */
function mergeJson(target: Readonly<Values>, patch: Readonly<Values>): Values {
  const merged: Values = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (isRecord(value)) merged[key] = mergeJson(isRecord(merged[key]) ? merged[key] : {}, value)
    else merged[key] = value
  }
  return merged
}

/**
 * Applies a merge patch to fields. Where RFC 7396 removes a member, a field is emptied: `null` stays and says so.
 *
 * @returns the fields that the patch names, as they are to be
 */
export function mergePatch(fields: Fields, target: Readonly<Values>, patch: Readonly<Values>): Values {
  const merged = Object.entries(patch).map(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    return [key, field && isRecord(value) ? mergeField(field, target[key], value) : value]
  })
  return Object.fromEntries(merged)
}

function mergeField(field: Field, stored: unknown, patch: Readonly<Values>): unknown {
  const before = isRecord(stored) ? stored : {}
  const [inner] = field.type.isGroup ? innerFields(field) : []
  if (inner) return { ...before, ...mergePatch(inner, before, patch) }
  return field.type.hasFreeKeys ? mergeJson(before, patch) : patch
}
