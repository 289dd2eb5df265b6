import type { Access } from '../content/access/access.ts'
import { findVisibleDrafts } from '../content/access/draft-access.ts'
import type { ContentContext } from '../content/context.ts'
import { findVisibleDuring } from '../content/drafts/index.ts'
import { DaybookError, validationErrorAt } from '../errors.ts'
import { isStateAction } from '../store/journal-actions.ts'
import type { JournalRow } from '../store/rows.ts'
import { GLOBALS } from '../store/tables/tables.ts'
import { type CallerView, type CollectionView, requireReadable, resolveView } from './feed/caller-view.ts'

/** The maximum number of records that are read at a time. */
const RECORDS_PER_READ = 1000
const MAX_READS = 10

export interface JournalRequest {
  /** The number of the journal after which the list begins. */
  readonly since: number
  /** The number of the journal before which the list begins, with the newest change first. @default the list begins after `since` */
  readonly before?: number | undefined
  /** Changes of this time or later, in milliseconds since 1970. @default any */
  readonly from?: number | undefined
  /** Changes before this time, in milliseconds since 1970. @default any */
  readonly until?: number | undefined
  /** @default any */
  readonly actions?: readonly string[] | undefined
  /** The subject of the actor. @default any */
  readonly actor?: string | undefined
  /** Keys of collections, and `globals`. @default all that the caller may read */
  readonly collections?: readonly string[] | undefined
  readonly limit: number
}

/** A change, as far as the caller may see it. */
export interface ListedRecord extends Omit<JournalRow, 'actor'> {
  /** Absent if the caller may not see authors. */
  readonly actor?: string
}

/** Records in order, and the number to continue after. */
export interface JournalPage {
  readonly items: readonly ListedRecord[]
  readonly next: number
}

/**
 * Lists who changed what, for documents that the caller may read, or could read before they were deleted.
 *
 * @throws VALIDATION_ERROR; GONE if the journal no longer has the records after the number
 */
export async function listJournal(
  context: ContentContext,
  access: Access,
  request: JournalRequest,
): Promise<JournalPage> {
  const { journal } = context.store
  const { before } = request
  const floor = await journal.floor()
  if (before === undefined && request.since > 0 && request.since < floor)
    throw new DaybookError(
      'GONE',
      'The journal no longer contains the changes after this number. Start again with details.restart.',
      { restart: floor },
    )
  const selection = await resolveSelection(context, access, request)
  const items: ListedRecord[] = []
  let next = before ?? request.since
  for (let reads = 0; reads < MAX_READS && items.length < request.limit; reads += 1) {
    const records =
      before === undefined
        ? await journal.records(next, RECORDS_PER_READ)
        : await journal.recordsBefore(next, RECORDS_PER_READ)
    const visible = await selection.select(records)
    const listed = visible.slice(0, request.limit - items.length)
    items.push(...listed)
    next = (listed.length < visible.length ? listed : records).at(-1)?.seq ?? next
    if (records.length < RECORDS_PER_READ) break
  }
  return { items, next }
}

async function resolveSelection(
  context: ContentContext,
  access: Access,
  { collections, ...filter }: JournalRequest,
): Promise<RecordSelection> {
  const view = await resolveView(access, collections)
  requireReadable(view, collections)
  const selection = new RecordSelection(context, access, view, filter)
  if (filter.actor !== undefined && !selection.hasAuthors)
    throw validationErrorAt('actor', 'unknown_param', 'is not allowed here')
  return selection
}

type RecordFilter = Pick<JournalRequest, 'actor' | 'actions' | 'from' | 'until'>

class RecordSelection {
  readonly #context: ContentContext
  readonly #access: Access
  readonly #view: CallerView
  readonly #filter: RecordFilter

  constructor(context: ContentContext, access: Access, view: CallerView, filter: RecordFilter) {
    this.#context = context
    this.#access = access
    this.#view = view
    this.#filter = filter
  }

