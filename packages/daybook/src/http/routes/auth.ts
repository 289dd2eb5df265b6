import type { AuthContext } from '../../auth/adapter.ts'
import type { AuthGuard } from '../../auth/guard.ts'
import type { SignInLimiter } from '../../auth/sign-in-limiter.ts'
import { resolvePermissions } from '../../content/access/permissions.ts'
import type { ContentContext } from '../../content/context.ts'
import { resolveDocumentPermissions } from '../../content/description/document-permissions.ts'
import type { ErrorCode } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import { PEOPLE_PARAMETERS, PERMISSIONS_PARAMETERS, readDocumentName } from '../../query/auth-query.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import {
  findAccountNames,
  getAttemptKind,
  isCountedAction,
  readAccountNames,
  readActionInput,
  toProviderRequest,
} from '../auth-input.ts'
import { readBody } from '../body.ts'
import {
  type ActionContract,
  type BodyContract,
  COMMON_ERRORS,
  defineRoute,
  type Method,
  type Route,
} from '../contract.ts'
import { type HttpRequest, toAuthContext } from '../request.ts'
import { fromWebResponse, PRIVATE_HEADERS } from '../response.ts'
import { ACTIONS_SCHEMA, ACTOR_NAMES_SCHEMA, PERMISSIONS_SCHEMA, SESSION_SCHEMA } from './schemas.ts'

export interface AuthParts {
  readonly auth: AuthGuard
  readonly signIns: SignInLimiter
  readonly context: ContentContext
  /** The number of proxies that are trusted to name the client's address. */
  readonly trustProxy: number
}

export function authRoutes(parts: AuthParts): readonly Route[] {
  return [
    sessionRoute(parts),
    actionsRoute(parts),
    permissionsRoute(parts),
    peopleRoute(parts),
    actionRoute(parts),
    ...providerRoutes(parts),
  ]
}

const PUBLIC = {
  method: 'GET',
  protection: 'public',
  parameters: NO_PARAMETERS,
  requestHeaders: ['ifMatch', 'ifNoneMatch'],
  errors: COMMON_ERRORS,
} as const

