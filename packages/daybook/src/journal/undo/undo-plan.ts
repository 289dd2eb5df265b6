import type { Access } from '../../content/access/access.ts'
import { findVisibleDrafts } from '../../content/access/draft-access.ts'
import type { ContentContext } from '../../content/context.ts'
import { readFormerState } from '../../content/documents/migrate-document.ts'
import type { CanonicalDocument } from '../../content/locales/localized.ts'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel, Model } from '../../model/model.ts'
import { isStateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { type GlobalRow, type JournalRow, parseDraft, type StoredEntry } from '../../store/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'

/** The maximum number of journal records in the range of an undo. */
export const MAX_UNDONE = 10_000

export interface UndoRange {
  /** The number of the first change. */
  readonly from: number
  /** The number of the last change. @default the latest one */
  readonly to?: number | undefined
  /** The subject of the actor. @default any */
  readonly actor?: string | undefined
}

/** The reason why a document cannot be reverted. */
export type UndoObstacle =
  | 'access'
  | 'changed_since'
  | 'conflict'
  | 'erased'
  | 'file'
  | 'hook'
  | 'invalid'
  | 'referenced'
  | 'schedule'

export interface BlockedUndo {
  readonly collection: string
  readonly id: string
  readonly reason: UndoObstacle
  /** The numbers of the later changes in the way; without any, the numbers of the undone changes. */
  readonly changes: readonly number[]
}

export interface FormerDraft {
  /** The change that saved the draft. */
  readonly record: JournalRow
  readonly canonical: CanonicalDocument
}

export interface UndoStep {
  readonly collection: string
  readonly id: string
  readonly changes: readonly JournalRow[]
  /** The state before the changes; `undefined` if the document did not exist. */
  readonly former: CanonicalDocument | undefined
  /** The draft before the changes; `same` if it is the current one. */
  readonly draft: FormerDraft | 'same' | undefined
  readonly target: UndoTarget
}

/** The document of a step. `current` is its row, or `undefined` if it does not exist. */
export type UndoTarget = {
  /** True if the caller may see drafts of the document. */
  readonly hasDrafts: boolean
} & (
  | { readonly document: CollectionModel; readonly current: StoredEntry | undefined }
  | { readonly document: GlobalModel; readonly current: GlobalRow | undefined }
)

/** The steps of an undo, and the documents that it skips. */
export interface UndoPlan {
  /** The last number of the journal when the plan was made. */
  readonly head: number
  readonly steps: readonly UndoStep[]
  readonly blocked: readonly BlockedUndo[]
}

/** Actions that an undo ignores. */
const IGNORED_ACTIONS: ReadonlySet<string> = new Set(['erase', 'scheduleFailed'])

/**
 * Plans to revert the documents in a range of changes. Documents that the caller may not read are left out.
 *
 * @throws VALIDATION_ERROR for an empty or too long range
 */
export async function planUndo(context: ContentContext, access: Access, range: UndoRange): Promise<UndoPlan> {
  const { read } = context.store
  const head = await read.journal.head()
  const to = Math.min(range.to ?? head, head)
  if (range.from > to)
    throw validationErrorAt('/from', 'maximum', `must be at most ${to}, which is the last change of the range`, {
      limit: to,
    })
  if (to - range.from >= MAX_UNDONE)
    throw validationErrorAt(
      '/from',
      'maxItems',
      `must start a range of at most ${MAX_UNDONE} changes. Undo the last ones first.`,
      { limit: MAX_UNDONE },
    )
  const records = await readRecords(read, range.from, to)
  const isSelected = ({ seq, actor, action }: JournalRow): boolean =>
    seq >= range.from &&
    seq <= to &&
    (range.actor === undefined || actor === range.actor) &&
    !IGNORED_ACTIONS.has(action)
  const steps: UndoStep[] = []
  const blocked: BlockedUndo[] = []
  const selected = records.filter(isSelected)
  for (const changes of Map.groupBy(selected, ({ collection, id }) => `${collection} ${id}`).values()) {
    const outcome = await planDocument(context, access, changes, isSelected)
    if (outcome && 'reason' in outcome) blocked.push(outcome)
    else if (outcome) steps.push(outcome)
  }
  return { head, steps, blocked }
}

async function readRecords(read: Reader, from: number, to: number): Promise<readonly JournalRow[]> {
  const records = await read.journal.records(from - 1, MAX_UNDONE)
  return records.filter(({ seq }) => seq <= to)
}

/** Returns `undefined` if the caller may not see the document, or it was created and deleted in the range. */
async function planDocument(
  { model, store: { read } }: ContentContext,
  access: Access,
  records: readonly JournalRow[],
  isSelected: (record: JournalRow) => boolean,
): Promise<UndoStep | BlockedUndo | undefined> {
  const [record] = records
  if (!record) return undefined
  const { collection, id } = record
  const target = await findTarget(model, read, access, collection, id)
  if (!target) return undefined
  const isVisible = ({ action }: JournalRow): boolean => target.hasDrafts || isStateAction(action)
  const changes = records.filter(isVisible)
  const [firstChange] = changes
  if (!firstChange) return undefined
  const first = firstChange.seq
  const laterChanges = (await read.history.changesFrom({ collection, id }, first)).filter(
    (change) => isVisible(change) && !isSelected(change) && !IGNORED_ACTIONS.has(change.action),
  )
  const block = (reason: UndoObstacle, obstacles: readonly JournalRow[] = changes): BlockedUndo => ({
    collection,
    id,
    reason,
    changes: obstacles.map(({ seq }) => seq),
  })
  if (laterChanges.length > 0) return block('changed_since', laterChanges)
  if (changes.some(({ action }) => action === 'unschedule')) return block('schedule')
  const { document } = target
  const stateChanges = changes.filter(({ action }) => isStateAction(action))
  const existedBefore = stateChanges[0]?.action !== 'create'
  const state = existedBefore ? await read.journal.stateAt(collection, id, first - 1) : undefined
  if (existedBefore && state?.doc === undefined) return block('erased')
  if (!existedBefore && !target.current) return undefined
  const former = state?.doc === undefined ? undefined : readFormerState(document, state.doc)
  const draft = former && document.kind === 'collection' ? await findFormerDraft(read, target, firstChange) : undefined
  if (draft === 'erased') return block('erased')
  return { collection, id, changes, former, draft, target }
}

/** Finds the document of records; `undefined` if the caller may not read it. */
async function findTarget(
  { collections, globals }: Model,
  read: Reader,
  access: Access,
  key: string,
  id: string,
): Promise<UndoTarget | undefined> {
  const document = key === GLOBALS ? globals.get(id) : collections.get(key)
  if (!document) return undefined
  const filter = await access.authorizeRead(document).catch((error: unknown) => {
    if (error instanceof DaybookError && error.status < 500) return 'forbidden' as const
    throw error
  })
  if (filter === 'forbidden') return undefined
  if (document.kind === 'global') return { document, current: await read.globals.byKey(id), hasDrafts: true }
  const current = await read.entries.stored(document, id, filter?.where)
  if (!current && filter) return undefined
  const hasDrafts = (await findVisibleDrafts(access, read, document, [id])).has(id)
  if (!hasDrafts && current?.status !== PUBLISHED) return undefined
  return { document, current, hasDrafts }
}

/** Finds the draft of an entry before a change. */
async function findFormerDraft(
  read: Reader,
  { document, current, hasDrafts }: UndoTarget,
  { collection, id, seq: first }: JournalRow,
): Promise<FormerDraft | 'same' | 'erased' | undefined> {
  if (!hasDrafts) return 'same'
  const currentDraft = document.kind === 'collection' && current ? parseDraft(current as StoredEntry) : undefined
  if (currentDraft && currentDraft.seq < first) return 'same'
  const last = await read.history.draftBefore({ collection, id }, first)
  if (last?.action !== 'draft') return undefined
  const text = await read.journal.versionText(collection, id, last.seq)
  return text === undefined ? 'erased' : { record: last, canonical: readFormerState(document, text) }
}
