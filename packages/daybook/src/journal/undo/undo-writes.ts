import { type FieldRights, resolveFieldRights } from '../../content/access/field-access.ts'
import { toAuthor } from '../../content/context.ts'
import type { Values } from '../../content/documents/document.ts'
import { getDraftRevision, hasSameContent, toDraft, toDraftCanonical } from '../../content/documents/draft-row.ts'
import { StoredRevision } from '../../content/documents/row.ts'
import {
  keepProtectedFields,
  type Recreation,
  recreate,
  runsHooksOnRecreation,
  withDefaultLocale,
} from '../../content/drafts/index.ts'
import { type CanonicalDocument, localize } from '../../content/locales/localized.ts'
import { toBlankRow } from '../../content/reads/index.ts'
import {
  authorizeNewEntry,
  EntryTarget,
  GlobalTarget,
  type PreparedWrite,
  parseUpdate,
  pickReadable,
  prepareDelete,
  prepareReplace,
  prepareUpdate,
  requireTargets,
  type WriteContext,
} from '../../content/writes/index.ts'
import { DaybookError } from '../../errors.ts'
import { RANK } from '../../fields/rank.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { isStateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { UndoObstacle, UndoStep } from './undo-plan.ts'

export interface UndoneStep {
  readonly collection: string
  readonly id: string
  readonly action: 'create' | 'delete' | 'restore' | 'draft' | 'discard' | 'unschedule' | 'update'
  /** The number of the change in the journal. */
  readonly seq: number
}

/** A document cannot be reverted, for a reason without an error code. */
export class UndoBlocked extends Error {
  override readonly name = 'UndoBlocked'
  readonly reason: UndoObstacle

  constructor(reason: UndoObstacle) {
    super(`undo: ${reason}`)
    this.reason = reason
  }
}

/** A predicate for entries that the same undo changes. */
export type IsInUndo = (entry: Pick<UndoStep, 'collection' | 'id'>) => boolean

export interface OtherSteps {
  readonly isRemoved: IsInUndo
  readonly isRestored: IsInUndo
}

/**
 * Prepares the writes that revert a document.
 *
 * @throws {UndoBlocked}, and the errors of writes
 */
export async function prepareStep(
  context: WriteContext,
  step: UndoStep,
  otherSteps: OtherSteps,
): Promise<readonly PreparedWrite<UndoneStep>[]> {
  const { document } = step.target
  if (document.kind === 'global') return prepareGlobalStep(context, document, step)
  const { current } = step.target as { readonly current: StoredEntry | undefined }
  if (!step.former) return [await prepareRemoval(context, document, step, otherSteps)]
  if (!current) return [await prepareRecreation(context, document, { ...step, former: step.former }, otherSteps)]
  const hasState = step.changes.some(({ action }) => isStateAction(action))
  return [await (hasState ? prepareState(context, document, step, step.former) : prepareDraft(context, document, step))]
}

const toUndone = ({ collection, id }: UndoStep, action: UndoneStep['action'], seq: number): UndoneStep => ({
  collection,
  id,
  action,
  seq,
})

async function prepareRemoval(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
  { isRemoved }: OtherSteps,
): Promise<PreparedWrite<UndoneStep>> {
  const target = new EntryTarget(context, collection, step.id)
  const prepared = await prepareDelete(context, target, { ifMatch: '*', isAlsoDeleted: isRemoved })
  return {
    ...prepared,
    commit: async (transaction) => {
      // A document that refers to the entry was changed since; removing the reference would change it again.
      if (await isReferredTo(transaction.writer, collection, step.id, isRemoved)) throw new UndoBlocked('referenced')
      return toUndone(step, 'delete', (await prepared.commit(transaction)).seq)
    },
  }
}

/** The number of references that are read at a time. */
const REFERRERS_PER_PAGE = 100

/** True if a document that is not deleted, too, refers to an entry. */
async function isReferredTo(
  { read }: Writer,
  { key }: CollectionModel,
  id: string,
  isRemoved: IsInUndo,
): Promise<boolean> {
  for (let offset = 0; ; offset += REFERRERS_PER_PAGE) {
    const page = await read.references.referrers(key, id, REFERRERS_PER_PAGE, offset)
    if (page.some((referrer) => !isRemoved(referrer))) return true
    if (page.length < REFERRERS_PER_PAGE) return false
  }
}

