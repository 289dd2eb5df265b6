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
import type { GlobalRow, JournalRow, StoredEntry } from '../../store/rows.ts'
import { parseDraft } from '../../store/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'

/** The most records of the journal that one undo looks at. */
export const MAX_UNDONE = 10_000

/** Which changes are undone. */
export interface UndoRange {
  /** The number of the first change. */
  readonly from: number
  /** The number of the last change. @default the last one that there is */
  readonly to?: number | undefined
  /** The subject of their actor. @default any */
  readonly actor?: string | undefined
}

/** Why a document stays as it is. */
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

/** A document that stays as it is. */
export interface BlockedUndo {
  readonly collection: string
  readonly id: string
  readonly reason: UndoObstacle
  /** Numbers of the changes in the way; of its own changes where others are not. */
  readonly changes: readonly number[]
}

/** A working copy that a document had. */
export interface FormerDraft {
  /** The change that saved it. */
  readonly record: JournalRow
  readonly canonical: CanonicalDocument
}

/** What a document is to become again. */
export interface UndoStep {
  readonly collection: string
  readonly id: string
  /** The changes that are undone. */
  readonly changes: readonly JournalRow[]
  /** What it was; `undefined`: it was not there. */
  readonly former: CanonicalDocument | undefined
  /** Its working copy then; `same`: the one that it has. */
  readonly draft: FormerDraft | 'same' | undefined
  readonly target: UndoTarget
}

/** The document as it is; `present` is absent where there is none. */
export type UndoTarget = {
  /** True if drafts of the document exist for the caller. */
  readonly hasDrafts: boolean
} & (
  | { readonly document: CollectionModel; readonly present: StoredEntry | undefined }
  | { readonly document: GlobalModel; readonly present: GlobalRow | undefined }
)

/** What an undo does, and what it leaves. */
export interface UndoPlan {
  /** How far the journal had come. */
  readonly head: number
  readonly steps: readonly UndoStep[]
  readonly blocked: readonly BlockedUndo[]
}

/** Actions that an undo has nothing to do for. */
const PASSIVE: ReadonlySet<string> = new Set(['erase', 'scheduleFailed'])

/**
 * Finds what the documents were before the changes of a range. Documents that the caller may not read are left out.
 *
 * @throws VALIDATION_ERROR when the range is none, or too long
 */
export async function planUndo(engine: ContentContext, access: Access, range: UndoRange): Promise<UndoPlan> {
  const { read } = engine.store
  const head = await read.journal.head()
  const to = Math.min(range.to ?? head, head)
  if (range.from > to)
    throw validationErrorAt('/from', 'maximum', `must be at most ${to}, the last change of the range`, { limit: to })
  if (to - range.from >= MAX_UNDONE)
    throw validationErrorAt(
      '/from',
      'maxItems',
      `must begin a range of at most ${MAX_UNDONE} changes; undo the last ones first`,
      { limit: MAX_UNDONE },
    )
  const records = await recordsIn(read, range.from, to)
  const isMeant = ({ seq, actor, action }: JournalRow): boolean =>
    seq >= range.from && seq <= to && (range.actor === undefined || actor === range.actor) && !PASSIVE.has(action)
  const steps: UndoStep[] = []
  const blocked: BlockedUndo[] = []
  for (const own of Map.groupBy(records.filter(isMeant), ({ collection, id }) => `${collection} ${id}`).values()) {
    const outcome = await planDocument(engine, access, own, isMeant)
    if (outcome && 'reason' in outcome) blocked.push(outcome)
    else if (outcome) steps.push(outcome)
  }
  return { head, steps, blocked }
}

async function recordsIn(read: Reader, from: number, to: number): Promise<readonly JournalRow[]> {
  const found = await read.journal.records(from - 1, MAX_UNDONE)
  return found.filter(({ seq }) => seq <= to)
}

/** `undefined`: the caller may not know of the document, or it is there no more than before. */
async function planDocument(
  { model, store: { read } }: ContentContext,
  access: Access,
  records: readonly JournalRow[],
  isMeant: (record: JournalRow) => boolean,
): Promise<UndoStep | BlockedUndo | undefined> {
  const [subject] = records
  if (!subject) return undefined
  const { collection, id } = subject
  const target = await findTarget(model, read, access, collection, id)
  if (!target) return undefined
  const isVisible = ({ action }: JournalRow): boolean => target.hasDrafts || isStateAction(action)
  const own = records.filter(isVisible)
  const [record] = own
  if (!record) return undefined
  const first = record.seq
  const all = await read.history.changesFrom({ collection, id }, first)
  const others = all.filter((one) => isVisible(one) && !isMeant(one) && !PASSIVE.has(one.action))
  const block = (reason: UndoObstacle, changes: readonly JournalRow[] = own): BlockedUndo => ({
    collection,
    id,
    reason,
    changes: changes.map(({ seq }) => seq),
  })
  if (others.length > 0) return block('changed_since', others)
  if (own.some(({ action }) => action === 'unschedule')) return block('schedule')
  const { document } = target
  const states = own.filter(({ action }) => isStateAction(action))
  const wasThere = states[0]?.action !== 'create'
  const state = wasThere ? await read.journal.stateAt(collection, id, first - 1) : undefined
  if (wasThere && state?.doc === undefined) return block('erased')
  if (!wasThere && !target.present) return undefined
  const former = state?.doc === undefined ? undefined : readFormerState(document, state.doc)
  const copy = former && document.kind === 'collection' ? await copyOf(read, target, record) : undefined
  if (copy === 'erased') return block('erased')
  return { collection, id, changes: own, former, draft: copy, target }
}

/** The document of records, where the caller may read it; `undefined`: the caller may not. */
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
    if (error instanceof DaybookError && error.status < 500) return 'refused' as const
    throw error
  })
  if (filter === 'refused') return undefined
  if (document.kind === 'global') return { document, present: await read.globals.byKey(id), hasDrafts: true }
  const present = await read.entries.stored(document, id, filter?.where)
  if (!present && filter) return undefined
  const hasDrafts = (await findVisibleDrafts(access, read, document, [id])).has(id)
  if (!hasDrafts && present?.status !== PUBLISHED) return undefined
  return { document, present, hasDrafts }
}

/** The working copy that an entry had before a change. */
async function copyOf(
  read: Reader,
  { document, present, hasDrafts }: UndoTarget,
  { collection, id, seq: first }: JournalRow,
): Promise<FormerDraft | 'same' | 'erased' | undefined> {
  if (!hasDrafts) return 'same'
  const now = document.kind === 'collection' && present ? parseDraft(present as StoredEntry) : undefined
  if (now && now.seq < first) return 'same'
  const last = await read.history.draftBefore({ collection, id }, first)
  if (last?.action !== 'draft') return undefined
  const text = await read.journal.versionText(collection, id, last.seq)
  return text === undefined ? 'erased' : { record: last, canonical: readFormerState(document, text) }
}
