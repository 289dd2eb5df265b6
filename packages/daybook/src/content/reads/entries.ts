import type { Caller } from '../../auth/adapter.ts'
import { DaybookError } from '../../errors.ts'
import { isUuidShaped, MAX_SLUG_LENGTH } from '../../fields/slug.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import { isStorableText } from '../../model/stored-text.ts'
import { encodeCursor } from '../../query/cursor.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import { collectionsOf, type Selection } from '../../query/expansion.ts'
import { type ListParameters, type ListQuery, readListQuery } from '../../query/list-query.ts'
import type { Query } from '../../query/parameters.ts'
import { takeStatus } from '../../query/status-where.ts'
import { type Condition, collectionsIn, type QueryScope } from '../../query/where.ts'
import type { Counters } from '../../store/list-reader.ts'
import type { Reader } from '../../store/read.ts'
import type { EntryRow } from '../../store/rows.ts'
import type { SearchQuery } from '../../store/search.ts'
import { toSearchTerms } from '../../store/search-text.ts'
import {
  accessKey,
  filterDependencies,
  filterFor,
  hiddenFields,
  isVisible,
  type KnownFilter,
  queryScope,
  readerVariant,
  requireRead,
  seesPublicOnly,
  visibleStatuses,
} from '../access/access.ts'
import type { Answer, Engine } from '../engine.ts'
import { documentTag, variantOf } from '../etags.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import { presentExpanded } from './expand.ts'
import { toAnswer } from './present.ts'

/** The most counted searches that are remembered. */
const MAX_TOTALS = 1000

/** One page of a list. */
export interface ListAnswer {
  /** JSON text; `undefined` when the caller knows the answer already. */
  readonly json: string | undefined
  readonly tag: string
}

/**
 * Lists entries.
 *
 * @param isKnown told the answer's tag before any entry is read; `true` ends it there
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function listEntries(
  engine: Engine,
  listed: CollectionModel,
  request: Query<ListParameters>,
  caller: Caller,
  isKnown: (tag: string) => boolean = () => false,
): Promise<ListAnswer> {
  const { key } = listed
  const limit = await requireRead(engine.model, listed, caller)
  const asked = await planList(engine.model, { key, limit }, request, caller)
  const { collection, query, scope, where, statuses, search } = asked
  const counters = await engine.store.read.lists.counters(key)
  const revisions = await revisionsFor(engine, asked, counters, caller)
  const tag = listTag(asked, revisions)
  if (isKnown(tag)) return { json: undefined, tag }

  const isNarrowed = search !== undefined || where !== undefined
  const total = isNarrowed ? await countFound(engine, asked, revisions) : countEntries(counters, statuses)
  const size = { found: total, visible: countEntries(counters, statuses), all: countEntries(counters, undefined) }
  const question = { ...query, where, statuses, search, size }
  const isEmpty = query.limit === 0 || query.offset >= total
  const page = isEmpty ? { rows: [], end: undefined } : await engine.store.read.lists.page(collection, question)
  const rows = await inChosenLocale(engine, collection, page.rows, scope.choice)
  const items = await presentExpanded(engine, collection, rows, query.selection, scope)
  const nextCursor = page.end ? encodeCursor(query.fingerprint, page.end) : null
  const head = `{"collection":"${collection.key}","total":${total},"limit":${query.limit},"offset":${query.offset}`
  return { json: `${head},"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`, tag }
}

/** A list request as it is answered, whenever it is. */
interface ListPlan {
  /** As the locale shows it. */
  readonly collection: CollectionModel
  readonly query: ListQuery
  readonly scope: QueryScope
  /** What entries must hold: what is asked, and what the reader is limited to. */
  readonly where: Condition | undefined
  readonly statuses: readonly string[] | undefined
  readonly search: SearchQuery | undefined
  /** Other collections that the answer depends on. */
  readonly sources: Sources
  /** Names what is found, whatever page of it is shown. */
  readonly matches: string
  /** All of the answer's tag that no write changes. */
  readonly variant: string
}

