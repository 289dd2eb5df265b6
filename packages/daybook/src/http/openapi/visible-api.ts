import { ANONYMOUS } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { type FieldRights, resolveFieldRights } from '../../content/access/field-access.ts'
import { findReadOnlyKeys, resolvePermission } from '../../content/access/permissions.ts'
import { type Action, type CollectionOrGlobal, getRule } from '../../content/access/rules.ts'
import type { Model } from '../../model/model.ts'
import type { Route } from '../contract.ts'
import { isOpenByRule } from '../protection.ts'

/** What a reader may do with the fields of a document. */
interface ReaderRights extends FieldRights {
  /** Fields that the reader may read and not write. */
  readonly readOnly: readonly string[]
}

/** What one reader may know of the service. */
export interface VisibleApi {
  /** Collections and globals that the reader may read or write, each with what the reader may do with its fields. */
  readonly documents: ReadonlyMap<CollectionOrGlobal, ReaderRights>
  /** Those of them that the reader may read. */
  readonly readable: ReadonlySet<CollectionOrGlobal>
  /** The routes of these documents, and those that are about no document; of a document that the reader may only write, its writes. */
  readonly routes: readonly Route[]
  /** Those of them that answer 401 without a session. */
  readonly sessionRoutes: ReadonlySet<Route>
  /** True if the reader may ask for all locales at once. */
  readonly canReadAllLocales: boolean
}

/** The same in a config with rules. */
interface RuledApiReader extends VisibleApi {
  /** Equal for readers with equal knowledge. */
  readonly cacheKey: string
}

/** A reader of a config without rules: they differ in which documents they may know the people of. */
export function resolveApiWithoutRules(model: Model, routes: readonly Route[], access: Access): VisibleApi {
  const documents = documentsOf(model)
  return {
    documents: new Map(
      documents.map((document) => [document, { ...resolveFieldRights(document, access), readOnly: [] }]),
    ),
    readable: new Set(documents),
    routes,
    sessionRoutes: new Set(routes.filter(({ protection }) => protection === 'session')),
    canReadAllLocales: readsAllLocales(model, access),
  }
}

/** Asks the rules of the config what a reader may know. */
export async function resolveVisibleApi(
  model: Model,
  routes: readonly Route[],
  access: Access,
): Promise<RuledApiReader> {
  const documents = new Map<CollectionOrGlobal, ReaderRights>()
  const allowed = new Map<CollectionOrGlobal, readonly Action[]>()
  for (const document of documentsOf(model)) {
    const actions = await actionsOn(model, document, access)
    const rights = actions.length > 0 ? rightsOn(document, access) : undefined
    if (!rights) continue
    documents.set(document, rights)
    allowed.set(document, actions)
  }
  const shown = routes.filter(({ resource, action }) => {
    const actions = resource && allowed.get(resource)
    return (
      !resource || actions?.includes('read') === true || (action !== undefined && actions?.includes(action) === true)
    )
  })
  const sessionRoutes = new Set<Route>()
  for (const route of shown) if (await needsSession(model, route)) sessionRoutes.add(route)
  const known = [...documents].map(([{ kind, key }, { hidden, absent, hasAuthors, readOnly }]) => [
    kind,
    key,
    hasAuthors,
    [...hidden],
    [...absent],
    readOnly,
  ])
  const isAll = readsAllLocales(model, access)
  const variant = JSON.stringify([known, [...allowed.values()].map(String), [...sessionRoutes].map(nameOf), isAll])
  const readable = new Set([...documents.keys()].filter((document) => allowed.get(document)?.includes('read')))
  return { documents, readable, routes: shown, sessionRoutes, canReadAllLocales: isAll, cacheKey: variant }
}

const readsAllLocales = ({ locales }: Model, { isAuthenticated }: Access): boolean =>
  locales !== undefined && isAuthenticated

/** Tells readers of a config without rules apart: by the documents whose people they may know, and by the locales they may ask for. */
export const getCacheKeyWithoutRules = (model: Model, access: Access): string =>
  [...documentsOf(model).map((document) => access.canSeeAuthors(document)), readsAllLocales(model, access)]
    .map(Number)
    .join('')

const documentsOf = ({ collections, globals }: Model): readonly CollectionOrGlobal[] => [
  ...collections.values(),
  ...globals.values(),
]

/** `read` alone for a reader of the document, who sees all of its routes; otherwise the writes that the reader may make. */
async function actionsOn(model: Model, document: CollectionOrGlobal, access: Access): Promise<readonly Action[]> {
  const may = (action: Action): Promise<boolean> =>
    resolvePermission(model, document, action, access).then(
      (permission) => permission !== false,
      // A rule that fails refuses.
      () => false,
    )
  if (await may('read')) return ['read']
  const actions: Action[] = []
  for (const action of WRITES[document.kind]) if (await may(action)) actions.push(action)
  return actions
}

const WRITES: Readonly<Record<CollectionOrGlobal['kind'], readonly Action[]>> = {
  collection: ['create', 'update', 'delete'],
  global: ['update'],
}

/** `undefined`: a rule failed, so that the rights are unknown. */
function rightsOn(document: CollectionOrGlobal, access: Access): ReaderRights | undefined {
  try {
    return { ...resolveFieldRights(document, access), readOnly: findReadOnlyKeys(document, access) }
  } catch {
    return undefined
  }
}

/** Whether a route is closed to callers without a session: by default, or by a rule; rules open routes, too. */
async function needsSession(model: Model, route: Route): Promise<boolean> {
  const { protection, resource, action } = route
  if (protection === 'session') return !(await isOpenByRule(model, route, ANONYMOUS).catch(() => false))
  if (!resource || action || !getRule(resource, 'read')) return false
  const permission = resolvePermission(model, resource, 'read', new Access(model, ANONYMOUS))
  return !(await permission.catch(() => false))
}

const nameOf = ({ operationId, resource }: Route): string => `${operationId} ${resource?.key}`
