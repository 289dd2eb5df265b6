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
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { isStateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { UndoObstacle, UndoStep } from './undo-plan.ts'

/** A reverted document. */
export interface UndoneStep {
  readonly collection: string
  readonly id: string
  readonly action: 'create' | 'delete' | 'restore' | 'draft' | 'discard' | 'unschedule' | 'update'
  /** The number of the change in the journal. */
  readonly seq: number
}

/** A document cannot be reverted, for a reason without an error code. */
export class UndoBlocked extends Error {
  override readonly name = 'UndoHindered'
  readonly reason: UndoObstacle

  constructor(reason: UndoObstacle) {
    super(`undo: ${reason}`)
    this.reason = reason
  }
}

/** A predicate for entries that the same undo changes. */
export type IsInUndo = (entry: Pick<UndoStep, 'collection' | 'id'>) => boolean

/** The other steps of the same undo. */
export interface OtherSteps {
  /** True if the undo deletes an entry. */
  readonly isRemoved: IsInUndo
  /** True if the undo restores a deleted entry. */
  readonly isRestored: IsInUndo
}

/**
 * Prepares the writes that make a document again what it was.
 *
 * @throws {UndoBlocked}; what writes of documents throw
 */
export async function prepareStep(
  context: WriteContext,
  step: UndoStep,
  others: OtherSteps,
): Promise<readonly PreparedWrite<UndoneStep>[]> {
  const { document } = step.target
  if (document.kind === 'global') return prepareGlobalStep(context, document, step)
  const { present } = step.target as { readonly present: StoredEntry | undefined }
  if (!step.former) return [await prepareRemoval(context, document, step, others)]
  if (!present) return [await prepareAgain(context, document, { ...step, former: step.former }, others)]
  const hasState = step.changes.some(({ action }) => isStateAction(action))
  return [await (hasState ? prepareState(context, document, step, step.former) : prepareCopy(context, document, step))]
}

const done = ({ collection, id }: UndoStep, action: UndoneStep['action'], seq: number): UndoneStep => ({
  collection,
  id,
  action,
  seq,
})

async function prepareRemoval(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
  { isRemoved: isRemovedToo }: OtherSteps,
): Promise<PreparedWrite<UndoneStep>> {
  const target = new EntryTarget(context, collection, step.id)
  const prepared = await prepareDelete(context, target, { ifMatch: '*', isAlsoDeleted: isRemovedToo })
  return {
    ...prepared,
    commit: async (transaction) => {
      // A document that refers to the entry was changed since; removing the reference would change it again.
      if (await isReferredTo(transaction.writer, collection, step.id, isRemovedToo)) throw new UndoBlocked('referenced')
      return done(step, 'delete', (await prepared.commit(transaction)).seq)
    },
  }
}

/** The number of references that are read at a time. */
const REFERRER_PAGE = 100

/** True if a document that is not deleted, too, refers to an entry. */
async function isReferredTo(
  { read }: Writer,
  { key }: CollectionModel,
  id: string,
  isRemovedToo: IsInUndo,
): Promise<boolean> {
  for (let offset = 0; ; offset += REFERRER_PAGE) {
    const page = await read.references.referrers(key, id, REFERRER_PAGE, offset)
    if (page.some((one) => !isRemovedToo(one))) return true
    if (page.length < REFERRER_PAGE) return false
  }
}

async function prepareState(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
  former: CanonicalDocument,
): Promise<PreparedWrite<UndoneStep>> {
  const { access, services: engine } = context
  const { hidden } = resolveFieldRights(collection, access)
  const write = {
    action: 'restore',
    getRevision: ({ seq }: StoredEntry) => seq,
    propose: (_read: unknown, entry: StoredEntry) => {
      const present = new StoredRevision(engine.model, collection, entry).canonical
      const canonical = keepProtectedFields({ ...collection, status: undefined }, former, present, hidden)
      requireFieldRights(context, collection, present.values, canonical.values)
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
      await writeCopyAgain(context, transaction.writer, collection, step)
      return done(step, 'restore', seq)
    },
  }
}

const hasSchedule = ({ changes }: UndoStep): boolean => changes.some(({ action }) => action === 'schedule')

/** True if the former state has all required values: it was published in every locale, or has no status. */
const isComplete = ({ status }: CollectionModel, { values, publishedLocales }: CanonicalDocument): boolean =>
  !status || (publishedLocales === undefined && values[status.key] === PUBLISHED)

/** @throws {UndoBlocked} when a field differs that the caller may read and not write */
function requireFieldRights(
  { access }: WriteContext,
  collection: CollectionModel,
  present: Values,
  former: Values,
): void {
  const isChanged = ({ key }: { readonly key: string }): boolean =>
    JSON.stringify(present[key] ?? null) !== JSON.stringify(former[key] ?? null)
  const closed = collection.fields.filter((field) => isChanged(field) && !access.canWriteField(collection, field))
  if (closed.length > 0) throw new UndoBlocked('access')
}

/** Restores the former draft of an entry, or discards a draft that it did not have, as a separate change. */
async function writeCopyAgain(
  { actor }: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  { id, draft: copy }: UndoStep,
): Promise<void> {
  const entry = copy === 'same' ? undefined : await writer.read.entries.stored(collection, id)
  if (!entry || copy === 'same' || (!copy && entry.draft === null)) return
  const at = new Date().toISOString()
  const save = copy && { at: copy.record.at, by: toAuthor(copy.record.actor), isAutosave: false }
  const next = save && toDraft(collection, entry, copy.canonical, null, save)
  await writer.drafts.write(collection, entry, next, { at, actor })
}

/** Reverts only drafts and schedules. */
async function prepareCopy(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
): Promise<PreparedWrite<UndoneStep>> {
  const { services: engine, actor, author: person } = context
  const target = new EntryTarget(context, collection, step.id)
  const loadAuthorized = async (read: Reader): Promise<StoredEntry> => {
    const entry = await target.load(read)
    await target.authorizeUpdate(read, new StoredRevision(engine.model, collection, entry))
    return entry
  }
  await loadAuthorized(engine.store.read)
  return {
    commit: async ({ writer }) => {
      const entry = await loadAuthorized(writer.read)
      const at = new Date().toISOString()
      const { draft: copy } = step
      const dropped = hasSchedule(step) ? await writer.schedules.drop(collection.key, entry.id) : 0
      const note = { at, actor, action: 'unschedule', collection: collection.key, id: entry.id } as const
      const unscheduled = dropped > 0 ? done(step, 'unschedule', await writer.journal.append(note)) : undefined
      if (copy === 'same' || (!copy && entry.draft === null)) return unscheduled ?? done(step, 'unschedule', entry.seq)
      if (!copy) return done(step, 'discard', await writer.drafts.write(collection, entry, undefined, { at, actor }))
      const present = toDraftCanonical(collection, getDraftRevision(engine.model, collection, entry))
      const save = { at, by: person, isAutosave: false }
      const { hidden } = resolveFieldRights(collection, context.access)
      const canonical = keepProtectedFields(collection, copy.canonical, present, hidden)
      if (!hasSameContent(collection, present, canonical))
        requireFieldRights(context, collection, present.values, canonical.values)
      const next = toDraft(collection, entry, canonical, null, save)
      return done(step, 'draft', await writer.drafts.write(collection, entry, next, { at, actor }))
    },
  }
}

/** Stores a deleted entry again with its id, its times and its slug. */
async function prepareAgain(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep & { readonly former: CanonicalDocument },
  { isRestored: isBackToo }: OtherSteps,
): Promise<PreparedWrite<UndoneStep>> {
  if (collection.holdsFiles) throw new UndoBlocked('file')
  const { services: engine, access } = context
  const { id, former } = step
  const filter = await access.authorizeWrite(collection, 'create')
  const rights = resolveFieldRights(collection, access)
  const creation = await engine.store.read.history.creation(step, step.changes[0]?.seq ?? 0)
  const recreation: Recreation = {
    id,
    former,
    createdBy: creation ? toAuthor(creation.actor) : null,
    isComplete: isComplete(collection, former),
    dropDanglingIn: rights.hidden,
    willExist: isBackToo,
  }
  return {
    exclusive: runsHooksOnRecreation(context, collection),
    commit: async (transaction) => {
      const { writer } = transaction
      const { canonical, seq } = await recreate(context, collection, recreation, transaction)
      await authorizeNewEntry(context, writer.read, collection, id, filter)
      await writeCopyAgain(context, writer, collection, step)
      transaction.addLastStep((last) => requireReferences(context, last, collection, canonical, rights))
      return done(step, 'create', seq)
    },
  }
}

/** @throws VALIDATION_ERROR if a document refers, in any locale, to a document that the caller may not read */
async function requireReferences(
  { services: { model }, scope }: WriteContext,
  { read }: Writer,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  rights: FieldRights,
): Promise<void> {
  const { locales } = model
  const others = locales ? Object.keys(canonical.translations) : []
  const shown = others.map((locale) => localize(collection, canonical, [locale], locales?.default ?? locale))
  for (const values of [canonical.values, ...shown]) {
    await requireTargets(
      read,
      collection,
      { values, given: pickReadable(collection, values, rights), before: [] },
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
  const { model } = context.services
  const former = step.former ?? new StoredRevision(model, global, toBlankRow(global)).canonical
  const { absent } = resolveFieldRights(global, context.access)
  const hidden = context.access.hidden(global)
  const bodyOf = (values: Values, keys: readonly string[]): Values =>
    Object.fromEntries(
      keys.filter((key) => !absent.has(key) && !hidden.has(key)).map((key) => [key, values[key] ?? null]),
    )
  const present = step.target.present && new StoredRevision(model, global, step.target.present as never).canonical
  const { locales } = model
  const keys = global.fields.map(({ key }) => key)
  const writes = [{ locale: locales?.default, body: bodyOf(former.values, keys) }]
  const others = new Set([...Object.keys(former.translations), ...Object.keys(present?.translations ?? {})])
  for (const locale of locales ? others : []) {
    const values = localize(global, former, [locale], locales?.default ?? locale)
    writes.push({ locale, body: bodyOf(values, [...global.localized]) })
  }
  return Promise.all(
    writes.map(async ({ locale, body }) => {
      const inLocale = { ...context, locale }
      const target = new GlobalTarget(inLocale, global)
      const prepared = await prepareUpdate(inLocale, target, parseUpdate(inLocale, global, body), { ifMatch: '*' })
      return {
        ...prepared,
        commit: async (transaction) => done(step, 'update', (await prepared.commit(transaction)).seq),
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