type Plans = WeakMap<Query<ListParameters>, Map<string, ListPlan>>

/** Plans of queries that came before, by reader and collection; each model has its own. */
const plans = new WeakMap<Model, Plans>()

/** Reads the parameters of a list; those that came before, and mean the same for this reader, are not read again. */
async function planList(
  model: Model,
  own: KnownFilter,
  request: Query<ListParameters>,
  caller: Caller,
): Promise<ListPlan> {
  if (!model.isUniform) return readAsked(model, own, request, caller)
  const { key } = own
  const name = `${key} ${accessKey(caller)}`
  const before: Plans = plans.get(model) ?? new WeakMap()
  plans.set(model, before)
  const known = before.get(request) ?? new Map<string, ListPlan>()
  before.set(request, known)
  const asked = known.get(name) ?? (await readAsked(model, own, request, caller))
  known.set(name, asked)
  return asked
}

async function readAsked(
  model: Model,
  own: KnownFilter,
  request: Query<ListParameters>,
  caller: Caller,
): Promise<ListPlan> {
  const choice = requireLocale(model, request.partial, caller)
  const collection = inLocale(model, own.key, choice)
  const hidden = hiddenFields(collection, caller)
  const scope = await queryScope(model, caller, choice, own)
  const query = readListQuery(collection, request, scope)
  const { statuses, where } = takeStatus(
    collection,
    visibleStatuses(collection, caller, query.statuses),
    within(query.where, scope.filter(collection)?.where),
  )
  const { fingerprint, limit, offset, after, q, selection } = query
  const touched = [...collectionsIn(query.where), ...collectionsOf(selection.expansions)]
  const reader = [readerVariant(scope, caller, [collection, ...touched]), choice]
  return {
    collection,
    query,
    scope,
    where,
    statuses,
    search: q === undefined ? undefined : toSearch(collection, q, statuses, hidden),
    sources: { touched, behind: filterDependencies(scope, [collection, ...touched]) },
    matches: variantOf(collection.schemaHash, fingerprint, reader),
    variant: variantOf(collection.schemaHash, fingerprint, limit, offset, after, selectionName(selection), reader),
  }
}

function within(where: Condition | undefined, limit: Condition | undefined): Condition | undefined {
  return where && limit ? { kind: 'all', of: [limit, where] } : (where ?? limit)
}

/**
 * How far the collections have come that a list depends on, its own first. Without a session, only what the public sees
 * counts.
 */
async function revisionsFor(
  engine: Engine,
  { collection, sources }: ListPlan,
  { seq, visibleSeq }: Counters,
  caller: Caller,
): Promise<readonly number[]> {
  const own = seesPublicOnly(collection, caller) ? visibleSeq : seq
  const isAlone = sources.touched.length === 0 && sources.behind.length === 0
  return isAlone ? [own] : [own, ...(await revisionsOf(engine, sources, caller))]
}

function listTag({ variant }: ListPlan, [own = 0, ...others]: readonly number[]): string {
  return documentTag(own, others.length === 0 ? variant : variantOf(variant, others))
}

/** Says what of a document is answered, for tags. */
function selectionName({ select, expansions }: Selection): unknown {
  const inner = expansions.map((one) => [
    one.relation.path,
    one.isOpen,
    selectionName({ select: one.select, expansions: one.inner }),
  ])
  return [select && [...select], inner]
}

function toSearch(
  collection: CollectionModel,
  q: string,
  statuses: readonly string[] | undefined,
  hidden: ReadonlySet<string>,
): SearchQuery {
  const fields = collection.searchable.map(({ key }) => key).filter((key) => !hidden.has(key))
  return { terms: toSearchTerms(q), fields, statuses }
}

function countEntries({ counts }: Pick<Counters, 'counts'>, statuses: readonly string[] | undefined): number {
  const shown = statuses ?? Object.keys(counts)
  return shown.reduce((total, status) => total + (counts[status] ?? 0), 0)
}

/** Other collections that an answer is made of. */
interface Sources {
  /** What is shown of them, or asked through them. */
  readonly touched: readonly CollectionModel[]
  /** Those that rules look into, to tell what the reader may see. */
  readonly behind: readonly CollectionModel[]
}

