import type { Violation } from '../issues.ts'
import { AUTHOR_KEYS } from '../model/authors.ts'
import type { CollectionModel, DocumentModel, LinkModel, RelationModel, ReverseModel } from '../model/model.ts'
import { findNearestField, unknownName } from '../nearest.ts'
import { countParameter, type Faults, namesParameter, type ParametersOf, type QueryOf } from './parameters.ts'
import {
  REVERSE_PARAMETER,
  type ReverseOptions,
  type ReverseOptionsByPath,
  type ReversePage,
  readReversePage,
} from './reverse-page.ts'
import type { QueryScope } from './where.ts'

/** The maximum number of levels of expanded relations. */
export const MAX_INCLUDE_DEPTH = 5
/** The maximum number of relations that a response expands, on all levels. */
export const MAX_EXPANSIONS = 100
/** The maximum number of names in `select` or `include`. */
export const MAX_SELECTED_NAMES = 200

/** The selected fields of a document, and its expansions. */
export interface Selection {
  /** The selected served keys; `undefined` for all. */
  readonly select: ReadonlySet<string> | undefined
  readonly expansions: readonly Expansion[]
  readonly reverses: readonly ReverseExpansion[]
  /** True if the slugs in other locales are included. @default false */
  readonly hasAlternates?: boolean
}

/** The name in `include` for the slugs of an entry in all locales. */
export const ALTERNATES = 'alternates'

/** A relation whose documents replace their references. */
export interface Expansion extends Selection {
  readonly relation: RelationModel
  readonly to: CollectionModel
  /** True if the caller can read the collection. */
  readonly isReadable: boolean
}

/** A reverse field, whose value is a page of the entries that refer to the document. */
export interface ReverseExpansion extends Selection {
  readonly reverse: ReverseModel
  readonly to: CollectionModel
  readonly page: ReversePage
}

export const SELECTION_PARAMETERS: ParametersOf<{
  select: readonly string[]
  include: readonly string[]
  depth: number
  reverse: ReverseOptionsByPath
}> = {
  select: {
    ...namesParameter(
      'Fields to return, by default all. `id` is always included, and `author.name` selects a field of an included relation.',
      {},
      MAX_SELECTED_NAMES,
    ),
    nameKind: 'fields',
  },
  include: {
    ...namesParameter(
      'Relations to expand; a dotted path expands each relation on it. `alternates` adds the slugs of an entry in all locales.',
      {},
      MAX_SELECTED_NAMES,
    ),
    nameKind: 'relations',
  },
  depth: countParameter('The number of levels of relations to expand. By default 0, or 1 with include.', {
    maximum: MAX_INCLUDE_DEPTH,
  }),
  reverse: REVERSE_PARAMETER,
}

export type SelectionQuery = QueryOf<typeof SELECTION_PARAMETERS>

interface PendingExpansion {
  readonly link: LinkModel
  readonly to: CollectionModel
  readonly isReadable: boolean
  readonly inner: PendingExpansions
  select: Set<string> | undefined
  /** The requested page of a reverse field. */
  page: ReverseOptions | undefined
}

type PendingExpansions = Map<string, PendingExpansion>

/** The state of reading one selection. */
interface Lookup {
  readonly faults: Faults
  readonly scope: QueryScope
  count: number
}

/**
 * Reads `include`, `depth` and `select`. A relation to a collection that the caller cannot read expands to nothing.
 */
export function readSelection(
  faults: Faults,
  document: DocumentModel,
  query: SelectionQuery,
  scope: QueryScope,
): Selection {
  const lookup: Lookup = { faults, scope, count: 0 }
  const { include, depth = include ? 1 : 0 } = query
  const hasAlternates = document.hasAlternates && include?.includes(ALTERNATES) === true
  const names = hasAlternates ? include?.filter((name) => name !== ALTERNATES) : include
  const pending: PendingExpansions = new Map()
  for (const name of names ?? []) includeName(lookup, document, pending, name, depth)
  if (!names) includeAll(lookup, document, pending, depth)
  if (lookup.count > MAX_EXPANSIONS) {
    faults.add(
      'depth',
      'maxItems',
      `must expand at most ${MAX_EXPANSIONS} relations. Lower depth, or name the relations in include.`,
      { limit: MAX_EXPANSIONS },
    )
  }
  const select = readSelect(lookup, document, pending, query.select)
  for (const [name, page] of query.reverse ?? []) setPage(lookup, document, pending, name, page)
  return { select, ...toSelection(lookup, pending), hasAlternates }
}

/** A link that is the beginning of a dotted name, and the rest of the name. */
interface FoundLink {
  readonly link: LinkModel
  readonly to: CollectionModel
  /** `undefined` if the name ends here. */
  readonly rest: string | undefined
}

/** Returns the relations or the reverse field at a path. */
function linksAt({ relations, reverseFields }: DocumentModel, path: string): readonly LinkModel[] {
  const reverse = reverseFields.get(path)
  return reverse ? [reverse] : (relations.get(path) ?? [])
}

