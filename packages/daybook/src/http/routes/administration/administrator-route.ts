import type { Administration } from '../../../auth/administration/administration.ts'
import type { ErrorCode } from '../../../errors.ts'
import { NO_PARAMETERS } from '../../../query/parameters.ts'
import {
  type AnswerContract,
  type HeaderName,
  type PathParameters,
  PLAIN_ERRORS,
  type RouteContract,
} from '../../contract.ts'
import { PRIVATE, type Reply } from '../../respond.ts'

const HEADERS: readonly HeaderName[] = ['Cache-Control', 'Vary']

/** What all routes of administrators share. */
type AdministratorRoute = Required<
  Pick<
    RouteContract<typeof NO_PARAMETERS, unknown>,
    'protection' | 'changesNothing' | 'parameters' | 'conditions' | 'admit'
  >
>

/** What all routes of administrators share: their rights are asked before a body is read. */
export const administratorRoute = (administration: Administration): AdministratorRoute => ({
  protection: 'session',
  changesNothing: true,
  parameters: NO_PARAMETERS,
  conditions: [],
  admit: async (_request, _path, { caller }) => administration.requireAdministrator(caller),
})

/** Errors of a request that names nothing. */
export const LIST_ERRORS: readonly ErrorCode[] = [...PLAIN_ERRORS, 'UNAUTHORIZED', 'FORBIDDEN']
/** Errors of a request that makes something. */
export const CREATE_ERRORS: readonly ErrorCode[] = [
  ...LIST_ERRORS,
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
/** Errors of a request that ends something. */
export const DELETE_ERRORS: readonly ErrorCode[] = [...LIST_ERRORS, 'NOT_FOUND']

/** An answer that no cache keeps. */
export const answer = (
  status: 200 | 201,
  description: string,
  schema: NonNullable<AnswerContract['schema']>,
  name: string,
): AnswerContract => ({ status, description, schema, name, headers: HEADERS })

/** The answer of what has ended. */
export const gone = (description: string): AnswerContract => ({ status: 204, description, headers: ['Cache-Control'] })

export const reply = (status: 200 | 201, value: unknown): Reply => ({
  status,
  json: JSON.stringify(value),
  headers: PRIVATE,
})

export const goneReply = (): Reply => ({ status: 204, headers: { 'Cache-Control': PRIVATE['Cache-Control'] } })

/** The id at the end of a path. */
export const idOf = (what: string, example: string): PathParameters => ({
  id: { description: `The id of the ${what}.`, schema: { type: 'string', minLength: 1 }, example },
})
