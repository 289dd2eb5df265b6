import type { Violation } from '../issues.ts'
import { AUTHOR_KEYS } from '../model/authors.ts'
import type { CollectionModel, DocumentModel, LinkModel, RelationModel, ReverseModel } from '../model/model.ts'
import { didYouMean, findNearestField } from '../nearest.ts'
import { countParameter, type Faults, namesParameter, type ParametersOf, type QueryOf } from './parameters.ts'
import {
  REVERSE_PARAMETER,
  type ReverseOptions,
  type ReverseOptionsByPath,
  type ReversePage,
  readReversePage,
} from './reverse-page.ts'
import type { QueryScope } from './where.ts'

/** The most levels of relations that are expanded. */
export const MAX_INCLUDE_DEPTH = 5
/** The most relations that one answer expands, on all levels. */
export const MAX_EXPANSIONS = 100
/** The most names in one `select` or `include`. */
export const MAX_SELECTED_NAMES = 200

/** The selected fields of a document, and what is put into it. */
export interface Selection {
  /** Served keys; `undefined`: all. */
  readonly select: ReadonlySet<string> | undefined
  readonly expansions: readonly Expansion[]
  readonly reverses: readonly ReverseExpansion[]
  /** True if the slugs in other locales come along. @default false */
  readonly hasAlternates?: boolean
}

/** The name by which `include` asks for the slugs of an entry in all locales. */
export const ALTERNATES = 'alternates'

/** A relation whose documents take the place of their references. */
export interface Expansion extends Selection {
  readonly relation: RelationModel
  readonly to: CollectionModel
  /** Whether the reader may read the collection at all. */
  readonly isReadable: boolean
}

/** A reverse field, whose value is one page of the entries that refer to the document. */
export interface ReverseExpansion extends Selection {
  readonly reverse: ReverseModel
  readonly to: CollectionModel
  readonly page: ReversePage
}

/** Parameters that select the fields and expansions of a document. */
export const SELECTION_PARAMETERS: ParametersOf<{
  select: readonly string[]
  include: readonly string[]
  depth: number
  reverse: ReverseOptionsByPath
}> = {
  select: {
    ...namesParameter(
      'Fields to answer with, by default all; `id` always comes along, and `author.name` reaches into an included relation.',
      {},
      MAX_SELECTED_NAMES,
    ),
    nameKind: 'fields',
  },
  include: {
    ...namesParameter(
      'Relations to expand; a dotted path expands on the way. `alternates` adds the slugs of an entry in all locales.',
      {},
      MAX_SELECTED_NAMES,
    ),
    nameKind: 'relations',
  },
  depth: countParameter('How many levels of relations are expanded. Without include, 0 by default; with it, 1.', {
    maximum: MAX_INCLUDE_DEPTH,
  }),
  reverse: REVERSE_PARAMETER,
}

/** The values of these parameters. */
export type SelectionQuery = QueryOf<typeof SELECTION_PARAMETERS>

interface PendingExpansion {
  readonly link: LinkModel
  readonly to: CollectionModel
  readonly isReadable: boolean
  readonly inner: PendingExpansions
  select: Set<string> | undefined
  /** Which page is asked for, of a reverse field. */
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
 * Reads `include`, `depth` and `select`. A relation to a collection that the reader may not read expands to nothing.
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
  const named = hasAlternates ? include?.filter((name) => name !== ALTERNATES) : include
  const pending: PendingExpansions = new Map()
  for (const name of named ?? []) includeName(lookup, document, pending, name, depth)
  if (!named) includeAll(lookup, document, pending, depth)
  if (lookup.count > MAX_EXPANSIONS) {
    faults.add(
      'depth',
      'maxItems',
      `must expand at most ${MAX_EXPANSIONS} relations; lower depth or name them in include`,
      { limit: MAX_EXPANSIONS },
    )
  }
  const select = readSelect(lookup, document, pending, query.select)
  for (const [name, page] of query.reverse ?? []) setPage(lookup, document, pending, name, page)
  return { select, ...toSelection(lookup, pending), hasAlternates }
}

/** A link that a dotted name begins with, and the rest of the name. */
interface FoundLink {
  readonly link: LinkModel
  readonly to: CollectionModel
  /** `undefined`: the name ends here. */
  readonly rest: string | undefined
}

/** The relations at a path, or the reverse field. */
function linksAt({ relations, reverseFields: reverses }: DocumentModel, path: string): readonly LinkModel[] {
  const reverse = reverses.get(path)
  return reverse ? [reverse] : (relations.get(path) ?? [])
}

/** Whether a link exists for the reader. A reverse field of a collection that the reader may not list does not. */
function isKnown({ scope }: Lookup, document: DocumentModel, link: LinkModel): boolean {
  if (scope.hiddenFields(document).has(link.owner)) return false
  return link.kind === 'relation' || scope.readableCollection(link.to) !== undefined
}