/** True if the caller can see a link. A reverse field of an unreadable collection is hidden. */
function isVisible({ scope }: Lookup, document: DocumentModel, link: LinkModel): boolean {
  if (scope.hiddenFields(document).has(link.owner)) return false
  return link.kind === 'relation' || scope.readableCollection(link.to) !== undefined
}

/** Finds the links that a name begins with. Blocks of different kinds can have relations at the same path. */
function findLinks(lookup: Lookup, document: DocumentModel, name: string): readonly FoundLink[] {
  const { scope } = lookup
  for (let end = name.indexOf('.'); ; end = name.indexOf('.', end + 1)) {
    const path = end < 0 ? name : name.slice(0, end)
    const rest = end < 0 ? undefined : name.slice(end + 1)
    const links = linksAt(document, path).flatMap((link): readonly FoundLink[] => {
      const to = scope.collections.get(link.to)
      // Names inside an unreadable collection count as unknown, so that nothing about it is revealed.
      const isUnreadable = rest !== undefined && scope.readableCollection(link.to) === undefined
      return to && !isUnreadable && isVisible(lookup, document, link) ? [{ link, to, rest }] : []
    })
    if (links.length > 0) return links
    if (end < 0) return []
  }
}

function openPendingExpansion(
  { scope }: Pick<Lookup, 'scope'>,
  pending: PendingExpansions,
  link: LinkModel,
  to: CollectionModel,
): PendingExpansion {
  const name = pendingName(link)
  const existing = pending.get(name)
  if (existing) return existing
  const expansion: PendingExpansion = {
    link,
    to,
    isReadable: scope.readableCollection(to.key) !== undefined,
    inner: new Map(),
    select: undefined,
    page: undefined,
  }
  pending.set(name, expansion)
  return expansion
}

/** Returns a name that is unique among links, including those at the same path in blocks of different kinds or to several collections. */
function pendingName(link: LinkModel): string {
  if (link.kind === 'reverse') return link.path
  return `${link.steps.map(({ key, block = '' }) => `${block}:${key}`).join('.')} ${link.to}`
}

function includeName(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  name: string,
  depth: number,
): void {
  const violation = include(lookup, document, pending, name, { depth, level: 1 })
  if (violation) lookup.faults.add('include', ...violation)
}

interface Reach {
  /** The number of further levels to expand without being named. */
  readonly depth: number
  readonly level: number
}

/** Expands a dotted name. Returns the violation if a part of it is no relation. */
function include(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  name: string,
  { depth, level }: Reach,
): Violation | undefined {
  if (level > MAX_INCLUDE_DEPTH) {
    const limit = MAX_INCLUDE_DEPTH
    lookup.faults.add('include', 'depth', `must expand at most ${limit} levels`, { limit })
    return undefined
  }
  const links = findLinks(lookup, document, name)
  if (links.length === 0) {
    const shown = name.slice(0, 64)
    const nearest = findNearestField(name, listVisibleLinks(lookup, document))
    return ['unknown_field', unknownName('relation', shown, nearest), { name: shown, nearest }]
  }
  for (const { link } of links) expandUnreadable(lookup, document, pending, link.path)
  const faults = links.map(({ link, to, rest }) => {
    lookup.count += 1
    const { inner } = openPendingExpansion(lookup, pending, link, to)
    if (rest !== undefined) return include(lookup, to, inner, rest, { depth: depth - 1, level: level + 1 })
    includeAll(lookup, to, inner, depth - 1)
    return undefined
  })
  return faults.includes(undefined) ? undefined : faults[0]
}

/**
 * Expands a relation to several collections as a whole, so that references to unreadable collections, in which no name is found, are
 * removed, too.
 */
function expandUnreadable(
  { scope }: Pick<Lookup, 'scope'>,
  { relations }: DocumentModel,
  pending: PendingExpansions,
  path: string,
): void {
  for (const link of relations.get(path) ?? []) {
    const to = scope.collections.get(link.to)
    if (to && link.isTagged) openPendingExpansion({ scope }, pending, link, to)
  }
}

/** Lists the paths of links that the caller can see. */
function listVisibleLinks(lookup: Lookup, document: DocumentModel): readonly string[] {
  const links = [...[...document.relations.values()].flat(), ...document.reverseFields.values()]
  return links.filter((link) => isVisible(lookup, document, link)).map(({ path }) => path)
}

/** Expands all visible links, level by level. */
function includeAll(lookup: Lookup, document: DocumentModel, pending: PendingExpansions, depth: number): void {
  if (depth <= 0 || lookup.count > MAX_EXPANSIONS) return
  for (const link of [...[...document.relations.values()].flat(), ...document.reverseFields.values()]) {
    const to = lookup.scope.collections.get(link.to)
    if (!to || !isVisible(lookup, document, link)) continue
    lookup.count += 1
    includeAll(lookup, to, openPendingExpansion(lookup, pending, link, to).inner, depth - 1)
  }
}

