import { hash } from 'node:crypto'
import type { Access } from '../../content/access/access.ts'
import { type CallerScope, resolveCallerScope } from '../../content/access/caller-scope.ts'
import { requireLocale } from '../../content/locales/locale.ts'
import type { Projection } from '../../content/reads/index.ts'
import type { CollectionModel, DocumentModel, GlobalModel } from '../../model/model.ts'
import { unknownCollection } from '../../query/parameters.ts'
import { type Condition, relatedCollections } from '../../query/where.ts'
import { GLOBALS } from '../../store/tables/tables.ts'

/** A collection as a caller sees it. */
export interface CollectionView {
  readonly collection: CollectionModel
  /** The filter of the visible entries; `undefined` for all. */
  readonly visible: Condition | undefined
  /** The filter of the entries whose drafts are visible; `undefined` for all, `false` for none. */
  readonly visibleDrafts: Condition | undefined | false
  readonly projection: Projection
}

/** Everything that decides which documents a caller can see, and in which form. */
export interface CallerView {
  /** The requested collections that the caller may read, in the order of their keys. */
  readonly collections: ReadonlyMap<string, CollectionView>
  /** The globals that the caller may read, in the order of their keys; none unless `globals` is requested. */
  readonly globals: ReadonlyMap<GlobalModel, Projection>
  /** Keys of the collections that the filters of rules read through relations. */
  readonly dependencies: ReadonlySet<string>
  /** A digest, equal for callers who see the same documents in the same form. */
  readonly fingerprint: string
}

/**
 * Evaluates the access rules for a caller.
 *
 * @param keys keys of the requested collections, and `globals`; `undefined` for all
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function resolveView(access: Access, keys: readonly string[] | undefined): Promise<CallerView> {
  const { model } = access
  const scope = await resolveCallerScope(access, requireLocale(model, {}, access))
  const isRequested = (key: string): boolean => keys === undefined || keys.includes(key)
  const requested = [...model.collections.values()].filter(({ key }) => isRequested(key)).sort(byKey)
  const views = await Promise.all(requested.map((collection) => viewCollection(collection, scope)))
  const collections = views.filter((view) => view !== undefined)
  const globals = isRequested(GLOBALS) ? await viewGlobals(access) : []
  const parts = [
    model.locales?.default,
    collections.map(describeCollection),
    globals.map(([global, projection]) => describe(global, projection)),
  ]
  return {
    collections: new Map(collections.map((view) => [view.collection.key, view])),
    globals: new Map(globals),
    dependencies: new Set(collections.flatMap(({ visible }) => relatedCollections(visible)).map(({ key }) => key)),
    fingerprint: hash('sha256', JSON.stringify(parts), 'base64url'),
  }
}

/** @throws VALIDATION_ERROR if the caller may not read a requested collection */
export function requireReadable({ collections, globals }: CallerView, keys: readonly string[] = []): void {
  for (const key of keys) {
    const isReadable = key === GLOBALS ? globals.size > 0 : collections.has(key)
    if (!isReadable) throw unknownCollection(key)
  }
}

interface RuledView extends CollectionView {
  /** The filter of the access rules as text; `undefined` if there is none. */
  readonly rule: string | undefined
  readonly isPublishedOnly: boolean
}

/** @returns `undefined` if the caller may not read the collection */
async function viewCollection(collection: CollectionModel, scope: CallerScope): Promise<RuledView | undefined> {
  const { access } = scope
  const visibility = await access.resolveVisibility(collection)
  if (visibility === false) return undefined
  const visible = scope.whereVisible(collection)
  return {
    collection,
    visible,
    visibleDrafts: await viewDrafts(collection, access, visible),
    projection: projectionFor(collection, access),
    rule: visibility.filter?.cacheKey,
    isPublishedOnly: visibility.isPublishedOnly,
  }
}

/** A rule that decides for each entry has no filter, so a list contains no drafts. */
async function viewDrafts(
  collection: CollectionModel,
  access: Access,
  visible: Condition | undefined,
): Promise<Condition | undefined | false> {
  const draftAccess = await access.evaluateDraftAccess(collection)
  if (draftAccess === 'entry' || draftAccess === false) return false
  if (draftAccess === true) return visible
  return visible ? { kind: 'all', of: [visible, draftAccess.where] } : draftAccess.where
}

async function viewGlobals(access: Access): Promise<readonly (readonly [GlobalModel, Projection])[]> {
  const readable: (readonly [GlobalModel, Projection])[] = []
  for (const global of [...access.model.globals.values()].sort(byKey))
    if ((await access.evaluateRead(global)) !== false) readable.push([global, projectionFor(global, access)])
  return readable
}

const byKey = (a: DocumentModel, b: DocumentModel): number => (a.key < b.key ? -1 : 1)

const projectionFor = (document: DocumentModel, access: Access): Projection => ({
  hidden: access.hidden(document),
  hasAuthors: access.canSeeAuthors(document),
})

const describe = ({ key, schemaHash }: DocumentModel, { hidden, hasAuthors }: Projection): readonly unknown[] => [
  key,
  schemaHash,
  [...hidden],
  hasAuthors,
]

/** A change of a schema rewrites entries without a record in the journal, so schemas are part of the view. */
function describeCollection(view: RuledView): readonly unknown[] {
  const { collection, visible, projection, rule, isPublishedOnly } = view
  const dependencies = relatedCollections(visible).map(({ key, schemaHash }) => [key, schemaHash])
  return [...describe(collection, projection), collection.status?.values, rule, isPublishedOnly, dependencies]
}