async function prepareState(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
  former: CanonicalDocument,
): Promise<PreparedWrite<UndoneStep>> {
  const { access, content } = context
  const { hidden } = resolveFieldRights(collection, access)
  const write = {
    action: 'restore',
    getRevision: ({ seq }: StoredEntry) => seq,
    propose: (_read: unknown, entry: StoredEntry) => {
      const current = new StoredRevision(content.model, collection, entry).canonical
      const canonical = keepProtectedFields(
        { ...collection, status: undefined, serviceMadeKeys: withoutRank(collection) },
        former,
        current,
        hidden,
      )
      requireFieldRights(context, collection, current.values, canonical.values)
      return {
        canonical,
        orphaned: null,
        draft: entry.draft,
        isComplete: isComplete(collection, former),
      }
    },
    beforeStore: async (writer: Writer, entry: StoredEntry) => {
      if (hasSchedule(step)) await writer.schedules.drop(collection.key, entry.id)
    },
  } as const
  const prepared = await prepareReplace(withDefaultLocale(context), collection, step.id, write, { ifMatch: '*' })
  return {
    ...prepared,
    commit: async (transaction) => {
      const { seq } = await prepared.commit(transaction)
      await restoreDraft(context, transaction.writer, collection, step)
      return toUndone(step, 'restore', seq)
    },
  }
}

/** Returns the fields that only the service writes, and that an undo does not change. */
const withoutRank = ({ serviceMadeKeys }: CollectionModel): ReadonlySet<string> =>
  new Set([...serviceMadeKeys].filter((key) => key !== RANK))

const hasSchedule = ({ changes }: UndoStep): boolean => changes.some(({ action }) => action === 'schedule')

/** True if the former state has all required values: it was published in every locale, or has no status. */
const isComplete = ({ status }: CollectionModel, { values, publishedLocales }: CanonicalDocument): boolean =>
  !status || (publishedLocales === undefined && values[status.key] === PUBLISHED)

/** @throws {UndoBlocked} if a field differs that the caller may read but not write */
function requireFieldRights(
  { access }: WriteContext,
  collection: CollectionModel,
  current: Values,
  former: Values,
): void {
  const isChanged = ({ key }: { readonly key: string }): boolean =>
    JSON.stringify(current[key] ?? null) !== JSON.stringify(former[key] ?? null)
  const readOnlyChanges = collection.fields.filter(
    (field) => isChanged(field) && !access.canWriteField(collection, field),
  )
  if (readOnlyChanges.length > 0) throw new UndoBlocked('access')
}

/** Restores the former draft of an entry, or discards a draft that it did not have, as a separate change. */
async function restoreDraft(
  { actor }: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  { id, draft }: UndoStep,
): Promise<void> {
  const entry = draft === 'same' ? undefined : await writer.read.entries.stored(collection, id)
  if (!entry || draft === 'same' || (!draft && entry.draft === null)) return
  const at = new Date().toISOString()
  const save = draft && { at: draft.record.at, by: toAuthor(draft.record.actor), isAutosave: false }
  const next = save && toDraft(collection, entry, draft.canonical, null, save)
  await writer.drafts.write(collection, entry, next, { at, actor })
}

/** Reverts only drafts and schedules. */
async function prepareDraft(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
): Promise<PreparedWrite<UndoneStep>> {
  const { content, actor, author } = context
  const target = new EntryTarget(context, collection, step.id)
  const loadAuthorized = async (read: Reader): Promise<StoredEntry> => {
    const entry = await target.load(read)
    await target.authorizeUpdate(read, new StoredRevision(content.model, collection, entry))
    return entry
  }
  await loadAuthorized(content.store.read)
  return {
    commit: async ({ writer }) => {
      const entry = await loadAuthorized(writer.read)
      const at = new Date().toISOString()
      const { draft } = step
      const dropped = hasSchedule(step) ? await writer.schedules.drop(collection.key, entry.id) : 0
      const record = { at, actor, action: 'unschedule', collection: collection.key, id: entry.id } as const
      const unscheduled = dropped > 0 ? toUndone(step, 'unschedule', await writer.journal.append(record)) : undefined
      if (draft === 'same' || (!draft && entry.draft === null))
        return unscheduled ?? toUndone(step, 'unschedule', entry.seq)
      if (!draft)
        return toUndone(step, 'discard', await writer.drafts.write(collection, entry, undefined, { at, actor }))
      const current = toDraftCanonical(collection, getDraftRevision(content.model, collection, entry))
      const save = { at, by: author, isAutosave: false }
      const { hidden } = resolveFieldRights(collection, context.access)
      const canonical = keepProtectedFields(collection, draft.canonical, current, hidden)
      if (!hasSameContent(collection, current, canonical))
        requireFieldRights(context, collection, current.values, canonical.values)
      const next = toDraft(collection, entry, canonical, null, save)
      return toUndone(step, 'draft', await writer.drafts.write(collection, entry, next, { at, actor }))
    },
  }
}

