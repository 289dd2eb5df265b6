import type { CollectionModel } from '../../model/model.ts'
import { DEFAULT_ACROSS, type DraftsParameters, readPosition } from '../../query/across-query.ts'
import type { DraftMark, DraftQuery } from '../../store/reads/draft-reader.ts'
import type { Access } from '../access/access.ts'
import type { Engine } from '../engine.ts'
import type { TitledEntry } from '../reads/titled-entry.ts'
import { EditorScope } from './editor-scope.ts'

/** How many collections are looked into at a time. */
const AT_ONCE = 8

/** An entry that has a working copy. */
export interface ListedDraft extends TitledEntry {
  /** When the working copy was saved last; ISO 8601 in UTC. */
  readonly at: string
  /** The subject of who saved it; absent where the reader may not know. */
  readonly actor?: string | null
}

/** Entries of several collections, and where to go on. */
export interface AcrossPage<Item> {
  readonly items: readonly Item[]
  /** `null`: there are no more. */
  readonly nextCursor: string | null
}

interface FoundDraft {
  readonly collection: CollectionModel
  readonly mark: DraftMark
}

/**
 * Lists the drafts of all collections that exist for a caller, those that were saved last first. Where a rule decides by the entry, a
 * page may have fewer items than were asked for.
 *
 * @throws VALIDATION_ERROR; INTERNAL_ERROR when a rule fails
 */
export async function listDrafts(
  engine: Engine,
  access: Access,
  asked: DraftsParameters,
): Promise<AcrossPage<ListedDraft>> {
  const { limit = DEFAULT_ACROSS, actor, cursor } = asked
  const scope = await EditorScope.of(engine, access, asked)
  const [before = 0] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : readPosition(cursor)
  const found = await findDrafts(engine, scope, { actor, before, limit: limit + 1 })
  const page = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(page.at(-1)?.mark.seq) : null
  return { items: await describe(scope, page), nextCursor }
}

async function findDrafts(
  engine: Engine,
  scope: EditorScope,
  query: Omit<DraftQuery, 'where'>,
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

/** Entries that were deleted meanwhile are left out, and those whose drafts do not exist for the caller. */
async function describe(scope: EditorScope, page: readonly FoundDraft[]): Promise<readonly ListedDraft[]> {
  const titles = new Map<string, TitledEntry>()
  for (const [collection, own] of Map.groupBy(page, (one) => one.collection)) {
    const ids = own.map(({ mark }) => mark.id)
    for (const [id, titled] of await scope.titled(collection, ids)) titles.set(`${collection.key} ${id}`, titled)
  }
  return page.flatMap(({ collection, mark: { id, at, actor } }) => {
    const titled = titles.get(`${collection.key} ${id}`)
    return titled ? [{ ...titled, at, ...(scope.seesPeople(collection) ? { actor } : {}) }] : []
  })
}
