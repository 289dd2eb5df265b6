import type { CollectionModel, DocumentModel, RelationModel } from '../model/model.ts'
import type { ParamReader } from './params.ts'
import type { QueryScope } from './where.ts'

/** The most levels of relations that are expanded. */
export const MAX_DEPTH = 5
/** The most relations that one answer expands, on all levels. */
export const MAX_EXPANSIONS = 100
/** The most names in one `select` or `include`. */
const MAX_NAMES = 200

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

/** What of a document is answered. */
export interface Shape {
  readonly select: ReadonlySet<string> | undefined
  readonly expansions: readonly Expansion[]
}

/** Parameters that say what of a document is answered. */
export const SHAPE_PARAMS: readonly string[] = ['select', 'include', 'depth']

interface Draft {
  readonly relation: RelationModel
  readonly to: CollectionModel
  readonly isOpen: boolean
  readonly inner: Drafts
  select: Set<string> | undefined
}

type Drafts = Map<string, Draft>

/** Everything that has to be known to look a relation up. */
interface Lookup {
  readonly reader: ParamReader
  readonly scope: QueryScope
  readonly collections: ReadonlyMap<string, CollectionModel>
  count: number
}

/**
 * Reads `include`, `depth` and `select`.
 *
 * @param collections all of them: a relation to one that the reader may not read expands to nothing
 */
export function readShape(
  reader: ParamReader,
  document: CollectionModel,
  scope: QueryScope,
  collections: ReadonlyMap<string, CollectionModel>,
): Shape {
  const lookup: Lookup = { reader, scope, collections, count: 0 }
  const names = reader.list('include')
  const depth = readDepth(reader, names !== undefined)
  const drafts: Drafts = new Map()
  if (names && names.length > MAX_NAMES) reader.fault('include', 'maxItems', `must have at most ${MAX_NAMES} names`)
  for (const name of names?.slice(0, MAX_NAMES) ?? []) if (name !== '') include(lookup, document, drafts, name, depth)
  if (!names) includeAll(lookup, document, drafts, depth)
  if (lookup.count > MAX_EXPANSIONS) {
    reader.fault(
      'depth',
      'maxItems',
      `must expand at most ${MAX_EXPANSIONS} relations; lower depth or name them in include`,
    )
  }
  const select = readSelect(lookup, document, drafts)
  return { select, expansions: finish(drafts) }
}

function readDepth(reader: ParamReader, isIncluded: boolean): number {
  const depth = reader.count('depth') ?? (isIncluded ? 1 : 0)
  if (depth > MAX_DEPTH) reader.fault('depth', 'maximum', `must be at most ${MAX_DEPTH}`)
  return Math.min(depth, MAX_DEPTH)
}

/** Finds the relation that a dotted name begins with, and what of the name is left. */
function findRelation(
  { scope, collections }: Lookup,
  document: DocumentModel,
  name: string,
): { readonly relation: RelationModel; readonly to: CollectionModel; readonly rest: string } | undefined {
  const hidden = scope.hidden(document)
  for (let end = name.indexOf('.'); ; end = name.indexOf('.', end + 1)) {
    const path = end < 0 ? name : name.slice(0, end)
    const relation = document.relations.get(path)
    const to = relation && collections.get(relation.to)
    if (relation && to && !hidden.has(relation.owner)) return { relation, to, rest: name.slice(path.length + 1) }
    if (end < 0) return undefined
  }
}

function open({ scope }: Lookup, drafts: Drafts, relation: RelationModel, to: CollectionModel): Draft {
  const known = drafts.get(relation.path)
  if (known) return known
  const draft: Draft = {
    relation,
    to,
    isOpen: scope.collection(to.key) !== undefined,
    inner: new Map(),
    select: undefined,
  }
  drafts.set(relation.path, draft)
  return draft
}

function include(lookup: Lookup, document: DocumentModel, drafts: Drafts, name: string, depth: number): void {
  const found = findRelation(lookup, document, name)
  if (!found) {
    lookup.reader.fault('include', 'unknown_field', `there is no relation "${name.slice(0, 64)}"`)
    return
  }
  lookup.count += 1
  const draft = open(lookup, drafts, found.relation, found.to)
  if (found.rest !== '') include(lookup, found.to, draft.inner, found.rest, depth - 1)
  else includeAll(lookup, found.to, draft.inner, depth - 1)
}

/** Every relation that the reader may see, level by level. */
function includeAll(lookup: Lookup, document: DocumentModel, drafts: Drafts, depth: number): void {
  if (depth <= 0 || lookup.count > MAX_EXPANSIONS) return
  const hidden = lookup.scope.hidden(document)
  for (const relation of document.relations.values()) {
    const to = lookup.collections.get(relation.to)
    if (!to || hidden.has(relation.owner)) continue
    lookup.count += 1
    includeAll(lookup, to, open(lookup, drafts, relation, to).inner, depth - 1)
  }
}

function readSelect(lookup: Lookup, document: CollectionModel, drafts: Drafts): ReadonlySet<string> | undefined {
  const names = lookup.reader.list('select')
  if (!names) return undefined
  if (names.length > MAX_NAMES) lookup.reader.fault('select', 'maxItems', `must have at most ${MAX_NAMES} names`)
  const keys = new Set(['id'])
  for (const name of names.slice(0, MAX_NAMES)) if (name !== '') select(lookup, document, drafts, keys, name, name)
  return keys
}

function select(
  lookup: Lookup,
  document: CollectionModel,
  drafts: Drafts,
  keys: Set<string>,
  name: string,
  whole: string,
): void {
  const shown = whole.slice(0, 64)
  if (servedKeys(lookup, document).has(name)) {
    keys.add(name)
    return
  }
  const found = name.includes('.') ? findRelation(lookup, document, name) : undefined
  const draft = found && drafts.get(found.relation.path)
  if (!found || found.rest === '') lookup.reader.fault('select', 'unknown_field', `there is no field "${shown}"`)
  else if (!draft)
    lookup.reader.fault('select', 'not_included', `"${shown}" lies in a relation that include does not name`)
  else {
    keys.add(found.relation.owner)
    draft.select ??= new Set(['id'])
    select(lookup, found.to, draft.inner, draft.select, found.rest, whole)
  }
}

function servedKeys({ scope }: Lookup, document: DocumentModel): ReadonlySet<string> {
  const hidden = scope.hidden(document)
  const visible = document.fields.filter(({ key }) => !hidden.has(key)).flatMap((field) => field.servedKeys)
  return new Set([...document.systemKeys.before, ...visible, ...document.systemKeys.after])
}

function finish(drafts: Drafts): readonly Expansion[] {
  return [...drafts.values()].map(({ relation, to, isOpen, inner, select: keys }) => ({
    relation,
    to,
    isOpen,
    inner: finish(inner),
    select: keys,
  }))
}

/** Every collection that expansions lead to. */
export function collectionsOf(expansions: readonly Expansion[]): readonly CollectionModel[] {
  return expansions.flatMap(({ to, inner }) => [to, ...collectionsOf(inner)])
}
