import type { EntityTag, TagCondition } from '../content/tags.ts'
import { invalidAt } from '../errors.ts'

/** The longest header that is read as a list of tags, in characters. */
const MAX_LENGTH = 4096
const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\u00ff]*)"$/

/**
 * Reads `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
 *
 * @throws VALIDATION_ERROR when it is neither `*` nor a list of entity tags
 */
export function readTagCondition(headers: Headers, name: 'If-Match' | 'If-None-Match'): TagCondition | undefined {
  const text = headers.get(name)?.trim()
  if (text === undefined) return undefined
  if (text === '*') return '*'
  const parts = text.length > MAX_LENGTH ? [] : text.split(',').map((part) => TAG.exec(part.trim()))
  if (parts.length === 0 || parts.includes(null)) {
    throw invalidAt(name, 'entity_tag', 'must be * or a list of entity tags in quotes, such as "1a.Xy"')
  }
  return parts.map((part): EntityTag => ({ weak: part?.[1] !== undefined, value: part?.[2] ?? '' }))
}