/** How far other collections have come: where they are shown, as far as the caller may see it. */
async function revisionsOf(engine: Engine, { touched, behind }: Sources, caller: Caller): Promise<readonly number[]> {
  const revisions: number[] = []
  for (const collection of new Set(touched)) {
    const counters = await engine.store.read.lists.counters(collection.key)
    revisions.push(seesPublicOnly(collection, caller) ? counters.visibleSeq : counters.seq)
  }
  for (const { key } of new Set(behind)) revisions.push((await engine.store.read.lists.counters(key)).seq)
  return revisions
}

/** Counting what a filter finds can be costly: the number is kept as long as nothing that it depends on changes. */
async function countFound(engine: Engine, asked: ListPlan, revisions: readonly number[]): Promise<number> {
  const { collection, search, statuses, where, matches } = asked
  const key = `${matches} ${revisions.join()}`
  const known = engine.totals.get(key)
  if (known !== undefined) return known
  const total = engine.store.read.lists.count(collection, { search, where, statuses })
  if (engine.totals.size >= MAX_TOTALS) engine.totals.clear()
  engine.totals.set(key, total)
  total.catch(() => engine.totals.delete(key))
  return total
}

/**
 * Reads one entry by its slug, or by its id where the segment has the selection of one.
 *
 * @throws NOT_FOUND when there is none that the caller may see; VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function getEntry(
  engine: Engine,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery>,
  caller: Caller,
): Promise<Answer> {
  const { model } = engine
  const choice = requireLocale(model, query.partial, caller)
  const collection = inLocale(model, key, choice)
  const limit = await requireRead(model, collection, caller)
  const where = limit && filterFor(model, collection, limit).where
  const hidden = hiddenFields(collection, caller)
  if (query.isEmpty) {
    return toAnswer(collection, await requireVisible(engine, collection, address, caller, where), { hidden })
  }
  const scope = await queryScope(model, caller, choice, { key, limit })
  const selection = readEntryQuery(collection, query, scope)
  const found = await requireVisible(engine, collection, address, caller, where)
  const { select, expansions } = selection
  const isUsual = !choice.isAll && choice.chain === undefined
  if (expansions.length === 0 && isUsual) return toAnswer(collection, found, { hidden, select })
  const variant = await expandedVariant(engine, collection, selection, scope, caller)
  const rows = await inChosenLocale(engine, collection, [found], choice)
  const [json = ''] = await presentExpanded(engine, collection, rows, selection, scope)
  return { json, tag: documentTag(found.seq, variant), seq: found.seq }
}

/** Names what is answered of a document, and how far that has come which is put into it. */
export async function expandedVariant(
  engine: Engine,
  document: DocumentModel,
  selection: Selection,
  scope: QueryScope,
  caller: Caller,
): Promise<string> {
  const touched = collectionsOf(selection.expansions)
  const others = await revisionsOf(engine, { touched, behind: filterDependencies(scope, touched) }, caller)
  const reader = [[...scope.hidden(document)], readerVariant(scope, caller, touched)]
  return variantOf(document.schemaHash, reader, selectionName(selection), others, scope.choice)
}

async function requireVisible(
  { store }: Engine,
  collection: CollectionModel,
  address: string,
  caller: Caller,
  where: Condition | undefined,
): Promise<EntryRow> {
  const row = await find(store.read, collection, address, where)
  if (!row || !isVisible(collection, row.status, caller)) throw new DaybookError('NOT_FOUND')
  return row
}

async function find(
  read: Reader,
  collection: CollectionModel,
  address: string,
  where: Condition | undefined,
): Promise<EntryRow | undefined> {
  if (isUuidShaped(address)) return read.entries.byId(collection, address.toLowerCase(), where)
  if (!collection.slug || address.length > MAX_SLUG_LENGTH * 2 || !isStorableText(address)) return undefined
  return read.entries.bySlug(collection, address.normalize('NFC'), where)
}
