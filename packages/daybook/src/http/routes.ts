import type { AuthCapabilities, AuthContext, Caller } from '../auth/adapter.ts'
import type { AuthGuard } from '../auth/guard.ts'
import type { Engine } from '../content/engine.ts'
import type { ExportStreams } from '../content/export-streams.ts'
import { askInGeneral, ruleOf } from '../content/rules.ts'
import type { TagCondition } from '../content/tags.ts'
import { StartupError } from '../errors.ts'
import type { Params } from '../query/params.ts'
import { action, permissions, provider, session } from './auth-handlers.ts'
import { exportContent } from './export-handler.ts'
import {
  batch,
  collectionOf,
  create,
  get,
  getGlobal,
  globalOf,
  health,
  list,
  patch,
  putGlobal,
  ready,
  references,
  remove,
  update,
} from './handlers.ts'
import type { Reply } from './respond.ts'

/** Methods that a route can have; HEAD and OPTIONS come from the others. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a route is given. */
export interface RouteRequest {
  readonly engine: Engine
  readonly caller: Caller
  /** Path parameters, decoded: `collection` or `key`, and `entry` for a slug or id. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Params
  readonly ifMatch: TagCondition | undefined
  readonly ifNoneMatch: TagCondition | undefined
  /** Of a POST that may be sent again. */
  readonly idempotencyKey: string | undefined
  /** Reads and parses the JSON body. */
  readonly body: () => Promise<unknown>
  readonly auth: AuthGuard
  /** What the auth adapter is told of the request. */
  readonly context: () => AuthContext
  /** Counts an attempt to sign in or the like; throws RATE_LIMITED when there were too many. */
  readonly attempt: () => Promise<void>
  /** Reads the body of an auth action. */
  readonly input: () => Promise<Readonly<Record<string, unknown>>>
  /** The whole request, for the auth provider. */
  readonly forward: () => Promise<Request>
  /** `Cache-Control` of an answer to a reader without a session. */
  readonly publicCacheControl: string
  /** Whether the service still takes new work. */
  readonly isReady: () => Promise<boolean>
}

/** One row of the route table. */
export interface Route {
  readonly method: Method
  /** Hono's pattern syntax. */
  readonly path: string
  readonly operationId: string
  /**
   * `session`: without one it is 401, unless the config has a rule of its own for the action. `provider`: the auth adapter
   * answers, and sees to it.
   */
  readonly protection: 'public' | 'session' | 'provider'
  /** What of the config the path names; where there is none, there is no route. */
  readonly resource?: 'collection' | 'global'
  /** What a write does to it. */
  readonly action?: 'create' | 'update' | 'delete'
  readonly summary: string
  /** Answered at once, however many requests wait: it tells how the process is. */
  readonly isProbe?: boolean
  run(request: RouteRequest): Promise<Reply>
}

/**
 * Whether the config has a rule for a route's action that may let a caller without a session through.
 *
 * @throws NOT_FOUND when the path names nothing in the config
 */
export async function isOpenByRule(
  { resource, action }: Route,
  request: Pick<RouteRequest, 'engine' | 'path' | 'caller'>,
): Promise<boolean> {
  if (!resource || !action) return false
  const document = resource === 'collection' ? collectionOf(request) : globalOf(request)
  const rule = ruleOf(document, action)
  return (
    rule !== undefined && (await askInGeneral(request.engine.model, document, action, rule, request.caller)) !== false
  )
}

const PROTECTIONS: readonly unknown[] = ['public', 'session', 'provider']

/**
 * Refuses routes of which nobody says who may use them: one without a protection, and one that changes content
 * without naming the action whose rule is to be asked.
 *
 * @throws {StartupError} with every such route
 */
export function demandProtection(routes: readonly Route[]): void {
  const faults = routes.flatMap(({ method, path, protection, resource, action: named }) => {
    if (!PROTECTIONS.includes(protection)) return [`${method} ${path} has no protection; write public or session`]
    const isUnruled = resource !== undefined && method !== 'GET' && named === undefined
    return isUnruled ? [`${method} ${path} changes content; name its action, so that the config's rule is asked`] : []
  })
  if (faults.length > 0) throw new StartupError(`Routes without protection:\n  ${faults.join('\n  ')}`)
}

