import { type Access, isPublished } from '../../content/access/access.ts'
import { type ReaderScope, readerScope } from '../../content/access/reader-scope.ts'
import type { Ruling } from '../../content/access/rules.ts'
import { variantOf } from '../../content/etags.ts'
import { requireLocale } from '../../content/locales/locale.ts'
import type { Projection } from '../../content/reads/present.ts'
import type { CollectionModel, DocumentModel, GlobalModel, Model } from '../../model/model.ts'
import { readRuleWhere } from '../../query/rule-where.ts'
import type { Condition } from '../../query/where.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { View, ViewRule } from './position.ts'

/**
 * What entries must hold to be seen: `where` in any of these ways, each by itself; none: no entry is seen. `undefined` is every
 * entry.
 */
export type SeenWheres = readonly (Condition | undefined)[]

/** What a reader may see of a collection now. */
export interface CollectionView {
  readonly collection: CollectionModel
  readonly view: View
  readonly seen: SeenWheres
  /** What entries must hold for their drafts to exist for the reader, and work on them to be told; none: no drafts exist. */
  readonly seenDrafts: SeenWheres
  readonly projection: Projection
}

/** What a reader may see of the globals now. */
export interface GlobalsView {
  readonly view: View & { readonly rule: readonly string[] }
  readonly projections: ReadonlyMap<GlobalModel, Projection>
}

/** All that a reader may see now. */
export interface ReaderViews {
  readonly collections: ReadonlyMap<string, CollectionView>
  readonly globals: GlobalsView
}

/**
 * Asks the rules what a reader may see now.
 *
 * @param keys of the collections that matter; `undefined`: all
 * @throws INTERNAL_ERROR when a rule fails
 */
export async function viewsOf(access: Access, keys: readonly string[] | undefined): Promise<ReaderViews> {
  const { model } = access
  const scope = await readerScope(access, requireLocale(model, {}, access))
  const matters = (key: string): boolean => keys === undefined || keys.includes(key)
  const collections = [...model.collections.values()].filter(({ key }) => matters(key))
  return {
    collections: new Map(
      await Promise.all(collections.map(async (one) => [one.key, await viewOf(one, access, scope)] as const)),
    ),
    globals: await globalsView(access, matters(GLOBALS) ? [...model.globals.values()] : []),
  }
}

async function viewOf(collection: CollectionModel, access: Access, scope: ReaderScope): Promise<CollectionView> {
  const visibility = await access.visibility(collection)
  const rule = visibility ? (visibility.filter?.name ?? true) : false
  const isPublicOnly = visibility ? visibility.isPublishedOnly : false
  const projection = projectionOf(collection, access)
  const name = viewName(collection, access, rule, isPublicOnly)
  const seen = visibility ? [scope.visible(collection)] : []
  const drafts = await access.rulingOnDrafts(collection)
  return {
    collection,
    view: { name, rule, isPublicOnly },
    seen,
    seenDrafts: both(seen, draftWheres(drafts)),
    projection,
  }
}

/** A rule that decides by the entry tells nothing of sets of entries. */
function draftWheres(ruling: Ruling | 'entry'): SeenWheres {
  if (typeof ruling === 'object') return [ruling.where]
  return ruling === true ? [undefined] : []
}

const projectionOf = (document: DocumentModel, access: Access): Projection => ({
  hidden: access.hidden(document),
  hasPeople: access.seesPeople(document),
})

function viewName(document: DocumentModel, access: Access, rule: ViewRule, isPublicOnly: boolean): string {
  const { hidden, hasPeople } = projectionOf(document, access)
  const statuses = 'status' in document ? (document as CollectionModel).status?.values : undefined
  const { locales } = access.model
  return variantOf(document.schemaHash, statuses, locales?.default, [...hidden], hasPeople, rule, isPublicOnly)
}

async function globalsView(access: Access, globals: readonly GlobalModel[]): Promise<GlobalsView> {
  const projections = new Map<GlobalModel, Projection>()
  const names: string[] = []
  for (const global of globals) {
    if ((await access.rulingOnReads(global)) === false) continue
    projections.set(global, projectionOf(global, access))
    names.push(global.key, viewName(global, access, true, false))
  }
  const rule = [...projections.keys()].map(({ key }) => key)
  return { view: { name: variantOf(names), rule, isPublicOnly: false }, projections }
}

/**
 * What entries had to hold under a view of earlier.
 *
 * @returns `undefined` when the token does not say, or says what the config no longer knows
 */
export function seenUnder(
  model: Model,
  collection: CollectionModel,
  { rule, isPublicOnly }: View,
): SeenWheres | undefined {
  if (rule === false) return []
  const published = isPublicOnly ? isPublished(collection) : undefined
  if (rule === null || typeof rule === 'object' || (isPublicOnly && !published)) return undefined
  try {
    const own = rule === true ? undefined : readRuleWhere(JSON.parse(rule), collection, model.collections)
    return [allOf([own, published])]
  } catch {
    return undefined
  }
}

/** Conditions that must all hold. */
function allOf(conditions: SeenWheres): Condition | undefined {
  const of = conditions.filter((one) => one !== undefined)
  return of.length === 0 ? undefined : { kind: 'all', of }
}

/** What is seen in both ways. */
export const both = (one: SeenWheres, other: SeenWheres): SeenWheres =>
  one.flatMap((first) => other.map((second) => allOf([first, second])))

/** One condition for what is seen in any of these ways. */
export const anyOf = (seen: SeenWheres): Condition | undefined =>
  seen.includes(undefined) ? undefined : { kind: 'any', of: seen.filter((one) => one !== undefined) }

/** Equal for readers who may see the same. */
export const viewsName = ({ collections, globals }: ReaderViews): string =>
  [...[...collections].map(([key, { view }]) => `${key} ${view.name}`), globals.view.name].join()

/** Whether anything is seen under a view. */
export const isReadable = ({ rule }: View): boolean => rule !== false && !(Array.isArray(rule) && rule.length === 0)
