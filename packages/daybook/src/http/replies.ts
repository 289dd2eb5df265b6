import { type Caller, isAuthenticated } from '../auth/adapter.ts'
import { type Answer, type Engine, replicaAt } from '../content/engine.ts'
import { matchesTag, type Preconditions, requireTagMatch } from '../content/etags.ts'
import type { ErrorCode } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { Conditions } from './conditions.ts'
import type { AnswerContract, HeaderName } from './contract.ts'
import type { Reply } from './respond.ts'

const VARY = 'Authorization, Cookie, Origin'
/** Of answers that are for one reader alone. */
export const PRIVATE: { readonly 'Cache-Control': string; readonly Vary: string } = {
  'Cache-Control': 'private, no-store',
  Vary: VARY,
}
export const NO_STORE = { 'Cache-Control': 'no-store' } as const

/** What any route can fail with; an auth adapter may limit how often somebody asks. */
const ANY_ERRORS: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
/** What a read fails with. */
export const READ_ERRORS: readonly ErrorCode[] = [
  ...ANY_ERRORS,
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'PRECONDITION_FAILED',
]
/** What a write fails with. */
export const WRITE_ERRORS: readonly ErrorCode[] = [
  ...READ_ERRORS,
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INSUFFICIENT_STORAGE',
]
/** What a route about no document fails with. */
export const PLAIN_ERRORS: readonly ErrorCode[] = ANY_ERRORS

const READ_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']
const WRITE_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'Daybook-Seq']

/** How a document or a list is answered that a client may have already. */
export const readAnswers = (description: string, schema: JsonSchema): readonly AnswerContract[] => [
  { status: 200, description, schema, headers: READ_HEADERS },
  { status: 304, description: 'What the client has is still right.', headers: READ_HEADERS },
]

/** How a write is answered that gives back what it stored. */
export const writeAnswer = (
  status: 200 | 201,
  description: string,
  schema: JsonSchema,
  headers: readonly HeaderName[] = [],
): AnswerContract => ({ status, description, schema, headers: [...WRITE_HEADERS, ...headers] })

/** Who may keep what a reader is answered. */
export interface ReadPolicy {
  /** `Cache-Control` of an answer to a reader without a session. */
  readonly publicCacheControl: string
}

/**
 * Whether the client has the answer of this tag already.
 *
 * @throws PRECONDITION_FAILED when it asks for another one: `If-Match` comes first (RFC 9110, section 13.2.2)
 */
export function isKnown({ ifMatch, ifNoneMatch }: Conditions, tag: string): boolean {
  requireTagMatch(ifMatch, tag)
  return ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)
}

/** A document that was read: 200, 304 when the client has it, or 412 when it asked for another one. */
export function readReply(
  { publicCacheControl }: ReadPolicy,
  { caller, conditions }: { readonly caller: Caller; readonly conditions: Conditions },
  { json, tag }: Pick<Answer, 'tag'> & { readonly json: string | undefined },
): Reply {
  const cacheControl = isAuthenticated(caller) ? PRIVATE['Cache-Control'] : publicCacheControl
  const headers = { ETag: tag, 'Cache-Control': cacheControl, Vary: VARY }
  return json === undefined || isKnown(conditions, tag) ? { status: 304, headers } : { status: 200, json, headers }
}

/** A document that was written. */
export function writeReply(
  status: 200 | 201,
  { json, tag, seq }: Answer,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, json, headers: { ETag: tag, 'Daybook-Seq': String(seq), ...PRIVATE, ...headers } }
}

/** Where a read is answered from: what readers without a session see may come from a copy of the database. */
export function sourceFor(
  engine: Engine,
  { caller, conditions: { minSeq = 0 } }: { readonly caller: Caller; readonly conditions: Conditions },
): Engine {
  return isAuthenticated(caller) ? engine : replicaAt(engine, minSeq)
}

/** The conditions of a write. */
export const preconditions = ({ ifMatch, ifNoneMatch }: Conditions): Preconditions => ({ ifMatch, ifNoneMatch })