function readSelect(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  names: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (!names) return undefined
  // The id is always selected.
  const keys = new Set(document.systemKeys.before)
  for (const name of names) {
    const fault = selectName(lookup, document, pending, keys, name)
    if (!fault) continue
    const shown = name.slice(0, 64)
    if (fault === 'not_included') {
      lookup.faults.add('select', fault, `"${shown}" is not included. Name its relation in include as well.`, {
        name: shown,
      })
    } else {
      const nearest = findNearestField(name, listSelectableNames(lookup, document, pending))
      lookup.faults.add('select', fault, unknownName('field', shown, nearest), { name: shown, nearest })
    }
  }
  return keys
}

type SelectFault = 'unknown_field' | 'not_included'

/** Selects a name. It needs to exist behind one of several links at a path only. */
function selectName(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  keys: Set<string>,
  name: string,
): SelectFault | undefined {
  if (visibleKeys(lookup, document, pending).has(name)) {
    keys.add(name)
    return undefined
  }
  const isLink = ({ link, rest }: FoundLink): boolean => rest !== undefined || link.kind === 'reverse'
  const links = findLinks(lookup, document, name).filter(isLink)
  const expansions = links.flatMap((foundLink) =>
    findExpansions(pending, foundLink).map((expansion) => ({
      expansion,
      to: foundLink.to,
      rest: foundLink.rest ?? '',
    })),
  )
  if (links.length === 0) return 'unknown_field'
  if (expansions.length === 0) return 'not_included'
  const faults = expansions.map(({ expansion, to, rest }) => {
    keys.add(expansion.link.owner)
    expansion.select ??= new Set(['id'])
    return selectName(lookup, to, expansion.inner, expansion.select, rest)
  })
  return faults.includes(undefined) ? undefined : faults[0]
}

/** Returns the pending expansions of a link; none if it is not included. */
const findExpansions = (pending: PendingExpansions, { link }: FoundLink): readonly PendingExpansion[] =>
  [...pending.values()].filter((expansion) => expansion.link === link)

/** Sets the requested page of a reverse field. */
function setPage(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  name: string,
  page: ReverseOptions,
): void {
  const [shown, param] = [name.slice(0, 64), `reverse[${name.slice(0, 64)}]`]
  const links = findReverses(lookup, document, [pending], name)
  const expansions = links.flatMap(({ expansions }) => expansions)
  if (links.length === 0)
    lookup.faults.add(param, 'unknown_field', unknownName('reverse field', shown), { name: shown })
  else if (expansions.length === 0)
    lookup.faults.add(param, 'not_included', `"${shown}" is not included. Name it in include as well.`, { name: shown })
  for (const expansion of expansions) expansion.page = page
}

/** A reverse field with its pending expansions; none if it is not included. */
interface FoundReverse {
  readonly expansions: readonly PendingExpansion[]
}

/** Finds the reverse fields of a dotted name, even if they are not included. */
function findReverses(
  lookup: Lookup,
  document: DocumentModel,
  pending: readonly PendingExpansions[],
  name: string,
): readonly FoundReverse[] {
  return findLinks(lookup, document, name).flatMap((foundLink): readonly FoundReverse[] => {
    const expansions = pending.flatMap((level) => findExpansions(level, foundLink))
    const { link, to, rest } = foundLink
    if (rest === undefined) return link.kind === 'reverse' ? [{ expansions }] : []
    const inner = expansions.map((expansion) => expansion.inner)
    return findReverses(lookup, to, inner, rest)
  })
}

/** Lists the names that can be selected: those of the document, and of included documents. */
function listSelectableNames(lookup: Lookup, document: DocumentModel, pending: PendingExpansions): readonly string[] {
  const included = [...pending.values()].filter(({ isReadable }) => isReadable)
  const inside = included.flatMap(({ link, to, inner }) =>
    [...visibleKeys(lookup, to, inner)].map((key) => `${link.path}.${key}`),
  )
  return [...visibleKeys(lookup, document, pending), ...inside]
}

function visibleKeys({ scope }: Lookup, document: DocumentModel, pending: PendingExpansions): ReadonlySet<string> {
  const hidden = scope.hiddenFields(document)
  const visible = document.fields.filter(({ key }) => !hidden.has(key)).flatMap((field) => field.servedKeys)
  const included = [...pending.values()].filter(({ link }) => link.kind === 'reverse').map(({ link }) => link.owner)
  const people = scope.canSeeAuthors(document) ? AUTHOR_KEYS : []
  return new Set([...document.systemKeys.before, ...visible, ...document.systemKeys.after, ...people, ...included])
}

function toSelection(lookup: Lookup, pending: PendingExpansions): Omit<Selection, 'select'> {
  const expansions: Expansion[] = []
  const lists: ReverseExpansion[] = []
  for (const { link, to, isReadable, inner, select, page } of pending.values()) {
    const included = { to, select, ...toSelection(lookup, inner) }
    if (link.kind === 'relation') expansions.push({ relation: link, isReadable, ...included })
    else lists.push({ reverse: link, page: readReversePage(lookup.faults, to, lookup.scope, page), ...included })
  }
  return { expansions, reverses: lists }
}

export function listExpandedCollections({
  expansions,
  reverses,
}: Omit<Selection, 'select'>): readonly CollectionModel[] {
  return [...expansions, ...reverses].flatMap((expansion) => [expansion.to, ...listExpandedCollections(expansion)])
}
