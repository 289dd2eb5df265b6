import type { Access } from '../../content/access/access.ts'
import type { Engine } from '../../content/engine.ts'
import { DaybookError, invalidAt } from '../../errors.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { decodeCursor, encodeCursor } from '../../query/cursor.ts'
import type { StateAction } from '../../store/journal-actions.ts'
import type { VersionRecord } from '../../store/reads/history-reader.ts'
import { presentNumbers, publishedOnly, requireHistory } from './history-target.ts'

/** The page size of a request that names none. */
const DEFAULT_PAGE = 20
/** The most versions on one page. */
const MAX_PAGE = 100

/** A version of a document: what a change made of it. */
export interface Version {
  /** The number of the change in the journal. */
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The subject of the actor; absent for readers who may not know people. */
  readonly actor?: string
  readonly action: StateAction | 'draft'
  /** Whether it is a working copy. */
  readonly isDraft: boolean
  /** Present where its content was erased. */
  readonly erased?: true
}

/** One page of the versions of a document. */
export interface VersionList {
  readonly items: readonly Version[]
  /** The `cursor` of the next page; `null` on the last. */
  readonly nextCursor: string | null
}

/** Which versions are asked for. */
export interface VersionPageQuery {
  /** @default 20, at most 100 */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/**
 * Lists the versions of a document that exist for the caller, newest first. A page reads as many records as it answers, besides those of autosaves that
 * others took the place of.
 *
 * @param id an entry's id, or a global's key
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN; VALIDATION_ERROR for a cursor of another list
 */
export async function listVersions(
  { store: { read } }: Engine,
  access: Access,
  document: CollectionModel | GlobalModel,
  id: string,
  query: VersionPageQuery,
): Promise<VersionList> {
  // What is stored from here on is not listed: its place would not be known.
  const head = await read.journal.head()
  const target = await requireHistory(read, access, document, id)
  const name = `${target.collection} ${target.id}`
  const before = query.cursor === undefined ? head + 1 : readCursor(query.cursor, name)
  const limit = Math.min(query.limit ?? DEFAULT_PAGE, MAX_PAGE)
  const { collection } = target
  const page = { collection, id: target.id, before, limit: limit + 1, ...presentNumbers(target) }
  const statusKey = publishedOnly(target)
  const found = await (statusKey === undefined
    ? read.history.versions(page)
    : read.history.publishedVersions({ ...page, statusKey }))
  if (found.length === 0 && query.cursor === undefined && document.kind === 'collection' && !target.present) {
    throw new DaybookError('NOT_FOUND')
  }
  const hasPeople = access.seesPeople(document)
  const items = found.slice(0, limit).map((record) => toVersion(record, hasPeople))
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last ? encodeCursor(name, [last.revision]) : null }
}

function readCursor(cursor: string, name: string): number {
  const position = decodeCursor(cursor, name, [])
  if (typeof position === 'string') throw invalidAt('cursor', 'cursor', position)
  return Number(position[0])
}

/** A record of a version, as it is answered. */
export function toVersion({ seq, at, actor, action, erased }: VersionRecord, hasPeople: boolean): Version {
  return {
    revision: seq,
    at,
    ...(hasPeople ? { actor } : {}),
    action: action as Version['action'],
    isDraft: action === 'draft',
    ...(erased === 1 ? { erased: true } : {}),
  }
}
