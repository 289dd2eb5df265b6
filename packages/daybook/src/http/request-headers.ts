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

/** The headers of a request that put conditions on it, parsed. */
export interface RequestHeaderValues {
  readonly ifMatch?: TagCondition | undefined
  readonly ifNoneMatch?: TagCondition | undefined
  /** Of a request that may be sent again. */
  readonly idempotencyKey?: string | undefined
  /** A number of the journal that what is read must have come to. @default 0 */
  readonly minSeq?: number | undefined
  /** A token of a preview. */
  readonly preview?: string | undefined
  /** Where a stream of events is to go on. */
  readonly lastEventId?: string | undefined
}

/** A header that a route heeds. */
export type RequestHeaderKey = keyof RequestHeaderValues

/** A header of a request, declared once: this parses it, and documents it. */
interface HeaderParameter<T> {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  /** @throws VALIDATION_ERROR */
  parse(text: string): T
}

/** Visible ASCII characters. */
const SEQ = /^\d{1,15}$/
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** RFC 9110, sections 13.1.1 and 13.1.2. */
const tagCondition = (name: string, description: string): HeaderParameter<TagCondition> => ({
  name,
  description,
  schema: TAGS_SCHEMA,
  parse: (text) => {
    const condition = parseTags(text)
    if (condition) return condition
    throw validationErrorAt(name, 'entity_tag', 'must be * or a list of entity tags in quotes, such as "1a.Xy"')
  },
})

/** Every header that a route can heed. */
export const REQUEST_HEADERS: {
  readonly [C in RequestHeaderKey]-?: HeaderParameter<NonNullable<RequestHeaderValues[C]>>
} = {
  ifMatch: tagCondition('If-Match', 'Do it only if the stored version has one of these tags; 412 otherwise.'),
  ifNoneMatch: tagCondition('If-None-Match', '304 when the answer still has one of these tags.'),
  idempotencyKey: {
    name: 'Idempotency-Key',
    description: 'Names the request, so that it is carried out once however often it is sent, within 24 hours.',
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
    description: 'A number that Daybook-Seq gave: what is read has come at least that far.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
    parse: (text) => {
      if (SEQ.test(text)) return Number(text)
      throw validationErrorAt('Daybook-Min-Seq', 'pattern', 'must be a number that Daybook-Seq gave', {
        pattern: SEQ.source,
      })
    },
  },
  preview: {
    name: 'Daybook-Preview',
    description: 'A token of a preview, as the parameter `preview` takes it.',
    schema: { type: 'string' },
    parse: (text) => text,
  },
  lastEventId: {
    name: 'Last-Event-ID',
    description:
      'The `id` of the last event that came: what has changed after it is told first (WHATWG HTML, section 9.2.4).',
    schema: { type: 'string' },
    parse: (text) => text,
  },
}

const NO_CONDITIONS: RequestHeaderValues = Object.freeze({})

/**
 * Reads the headers that a route heeds.
 *
 * @throws VALIDATION_ERROR when one is not well-formed
 */
export function parseRequestHeaders(heeded: readonly RequestHeaderKey[], headers: RequestHeaders): RequestHeaderValues {
  let conditions = NO_CONDITIONS
  for (const condition of heeded) {
    const { name, parse } = REQUEST_HEADERS[condition]
    const text = headers.get(name)
    if (text !== null) conditions = { ...conditions, [condition]: parse(text) }
  }
  return conditions
}

/**
 * Whether the client has the answer of this tag already.
 *
 * @throws PRECONDITION_FAILED when it asks for another one: `If-Match` comes first (RFC 9110, section 13.2.2)
 */
export function isNotModified({ ifMatch, ifNoneMatch }: RequestHeaderValues, tag: string): boolean {
  requireTagMatch(ifMatch, tag)
  return ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)
}

/** The conditions of a write. */
export const getPreconditions = ({ ifMatch, ifNoneMatch }: RequestHeaderValues): Preconditions => ({
  ifMatch,
  ifNoneMatch,
})
