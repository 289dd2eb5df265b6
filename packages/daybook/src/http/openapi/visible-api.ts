import { ANONYMOUS } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { type FieldRights, resolveFieldRights } from '../../content/access/field-access.ts'
import { findReadOnlyKeys, resolvePermission } from '../../content/access/permissions.ts'
import { type Action, type CollectionOrGlobal, getRule } from '../../content/access/rules.ts'
import type { Model } from '../../model/model.ts'
import type { Route } from '../contract.ts'
import { isOpenByRule } from '../protection.ts'

/** The access of a caller to the fields of a document. */
interface CallerFieldRights extends FieldRights {
  /** The fields that the caller may read but not write. */
  readonly readOnly: readonly string[]
}

/** The part of the API that one caller may know. */
export interface VisibleApi {
  /** The collections and globals that the caller may read or write, with the access to their fields. */
  readonly documents: ReadonlyMap<CollectionOrGlobal, CallerFieldRights>
  /** The documents that the caller may read. */
  readonly readable: ReadonlySet<CollectionOrGlobal>
  /** The routes of these documents, and routes without a document. A document that the caller may only write has only routes that write. */
  readonly routes: readonly Route[]
  /** The routes that respond with 401 without a session. */
  readonly sessionRoutes: ReadonlySet<Route>
  /** True if the caller may request all locales at once. */
  readonly canReadAllLocales: boolean
}

/** The visible API in a config with access rules. */
interface RuledVisibleApi extends VisibleApi {
  /** Equal for callers who may know the same. */
  readonly cacheKey: string
}

/** Resolves the visible API in a config without access rules. It depends only on the documents whose authors the caller may see. */
export function resolveApiWithoutRules(model: Model, routes: readonly Route[], access: Access): VisibleApi {
  const documents = listDocuments(model)
  return {
    documents: new Map(
      documents.map((document) => [document, { ...resolveFieldRights(document, access), readOnly: [] }]),
    ),
    readable: new Set(documents),
    routes,
    sessionRoutes: new Set(routes.filter(({ protection }) => protection === 'session')),
    canReadAllLocales: mayReadAllLocales(model, access),
  }
}

export async function resolveVisibleApi(
  model: Model,
  routes: readonly Route[],
  access: Access,
): Promise<RuledVisibleApi> {
  const documents = new Map<CollectionOrGlobal, CallerFieldRights>()
  const allowed = new Map<CollectionOrGlobal, readonly Action[]>()
  for (const document of listDocuments(model)) {
    const actions = await resolveActions(model, document, access)
    const rights = actions.length > 0 ? resolveCallerRights(document, access) : undefined
    if (!rights) continue
    documents.set(document, rights)
    allowed.set(document, actions)
  }
  const visibleRoutes = routes.filter(({ resource, action }) => {
    const actions = resource && allowed.get(resource)
    return (
      !resource || actions?.includes('read') === true || (action !== undefined && actions?.includes(action) === true)
    )
  })
  const sessionRoutes = new Set<Route>()
  for (const route of visibleRoutes) if (await needsSession(model, route)) sessionRoutes.add(route)
  const knownDocuments = [...documents].map(([{ kind, key }, { hidden, absent, hasAuthors, readOnly }]) => [
    kind,
    key,
    hasAuthors,
    [...hidden],
    [...absent],
    readOnly,
  ])
  const canReadAllLocales = mayReadAllLocales(model, access)
  const cacheKey = JSON.stringify([
    knownDocuments,
    [...allowed.values()].map(String),
    [...sessionRoutes].map(getRouteKey),
    canReadAllLocales,
  ])
  const readable = new Set([...documents.keys()].filter((document) => allowed.get(document)?.includes('read')))
  return { documents, readable, routes: visibleRoutes, sessionRoutes, canReadAllLocales, cacheKey }
}

const mayReadAllLocales = ({ locales }: Model, { isAuthenticated }: Access): boolean =>
  locales !== undefined && isAuthenticated

/** Returns the cache key in a config without access rules, from the documents whose authors and the locales that the caller may see. */
export const getCacheKeyWithoutRules = (model: Model, access: Access): string =>
  [...listDocuments(model).map((document) => access.canSeeAuthors(document)), mayReadAllLocales(model, access)]
    .map(Number)
    .join('')

const listDocuments = ({ collections, globals }: Model): readonly CollectionOrGlobal[] => [
  ...collections.values(),
  ...globals.values(),
]

/** Returns `read` if the caller may read the document, who then sees all of its routes; otherwise the permitted writes. */
async function resolveActions(model: Model, document: CollectionOrGlobal, access: Access): Promise<readonly Action[]> {
  const isPermitted = (action: Action): Promise<boolean> =>
    resolvePermission(model, document, action, access).then(
      (permission) => permission !== false,
      // A rule that throws denies access.
      () => false,
    )
  if (await isPermitted('read')) return ['read']
  const actions: Action[] = []
  for (const action of WRITES[document.kind]) if (await isPermitted(action)) actions.push(action)
  return actions
}

const WRITES: Readonly<Record<CollectionOrGlobal['kind'], readonly Action[]>> = {
  collection: ['create', 'update', 'delete'],
  global: ['update'],
}

/** Returns the access to fields; `undefined` if a rule has thrown. */
function resolveCallerRights(document: CollectionOrGlobal, access: Access): CallerFieldRights | undefined {
  try {
    return { ...resolveFieldRights(document, access), readOnly: findReadOnlyKeys(document, access) }
  } catch {
    return undefined
  }
}

/** True if a route requires a session: by default or by a rule. Rules also open routes. */
async function needsSession(model: Model, route: Route): Promise<boolean> {
  const { protection, resource, action } = route
  if (protection === 'session') return !(await isOpenByRule(model, route, ANONYMOUS).catch(() => false))
  if (!resource || action || !getRule(resource, 'read')) return false
  const permission = resolvePermission(model, resource, 'read', new Access(model, ANONYMOUS))
  return !(await permission.catch(() => false))
}

const getRouteKey = ({ operationId, resource }: Route): string => `${operationId} ${resource?.key}`
