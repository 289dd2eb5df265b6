import type { CollectionModel, DocumentModel, RelationModel } from '../model/model.ts'
import { PEOPLE_KEYS } from '../model/people.ts'
import { countParameter, type Faults, namesParameter, type ParametersOf, type QueryOf } from './parameters.ts'
import type { QueryScope } from './where.ts'

/** The most levels of relations that are expanded. */
export const MAX_INCLUDE_DEPTH = 5
/** The most relations that one answer expands, on all levels. */
export const MAX_EXPANSIONS = 100
/** The most names in one `select` or `include`. */
export const MAX_NAMES = 200

/** A relation whose documents take the place of their references. */
export interface Expansion {
  readonly relation: RelationModel
  readonly to: CollectionModel
  /** Whether the reader may read the collection at all. */
  readonly isOpen: boolean
  readonly inner: readonly Expansion[]
  /** Served keys of the expanded documents; `undefined`: all. */
  readonly select: ReadonlySet<string> | undefined
}

/** The selected fields and the expansions of a document. */
export interface Selection {
  readonly select: ReadonlySet<string> | undefined
  readonly expansions: readonly Expansion[]
}

/** Parameters that select the fields and expansions of a document. */
export const SELECTION: ParametersOf<{
  select: readonly string[]
  include: readonly string[]
  depth: number
}> = {
  select: {
    ...namesParameter(
      'Fields to answer with, by default all; `id` always comes along, and `author.name` reaches into an included relation.',
      {},
      MAX_NAMES,
    ),
    takes: 'fields',
  },
  include: {
    ...namesParameter('Relations to expand; a dotted path expands on the way.', {}, MAX_NAMES),
    takes: 'relations',
  },
  depth: countParameter('How many levels of relations are expanded. Without include, 0 by default; with it, 1.', {
    maximum: MAX_INCLUDE_DEPTH,
  }),
}

/** The values of these parameters. */
export type SelectionQuery = QueryOf<typeof SELECTION>

interface PendingExpansion {
  readonly relation: RelationModel
  readonly to: CollectionModel
  readonly isOpen: boolean
  readonly inner: PendingExpansions
  select: Set<string> | undefined
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
  const { include: named, depth = named ? 1 : 0 } = query
  const pending: PendingExpansions = new Map()
  for (const name of named ?? []) includeName(lookup, document, pending, name, depth)
  if (!named) includeAll(lookup, document, pending, depth)
  if (lookup.count > MAX_EXPANSIONS) {
    faults.add(
      'depth',
      'maxItems',
      `must expand at most ${MAX_EXPANSIONS} relations; lower depth or name them in include`,
    )
  }
  const select = readSelect(lookup, document, pending, query.select)
  return { select, expansions: toExpansions(pending) }
}

/** A relation that a dotted name begins with, and the rest of the name. */
interface FoundRelation {
  readonly relation: RelationModel
  readonly to: CollectionModel
  /** `undefined`: the name ends here. */
  readonly rest: string | undefined
}

/** Blocks of different kinds may have relations at the same path: all of them are meant. */
function findRelations({ scope }: Lookup, document: DocumentModel, name: string): readonly FoundRelation[] {
  const hidden = scope.hidden(document)
  for (let end = name.indexOf('.'); ; end = name.indexOf('.', end + 1)) {
    const path = end < 0 ? name : name.slice(0, end)
    const rest = end < 0 ? undefined : name.slice(end + 1)
    const found = (document.relations.get(path) ?? []).flatMap((relation): readonly FoundRelation[] => {
      const to = scope.collections.get(relation.to)
      // What a collection holds that the reader may not read stays unsaid, whatever is asked for inside of it.
      const isShut = rest !== undefined && scope.collection(relation.to) === undefined
      return to && !isShut && !hidden.has(relation.owner) ? [{ relation, to, rest }] : []
    })
    if (found.length > 0) return found
    if (end < 0) return []
  }
}

function openPendingExpansion(
  { scope }: Lookup,
  pending: PendingExpansions,
  relation: RelationModel,
  to: CollectionModel,
): PendingExpansion {
  const name = relation.steps.map(({ key, block = '' }) => `${block}:${key}`).join('.')
  const known = pending.get(name)
  if (known) return known
  const expansion: PendingExpansion = {
    relation,
    to,
    isOpen: scope.collection(to.key) !== undefined,
    inner: new Map(),
    select: undefined,
  }
  pending.set(name, expansion)
  return expansion
}

