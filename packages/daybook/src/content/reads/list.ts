import { LRUCache } from 'lru-cache'
import type { CollectionModel } from '../../model/model.ts'
import { encodeCursor } from '../../query/cursor.ts'
import { collectionsOf } from '../../query/expansion.ts'
import { type ListParameters, readListQuery } from '../../query/list-query.ts'
import type { Query } from '../../query/parameters.ts'
import { relatedCollections } from '../../query/where.ts'
import type { Counters } from '../../store/reads/counters-reader.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { SearchQuery } from '../../store/search/search.ts'
import { toSearchTerms } from '../../store/search/search-text.ts'
import type { Access } from '../access/access.ts'
import { readerScope } from '../access/reader-scope.ts'
import { madeOf } from '../answer.ts'
import { requireDraftSession } from '../drafts/draft-access.ts'
import { putAbout } from '../drafts/draft-answer.ts'
import { readDrafts } from '../drafts/read-drafts.ts'
import type { Engine } from '../engine.ts'
import { documentTag, selectionVariant, variantOf } from '../etags.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import { aggregatesText } from './aggregates.ts'
import { presentExpanded, revisionsOf } from './expand.ts'
import { isCounted, type ListQuestion } from './list-question.ts'
import { isOfOneRow, present } from './present.ts'

/** For how many kinds of readers a list is remembered. */
const MAX_QUESTIONS = 20

/**
 * Plans a list: what is asked of it, within what the reader may see. No entry is read yet.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function planList(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  query: Query<ListParameters>,
): Promise<ListPlan> {
  await access.requireRead(collection)
  return new ListPlan(engine, access, await questionOf(engine, access, collection, query))
}

/** A list that can be answered. */
export class ListPlan {
  readonly #engine: Engine
  readonly #access: Access
  readonly question: ListQuestion
  #state: Promise<ListState> | undefined

  constructor(engine: Engine, access: Access, question: ListQuestion) {
    this.#engine = engine
    this.#access = access
    this.question = question
  }

  /** The strong tag of the answer. No entry is read for it. */
  async etag(): Promise<string> {
    const { variant } = this.question
    const [own = 0, ...others] = (await this.#look()).revisions
    return documentTag(own, others.length === 0 ? variant : variantOf(variant, others))
  }

  /** The answer, as JSON text. */
  async read(): Promise<string> {
    const { collection, query, where, statuses, search, projection } = this.question
    const { hasPeople = false } = projection
    const { counters, revisions } = await this.#look()
    const visible = countEntries(counters, statuses)
    const total = await this.count()
    const size = { found: total, visible, all: countEntries(counters, undefined) }
    const isEmpty = query.limit === 0 || query.offset >= total
    const found = isEmpty
      ? { rows: [], end: undefined }
      : await this.#engine.store.read.lists.page(collection, {
          ...query,
          where,
          statuses,
          search,
          hasPeople,
          size,
        })
    const items = await this.#present(found.rows)
    const nextCursor = found.end ? encodeCursor(query.fingerprint, found.end) : null
    const name = collection.holdsFiles ? '' : `"collection":"${collection.key}",`
    const head = `{${name}"total":${total},"limit":${query.limit},"offset":${query.offset}`
    const page = `${head},"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}`
    if (query.aggregates.length === 0) return `${page}}`
    const source = { engine: this.#engine, question: this.question, counters, revisions, size }
    return `${page},"aggregates":${await aggregatesText(source)}}`
  }

  /** What the answer is made of: collections. */
  get madeOf(): readonly string[] {
    const { collection, sources } = this.question
    return madeOf(collection.key, [...sources.touched, ...sources.behind])
  }

  /** How many entries match, on all pages. */
  async count(): Promise<number> {
    const { statuses } = this.question
    const state = await this.#look()
    return isCounted(this.question, state.counters)
      ? countEntries(state.counters, statuses)
      : countFound(this.#engine, this.question, state)
  }

  /** Looked at once, so that the tag never names a later state than that of the entries. */
  #look(): Promise<ListState> {
    this.#state ??= readListState(this.#engine, this.question)
    return this.#state
  }

  async #present(rows: readonly EntryRow[]): Promise<readonly string[]> {
    const { collection, query, scope } = this.question
    if (!query.isDraft) return this.#presentRows(rows)
    const shown = await readDrafts(this.#engine, this.#access, collection, rows, scope.choice)
    const texts = await this.#presentRows(shown.map(({ row }) => row))
    return texts.map((text, index) => putAbout(text, shown[index]?.about ?? {}))
  }