/**
 * Everything that the service answers. The router, `Allow` headers and the docs are made from this table;
 * where two patterns fit, the earlier one counts.
 */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/health',
    operationId: 'getHealth',
    protection: 'public',
    isProbe: true,
    summary: 'Says that the process runs.',
    run: health,
  },
  {
    method: 'GET',
    path: '/api/ready',
    operationId: 'getReady',
    protection: 'public',
    isProbe: true,
    summary: 'Says whether the service can do its work.',
    run: ready,
  },
  {
    method: 'GET',
    path: '/api/globals/:key',
    operationId: 'getGlobal',
    resource: 'global',
    protection: 'public',
    summary: 'Reads a global.',
    run: getGlobal,
  },
  {
    method: 'PUT',
    path: '/api/globals/:key',
    operationId: 'putGlobal',
    resource: 'global',
    protection: 'session',
    action: 'update',
    summary: 'Changes the fields of a global that the body names.',
    run: putGlobal,
  },
  {
    method: 'POST',
    path: '/api/batch',
    operationId: 'runBatch',
    protection: 'session',
    summary: 'Creates, changes and deletes entries in one transaction.',
    run: batch,
  },
  {
    method: 'GET',
    path: '/api/:collection',
    operationId: 'listEntries',
    resource: 'collection',
    protection: 'public',
    summary: 'Lists entries, one page at a time.',
    run: list,
  },
  {
    method: 'POST',
    path: '/api/:collection',
    operationId: 'createEntry',
    resource: 'collection',
    protection: 'session',
    action: 'create',
    summary: 'Creates an entry.',
    run: create,
  },
  {
    method: 'GET',
    path: '/api/:collection/:slug',
    operationId: 'getEntry',
    resource: 'collection',
    protection: 'public',
    summary: 'Reads an entry by its slug or id.',
    run: get,
  },
  {
    method: 'PUT',
    path: '/api/:collection/:id',
    operationId: 'updateEntry',
    resource: 'collection',
    protection: 'session',
    action: 'update',
    summary: 'Changes the fields of an entry that the body names.',
    run: update,
  },
  {
    method: 'PATCH',
    path: '/api/:collection/:id',
    operationId: 'patchEntry',
    resource: 'collection',
    protection: 'session',
    action: 'update',
    summary: 'Merges the body into an entry (RFC 7396).',
    run: patch,
  },
  {
    method: 'GET',
    path: '/api/:collection/:id/references',
    operationId: 'listReferences',
    resource: 'collection',
    protection: 'session',
    summary: 'Lists who refers to an entry.',
    run: references,
  },
  {
    method: 'DELETE',
    path: '/api/:collection/:id',
    operationId: 'deleteEntry',
    resource: 'collection',
    protection: 'session',
    action: 'delete',
    summary: 'Deletes an entry.',
    run: remove,
  },
  {
    method: 'GET',
    path: '/api/cms/auth/session',
    operationId: 'getSession',
    protection: 'public',
    summary: 'Says who is asking.',
    run: session,
  },
  {
    method: 'GET',
    path: '/api/cms/auth/permissions',
    operationId: 'getPermissions',
    protection: 'public',
    summary: 'Says what the asker may do.',
    run: permissions,
  },
  {
    method: 'POST',
    path: '/api/cms/auth/actions/:action',
    operationId: 'runAuthAction',
    protection: 'provider',
    summary: 'Runs an action of the auth adapter, such as login.',
    run: action,
  },
]

const PROVIDER_METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The provider's own routes, where it has any. */
export function providerRoutes({ providerRoutes: { enabled, basePath } }: AuthCapabilities): readonly Route[] {
  if (!enabled || basePath === undefined) return []
  return PROVIDER_METHODS.map((method) => ({
    method,
    path: `${basePath}/*`,
    operationId: `${method.toLowerCase()}AuthProvider`,
    protection: 'provider',
    summary: 'Answered by the auth provider.',
    run: provider,
  }))
}

/** The route of the export, which not every service has. */
export const EXPORT_ROUTE: Omit<Route, 'run'> = {
  method: 'GET',
  path: '/api/export',
  operationId: 'exportContent',
  protection: 'session',
  summary: 'Sends all content as lines of JSON.',
}

/** The export, where it is switched on. */
export function exportRoutes(streams: ExportStreams | undefined): readonly Route[] {
  if (!streams) return []
  return [{ ...EXPORT_ROUTE, run: (request) => exportContent(request, streams) }]
}