const sessionRoute = ({ auth }: AuthParts): Route =>
  defineRoute({
    ...PUBLIC,
    path: '/api/cms/auth/session',
    operationId: 'getSession',
    summary: 'Returns the session of the request.',
    responses: [
      {
        status: 200,
        description: 'The caller: `authenticated`, `principal` and `identity`, both `null` without a session.',
        schema: SESSION_SCHEMA,
        name: 'session',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    run: async ({ access }) => ({ status: 200, json: auth.serializeSession(access.caller), headers: PRIVATE_HEADERS }),
  })

const actionsRoute = ({ auth }: AuthParts): Route =>
  defineRoute({
    ...PUBLIC,
    path: '/api/cms/auth/actions',
    operationId: 'getAuthActions',
    summary: 'Lists the actions of the auth adapter.',
    responses: [
      {
        status: 200,
        description:
          'The input of each action, by name. Without `login`, sessions have another origin, such as tokens.',
        schema: ACTIONS_SCHEMA,
        name: 'authActions',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    run: async () => ({ status: 200, json: JSON.stringify({ actions: auth.actions }), headers: PRIVATE_HEADERS }),
  })

const permissionsRoute = ({ context }: AuthParts): Route =>
  defineRoute({
    ...PUBLIC,
    path: '/api/cms/auth/permissions',
    operationId: 'getPermissions',
    summary: 'Returns the permissions of the caller, in general or on one document.',
    parameters: PERMISSIONS_PARAMETERS,
    // To compare the result of an update with a filter, it is written in a transaction that is rolled back.
    errors: [...COMMON_ERRORS, 'NOT_FOUND', 'INSUFFICIENT_STORAGE'],
    responses: [
      {
        status: 200,
        description:
          'By collection and global: true, false, or `some` where it depends on the entry. On one document: true or false.',
        schema: PERMISSIONS_SCHEMA,
        name: 'permissions',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    run: async ({ access, query }) => {
      const name = readDocumentName(query)
      const permissions = name
        ? await resolveDocumentPermissions(context, access, name)
        : await resolvePermissions(context.model, access)
      return { status: 200, json: JSON.stringify(permissions), headers: PRIVATE_HEADERS }
    },
  })

const peopleRoute = ({ auth }: AuthParts): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/cms/auth/people',
    operationId: 'listPeople',
    protection: 'session',
    summary: 'Returns the names of actors.',
    parameters: PEOPLE_PARAMETERS,
    requestHeaders: [],
    responses: [
      {
        status: 200,
        description: 'The names that are known: of accounts and of tokens.',
        schema: ACTOR_NAMES_SCHEMA,
        name: 'people',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED'],
    run: async ({ query }) => {
      const people = await auth.findNames(query.values.subjects ?? [])
      return { status: 200, json: JSON.stringify({ people }), headers: PRIVATE_HEADERS }
    },
  })

/** The errors of an adapter's action, and those that precede it. */
const PROVIDER_ERRORS: readonly ErrorCode[] = [
  ...COMMON_ERRORS,
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'NOT_IMPLEMENTED',
]

const ANYTHING: JsonSchema = { type: 'object' }

const INPUT: BodyContract<Readonly<Record<string, unknown>>> = {
  description: 'The input of the action.',
  mediaTypes: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  schema: ANYTHING,
  isRequired: false,
  read: readActionInput,
}

/** A body that is forwarded unchanged. */
const ANY_BODY: BodyContract<Uint8Array<ArrayBuffer>> = {
  description: 'The body for the provider.',
  mediaTypes: ['*/*'],
  schema: {},
  isRequired: false,
  read: readBody,
}

const TEXT: JsonSchema = { type: 'string', minLength: 1 }
const describeInput = (...names: readonly string[]): ActionContract => ({
  input: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, TEXT])), required: names },
})

/** The actions that every service has a path for, whatever its adapter supports. */
const CANONICAL_ACTIONS: Readonly<Record<string, ActionContract>> = {
  login: describeInput('email', 'password'),
  register: describeInput('name', 'email', 'password'),
  logout: {},
}

/** The names of actions that the OpenAPI document lists. Others can be run, too. */
const ACTION_NAME = /^[\w.-]+$/

function listActions(
  adapterActions: Readonly<Record<string, ActionContract>> = {},
): Readonly<Record<string, ActionContract>> {
  const namedActions = Object.entries(adapterActions).filter(([name]) => ACTION_NAME.test(name))
  const merged = namedActions.map(([name, action]) => [name, { ...CANONICAL_ACTIONS[name], ...action }])
  return { ...CANONICAL_ACTIONS, ...Object.fromEntries(merged) }
}

function actionRoute(parts: AuthParts): Route {
  const getContext = makeContextReader(parts)
  return defineRoute({
    method: 'POST',
    path: '/api/cms/auth/actions/:action',
    operationId: 'runAuthAction',
    protection: 'provider',
    summary: 'Runs an action of the auth adapter, such as login.',
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'idempotencyKey'],
    body: INPUT,
    actions: listActions(parts.auth.capabilities.actions),
    errors: PROVIDER_ERRORS,
    admit: async (request, { action = '' }) => {
      if (isCountedAction(action)) await parts.signIns.countClientAttempt(getContext(request).address)
    },
    run: async ({ body, path: { action = '' }, request }) => {
      if (isCountedAction(action)) await parts.signIns.countAccountAttempts('sign-in', findAccountNames(body))
      return fromWebResponse(await parts.auth.invoke(action, body, getContext(request)))
    },
  })
}

const PROVIDER_METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function providerRoutes(parts: AuthParts): readonly Route[] {
  const { enabled, basePath } = parts.auth.capabilities.providerRoutes
  if (!enabled || basePath === undefined) return []
  const getContext = makeContextReader(parts)
  return PROVIDER_METHODS.map((method) =>
    defineRoute({
      method,
      path: `${basePath}/*`,
      operationId: `${method.toLowerCase()}AuthProvider`,
      protection: 'provider',
      summary: 'Forwards a request to the auth provider.',
      requestHeaders: method === 'POST' ? ['ifMatch', 'ifNoneMatch', 'idempotencyKey'] : ['ifMatch', 'ifNoneMatch'],
      errors: PROVIDER_ERRORS,
      ...(method === 'GET' ? {} : { body: ANY_BODY }),
      admit: async (request) => {
        if (getAttemptKind(request)) await parts.signIns.countClientAttempt(getContext(request).address)
      },
      run: async ({ body, request }) => {
        const kind = getAttemptKind(request)
        if (kind && body) {
          const names = await readAccountNames(body, request.headers.get('content-type'))
          await parts.signIns.countAccountAttempts(kind, names)
        }
        const context = getContext(request)
        return fromWebResponse(
          await parts.auth.handleProviderRequest(toProviderRequest(request, context, body), context),
        )
      },
    }),
  )
}

const makeContextReader =
  ({ trustProxy }: AuthParts) =>
  (request: HttpRequest): AuthContext =>
    toAuthContext(request, trustProxy)
