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

/** A collection whose drafts a caller may see. */
interface DraftCollection {
  readonly collection: CollectionModel
  /** The filter that its entries must match; `undefined` if the rules return none. */
  readonly where: Condition | undefined
}

/** The drafts of all collections that exist for a caller. */
export class DraftScope {
  readonly #engine: ContentContext
  readonly #access: Access
  readonly #scope: CallerScope
  readonly #choice: LocaleChoice
  /** The collections of which the caller may see drafts, by key. */
  readonly collections: ReadonlyMap<string, DraftCollection>

  /** @throws VALIDATION_ERROR; INTERNAL_ERROR if a rule fails */
  static async create(engine: ContentContext, access: Access, query: LocaleQuery): Promise<DraftScope> {
    const choice = requireLocale(engine.model, query, access)
    const scope = await resolveCallerScope(access, choice)
    const collections = new Map<string, DraftCollection>()
    for (const [key, collection] of engine.model.collections) {
      if (!collection.status || !scope.readableCollection(key)) continue
      const rulings = [await access.evaluateRead(collection), await access.evaluateDraftAccess(collection)]
      if (rulings.includes(false)) continue
      const of = rulings.flatMap((ruling) => (typeof ruling === 'object' ? [ruling.where] : []))
      collections.set(key, { collection, where: of.length > 0 ? { kind: 'all', of } : undefined })
    }
    return new DraftScope(engine, access, scope, choice, collections)
  }

  private constructor(
    engine: ContentContext,
    access: Access,
    scope: CallerScope,
    choice: LocaleChoice,
    collections: ReadonlyMap<string, DraftCollection>,
  ) {
    this.#engine = engine
    this.#access = access
    this.#scope = scope
    this.#choice = choice
    this.collections = collections
  }

  seesPeople(collection: CollectionModel): boolean {
    return this.#scope.canSeeAuthors(collection)
  }

  /** Reads the titles of entries in their drafts, by id. Deleted entries, and entries whose drafts the caller may not see, are absent. */
  async readTitles(collection: CollectionModel, ids: readonly string[]): Promise<ReadonlyMap<string, TitledEntry>> {
    const shown = this.#scope.readableCollection(collection.key) ?? collection
    const visible = await findVisibleDrafts(this.#access, this.#engine.store.read, collection, ids)
    const rows = ids.filter((id) => visible.has(id)).map((id) => ({ id }))
    const drafts = await readDrafts(this.#engine, this.#access, shown, rows, this.#choice)
    const hidden = this.#scope.hiddenFields(collection)
    return new Map(drafts.map(({ row }) => [row.id, toTitledEntry(shown, row, hidden)]))
  }
}

/** The number of collections that are read concurrently. */
const AT_ONCE = 8

/** An entry that has a draft. */
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

interface FoundDraft {
  readonly collection: CollectionModel
  readonly mark: DraftSummary
}

/**
 * Lists the drafts of all collections that exist for a caller, the last saved first. A page may have fewer items than the limit if an
 * access rule depends on the entry.
 *
 * @throws VALIDATION_ERROR; INTERNAL_ERROR if a rule fails
 */
export async function listDrafts(
  engine: ContentContext,
  access: Access,
  asked: DraftsParameters,
): Promise<CursorPage<ListedDraft>> {
  const { limit = DEFAULT_SEARCH_LIMIT, actor, cursor } = asked
  const scope = await DraftScope.create(engine, access, asked)
  const [before = 0] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : parsePosition(cursor)
  const found = await findDrafts(engine, scope, { actor, before, limit: limit + 1 })
  const page = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(page.at(-1)?.mark.seq) : null
  return { items: await describe(scope, page), nextCursor }
}

async function findDrafts(
  engine: ContentContext,
  scope: DraftScope,
  query: Omit<DraftListQuery, 'where'>,
): Promise<readonly FoundDraft[]> {
  const found: FoundDraft[] = []
  const asked = [...scope.collections.values()].filter(
    ({ collection }) => query.actor === undefined || scope.seesPeople(collection),
  )
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const marks = asked.slice(at, at + AT_ONCE).map(async ({ collection, where }) => {
      const listed = await engine.store.read.drafts.list(collection, { ...query, where })
      return listed.map((mark) => ({ collection, mark }))
    })
    found.push(...(await Promise.all(marks)).flat())
  }
  return found.sort((one, other) => other.mark.seq - one.mark.seq)
}

/** Adds the titles, and drops entries that have been deleted since or whose drafts do not exist for the caller. */
async function describe(scope: DraftScope, page: readonly FoundDraft[]): Promise<readonly ListedDraft[]> {
  const titles = new Map<string, TitledEntry>()
  for (const [collection, own] of Map.groupBy(page, (one) => one.collection)) {
    const ids = own.map(({ mark }) => mark.id)
    for (const [id, titled] of await scope.readTitles(collection, ids)) titles.set(`${collection.key} ${id}`, titled)
  }
  return page.flatMap(({ collection, mark: { id, at, actor } }) => {
    const titled = titles.get(`${collection.key} ${id}`)
    return titled ? [{ ...titled, at, ...(scope.seesPeople(collection) ? { actor } : {}) }] : []
  })
}