function includeName(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  name: string,
  depth: number,
): void {
  const unknown = include(lookup, document, pending, name, { depth, level: 1 })
  if (unknown === undefined) return
  lookup.faults.add('include', 'unknown_field', `there is no relation "${unknown.slice(0, 64)}"`)
}

interface Reach {
  /** How many levels may still be expanded without being named. */
  readonly depth: number
  readonly level: number
}

/** Answers the part of the name that is no relation, or nothing. */
function include(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  name: string,
  { depth, level }: Reach,
): string | undefined {
  if (level > MAX_INCLUDE_DEPTH) {
    lookup.faults.add('include', 'maximum', `must expand at most ${MAX_INCLUDE_DEPTH} levels`)
    return undefined
  }
  const found = findRelations(lookup, document, name)
  if (found.length === 0) return name
  const unknown = found.map(({ relation, to, rest }) => {
    lookup.count += 1
    const { inner } = openPendingExpansion(lookup, pending, relation, to)
    if (rest !== undefined) return include(lookup, to, inner, rest, { depth: depth - 1, level: level + 1 })
    includeAll(lookup, to, inner, depth - 1)
    return undefined
  })
  return unknown.includes(undefined) ? undefined : unknown[0]
}

/** Every relation that the reader may see, level by level. */
function includeAll(lookup: Lookup, document: DocumentModel, pending: PendingExpansions, depth: number): void {
  if (depth <= 0 || lookup.count > MAX_EXPANSIONS) return
  const hidden = lookup.scope.hidden(document)
  for (const relation of [...document.relations.values()].flat()) {
    const to = lookup.scope.collections.get(relation.to)
    if (!to || hidden.has(relation.owner)) continue
    lookup.count += 1
    includeAll(lookup, to, openPendingExpansion(lookup, pending, relation, to).inner, depth - 1)
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
  for (const name of named) selectName(lookup, document, pending, keys, name, name)
  return keys
}

function selectName(
  lookup: Lookup,
  document: DocumentModel,
  pending: PendingExpansions,
  keys: Set<string>,
  name: string,
  whole: string,
): void {
  if (visibleKeys(lookup, document).has(name)) {
    keys.add(name)
    return
  }
  const shown = whole.slice(0, 64)
  const found = (name.includes('.') ? findRelations(lookup, document, name) : []).filter(
    ({ rest }) => rest !== undefined,
  )
  const opened = found.flatMap(({ relation, to, rest }) =>
    [...pending.values()]
      .filter((expansion) => expansion.relation === relation)
      .map((expansion) => ({ expansion, to, rest: rest ?? '' })),
  )
  if (found.length === 0) lookup.faults.add('select', 'unknown_field', `there is no field "${shown}"`)
  else if (opened.length === 0) {
    lookup.faults.add('select', 'not_included', `"${shown}" lies in a relation that include does not name`)
  }
  for (const { expansion, to, rest } of opened) {
    keys.add(expansion.relation.owner)
    expansion.select ??= new Set(['id'])
    selectName(lookup, to, expansion.inner, expansion.select, rest, whole)
  }
}

function visibleKeys({ scope }: Lookup, document: DocumentModel): ReadonlySet<string> {
  const hidden = scope.hidden(document)
  const visible = document.fields.filter(({ key }) => !hidden.has(key)).flatMap((field) => field.servedKeys)
  const people = scope.seesPeople(document) ? PEOPLE_KEYS : []
  return new Set([...document.systemKeys.before, ...visible, ...document.systemKeys.after, ...people])
}

function toExpansions(pending: PendingExpansions): readonly Expansion[] {
  return [...pending.values()].map(({ relation, to, isOpen, inner, select: keys }) => ({
    relation,
    to,
    isOpen,
    inner: toExpansions(inner),
    select: keys,
  }))
}

/** Every collection that expansions lead to. */
export function collectionsOf(expansions: readonly Expansion[]): readonly CollectionModel[] {
  return expansions.flatMap(({ to, inner }) => [to, ...collectionsOf(inner)])
}