  /** True if the caller may see the authors of changes in any collection. */
  get hasAuthors(): boolean {
    const { collections, globals } = this.#view
    const projections = [...[...collections.values()].map(({ projection }) => projection), ...globals.values()]
    return projections.some(({ hasAuthors }) => hasAuthors)
  }

  async select(records: readonly JournalRow[]): Promise<readonly ListedRecord[]> {
    const requested = records.filter((record) => this.#isRequested(record))
    const readable = new Set<string>()
    for (const [key, group] of Map.groupBy(requested, ({ collection }) => collection)) {
      const ids = [...new Set(group.map(({ id }) => id))]
      for (const id of await this.#selectReadable(key, ids)) readable.add(`${key} ${id}`)
    }
    const drafts = await this.#findVisibleDrafts(requested)
    const visible = requested.filter(({ action, collection, id }) => {
      const document = `${collection} ${id}`
      return readable.has(document) && (isStateAction(action) || drafts.has(document))
    })
    return visible.map((record) => this.#toListed(record))
  }

  /** Finds the documents of draft records whose drafts the caller may see. */
  async #findVisibleDrafts(records: readonly JournalRow[]): Promise<ReadonlySet<string>> {
    const visible = new Set<string>()
    const draftRecords = records.filter(({ action }) => !isStateAction(action))
    for (const [key, group] of Map.groupBy(draftRecords, ({ collection }) => collection)) {
      const collection = this.#view.collections.get(key)?.collection
      const ids = [...new Set(group.map(({ id }) => id))]
      const visibleIds = collection
        ? await findVisibleDrafts(this.#access, this.#context.store.read, collection, ids)
        : ids
      for (const id of visibleIds) visible.add(`${key} ${id}`)
    }
    return visible
  }

  #isRequested(record: JournalRow): boolean {
    const { actor, actions, from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#filter
    const time = Date.parse(record.at)
    if (time < from || time >= until || actions?.includes(record.action) === false) return false
    return actor === undefined || (record.actor === actor && this.#canSeeAuthor(record))
  }

  #canSeeAuthor({ collection, id }: JournalRow): boolean {
    const { collections, globals } = this.#view
    const global = collection === GLOBALS && [...globals].find(([{ key }]) => key === id)
    const projection = global ? global[1] : collections.get(collection)?.projection
    return projection?.hasAuthors ?? false
  }

  #toListed(record: JournalRow): ListedRecord {
    const { seq, at, actor, action, collection, id } = record
    return { seq, at, ...(this.#canSeeAuthor(record) ? { actor } : {}), action, collection, id }
  }

  async #selectReadable(key: string, ids: readonly string[]): Promise<readonly string[]> {
    const globals = [...this.#view.globals.keys()]
    if (key === GLOBALS) return ids.filter((id) => globals.some((global) => global.key === id))
    const view = this.#view.collections.get(key)
    return view ? this.#selectReadableEntries(view, ids) : []
  }

  async #selectReadableEntries(view: CollectionView, ids: readonly string[]): Promise<readonly string[]> {
    const { entries } = this.#context.store.read
    const { collection, visible } = view
    const stored = new Set((await entries.statuses(collection, ids)).map(({ id }) => id))
    const readable = (await entries.statuses(collection, ids, visible)).map(({ id }) => id)
    const deleted = ids.filter((id) => !stored.has(id))
    const formerlyReadable: string[] = []
    for (const id of deleted) if (await this.#wasReadable(view, id)) formerlyReadable.push(id)
    return [...readable, ...formerlyReadable]
  }

  /** True if a deleted entry was readable in its last state. */
  async #wasReadable({ collection, visible }: CollectionView, id: string): Promise<boolean> {
    const { store } = this.#context
    const last = await store.journal.stateAt(collection.key, id, await store.journal.head())
    if (!last) return false
    const before = last.record.seq - 1
    return (await findVisibleDuring(store, collection, [id], visible, { from: before, to: before })).has(id)
  }
}
