import { isAuthenticated } from '../../auth/adapter.ts'
import type { Access } from '../../content/access/access.ts'
import { canSeeDeleted, findVisibleDrafts } from '../../content/access/draft-access.ts'
import { notAnIdError, refuseCaller } from '../../content/access/rules.ts'
import { DaybookError } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { JournalDocument } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { type GlobalRow, parseDraft, type StoredEntry } from '../../store/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'

/** A document whose history a caller may read. */
export type HistoryTarget = EntryHistory | GlobalHistory

interface EntryHistory extends JournalDocument {
  readonly document: CollectionModel
  /** The row of its table; `undefined` if the entry was deleted or never existed. */
  readonly current: StoredEntry | undefined
  /** True if the caller may see its drafts; otherwise only published versions are visible. */
  readonly hasDrafts: boolean
}

interface GlobalHistory extends JournalDocument {
  readonly document: GlobalModel
  readonly current: GlobalRow | undefined
}

/**
 * Finds the document of a history: one that the caller may read now, or a deleted entry if the caller may read the whole collection
 * with its drafts.
 *
 * @param id the id of an entry; ignored for a global
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND if the caller may not see the document
 */
export async function requireHistory(
  read: Reader,
  access: Access,
  document: CollectionModel | GlobalModel,
  id: string,
): Promise<HistoryTarget> {
  const { caller } = access
  if (!isAuthenticated(access.callerFor(document))) {
    refuseCaller(caller, `the scopes of your token do not allow you to read the history of ${document.key}`)
  }
  const filter = await access.authorizeRead(document)
  if (document.kind === 'global') {
    const current = await read.globals.byKey(document.key)
    return { document, collection: GLOBALS, id: document.key, current }
  }
  if (!isUuidShaped(id)) throw notAnIdError()
  const key = id.toLowerCase()
  const current = await read.entries.stored(document, key, filter?.where)
  const seesDeleted = await canSeeDeleted(access, document)
  const hasDrafts = seesDeleted || (await findVisibleDrafts(access, read, document, [key])).has(key)
  const isVisible = current ? hasDrafts || !document.status || current.status === PUBLISHED : seesDeleted
  if (!isVisible) throw new DaybookError('NOT_FOUND')
  return { document, collection: document.key, id: key, current, hasDrafts }
}

/** Returns the current revisions of a document and its draft; 0 if there is none. */
export function getCurrentRevisions({ document, current }: HistoryTarget): {
  readonly currentRevision: number
  readonly draftRevision: number
} {
  const draft = document.kind === 'collection' && current ? parseDraft(current as StoredEntry) : undefined
  return { currentRevision: current?.seq ?? 0, draftRevision: draft?.seq ?? 0 }
}

/** Returns the key of the status field if the caller may see only published versions, and `undefined` otherwise. */
export function getRequiredStatusKey(target: HistoryTarget): string | undefined {
  return target.document.kind === 'collection' && !(target as EntryHistory).hasDrafts
    ? target.document.status?.key
    : undefined
}
