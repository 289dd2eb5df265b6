import type { Administration } from '../../auth/administration.ts'
import type { ContentContext } from '../../content/context.ts'
import { listOutstanding } from '../../content/drafts/index.ts'
import type { ErrorCode } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import { NO_PARAMETERS, textParameter } from '../../query/parameters.ts'
import { jsonBody } from '../body.ts'
import {
  COMMON_ERRORS,
  defineRoute,
  type HeaderName,
  type PathParameters,
  type ResponseContract,
  type Route,
  type RouteContract,
} from '../contract.ts'
import { type HttpResponse, PRIVATE_HEADERS } from '../response.ts'
import { EXAMPLE_ID, objectSchema } from './schemas.ts'

const HEADERS: readonly HeaderName[] = ['Cache-Control', 'Vary']

type AdministratorRoute = Required<
  Pick<
    RouteContract<typeof NO_PARAMETERS, unknown>,
    'protection' | 'changesNothing' | 'parameters' | 'requestHeaders' | 'admit'
  >
>

/** Returns the common members of all routes for administrators, who are authorized before the body is read. */
export const administratorRoute = (administration: Administration): AdministratorRoute => ({
  protection: 'session',
  changesNothing: true,
  parameters: NO_PARAMETERS,
  requestHeaders: [],
  admit: async (_request, _path, { caller }) => administration.requireAdministrator(caller),
})

export const LIST_ERRORS: readonly ErrorCode[] = [...COMMON_ERRORS, 'UNAUTHORIZED', 'FORBIDDEN']
export const CREATE_ERRORS: readonly ErrorCode[] = [
  ...LIST_ERRORS,
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
export const DELETE_ERRORS: readonly ErrorCode[] = [...LIST_ERRORS, 'NOT_FOUND']

export const describeResponse = (
  status: 200 | 201,
  description: string,
  schema: NonNullable<ResponseContract['schema']>,
  name: string,
): ResponseContract => ({ status, description, schema, name, headers: HEADERS })

export const describeNoContent = (description: string): ResponseContract => ({
  status: 204,
  description,
  headers: ['Cache-Control'],
})

export const toJsonResponse = (status: 200 | 201, value: unknown): HttpResponse => ({
  status,
  json: JSON.stringify(value),
  headers: PRIVATE_HEADERS,
})

export const noContentResponse = (): HttpResponse => ({
  status: 204,
  headers: { 'Cache-Control': PRIVATE_HEADERS['Cache-Control'] },
})

export const describeId = (what: string, example: string): PathParameters => ({
  id: { description: `The id of the ${what}.`, schema: { type: 'string', minLength: 1 }, example },
})

const ROLES: JsonSchema = {
  type: 'array',
  items: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,48}$' },
  minItems: 1,
  maxItems: 20,
}

/** The lifetime of an invitation or a token, in days. */
const DAYS: JsonSchema = { type: 'integer', minimum: 1, maximum: 3650 }

const INVITATIONS_PATH = '/api/cms/auth/invitations'

const INVITATION_FIELDS = {
  id: { type: 'string' },
  email: { type: 'string' },
  roles: { type: 'array', items: { type: 'string' } },
  expiresAt: { type: 'string', format: 'date-time' },
} as const

const INVITATION: JsonSchema = objectSchema(INVITATION_FIELDS)
const INVITATIONS: JsonSchema = objectSchema({ items: { type: 'array', items: INVITATION } })
const CREATED_INVITATION: JsonSchema = objectSchema({
  ...INVITATION_FIELDS,
  secret: { type: 'string', description: 'The value of `invitation` in the registration.' },
})

const NEW_INVITATION: JsonSchema = {
  ...objectSchema(
    { email: { type: 'string', format: 'email', maxLength: 254 } },
    { roles: { ...ROLES, default: ['user'] }, days: { ...DAYS, default: 7 } },
  ),
  additionalProperties: false,
}

