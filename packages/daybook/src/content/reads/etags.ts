import { hash } from 'node:crypto'
import { DaybookError } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { ReverseExpansion, Selection } from '../../query/expansion.ts'
import { nameOrder } from '../../query/sort-order.ts'

/** The value of an `If-Match` or `If-None-Match` header (RFC 9110, section 13.1). */
export type TagCondition = '*' | readonly EntityTag[]

/** An entity tag (RFC 9110, section 8.8.3), without its quotes. */
export interface EntityTag {
  readonly weak: boolean
  readonly value: string
}

/** The longest text that is read as a list of tags, in characters. */
const MAX_ETAG_LENGTH = 4096
const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\u00ff]*)"/g
/** RFC 9110, section 5.6.1: elements between commas, and empty ones are let pass. */
const TAG_LIST = /^(?:[ \t]*,)*[ \t]*(?:W\/)?"[^"]*"[ \t]*(?:,[ \t]*(?:(?:W\/)?"[^"]*"[ \t]*)?)*$/

/** The JSON Schema of what {@link parseTags} reads. */
export const TAGS_SCHEMA: JsonSchema = {
  type: 'string',
  maxLength: MAX_ETAG_LENGTH,
  pattern:
    '^(?:\\*|(?:,[ \\t]*)*(?:W/)?"[!#-~\\u0080-\\u00ff]*"(?:[ \\t]*,(?:[ \\t]*(?:W/)?"[!#-~\\u0080-\\u00ff]*")?)*)$',
}

/** Reads `*` or a list of entity tags; `undefined` when it is neither. */
export function parseTags(given: unknown): TagCondition | undefined {
  const text = typeof given === 'string' ? given.trim() : ''
  if (text === '*') return '*'
  if (text.length > MAX_ETAG_LENGTH || !TAG_LIST.test(text)) return undefined
  const tags = [...text.matchAll(TAG)].map(([, weak, value = '']): EntityTag => ({ weak: weak !== undefined, value }))
  return tags.length * 2 === text.split('"').length - 1 ? tags : undefined
}

/** A short name for a variant of an answer: other fields, another reader, another config. */
export function hashCacheKey(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 8)
}

/** The part of a variant that says what of a document is answered. */
export function toSelectionKey({ select, expansions, reverses: lists, hasAlternates }: Selection): unknown {
  const inner = expansions.map((one) => [one.relation.path, one.isReadable, toSelectionKey(one)])
  const parts = [select && [...select], inner, ...(hasAlternates ? ['alternates'] : [])]
  return lists.length === 0 ? parts : [...parts, lists.map(listVariant)]
}

function listVariant(list: ReverseExpansion): unknown {
  const { reverse, page } = list
  const { limit, offset, statuses } = page
  return [reverse.path, reverse.through, limit, offset, statuses, nameOrder(page.sort), toSelectionKey(list)]
}

/** The strong tag of a document: its revision, and which variant of it is answered. */
export function toDocumentTag(revision: number, variant: string): string {
  return `"${revision.toString(36)}.${variant}"`
}

/** The revision that a tag names, whatever variant of it. */
export const parseRevision = (tag: string): number => Number.parseInt(tag.slice(1), 36)

/** Whether any listed tag names this revision, in whatever variant it was read. Weak ones never do. */
function matchesRevision(condition: TagCondition, revision: number): boolean {
  if (condition === '*') return revision > 0
  return condition.some(({ weak, value }) => !weak && value.split('.')[0] === revision.toString(36))
}

/** What ends the tag of an answer that was compressed on its way. */
const CODING_ENDING = /-(?:br|zst|gz)$/

/** Whether a tag of a client is the one of an answer, however that was compressed. */
const isTagOf = (value: string, tag: string): boolean =>
  `"${value}"` === tag || `"${value.replace(CODING_ENDING, '')}"` === tag

/** Whether a stored answer with one of these tags is still the present one (weak comparison). */
export function matchesTag(condition: TagCondition, tag: string): boolean {
  return findMatchingTag(condition, tag) !== undefined
}

/** The tag under which a client has an answer (weak comparison); `undefined`: it has another one. */
export function findMatchingTag(condition: TagCondition, tag: string): string | undefined {
  if (condition === '*') return tag
  const held = condition.find(({ value }) => isTagOf(value, tag))
  return held && `"${held.value}"`
}

/** The revision of an answer that a client has; `undefined`: of none that could be the present one. */
export function getClientRevision(condition: TagCondition | undefined): number | undefined {
  const [first] = condition === '*' ? [] : (condition ?? [])
  const revision = first && parseRevision(`"${first.value}"`)
  return revision !== undefined && Number.isSafeInteger(revision) ? revision : undefined
}

/**
 * Checks the `If-Match` of a read against the tag of its own answer (strong comparison; RFC 9110, section 13.1.1). A write
 * takes the tag of any projection, because it changes all of them; a read answers one.
 *
 * @throws PRECONDITION_FAILED with `details.current`
 */
export function requireTagMatch(ifMatch: TagCondition | undefined, tag: string): void {
  const holds =
    ifMatch === undefined || ifMatch === '*' || ifMatch.some(({ weak, value }) => !weak && isTagOf(value, tag))
  if (!holds)
    throw new DaybookError('PRECONDITION_FAILED', 'The answer has another ETag than If-Match names.', { current: tag })
}

/** The conditions of a write. */
export interface Preconditions {
  readonly ifMatch?: TagCondition | undefined
  readonly ifNoneMatch?: TagCondition | undefined
}

/**
 * Checks the conditions of a write against what is stored.
 *
 * @param revision 0 when nothing was stored yet
 * @param isRequired whether the write must say which version it is based on
 * @throws PRECONDITION_REQUIRED, PRECONDITION_FAILED with `details.current`
 */
export function requirePreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  revision: number,
  current: string,
  isRequired: boolean,
): void {
  if (isRequired && ifMatch === undefined) throw new DaybookError('PRECONDITION_REQUIRED')
  const isMet =
    (ifMatch === undefined || matchesRevision(ifMatch, revision)) &&
    (ifNoneMatch === undefined || !matchesRevision(weakly(ifNoneMatch), revision))
  if (!isMet) throw new DaybookError('PRECONDITION_FAILED', undefined, { current })
}

const weakly = (condition: TagCondition): TagCondition =>
  condition === '*' ? '*' : condition.map(({ value }) => ({ weak: false, value }))