/** Blocks of different kinds may have relations at the same path: all of them are meant. */
function findLinks(lookup: Lookup, document: DocumentModel, name: string): readonly FoundLink[] {
  const { scope } = lookup
  for (let end = name.indexOf('.'); ; end = name.indexOf('.', end + 1)) {
    const path = end < 0 ? name : name.slice(0, end)
    const rest = end < 0 ? undefined : name.slice(end + 1)
    const found = linksAt(document, path).flatMap((link): readonly FoundLink[] => {
      const to = scope.collections.get(link.to)
      // What a collection holds that the reader may not read stays unsaid, whatever is asked for inside of it.
      const isShut = rest !== undefined && scope.readableCollection(link.to) === undefined
      return to && !isShut && isKnown(lookup, document, link) ? [{ link, to, rest }] : []
    })
    if (found.length > 0) return found
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
  const known = pending.get(name)
  if (known) return known
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

/** Tells links from each other, those at the same path of blocks of different kinds, or to several collections, among them. */
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
  /** How many levels may still be expanded without being named. */
  readonly depth: number
  readonly level: number
}

/** Returns the violation of the part of the name that is no relation. */
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
  const found = findLinks(lookup, document, name)
  if (found.length === 0) {
    const shown = name.slice(0, 64)
    const nearest = findNearestField(name, knownLinks(lookup, document))
    return ['unknown_field', `there is no relation "${shown}"${didYouMean(nearest)}`, { name: shown, nearest }]
  }
  for (const { link } of found) openShut(lookup, document, pending, link.path)
  const faults = found.map(({ link, to, rest }) => {
    lookup.count += 1
    const { inner } = openPendingExpansion(lookup, pending, link, to)
    if (rest !== undefined) return include(lookup, to, inner, rest, { depth: depth - 1, level: level + 1 })
    includeAll(lookup, to, inner, depth - 1)
    return undefined
  })
  return faults.includes(undefined) ? undefined : faults[0]
}

/**
 * A relation to several collections is expanded as a whole: references to those that the reader may not read, of which a name inside
 * finds nothing, are taken out, too.
 */
function openShut(
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

/** The paths of links that the reader may see. */
function knownLinks(lookup: Lookup, document: DocumentModel): readonly string[] {
  const links = [...[...document.relations.values()].flat(), ...document.reverseFields.values()]
  return links.filter((link) => isKnown(lookup, document, link)).map(({ path }) => path)
}

/** Every link that the reader may see, level by level. */
function includeAll(lookup: Lookup, document: DocumentModel, pending: PendingExpansions, depth: number): void {
  if (depth <= 0 || lookup.count > MAX_EXPANSIONS) return
  for (const link of [...[...document.relations.values()].flat(), ...document.reverseFields.values()]) {
    const to = lookup.scope.collections.get(link.to)
    if (!to || !isKnown(lookup, document, link)) continue
    lookup.count += 1
    includeAll(lookup, to, openPendingExpansion(lookup, pending, link, to).inner, depth - 1)
  }
}

function readSelect(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  named: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (!named) return undefined
  // What names a document always comes along.
  const keys = new Set(document.systemKeys.before)
  for (const name of named) {
    const fault = selectName(lookup, document, pending, keys, name)
    if (!fault) continue
    const shown = name.slice(0, 64)
    if (fault === 'not_included') {
      lookup.faults.add('select', fault, `"${shown}" is part of what include does not name`, { name: shown })
    } else {
      const nearest = findNearestField(name, selectNames(lookup, document, pending))
      lookup.faults.add('select', fault, `there is no field "${shown}"${didYouMean(nearest)}`, { name: shown, nearest })
    }
  }
  return keys
}

type SelectFault = 'unknown_field' | 'not_included'

/** Notes what a name selects. Of what several links at one path lead to, each takes what it knows; a fault is one of all of them. */
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
  const found = findLinks(lookup, document, name).filter(isLink)
  const opened = found.flatMap((one) =>
    openedBy(pending, one).map((expansion) => ({ expansion, to: one.to, rest: one.rest ?? '' })),
  )
  if (found.length === 0) return 'unknown_field'
  if (opened.length === 0) return 'not_included'
  const faults = opened.map(({ expansion, to, rest }) => {
    keys.add(expansion.link.owner)
    expansion.select ??= new Set(['id'])
    return selectName(lookup, to, expansion.inner, expansion.select, rest)
  })
  return faults.includes(undefined) ? undefined : faults[0]
}

/** The pending expansions of a link: none where it is not included. */
const openedBy = (pending: PendingExpansions, { link }: FoundLink): readonly PendingExpansion[] =>
  [...pending.values()].filter((expansion) => expansion.link === link)

/** Notes which page of a reverse field is asked for. */
function setPage(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  name: string,
  page: ReverseOptions,
): void {
  const [shown, param] = [name.slice(0, 64), `reverse[${name.slice(0, 64)}]`]
  const found = findReverses(lookup, document, [pending], name)
  const opened = found.flatMap(({ expansions }) => expansions)
  if (found.length === 0)
    lookup.faults.add(param, 'unknown_field', `there is no reverse field "${shown}"`, { name: shown })
  else if (opened.length === 0)
    lookup.faults.add(param, 'not_included', `name "${shown}" in include, too`, { name: shown })
  for (const expansion of opened) expansion.page = page
}

/** A reverse field, and its pending expansions: none where it is not included. */
interface FoundReverse {
  readonly expansions: readonly PendingExpansion[]
}

/** The reverse fields that a dotted name means, whether they are included or not. */
function findReverses(
  lookup: Lookup,
  document: DocumentModel,
  pending: readonly PendingExpansions[],
  name: string,
): readonly FoundReverse[] {
  return findLinks(lookup, document, name).flatMap((one): readonly FoundReverse[] => {
    const expansions = pending.flatMap((own) => openedBy(own, one))
    const { link, to, rest } = one
    if (rest === undefined) return link.kind === 'reverse' ? [{ expansions }] : []
    const inner = expansions.map((expansion) => expansion.inner)
    return findReverses(lookup, to, inner, rest)
  })
}

/** The names that can be selected: those of the document, and of what its links lead to. */
function selectNames(lookup: Lookup, document: DocumentModel, pending: PendingExpansions): readonly string[] {
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

/** Every collection whose documents are put in. */
export function listExpandedCollections({
  expansions,
  reverses: lists,
}: Omit<Selection, 'select'>): readonly CollectionModel[] {
  return [...expansions, ...lists].flatMap((one) => [one.to, ...listExpandedCollections(one)])
}