function invitationRoutes(administration: Administration): readonly Route[] {
  const common = administratorRoute(administration)
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: INVITATIONS_PATH,
      operationId: 'listInvitations',
      summary: 'Lists the valid invitations; for administrators.',
      responses: [describeResponse(200, 'The invitations, without their secrets.', INVITATIONS, 'invitations')],
      errors: LIST_ERRORS,
      run: async () => toJsonResponse(200, { items: await administration.listInvitations() }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: INVITATIONS_PATH,
      operationId: 'createInvitation',
      summary: 'Creates an invitation to register; for administrators, with `registration: invite`.',
      body: jsonBody('The e-mail address, the roles, and the lifetime in days.', NEW_INVITATION),
      responses: [
        describeResponse(201, 'The invitation. Its secret is shown once.', CREATED_INVITATION, 'madeInvitation'),
      ],
      errors: CREATE_ERRORS,
      run: async ({ body }) => toJsonResponse(201, await administration.invite(body)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${INVITATIONS_PATH}/:id`,
      pathParameters: describeId('invitation', EXAMPLE_ID),
      operationId: 'withdrawInvitation',
      summary: 'Withdraws an invitation; for administrators.',
      responses: [describeNoContent('The invitation is withdrawn.')],
      errors: DELETE_ERRORS,
      run: async ({ path }) => {
        await administration.withdrawInvitation(path.id ?? '')
        return noContentResponse()
      },
    }),
  ]
}

const TOKENS_PATH = '/api/cms/auth/tokens'

const TIME_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const TEXTS: JsonSchema = { type: 'array', items: { type: 'string' } }

const TOKEN_FIELDS = {
  id: { type: 'string' },
  name: { type: 'string' },
  prefix: { type: 'string', description: 'The beginning of the token.' },
  scopes: TEXTS,
  roles: TEXTS,
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt: { ...TIME_OR_NULL, description: '`null`: it does not expire.' },
  lastUsedAt: { ...TIME_OR_NULL, description: 'To the minute; `null`: never.' },
} as const

const TOKENS: JsonSchema = objectSchema({ items: { type: 'array', items: objectSchema(TOKEN_FIELDS) } })
const CREATED_TOKEN: JsonSchema = objectSchema({
  ...TOKEN_FIELDS,
  token: { type: 'string', description: 'The credential.' },
})

const NEW_TOKEN: JsonSchema = {
  ...objectSchema(
    {
      name: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' },
      scopes: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 200,
        examples: [['*:read']],
        description: 'Its permissions: `posts:update`, `posts:*`, `*:read`, `globals.site:update`, `export` or `*`.',
      },
    },
    { roles: { ...ROLES, default: ['service'] }, days: DAYS },
  ),
  additionalProperties: false,
}

function tokenRoutes(administration: Administration): readonly Route[] {
  const common = administratorRoute(administration)
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: TOKENS_PATH,
      operationId: 'listTokens',
      summary: 'Lists the tokens of programs; for administrators.',
      responses: [describeResponse(200, 'The tokens, without their secrets, the newest first.', TOKENS, 'tokens')],
      errors: LIST_ERRORS,
      run: async () => toJsonResponse(200, { items: await administration.listTokens() }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: TOKENS_PATH,
      operationId: 'createToken',
      summary: 'Creates a token for a program; for administrators.',
      body: jsonBody(
        'The name, the permissions, and the lifetime in days; by default, the token does not expire.',
        NEW_TOKEN,
      ),
      responses: [describeResponse(201, 'The token. It is shown once.', CREATED_TOKEN, 'madeToken')],
      errors: CREATE_ERRORS,
      run: async ({ body }) => toJsonResponse(201, await administration.createToken(body)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${TOKENS_PATH}/:id`,
      pathParameters: describeId('token', '420e3f0d3ac6'),
      operationId: 'revokeToken',
      summary: 'Revokes a token of a program; for administrators.',
      responses: [describeNoContent('The token is revoked.')],
      errors: DELETE_ERRORS,
      run: async ({ path }) => {
        await administration.revokeToken(path.id ?? '')
        return noContentResponse()
      },
    }),
  ]
}

const TEXT: JsonSchema = { type: 'string' }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const listOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'array',
  items: objectSchema({ collection: TEXT, id: TEXT, ...properties }),
})

const OUTSTANDING: JsonSchema = objectSchema({
  previews: listOf({ expiresAt: TIME }),
  schedules: listOf({ action: { enum: ['publish', 'unpublish'] }, at: TIME }),
  totals: objectSchema({ previews: COUNT, schedules: COUNT }),
})

/** The route of the previews and schedules of an account or a token. */
function outstandingRoutes(administration: Administration, context: ContentContext): readonly Route[] {
  return [
    defineRoute({
      ...administratorRoute(administration),
      method: 'GET',
      path: '/api/cms/auth/outstanding',
      operationId: 'listOutstanding',
      summary: 'Lists the previews and schedules of an account or a token; for administrators.',
      parameters: {
        subject: {
          ...textParameter('The subject of the account or the token.', { minLength: 1, examples: [EXAMPLE_ID] }),
          isRequired: true,
        },
      },
      responses: [
        describeResponse(
          200,
          'The previews, those that expire last first, and the schedules, the earliest first: at most 100 of each.',
          OUTSTANDING,
          'outstanding',
        ),
      ],
      errors: LIST_ERRORS,
      run: async ({ query }) => toJsonResponse(200, await listOutstanding(context.store, query.values.subject ?? '')),
    }),
  ]
}

export interface AdministrationRouteParts {
  /** `undefined` if accounts are not in the database of the service. */
  readonly administration: Administration | undefined
  readonly context: ContentContext
}

/** The routes for administrators, if accounts are in the database of the service. */
export function administrationRoutes({ administration, context }: AdministrationRouteParts): readonly Route[] {
  if (!administration) return []
  return [
    ...invitationRoutes(administration),
    ...tokenRoutes(administration),
    ...outstandingRoutes(administration, context),
  ]
}
