import {
  matchesTag,
  type Preconditions,
  parseTags,
  requireTagMatch,
  TAGS_SCHEMA,
  type TagCondition,
} from '../content/reads/index.ts'
import { validationErrorAt } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { RequestHeaders } from './request.ts'

export interface RequestHeaderValues {
  readonly ifMatch?: TagCondition | undefined
  readonly ifNoneMatch?: TagCondition | undefined
  /** The key of the idempotency record. */
  readonly idempotencyKey?: string | undefined
  /** The minimum sequence number that the response must reflect. @default 0 */
  readonly minSeq?: number | undefined
  /** A preview token. */
  readonly preview?: string | undefined
  /** The id of the event after which a stream continues. */
  readonly lastEventId?: string | undefined
}

/** A request header that routes use, by its key in {@link RequestHeaderValues}. */
export type RequestHeaderKey = keyof RequestHeaderValues

/** The declaration of a request header, which parses and documents it. */
interface HeaderParameter<T> {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  /** @throws VALIDATION_ERROR */
  parse(text: string): T
}

const SEQ = /^\d{1,15}$/
/** Visible ASCII characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** RFC 9110, sections 13.1.1 and 13.1.2. */
const makeTagHeader = (name: string, description: string): HeaderParameter<TagCondition> => ({
  name,
  description,
  schema: TAGS_SCHEMA,
  parse: (text) => {
    const tags = parseTags(text)
    if (tags) return tags
    throw validationErrorAt(name, 'entity_tag', 'must be * or a list of entity tags in quotes, such as "1a.Xy"')
  },
})

export const REQUEST_HEADERS: {
  readonly [C in RequestHeaderKey]-?: HeaderParameter<NonNullable<RequestHeaderValues[C]>>
} = {
  ifMatch: makeTagHeader('If-Match', 'Entity tags of the stored version: 412 if none matches.'),
  ifNoneMatch: makeTagHeader('If-None-Match', 'Entity tags that the client has: 304 if the response has one of them.'),
  idempotencyKey: {
    name: 'Idempotency-Key',
    description: 'Identifies the request, so that it is executed once within 24 hours, however often it is sent.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    parse: (text) => {
      if (IDEMPOTENCY_KEY.test(text)) return text
      throw validationErrorAt('Idempotency-Key', 'pattern', 'must be 1 to 255 visible ASCII characters', {
        pattern: IDEMPOTENCY_KEY.source,
      })
    },
  },
  minSeq: {
    name: 'Daybook-Min-Seq',
    description: 'The minimum sequence number, from an earlier `Daybook-Seq` header, that the response must reflect.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
    parse: (text) => {
      if (SEQ.test(text)) return Number(text)
      throw validationErrorAt('Daybook-Min-Seq', 'pattern', 'must be a number from a Daybook-Seq header', {
        pattern: SEQ.source,
      })
    },
  },
  preview: {
    name: 'Daybook-Preview',
    description: 'A preview token, like the parameter `preview`.',
    schema: { type: 'string' },
    parse: (text) => text,
  },
  lastEventId: {
    name: 'Last-Event-ID',
    description:
      'The `id` of the last received event: the stream begins with the changes after it (WHATWG HTML, section 9.2.4).',
    schema: { type: 'string' },
    parse: (text) => text,
  },
}

const NO_VALUES: RequestHeaderValues = Object.freeze({})

/**
 * Parses the headers that a route uses.
 *
 * @throws VALIDATION_ERROR for a malformed header
 */
export function parseRequestHeaders(keys: readonly RequestHeaderKey[], headers: RequestHeaders): RequestHeaderValues {
  let values = NO_VALUES
  for (const key of keys) {
    const { name, parse } = REQUEST_HEADERS[key]
    const text = headers.get(name)
    if (text !== null) values = { ...values, [key]: parse(text) }
  }
  return values
}

/**
 * True if the client has the response with this tag.
 *
 * @throws PRECONDITION_FAILED if `If-Match` does not contain the tag; it takes precedence (RFC 9110, section 13.2.2)
 */
export function isNotModified({ ifMatch, ifNoneMatch }: RequestHeaderValues, tag: string): boolean {
  requireTagMatch(ifMatch, tag)
  return ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)
}

export const getPreconditions = ({ ifMatch, ifNoneMatch }: RequestHeaderValues): Preconditions => ({
  ifMatch,
  ifNoneMatch,
})
