import { type FieldRights, fieldRights } from '../../content/access/field-access.ts'
import type { Values } from '../../content/documents/document.ts'
import { draftCanonical, draftRevision, isSameContent, toWorkingCopy } from '../../content/documents/draft-row.ts'
import { Revision } from '../../content/documents/row.ts'
import {
  inDefaultLocale,
  type Recreation,
  recreate,
  runsHooksOnRecreation,
  withPresent,
} from '../../content/drafts/index.ts'
import { personOf } from '../../content/engine.ts'
import { type Canonical, show } from '../../content/locales/localized.ts'
import { blankRow } from '../../content/reads/index.ts'
import {
  authorizeNewEntry,
  EntryTarget,
  GlobalTarget,
  type PreparedWrite,
  parseUpdate,
  prepareDelete,
  prepareReplace,
  prepareUpdate,
  requireTargets,
  type WriteContext,
  writableIn,
} from '../../content/writes/index.ts'
import { DaybookError } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { isStateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { UndoObstacle, UndoStep } from './undo-plan.ts'

/** What an undo has done to a document. */
export interface UndoneStep {
  readonly collection: string
  readonly id: string
  readonly action: 'create' | 'delete' | 'restore' | 'draft' | 'discard' | 'unschedule' | 'update'
  /** The number of the change in the journal. */
  readonly seq: number
}

/** A document cannot become again what it was, for a reason that no error code tells. */
export class UndoHindered extends Error {
  override readonly name = 'UndoHindered'
  readonly reason: UndoObstacle

  constructor(reason: UndoObstacle) {
    super(`undo: ${reason}`)
    this.reason = reason
  }
}

/** Whether the same undo does something with an entry. */
export type IsUndoneToo = (entry: Pick<UndoStep, 'collection' | 'id'>) => boolean

/** What the same undo does besides. */
export interface OtherSteps {
  /** Whether it removes an entry, which was not there before either. */
  readonly isRemovedToo: IsUndoneToo
  /** Whether it brings a deleted entry back. */
  readonly isBackToo: IsUndoneToo
}

/**
 * Prepares the writes that make a document again what it was.
 *
 * @throws {UndoHindered}; what writes of documents throw
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
  { isRemovedToo }: OtherSteps,
): Promise<PreparedWrite<UndoneStep>> {
  const target = new EntryTarget(context, collection, step.id)
  const prepared = await prepareDelete(context, target, { ifMatch: '*', isDeletedToo: isRemovedToo })
  return {
    ...prepared,
    commit: async (transaction) => {
      // A document that stays and refers to it was changed since; taking the reference away would change it again.
      if (await isReferredTo(transaction.writer, collection, step.id, isRemovedToo))
        throw new UndoHindered('referenced')
      return done(step, 'delete', (await prepared.commit(transaction)).seq)
    },
  }
}

/** How many references are looked at together. */
const REFERRER_PAGE = 100

/** Whether a document refers to an entry that is not removed with it. */
async function isReferredTo(
  { read }: Writer,
  { key }: CollectionModel,
  id: string,
  isRemovedToo: IsUndoneToo,
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
  former: Canonical,
): Promise<PreparedWrite<UndoneStep>> {
  const { access, engine } = context
  const { hidden } = fieldRights(collection, access)
  const write = {
    action: 'restore',
    revisionOf: ({ seq }: StoredEntry) => seq,
    propose: (_read: unknown, entry: StoredEntry) => {
      const present = new Revision(engine.model, collection, entry).canonical
      const canonical = withPresent({ ...collection, status: undefined }, former, present, hidden)
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
  const prepared = await prepareReplace(inDefaultLocale(context), collection, step.id, write, { ifMatch: '*' })
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

/** A document that was published in every locale, or has no status, had its required values. */
const isComplete = ({ status }: CollectionModel, { values, publishedLocales }: Canonical): boolean =>
  !status || (publishedLocales === undefined && values[status.key] === PUBLISHED)

/** @throws {UndoHindered} when a field differs that the caller may read and not write */
function requireFieldRights(
  { access }: WriteContext,
  collection: CollectionModel,
  present: Values,
  former: Values,
): void {
  const isChanged = ({ key }: { readonly key: string }): boolean =>
    JSON.stringify(present[key] ?? null) !== JSON.stringify(former[key] ?? null)
  const closed = collection.fields.filter((field) => isChanged(field) && !access.mayWriteField(collection, field))
  if (closed.length > 0) throw new UndoHindered('access')
}

/** Gives an entry the working copy that it had, or takes away one that it had not: by a change of its own. */
async function writeCopyAgain(
  { actor }: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  { id, copy }: UndoStep,
): Promise<void> {
  const entry = copy === 'same' ? undefined : await writer.read.entries.stored(collection, id)
  if (!entry || copy === 'same' || (!copy && entry.draft === null)) return
  const at = new Date().toISOString()
  const save = copy && { at: copy.record.at, by: personOf(copy.record.actor), isAutosave: false }
  const next = save && toWorkingCopy(collection, entry, copy.canonical, null, save)
  await writer.drafts.write(collection, entry, next, { at, actor })
}

/** Working copies and schedules alone. */
async function prepareCopy(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep,
): Promise<PreparedWrite<UndoneStep>> {
  const { engine, actor, person } = context
  const target = new EntryTarget(context, collection, step.id)
  const loadAuthorized = async (read: Reader): Promise<StoredEntry> => {
    const entry = await target.load(read)
    await target.authorizeUpdate(read, new Revision(engine.model, collection, entry))
    return entry
  }
  await loadAuthorized(engine.store.read)
  return {
    commit: async ({ writer }) => {
      const entry = await loadAuthorized(writer.read)
      const at = new Date().toISOString()
      const { copy } = step
      const dropped = hasSchedule(step) ? await writer.schedules.drop(collection.key, entry.id) : 0
      const note = { at, actor, action: 'unschedule', collection: collection.key, id: entry.id } as const
      const unscheduled = dropped > 0 ? done(step, 'unschedule', await writer.journal.append(note)) : undefined
      if (copy === 'same' || (!copy && entry.draft === null)) return unscheduled ?? done(step, 'unschedule', entry.seq)
      if (!copy) return done(step, 'discard', await writer.drafts.write(collection, entry, undefined, { at, actor }))
      const present = draftCanonical(collection, draftRevision(engine.model, collection, entry))
      const save = { at, by: person, isAutosave: false }
      const { hidden } = fieldRights(collection, context.access)
      const canonical = withPresent(collection, copy.canonical, present, hidden)
      if (!isSameContent(collection, present, canonical))
        requireFieldRights(context, collection, present.values, canonical.values)
      const next = toWorkingCopy(collection, entry, canonical, null, save)
      return done(step, 'draft', await writer.drafts.write(collection, entry, next, { at, actor }))
    },
  }
}

/** A deleted entry is stored again with its id, its time and its slug. */
async function prepareAgain(
  context: WriteContext,
  collection: CollectionModel,
  step: UndoStep & { readonly former: Canonical },
  { isBackToo }: OtherSteps,
): Promise<PreparedWrite<UndoneStep>> {
  if (collection.holdsFiles) throw new UndoHindered('file')
  const { engine, access } = context
  const { id, former } = step
  const filter = await access.requireWrite(collection, 'create')
  const rights = fieldRights(collection, access)
  const creation = await engine.store.read.history.creation(step, step.changes[0]?.seq ?? 0)
  const recreation: Recreation = {
    id,
    former,
    createdBy: creation ? personOf(creation.actor) : null,
    isComplete: isComplete(collection, former),
    released: rights.hidden,
    isComing: isBackToo,
  }
  return {
    exclusive: runsHooksOnRecreation(context, collection),
    commit: async (transaction) => {
      const { writer } = transaction
      const { canonical, seq } = await recreate(context, collection, recreation, transaction)
      await authorizeNewEntry(context, writer.read, collection, id, filter)
      await writeCopyAgain(context, writer, collection, step)
      transaction.atEnd((last) => requireReferences(context, last, collection, canonical, rights))
      return done(step, 'create', seq)
    },
  }
}

/** @throws VALIDATION_ERROR when a document refers, in whatever language, to what is not there for the caller */
async function requireReferences(
  { engine: { model }, scope }: WriteContext,
  { read }: Writer,
  collection: CollectionModel,
  canonical: Canonical,
  rights: FieldRights,
): Promise<void> {
  const { locales } = model
  const others = locales ? Object.keys(canonical.translations) : []
  const shown = others.map((locale) => show(collection, canonical, [locale], locales?.default ?? locale))
  for (const values of [canonical.values, ...shown]) {
    await requireTargets(read, collection, { values, given: writableIn(collection, values, rights), before: [] }, scope)
  }
}

/** A global is written in each of its languages; one that was not there becomes empty. */
async function prepareGlobalStep(
  context: WriteContext,
  global: GlobalModel,
  step: UndoStep,
): Promise<readonly PreparedWrite<UndoneStep>[]> {
  const { model } = context.engine
  const former = step.former ?? new Revision(model, global, blankRow(global)).canonical
  const { absent } = fieldRights(global, context.access)
  const hidden = context.access.hidden(global)
  const bodyOf = (values: Values, keys: readonly string[]): Values =>
    Object.fromEntries(
      keys.filter((key) => !absent.has(key) && !hidden.has(key)).map((key) => [key, values[key] ?? null]),
    )
  const present = step.target.present && new Revision(model, global, step.target.present as never).canonical
  const { locales } = model
  const keys = global.fields.map(({ key }) => key)
  const writes = [{ locale: locales?.default, body: bodyOf(former.values, keys) }]
  const others = new Set([...Object.keys(former.translations), ...Object.keys(present?.translations ?? {})])
  for (const locale of locales ? others : []) {
    const values = show(global, former, [locale], locales?.default ?? locale)
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

/** Why an error keeps a document from becoming again what it was; `undefined`: it says nothing about the document. */
export function obstacleOf(error: unknown): UndoObstacle | undefined {
  if (error instanceof UndoHindered) return error.reason
  if (!(error instanceof DaybookError) || error.status >= 500) return undefined
  if (error.code === 'CONFLICT') return error.details.references === undefined ? 'conflict' : 'referenced'
  if (error.code === 'VALIDATION_ERROR') return 'invalid'
  return 'access'
}