  async #presentRows(rows: readonly EntryRow[]): Promise<readonly string[]> {
    const { collection, query, scope, projection, isOfOneRow: isPlain } = this.question
    if (isPlain) return rows.map((row) => present(collection, row, projection))
    const shown = query.isDraft
      ? rows
      : await inChosenLocale(this.#engine, this.#access, collection, rows, scope.choice)
    const { revisions } = await this.#look()
    return presentExpanded({ engine: this.#engine, scope, revisions }, collection, shown, query.selection)
  }
}

/** Reads the parameters of a list; those that came before, and mean the same for this reader, are not read again. */
async function questionOf(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  query: Query<ListParameters>,
): Promise<ListQuestion> {
  const key = await access.readKey()
  if (key === undefined) return readQuestion(engine, access, collection, query)
  const { plans } = engine.lists
  const name = `${collection.key} ${key}`
  const before = plans.get(query) ?? new LRUCache<string, ListQuestion>({ max: MAX_QUESTIONS })
  plans.set(query, before)
  const question = before.get(name) ?? (await readQuestion(engine, access, collection, query))
  before.set(name, question)
  return question
}

async function readQuestion(
  { model }: Engine,
  access: Access,
  { key }: CollectionModel,
  asked: Query<ListParameters>,
): Promise<ListQuestion> {
  const choice = requireLocale(model, asked.partial, access)
  const collection = inLocale(model, key, choice)
  requireDraftSession(access, collection, asked.partial)
  const scope = await readerScope(access, choice)
  const query = readListQuery(collection, asked, scope)
  const { statuses, where } = scope.narrow(collection, query.statuses, query.where)
  const { fingerprint, limit, offset, after, q, selection, aggregates } = query
  const hidden = scope.hidden(collection)
  const search = q === undefined ? undefined : toSearchQuery(collection, q, statuses, hidden)
  const touched = [...relatedCollections(query.where), ...collectionsOf(selection)]
  const reader = [scope.variant([collection, ...touched]), choice]
  return {
    collection,
    query,
    scope,
    where,
    statuses,
    search,
    isPublicOnly: scope.seesPublishedOnly(collection),
    isNarrowed: search !== undefined || where !== undefined,
    projection: { hidden, select: selection.select, hasPeople: scope.seesPeople(collection) },
    isOfOneRow: isOfOneRow(selection, choice),
    sources: { touched, behind: scope.filterDependencies([collection, ...touched]) },
    matches: variantOf(collection.schemaHash, fingerprint, reader),
    variant: variantOf(
      collection.schemaHash,
      fingerprint,
      limit,
      offset,
      after,
      selectionVariant(selection),
      reader,
      ...aggregates.map(({ name }) => name),
      ...(query.isDraft ? ['draft'] : []),
    ),
  }
}

/** A search as the store takes it, for a reader to whom these fields do not exist. */
export function toSearchQuery(
  collection: CollectionModel,
  q: string,
  statuses: readonly string[] | undefined,
  hidden: ReadonlySet<string>,
): SearchQuery {
  const fields = collection.searchable.map(({ key }) => key).filter((key) => !hidden.has(key))
  return { terms: toSearchTerms(q), fields, statuses, facets: [] }
}

/** How far what a list depends on has come. */
interface ListState {
  /** Of its own collection. */
  readonly counters: Counters
  /** Of all collections, its own first. Without a session, only what the public sees counts. */
  readonly revisions: readonly number[]
}

async function readListState(
  engine: Engine,
  { collection, isPublicOnly, query, scope, sources }: ListQuestion,
): Promise<ListState> {
  const look = engine.store.read.counters.look()
  const counters = await look.of(collection.key)
  const own = isPublicOnly ? counters.visibleSeq : counters.seq
  const drafts = query.isDraft ? [counters.draftSeq] : []
  const isAlone = sources.touched.length === 0 && sources.behind.length === 0
  const others = isAlone ? drafts : [...drafts, ...(await revisionsOf(look, sources, scope))]
  return { counters, revisions: [own, ...others] }
}

function countEntries({ counts }: Counters, statuses: readonly string[] | undefined): number {
  const shown = statuses ?? Object.keys(counts)
  return shown.reduce((total, status) => total + (counts[status] ?? 0), 0)
}

/** Counting what a filter finds can be costly: the number is kept as long as nothing that it depends on changes. */
async function countFound(
  { store, lists: { totals, counting } }: Engine,
  { collection, search, statuses, where, matches }: ListQuestion,
  { revisions }: ListState,
): Promise<number> {
  const key = `${matches} ${revisions.join()}`
  const cached = totals.get(key)
  if (cached !== undefined) return cached
  return counting.run(key, async () => {
    const total = await store.read.lists.count(collection, { search, where, statuses })
    totals.set(key, total)
    return total
  })
}