/** Stores a deleted entry again with its id, its times and its slug. */
async function prepareRecreation(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep & { readonly former: CanonicalDocument },
  { isRestored }: OtherSteps,
): Promise<PreparedWrite<UndoneStep>> {
  if (collection.holdsFiles) throw new UndoBlocked('file')
  const { content, access } = context
  const { id, former } = step
  const filter = await access.authorizeWrite(collection, 'create')
  const rights = resolveFieldRights(collection, access)
  const creation = await content.store.read.history.creation(step, step.changes[0]?.seq ?? 0)
  const recreation: Recreation = {
    id,
    former,
    createdBy: creation ? toAuthor(creation.actor) : null,
    isComplete: isComplete(collection, former),
    dropDanglingIn: rights.hidden,
    willExist: isRestored,
  }
  return {
    exclusive: runsHooksOnRecreation(context, collection),
    commit: async (transaction) => {
      const { writer } = transaction
      const { canonical, seq } = await recreate(context, collection, recreation, transaction)
      await authorizeNewEntry(context, writer.read, collection, id, filter)
      await restoreDraft(context, writer, collection, step)
      transaction.addLastStep((last) => requireReferences(context, last, collection, canonical, rights))
      return toUndone(step, 'create', seq)
    },
  }
}

/** @throws VALIDATION_ERROR if a document refers, in any locale, to a document that the caller may not read */
async function requireReferences(
  { content: { model }, scope }: WriteContext,
  { read }: Writer,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  rights: FieldRights,
): Promise<void> {
  const { locales } = model
  const otherLocales = locales ? Object.keys(canonical.translations) : []
  const localized = otherLocales.map((locale) => localize(collection, canonical, [locale], locales?.default ?? locale))
  for (const values of [canonical.values, ...localized]) {
    await requireTargets(
      read,
      collection,
      { values, suppliedFields: pickReadable(collection, values, rights), before: [] },
      scope,
    )
  }
}

/** Writes a global in each of its locales; one that did not exist becomes empty. */
async function prepareGlobalStep(
  context: WriteContext,
  global: GlobalModel,
  step: UndoStep,
): Promise<readonly PreparedWrite<UndoneStep>[]> {
  const { model } = context.content
  const former = step.former ?? new StoredRevision(model, global, toBlankRow(global)).canonical
  const { absent } = resolveFieldRights(global, context.access)
  const hidden = context.access.hidden(global)
  const createBody = (values: Values, keys: readonly string[]): Values =>
    Object.fromEntries(
      keys.filter((key) => !absent.has(key) && !hidden.has(key)).map((key) => [key, values[key] ?? null]),
    )
  const current = step.target.current && new StoredRevision(model, global, step.target.current as never).canonical
  const { locales } = model
  const keys = global.fields.map(({ key }) => key)
  const writes = [{ locale: locales?.default, body: createBody(former.values, keys) }]
  const otherLocales = new Set([...Object.keys(former.translations), ...Object.keys(current?.translations ?? {})])
  for (const locale of locales ? otherLocales : []) {
    const values = localize(global, former, [locale], locales?.default ?? locale)
    writes.push({ locale, body: createBody(values, [...global.localized]) })
  }
  return Promise.all(
    writes.map(async ({ locale, body }) => {
      const inLocale = { ...context, locale }
      const target = new GlobalTarget(inLocale, global)
      const prepared = await prepareUpdate(inLocale, target, parseUpdate(inLocale, global, body), { ifMatch: '*' })
      return {
        ...prepared,
        commit: async (transaction) => toUndone(step, 'update', (await prepared.commit(transaction)).seq),
      } satisfies PreparedWrite<UndoneStep>
    }),
  )
}

/** Returns the obstacle that an error means for a document, or `undefined` for any other error. */
export function findObstacle(error: unknown): UndoObstacle | undefined {
  if (error instanceof UndoBlocked) return error.reason
  if (!(error instanceof DaybookError) || error.status >= 500) return undefined
  if (error.code === 'CONFLICT') return error.details.references === undefined ? 'conflict' : 'referenced'
  if (error.code === 'VALIDATION_ERROR') return 'invalid'
  return 'access'
}
