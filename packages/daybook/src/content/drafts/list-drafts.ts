import type { CollectionModel } from '../../model/model.ts'
import { DEFAULT_SEARCH_LIMIT, type DraftsParameters, parsePosition } from '../../query/cross-collection.ts'
import type { LocaleChoice, LocaleQuery } from '../../query/locale-parameters.ts'
import type { Condition } from '../../query/where.ts'
import type { DraftListQuery, DraftSummary } from '../../store/reads/draft-reader.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import type { ContentContext } from '../context.ts'
import { requireLocale } from '../locales/locale.ts'
import { readDrafts } from '../reads/present-draft.ts'
import { type TitledEntry, toTitledEntry } from '../reads/titled-entry.ts'

interface DraftCollection {
  readonly collection: CollectionModel
  /** The filter that its entries must match; `undefined` if the rules return none. */
  readonly where: Condition | undefined
}

/** The drafts of all collections that exist for a caller. */
export class DraftScope {
  readonly #context: ContentContext
  readonly #access: Access
  readonly #scope: CallerScope
  readonly #choice: LocaleChoice
  /** The collections whose drafts the caller may see, by key. */
  readonly collections: ReadonlyMap<string, DraftCollection>

  /** @throws VALIDATION_ERROR; INTERNAL_ERROR if a rule fails */
  static async create(context: ContentContext, access: Access, query: LocaleQuery): Promise<DraftScope> {
    const choice = requireLocale(context.model, query, access)
    const scope = await resolveCallerScope(access, choice)
    const collections = new Map<string, DraftCollection>()
    for (const [key, collection] of context.model.collections) {
      if (!collection.status || !scope.readableCollection(key)) continue
      const results = [await access.evaluateRead(collection), await access.evaluateDraftAccess(collection)]
      if (results.includes(false)) continue
      const of = results.flatMap((result) => (typeof result === 'object' ? [result.where] : []))
      collections.set(key, { collection, where: of.length > 0 ? { kind: 'all', of } : undefined })
    }
    return new DraftScope(context, access, scope, choice, collections)
  }

  private constructor(
    context: ContentContext,
    access: Access,
    scope: CallerScope,
    choice: LocaleChoice,
    collections: ReadonlyMap<string, DraftCollection>,
  ) {
    this.#context = context
    this.#access = access
    this.#scope = scope
    this.#choice = choice
    this.collections = collections
  }

  canSeeAuthors(collection: CollectionModel): boolean {
    return this.#scope.canSeeAuthors(collection)
  }

  /** Reads the titles of entries in their drafts, by id. Deleted entries, and entries whose drafts the caller may not see, are absent. */
  async readTitles(collection: CollectionModel, ids: readonly string[]): Promise<ReadonlyMap<string, TitledEntry>> {
    const localeCollection = this.#scope.readableCollection(collection.key) ?? collection
    const visible = await findVisibleDrafts(this.#access, this.#context.store.read, collection, ids)
    const rows = ids.filter((id) => visible.has(id)).map((id) => ({ id }))
    const drafts = await readDrafts(this.#context, this.#access, localeCollection, rows, this.#choice)
    const hidden = this.#scope.hiddenFields(collection)
    return new Map(drafts.map(({ row }) => [row.id, toTitledEntry(localeCollection, row, hidden)]))
  }
}

const CONCURRENT_READS = 8

export interface ListedDraft extends TitledEntry {
  /** The time of the last save; ISO 8601 in UTC. */
  readonly at: string
  /** The author of the last save; absent if the caller may not see it. */
  readonly actor?: string | null
}

/** A page of entries of one or more collections. */
export interface CursorPage<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page; `null` if there is none. */
  readonly nextCursor: string | null
}

interface DraftInCollection {
  readonly collection: CollectionModel
  readonly summary: DraftSummary
}

/**
 * Lists the drafts of all collections that exist for a caller, the last saved first. A page may have fewer items than the limit if an
 * access rule depends on the entry.
 *
 * @throws VALIDATION_ERROR; INTERNAL_ERROR if a rule fails
 */
export async function listDrafts(
  context: ContentContext,
  access: Access,
  parameters: DraftsParameters,
): Promise<CursorPage<ListedDraft>> {
  const { limit = DEFAULT_SEARCH_LIMIT, actor, cursor } = parameters
  const scope = await DraftScope.create(context, access, parameters)
  const [before = 0] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : parsePosition(cursor)
  const drafts = await findDrafts(context, scope, { actor, before, limit: limit + 1 })
  const page = drafts.slice(0, limit)
  const nextCursor = drafts.length > limit ? String(page.at(-1)?.summary.seq) : null
  return { items: await addTitles(scope, page), nextCursor }
}

async function findDrafts(
  context: ContentContext,
  scope: DraftScope,
  query: Omit<DraftListQuery, 'where'>,
): Promise<readonly DraftInCollection[]> {
  const drafts: DraftInCollection[] = []
  const collections = [...scope.collections.values()].filter(
    ({ collection }) => query.actor === undefined || scope.canSeeAuthors(collection),
  )
  for (let at = 0; at < collections.length; at += CONCURRENT_READS) {
    const reads = collections.slice(at, at + CONCURRENT_READS).map(async ({ collection, where }) => {
      const summaries = await context.store.read.drafts.list(collection, { ...query, where })
      return summaries.map((summary) => ({ collection, summary }))
    })
    drafts.push(...(await Promise.all(reads)).flat())
  }
  return drafts.sort((a, b) => b.summary.seq - a.summary.seq)
}

/** Adds the titles, and drops entries that have been deleted since or whose drafts do not exist for the caller. */
async function addTitles(scope: DraftScope, page: readonly DraftInCollection[]): Promise<readonly ListedDraft[]> {
  const titles = new Map<string, TitledEntry>()
  for (const [collection, group] of Map.groupBy(page, (draft) => draft.collection)) {
    const ids = group.map(({ summary }) => summary.id)
    for (const [id, entry] of await scope.readTitles(collection, ids)) titles.set(`${collection.key} ${id}`, entry)
  }
  return page.flatMap(({ collection, summary: { id, at, actor } }) => {
    const entry = titles.get(`${collection.key} ${id}`)
    return entry ? [{ ...entry, at, ...(scope.canSeeAuthors(collection) ? { actor } : {}) }] : []
  })
}
