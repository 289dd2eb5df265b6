import { v7 as uuidv7 } from 'uuid'
import type { Caller } from '../auth/adapter.ts'
import { DaybookError, invalidAt } from '../errors.ts'
import { toMoment } from '../fields/date.ts'
import { isRecord } from '../fields/field.ts'
import { isUuidShaped } from '../fields/slug.ts'
import type { CollectionModel } from '../model/model.ts'
import type { Limit, QueryScope } from '../query/where.ts'
import { UniqueViolation } from '../store/database.ts'
import type { Reader, StoredEntry } from '../store/read.ts'
import type { EntryDraft, Writer } from '../store/write.ts'
import { demandHolds, demandRead, demandWrite, hiddenFields, isVisible, queryScope } from './access.ts'
import { checkBody } from './body.ts'
import { demandRequired, keptOf, mergeFields, settleFields, type Unread, type Values } from './document.ts'
import { allReferences, chainOf, toCanonical, toDraft } from './draft.ts'
import { actorOf, type Engine, type EntryAnswer, type RunWrite } from './engine.ts'
import {
  type FieldRights,
  fieldRights,
  isBlind,
  refuseBlindMerge,
  requireWritable,
  withoutUnwritable,
} from './field-access.ts'
import { refuseHostile } from './json.ts'
import { DEFAULT_LOCALE } from './locale.ts'
import { type Canonical, show, translate } from './localized.ts'
import { mergePatch } from './merge-patch.ts'
import { notAnId } from './not-an-id.ts'
import { project, storedValues, tagOf, toEntryAnswer, type View, withSystem } from './present.ts'
import { demandTargets } from './references.ts'
import { type LastStep, releaseReferrers, sightOf } from './referrers.ts'
import { chooseSlug } from './slugs.ts'
import { demandPreconditions, type Preconditions } from './tags.ts'

/** What a write may say besides its data. */
export interface WriteOptions extends Preconditions {
  /** When the entry was first written, for imports; ISO 8601. @default now */
  readonly createdAt?: string
  /** Merge inside objects, too (RFC 7396), instead of replacing them. @default false */
  readonly isMerge?: boolean
  /** The locale that is written. @default the config's */
  readonly locale?: string | undefined
  /** Takes what the transaction has to do when all of its writes are done. @default done at once */
  readonly atEnd?: (step: LastStep) => void
}

/** How often a merge starts again because the entry changed meanwhile. */
const MAX_MERGES = 100

/**
 * Creates an entry.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; CONFLICT with `details.field` when a unique value is taken
 */
