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
/** Elements between commas, including empty ones (RFC 9110, section 5.6.1). */
const TAG_LIST = /^(?:[ \t]*,)*[ \t]*(?:W\/)?"[^"]*"[ \t]*(?:,[ \t]*(?:(?:W\/)?"[^"]*"[ \t]*)?)*$/

/** The JSON Schema of the values that {@link parseTags} accepts. */
export const TAGS_SCHEMA: JsonSchema = {
  type: 'string',
  maxLength: MAX_ETAG_LENGTH,
  pattern:
    '^(?:\\*|(?:,[ \\t]*)*(?:W/)?"[!#-~\\u0080-\\u00ff]*"(?:[ \\t]*,(?:[ \\t]*(?:W/)?"[!#-~\\u0080-\\u00ff]*")?)*)$',
}

/** Parses `*` or a list of entity tags; `undefined` if the value is neither. */
export function parseTags(header: unknown): TagCondition | undefined {
  const text = typeof header === 'string' ? header.trim() : ''
  if (text === '*') return '*'
  if (text.length > MAX_ETAG_LENGTH || !TAG_LIST.test(text)) return undefined
  const tags = [...text.matchAll(TAG)].map(([, weak, value = '']): EntityTag => ({ weak: weak !== undefined, value }))
  return tags.length * 2 === text.split('"').length - 1 ? tags : undefined
}

/** Hashes the parts of a cache key or of an entity tag, such as the selected fields, the caller's access and the config. */
export function hashCacheKey(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 8)
}

/** Returns the part of a cache key for the selected and included fields of a document. */
export function toSelectionKey({ select, expansions, reverses, hasAlternates }: Selection): unknown {
  const inner = expansions.map((expansion) => [
    expansion.relation.path,
    expansion.isReadable,
    toSelectionKey(expansion),
  ])
  const parts = [select && [...select], inner, ...(hasAlternates ? ['alternates'] : [])]
  return reverses.length === 0 ? parts : [...parts, reverses.map(toReverseKey)]
}

function toReverseKey(expansion: ReverseExpansion): unknown {
  const { reverse, page } = expansion
  const { limit, offset, statuses } = page
  return [reverse.path, reverse.through, limit, offset, statuses, nameOrder(page.sort), toSelectionKey(expansion)]
}

/** Formats the strong tag of a document: its revision, and a hash of everything else that the response depends on. */
export function toDocumentTag(revision: number, etagPart: string): string {
  return `"${revision.toString(36)}.${etagPart}"`
}

export const parseRevision = (tag: string): number => Number.parseInt(tag.slice(1), 36)

/** Appends the part for links to a strong tag. */
export const withLinksPart = (tag: string, linksPart: string | undefined): string =>
  linksPart === undefined ? tag : `${tag.slice(0, -1)}.${linksPart}"`

/** True for the tag of a response with links to documents, which has a part of its own for them. */
export const hasLinksPart = (tag: string): boolean => tag.split('.').length > 2

/** Returns true if a strong tag names the revision, whatever the rest of the tag. */
function matchesRevision(condition: TagCondition, revision: number): boolean {
  if (condition === '*') return revision > 0
  return condition.some(({ weak, value }) => !weak && value.split('.')[0] === revision.toString(36))
}

/** The suffix of the tag of a compressed response. */
const CODING_SUFFIX = /-(?:br|zst|gz)$/

/** Returns true if a client's tag is that of a response, compressed or not. */
const isSameTag = (value: string, tag: string): boolean =>
  `"${value}"` === tag || `"${value.replace(CODING_SUFFIX, '')}"` === tag

/** Returns true if a response with one of these tags is current (weak comparison). */
export function matchesTag(condition: TagCondition, tag: string): boolean {
  return findMatchingTag(condition, tag) !== undefined
}

/** Finds the client's tag for a response (weak comparison), which may have the suffix of a compressed response. */
export function findMatchingTag(condition: TagCondition, tag: string): string | undefined {
  if (condition === '*') return tag
  const match = condition.find(({ value }) => isSameTag(value, tag))
  return match && `"${match.value}"`
}

/** Returns the revision in the client's first tag, if the tag has one. */
export function getClientRevision(condition: TagCondition | undefined): number | undefined {
  const [first] = condition === '*' ? [] : (condition ?? [])
  // The document of a response with links is needed to find out what its tag depends on.
  const revision = first && !hasLinksPart(first.value) ? parseRevision(`"${first.value}"`) : undefined
  return revision !== undefined && Number.isSafeInteger(revision) ? revision : undefined
}

/**
 * Checks the `If-Match` of a read against the tag of its response (strong comparison; RFC 9110, section 13.1.1). A write accepts the
 * tag of any projection of the document, because it changes all of them.
 *
 * @throws PRECONDITION_FAILED with `details.current`
 */
export function requireTagMatch(ifMatch: TagCondition | undefined, tag: string): void {
  const isMatch =
    ifMatch === undefined || ifMatch === '*' || ifMatch.some(({ weak, value }) => !weak && isSameTag(value, tag))
  if (!isMatch)
    throw new DaybookError(
      'PRECONDITION_FAILED',
      'The ETag of the response is not in If-Match. Read the document again.',
      {
        current: tag,
      },
    )
}

export interface Preconditions {
  readonly ifMatch?: TagCondition | undefined
  readonly ifNoneMatch?: TagCondition | undefined
}

/**
 * Checks the preconditions of a write against the stored revision.
 *
 * @param revision 0 if nothing is stored
 * @param current the current tag
 * @param isRequired true if the write needs `If-Match`
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
    (ifNoneMatch === undefined || !matchesRevision(toStrongTags(ifNoneMatch), revision))
  if (!isMet) throw new DaybookError('PRECONDITION_FAILED', undefined, { current })
}

const toStrongTags = (condition: TagCondition): TagCondition =>
  condition === '*' ? '*' : condition.map(({ value }) => ({ weak: false, value }))
