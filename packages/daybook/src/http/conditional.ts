import { readTags, type TagCondition } from '../content/tags.ts'
import { invalidAt } from '../errors.ts'
import type { RequestHeaders } from './request.ts'

/**
 * Reads `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
 *
 * @throws VALIDATION_ERROR when it is neither `*` nor a list of entity tags
 */
export function readTagCondition(
  headers: RequestHeaders,
  name: 'If-Match' | 'If-None-Match',
): TagCondition | undefined {
  const text = headers.get(name)
  if (text === null) return undefined
  const condition = readTags(text)
  if (condition) return condition
  throw invalidAt(name, 'entity_tag', 'must be * or a list of entity tags in quotes, such as "1a.Xy"')
}

/** Visible ASCII characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Reads `Idempotency-Key`.
 *
 * @throws VALIDATION_ERROR when it is not 1 to 255 visible ASCII characters
 */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const key = headers.get('Idempotency-Key')
  if (key === null) return undefined
  if (IDEMPOTENCY_KEY.test(key)) return key
  throw invalidAt('Idempotency-Key', 'pattern', 'must be 1 to 255 visible ASCII characters')
}

/**
 * Reads `Daybook-Min-Seq`: a number that an earlier answer gave as `Daybook-Seq`, which what is read must have come to.
 *
 * @throws VALIDATION_ERROR when it is no such number
 */
export function readMinSeq(headers: RequestHeaders): number {
  const text = headers.get('Daybook-Min-Seq')
  if (text === null) return 0
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidAt('Daybook-Min-Seq', 'pattern', 'must be a number that Daybook-Seq gave')
}