export async function createEntry(
  engine: Engine,
  collection: CollectionModel,
  body: unknown,
  caller: Caller,
  options: WriteOptions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<EntryAnswer> {
  const rights = fieldRights(collection, caller)
  const input = checkBody(collection, 'create', body, rights)
  const limit = await demandWrite(engine.model, collection, 'create', caller)
  const scope = await queryScope(engine.model, caller, DEFAULT_LOCALE)
  const values = await settleFields(
    collection,
    withoutUnwritable(collection, caller, input, undefined),
    undefined,
    engine.tools,
  )
  requireWritable(collection, values, rights, caller)
  const now = new Date().toISOString()
  const createdAt = toCreatedAt(options.createdAt ?? now)
  // Without a moment of its own, entries of one millisecond keep the order in which they were made.
  const id = options.createdAt === undefined ? uuidv7() : uuidv7({ msecs: Date.parse(createdAt) })
  const locale = options.locale ?? engine.model.locales?.default
  return run(async (writer) => {
    const [chosen] = await both(
      chooseSlug(writer.read, collection, values, locale),
      demandTargets(writer.read, collection, { values, given: values, before: [] }, scope),
    )
    const canonical = translate(collection, undefined, chosen, locale, engine.model.locales?.default)
    demandFilled(engine, collection, canonical, locale, { hidden: rights.hidden, given: values })
    const draft = toDraft(engine.model, collection, { id, canonical, createdAt, updatedAt: now, kept: null })
    const seq = await settleConflict(collection, () => writer.createEntry(collection, draft, actorOf(caller)))
    await demandHolds(writer.read, collection, id, limit, caller)
    return toWritten(collection, draft, seq, locale, rights)
  })
}

/** Waits for both, also when one fails: no question may be on its way when the transaction ends. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

/** What the locale shows must hold every required field: its own values, and those that it falls back to. */
function demandFilled(
  { model: { locales } }: Engine,
  collection: CollectionModel,
  canonical: Canonical,
  locale: string | undefined,
  unread: Unread,
): void {
  const isPlain = !locales || locale === undefined || collection.localized.size === 0
  const shown = isPlain ? canonical.values : show(collection, canonical, chainOf(locales, locale), locales.default)
  demandRequired(collection, shown, unread)
}

/** A written entry, as the locale shows it in which it was written. */
function toWritten(
  collection: CollectionModel,
  draft: EntryDraft,
  seq: number,
  locale: string | undefined,
  view: View,
): EntryAnswer {
  const localized = locale === undefined ? undefined : collection.views.get(locale)
  const shown = draft.views.find((one) => one.collection === localized)
  if (!shown) return toEntryAnswer(collection, { ...draft, seq }, view)
  const row = { ...draft, seq, slug: shown.slug, shape: shown.collection.shape, kept: null, doc: shown.doc }
  return toEntryAnswer(shown.collection, row, view)
}

/** Ids begin with the moment of creation, which cannot lie before 1970 (RFC 9562, section 5.7). */
function toCreatedAt(text: string): string {
  const moment = toMoment(text)
  if (moment !== undefined && Date.parse(moment) >= 0) return moment
  throw invalidAt('/createdAt', 'format', 'must be a date-time of 1970 or later')
}

/**
 * Changes the fields that the body names.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_REQUIRED; PRECONDITION_FAILED with
 * `details.current`; CONFLICT with `details.field`
 */
export async function updateEntry(
  engine: Engine,
  collection: CollectionModel,
  id: string,
  body: unknown,
  caller: Caller,
  options: WriteOptions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<EntryAnswer> {
  if (options.isMerge) refuseHostile(body)
  const update: Update = {
    engine,
    collection,
    id,
    caller,
    options,
    run,
    rights: fieldRights(collection, caller),
    scope: await queryScope(engine.model, caller, DEFAULT_LOCALE),
  }
  const first = checkBody(
    collection,
    'update',
    options.isMerge && isRecord(body) ? mergePatch(collection.fieldMap, {}, body) : body,
    update.rights,
    { isPartial: options.isMerge === true },
  )
  if (options.isMerge) refuseBlindMerge(collection, first, update.rights)
  for (let attempt = 1; ; attempt += 1) {
    const answer = await attemptUpdate(update, body, first)
    if (answer) return answer
    if (attempt === MAX_MERGES) throw new DaybookError('CONFLICT', 'The entry keeps changing; try again.')
  }
}

interface Update {
  readonly engine: Engine
  readonly collection: CollectionModel
  readonly id: string
  readonly caller: Caller
  readonly options: WriteOptions
  readonly run: RunWrite
  readonly rights: FieldRights
  /** What the caller may see, and so refer to. */
  readonly scope: QueryScope
}

/** Answers `undefined` when what was merged with has changed before it could be stored. */
async function attemptUpdate(update: Update, body: unknown, first: Values): Promise<EntryAnswer | undefined> {
  const { engine, collection, id, caller, options, run, rights } = update
  const limit = await demandRead(engine.model, collection, caller)
  const found = await demandStored(engine.store.read, collection, id, caller, limit)
  const mayChange = await demandChange(update, engine.store.read, found)
  demandCurrent(collection, found, rights, options)
  const locale = options.locale ?? engine.model.locales?.default
  // A hidden value decides nothing: neither what a patch means, nor which texts are rendered again.
  const before = project(collection, ownValues(engine, collection, found, locale), rights)
  const input = options.isMerge ? mergedInput(update, before, body) : first
  const own = withoutUnwritable(collection, caller, input, before)
  const patch = await settleFields(collection, own, before, engine.tools)
  const mayLeave = await demandResult(update, found, patch, locale, mayChange)
  return run(async (writer) => {
    const stored = await demandStored(writer.read, collection, id, caller, limit)
    // The rule spoke of what was found; what others have made of it meanwhile, it is asked about again.
    const isOther = stored.seq !== found.seq
    const stillMayChange = await demandChange(update, writer.read, stored, isOther ? undefined : mayChange)
    demandCurrent(collection, stored, rights, options)
    if (options.isMerge && isOther) return undefined
    const draft = await mergeDraft(update, writer, stored, patch, locale)
    const isUnchanged = stored.shape === collection.shape && !isBlind(own, rights) && isSame(stored, draft)
    if (isUnchanged) return unchanged(update, writer, stored, locale)
    const result = isOther ? await demandResult(update, stored, patch, locale, stillMayChange) : mayLeave
    const seq = await settleConflict(collection, () => writer.updateEntry(collection, stored, draft, actorOf(caller)))
    await demandHolds(writer.read, collection, stored.id, result.limit, caller)
    return toWritten(collection, draft, seq, locale, rights)
  })
}

/** That a rule lets a change through, and what the entry must hold besides. */
interface Permission {
  readonly limit: Limit | undefined
}

/**
 * Asks whether an entry may be changed as it is.
 *
 * @param known what the rule said of this very state
 * @throws UNAUTHORIZED, FORBIDDEN
 */
async function demandChange(
  { engine: { model }, collection, caller }: Update,
  read: Reader,
  stored: StoredEntry,
  known?: Permission,
): Promise<Permission> {
  const { limit } = known ?? {
    limit: await demandWrite(model, collection, 'update', caller, entryFor(collection, 'update', stored)),
  }
  await demandHolds(read, collection, stored.id, limit, caller)
  return { limit }
}

/** What a rule is told of an entry; nothing where there is no rule to tell. */
function entryFor(collection: CollectionModel, action: 'update' | 'delete', stored: StoredEntry): Values | undefined {
  return collection.access[action] && storedValues(collection, stored)
}

/**
 * Asks whether an entry may be what a change makes of it: nobody moves one out of what they may change.
 *
 * @param before what the rule said of it as it is
 * @throws UNAUTHORIZED, FORBIDDEN
 */
async function demandResult(
  { engine: { model }, collection, caller }: Update,
  stored: StoredEntry,
  patch: Values,
  locale: string | undefined,
  before: Permission,
): Promise<Permission> {
  if (!collection.access.update) return before
  const values = storedValues(collection, stored)
  const current = toCanonical(values, stored.locales)
  const own = ownValues({ model }, collection, stored, locale)
  const merged = mergeFields(collection, own, patch)
  const canonical = translate(collection, current, merged, locale, model.locales?.default)
  const result = withSystem(collection, values, mergeFields(collection, {}, canonical.values))
  return { limit: await demandWrite(model, collection, 'update', caller, result) }
}

/** What a locale itself says, without fallbacks. */
function ownValues(
  { model: { locales } }: Pick<Engine, 'model'>,
  collection: CollectionModel,
  stored: StoredEntry,
  locale: string | undefined,
): Values {
  const values = storedValues(collection, stored)
  if (!locales || locale === undefined || collection.localized.size === 0) return values
  return show(collection, toCanonical(values, stored.locales), [locale], locales.default)
}

async function unchanged(
  { collection, rights }: Update,
  writer: Writer,
  stored: StoredEntry,
  locale: string | undefined,
): Promise<EntryAnswer> {
  const localized = locale === undefined ? undefined : collection.views.get(locale)
  const row = localized && (await writer.read.byId(localized, stored.id))
  return localized && row
    ? toEntryAnswer(localized, { ...row, slug: stored.slug }, rights)
    : toEntryAnswer(collection, stored, rights)
}

/** The fields that a merge patch names, as they are to be. */
function mergedInput({ collection, rights }: Update, before: Values, body: unknown): Values {
  const merged = mergePatch(collection.fieldMap, before, isRecord(body) ? body : {})
  return checkBody(collection, 'update', merged, rights)
}

/**
 * Deletes an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_REQUIRED, PRECONDITION_FAILED
 */
export async function deleteEntry(
  engine: Engine,
  collection: CollectionModel,
  id: string,
  caller: Caller,
  options: WriteOptions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<{ readonly seq: number }> {
  const { model, store } = engine
  const hidden = hiddenFields(collection, caller)
  const limit = await demandRead(model, collection, caller)
  const sight = await sightOf(engine, caller)
  const ask = (stored: StoredEntry): Promise<Limit | undefined> =>
    demandWrite(model, collection, 'delete', caller, entryFor(collection, 'delete', stored))
  // A rule takes the time that it takes: it is asked before the transaction, and in it only when the entry has changed.
  const found = collection.access.delete && (await demandStored(store.read, collection, id, caller, limit))
  const known = found && { seq: found.seq, mayDelete: await ask(found) }
  return run(async (writer) => {
    const stored = await demandStored(writer.read, collection, id, caller, limit)
    const mayDelete = known?.seq === stored.seq ? known.mayDelete : await ask(stored)
    await demandHolds(writer.read, collection, stored.id, mayDelete, caller)
    demandCurrent(collection, stored, { hidden }, options)
    const deletion = { engine, collection, id: stored.id, actor: actorOf(caller), sight }
    const releaseOthers = await releaseReferrers(deletion, writer)
    const seq = await writer.deleteEntry(collection, stored, new Date().toISOString(), actorOf(caller))
    if (options.atEnd) options.atEnd(releaseOthers)
    else await releaseOthers(writer)
    return { seq }
  })
}

/** @throws NOT_FOUND when there is none that the caller may see */
async function demandStored(
  read: Reader,
  collection: CollectionModel,
  id: string,
  caller: Caller,
  limit: Limit | undefined,
): Promise<StoredEntry> {
  if (!isUuidShaped(id)) throw notAnId()
  const stored = await read.stored(collection, id.toLowerCase(), limit?.where)
  if (!stored || !isVisible(collection, stored.status, caller)) throw new DaybookError('NOT_FOUND')
  return stored
}

function demandCurrent(collection: CollectionModel, stored: StoredEntry, view: View, options: WriteOptions): void {
  demandPreconditions(options, stored.seq, tagOf(collection, stored.seq, view), collection.requireIfMatch)
}

async function mergeDraft(
  { engine, collection, scope, rights: { hidden } }: Update,
  writer: Writer,
  stored: StoredEntry,
  patch: Values,
  locale: string | undefined,
): Promise<EntryDraft> {
  const { model } = engine
  const current = toCanonical(storedValues(collection, stored), stored.locales)
  const before = ownValues(engine, collection, stored, locale)
  const merged = mergeFields(collection, before, patch)
  const [values] = await both(
    chooseSlug(writer.read, collection, merged, locale),
    demandTargets(
      writer.read,
      collection,
      { values: merged, given: patch, before: allReferences(model, collection, current) },
      scope,
    ),
  )
  const canonical = translate(collection, current, values, locale, model.locales?.default)
  demandFilled(engine, collection, canonical, locale, { hidden, given: patch })
  return toDraft(model, collection, {
    id: stored.id,
    canonical,
    createdAt: stored.created_at,
    updatedAt: new Date().toISOString(),
    kept: keptOf(collection, stored),
  })
}

/** Whether a write would change nothing but the time of the last change. */
function isSame(stored: StoredEntry, draft: EntryDraft): boolean {
  const before: Values = JSON.parse(stored.doc)
  const isEqual = JSON.stringify({ ...before, updatedAt: null }) === JSON.stringify({ ...draft.value, updatedAt: null })
  return isEqual && stored.locales === draft.locales
}

async function settleConflict<T>({ slug }: CollectionModel, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const field = error.field === 'slug' || error.field === 'own_slug' ? (slug?.key ?? 'slug') : error.field
    throw new DaybookError('CONFLICT', `Another entry has this ${field}.`, { field }, error)
  }
}
