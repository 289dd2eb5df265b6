import { v7 as uuidv7 } from 'uuid'
import { IMAGES } from '../../assets/blob-store.ts'
import { DaybookError, invalidAt } from '../../errors.ts'
import { parseTimestamp } from '../../fields/date.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import { isUuidShaped } from '../../slugs.ts'
import { UniqueViolation } from '../../store/database.ts'
import type { StateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry, WrittenEntry } from '../../store/reads/rows.ts'
import { membersOf } from '../../store/tables/members.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { Access } from '../access/access.ts'
import { type FieldRights, fieldRights, requireWritable, withoutUnwritable } from '../access/field-access.ts'
import { notAnId } from '../access/not-an-id.ts'
import { filterFor } from '../access/rules.ts'
import type { EntryAnswer } from '../answer.ts'
import { mergeFields, settleFields, type Values } from '../document.ts'
import { isVisibleEntry } from '../drafts/draft-access.ts'
import { rebaseDraft } from '../drafts/rebase-draft.ts'
import type { Engine } from '../engine.ts'
import { type Preconditions, requirePreconditions } from '../etags.ts'
import { type Canonical, writeTranslation } from '../locales/localized.ts'
import { type Projection, tagOf, toEntryAnswer, withSystem } from '../reads/present.ts'
import { checkBody, checkKeys } from './body.ts'
import { type ChangeTarget, checkChange, type UpdateOptions } from './change.ts'
import { compose } from './compose.ts'
import { authorizeNewEntry, settleTools, type WriteContext } from './context.ts'
import type { CheckedWrite, PreparedWrite } from './pipeline.ts'
import { referrerAccess, releaseReferrers } from './referrers.ts'
import { Revision } from './revision.ts'
import { toRow } from './row.ts'
import { type HookedDocument, hooksFor, runBeforeChange, runBeforeDelete, runBeforeValidate } from './run-hooks.ts'
import { chooseSlug, giveWayTo, resolveFallbackSlugs } from './slugs.ts'

/** What a new entry may say besides its data. */
export interface NewEntryOptions {
  /** When the entry was first written, for imports; ISO 8601. @default now */
  readonly createdAt?: string
  /** What the service makes of an uploaded file. */
  readonly made?: MadeParts
}

/** The part of a new entry that the service makes. */
export interface MadeParts {
  /** The values of its fields. */
  readonly values: Values
  /** Runs in the transaction that stores the entry. */
  settle(writer: Writer): Promise<void>
}

/**
 * Prepares a new entry.
 *
 * @throws as {@link checkCreate}, and what it answers; its commit: CONFLICT with `details.field` when a unique value is taken
 */
export async function prepareCreate(
  context: WriteContext,
  collection: CollectionModel,
  body: unknown,
  options: NewEntryOptions = {},
): Promise<PreparedWrite<EntryAnswer>> {
  return checkCreate(context, collection, body, options)()
}

/**
 * Checks what the body of a new entry says.
 *
 * @returns the rest of its preparation, which throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 * @throws VALIDATION_ERROR
 */
export function checkCreate(
  context: WriteContext,
  collection: CollectionModel,
  body: unknown,
  options: NewEntryOptions = {},
): CheckedWrite<EntryAnswer> {
  if (collection.holdsFiles && !options.made) throw invalidAt('/', 'upload', 'Upload the file: POST it to /api/assets')
  const rights = fieldRights(collection, context.access)
  const hooked = hooksFor(context, collection, 'beforeValidate')
  const check = (data: unknown): Values => checkBody(collection, 'create', data, rights)
  const named = hooked ? checkKeys(collection, 'create', body, rights) : check(body)
  return () => prepareNew(context, collection, { named, hooked, check, rights }, options)
}

/** The body of a new entry, which is right by itself. */
interface NewEntry {
  /** The fields that the body names. */
  readonly named: Values
  readonly hooked: HookedDocument | undefined
  readonly check: (data: unknown) => Values
  readonly rights: FieldRights
}

async function prepareNew(
  context: WriteContext,
  collection: CollectionModel,
  { named: given, hooked, check, rights }: NewEntry,
  { createdAt: writtenAt, made }: NewEntryOptions,
): Promise<PreparedWrite<EntryAnswer>> {
  const { engine, access, actor, person, locale } = context
  const filter = await access.requireWrite(collection, 'create')
  const write = { action: 'create', id: undefined, data: given } as const
  const input = hooked ? check(await runBeforeValidate(context, hooked, write)) : given
  const own = withoutUnwritable(collection, access, input, undefined)
  const named = { ...own, ...made?.values }
  const patch = await settleFields(collection, named, undefined, settleTools(context, collection))
  requireWritable(collection, patch, rights, access)
  // Rendering may have taken time: the order of ids is that of these moments.
  const now = new Date().toISOString()
  const createdAt = toCreatedAt(writtenAt ?? now)
  // Without a moment of its own, entries of one millisecond keep the order in which they were made.
  const id = writtenAt === undefined ? uuidv7() : uuidv7({ msecs: Date.parse(createdAt) })
  const changing = hooksFor(context, collection, 'beforeChange', 'validate')
  // No unique index guards a slug that falls back, so no other create may run between the look-ups and the insert.
  const hasFallbackSlug = collection.slug !== undefined && collection.localized.has(collection.slug.key)
  return {
    isAlone: changing !== undefined,
    isIndependent: made === undefined && !hasFallbackSlug,
    commit: async (transaction) => {
      const { writer } = transaction
      const derive = (values: Values): Promise<Values> => chooseSlug(writer.read, collection, values, locale)
      const composition = { document: collection, before: undefined, patch, rights, derive }
      const composed = await compose(context, writer.read, composition)
      const system = { id, createdAt, updatedAt: now, createdBy: person, updatedBy: person }
      const change = { context, transaction, action: 'create', id, system } as const
      const { canonical: changed } = changing
        ? await runBeforeChange(changing, change, composition, composed)
        : { canonical: composed }
      const canonical = await resolveFallbackSlugs(engine.model, writer.read, collection, changed)
      const next = toRow(engine.model, collection, { ...system, canonical, orphaned: null, draft: null })
      const seq = await namingConflict(collection, () => writer.entries.create(collection, next, actor))
      await giveWayTo(engine, writer, collection, next, actor)
      await authorizeNewEntry(context, writer.read, collection, id, filter)
      await made?.settle(writer)
      return toWritten(collection, next, seq, locale, rights)
    },
  }
}

/** Ids begin with the moment of creation, which cannot lie before 1970 (RFC 9562, section 5.7). */
function toCreatedAt(text: string): string {
  const moment = parseTimestamp(text)
  if (moment !== undefined && Date.parse(moment) >= 0) return moment
  throw invalidAt('/createdAt', 'format', 'must be a date-time of 1970 or later', { format: 'date-time' })
}

/**
 * Prepares a change of an entry.
 *
 * @throws as {@link checkChange}, and what it answers; its commit also CONFLICT with `details.field`
 */
export async function prepareUpdate(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  body: unknown,
  options: UpdateOptions = {},
): Promise<PreparedWrite<EntryAnswer>> {
  return checkUpdate(context, collection, id, body, options)()
}

/**
 * Checks what the body of a change of an entry says.
 *
 * @returns and throws as {@link checkChange}
 */
export function checkUpdate(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  body: unknown,
  options: UpdateOptions = {},
): CheckedWrite<EntryAnswer> {
  return checkChange(context, entryTarget(context, collection, id), body, options)
}

/**
 * An entry that is to be changed.
 *
 * @param load looks it up
 */
export function entryTarget(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  load: EntryLoader = entryLoader(context, collection, id),
): ChangeTarget<StoredEntry, EntryAnswer> {
  const { engine, access, locale } = context
  const { model } = engine
  const rulings = new Map<number, readonly StatedRuling[]>()
  const requireUpdate = (values: () => Values): Promise<AccessFilter | undefined> =>
    access.requireWrite(collection, 'update', collection.access.update && values())
  return {
    document: collection,
    id: id.toLowerCase(),
    isMatchRequired: collection.requireIfMatch,
    load,
    parse: (row) => new Revision(model, collection, row),
    requireChange: async (read, revision) => {
      const { id: stored, seq } = revision.row
      const entryRulings = rulings.get(seq) ?? (await rulingsOn(context, collection, 'update', revision))
      rulings.set(seq, entryRulings)
      await requireMatches(access, read, stored, entryRulings)
    },
    // A caller cannot move an entry out of what it may change.
    allowResult: async (revision, patch) =>
      collection.access.update && requireUpdate(() => resultOf(context, collection, revision, patch)),
    derive: (read, values) => chooseSlug(read, collection, values, locale, id.toLowerCase()),
    store: async (writer, revision, { canonical, patch, mayBeSame, filter }, rights) => {
      const { row, orphaned } = revision
      const stored = await storeEntry(
        context,
        writer,
        collection,
        revision,
        { canonical, orphaned, draft: row.draft, mayBeSame },
        rights,
      )
      if (stored.seq === row.seq) return stored
      await access.requireMatch(writer.read, collection, row.id, filter)
      await rebaseDraft(context, writer, collection, row, patch, mayBeSame)
      return stored
    },
  }
}

/** The result of an access rule for a stored entry in one locale. */
interface StatedRuling {
  readonly shown: CollectionModel
  /** The filter that the entry must match in that locale. */
  readonly filter: AccessFilter | undefined
}

/**
 * Asks the rule about a write of a stored entry. An entry that is published in other locales than the default one must be within reach
 * as a published one, too: a rule that covers drafts alone does not cover it.
 *
 * @throws UNAUTHORIZED, FORBIDDEN
 */
async function rulingsOn(
  { access, engine: { model } }: WriteContext,
  collection: CollectionModel,
  action: 'update' | 'delete',
  revision: Revision<StoredEntry>,
): Promise<readonly StatedRuling[]> {
  const rule = collection.access[action]
  const { status } = collection
  const stated = [{ shown: collection, entry: rule && revision.told }]
  const [elsewhere] = revision.row.status === PUBLISHED ? [] : (revision.canonical.publishedLocales ?? [])
  if (rule && status && elsewhere !== undefined)
    stated.push({
      shown: collection.byLocale.get(elsewhere) ?? collection,
      entry: { ...revision.told, [status.key]: PUBLISHED },
    })
  return Promise.all(
    stated.map(async ({ shown, entry }) => {
      const filter = await access.requireWrite(collection, action, entry)
      return { shown, filter: filter && filterFor(model, shown, filter) }
    }),
  )
}

/** @throws UNAUTHORIZED, FORBIDDEN when the entry does not hold what a ruling demands */
async function requireMatches(
  access: Access,
  read: Reader,
  id: string,
  rulings: readonly StatedRuling[],
): Promise<void> {
  for (const { shown, filter } of rulings) await access.requireMatch(read, shown, id, filter)
}

/** What an entry becomes. */
interface NextEntry {
  readonly canonical: Canonical
  readonly orphaned: string | null
  /** The working copy beside it, as its column holds it. */
  readonly draft: string | null
  /** Whether it is left as it is when nothing changes. @default false */
  readonly mayBeSame?: boolean
  /** What the journal calls the change. @default 'update' */
  readonly action?: StateAction
}

/**
 * Stores an entry in the place of what it was.
 *
 * @throws CONFLICT with `details.field`
 */
export async function storeEntry(
  context: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  revision: Revision<StoredEntry>,
  { canonical, orphaned, draft, mayBeSame = false, action = 'update' }: NextEntry,
  rights: FieldRights,
): Promise<EntryAnswer> {
  const { row } = revision
  const { model } = context.engine
  const next = toRow(model, collection, {
    id: row.id,
    canonical: await resolveFallbackSlugs(model, writer.read, collection, canonical, row.id),
    createdAt: row.created_at,
    updatedAt: new Date().toISOString(),
    createdBy: row.created_by,
    updatedBy: context.person,
    orphaned,
    draft,
  })
  const isUnchanged = mayBeSame && row.schema_hash === collection.schemaHash && isSameEntry(revision, next)
  if (isUnchanged) return toUnchanged(context, collection, writer, row, rights)
  const seq = await namingConflict(collection, () =>
    writer.entries.update(collection, row, next, context.actor, {
      isFoundAsBefore: isFoundAsBefore(collection, revision, next),
      hasSameMembers: hasSameMembers(collection, revision, next),
      action,
    }),
  )
  await giveWayTo(context.engine, writer, collection, next, context.actor)
  return toWritten(collection, next, seq, context.locale, rights)
}

/** What a rule is told of an entry that a change would make. */
export function resultOf(
  { engine: { model }, locale, person }: WriteContext,
  collection: CollectionModel,
  revision: Revision,
  patch: Values,
): Values {
  const merged = mergeFields(collection, revision.own(locale), patch)
  const canonical = writeTranslation(collection, revision.canonical, merged, locale, model.locales?.default)
  const values = withSystem(collection, revision.values, mergeFields(collection, {}, canonical.values))
  return { ...values, createdBy: revision.row.created_by, updatedBy: person }
}

/** Whether a write would change nothing but the time of the last change. */
function isSameEntry({ raw, row }: Revision, next: WrittenEntry): boolean {
  const isEqual = JSON.stringify({ ...raw, updatedAt: null }) === JSON.stringify({ ...next.value, updatedAt: null })
  return isEqual && row.locales === next.locales
}

/** Whether searches find an entry by the same words and values after a change. Of one that an older config wrote, that is not known. */
function isFoundAsBefore(
  collection: CollectionModel,
  { row, raw }: Revision<StoredEntry>,
  next: WrittenEntry,
): boolean {
  const isComparable =
    row.schema_hash === collection.schemaHash && row.locales === next.locales && row.status === next.status
  const keys = [...collection.searchable.map(({ key }) => key), ...collection.facets.map(({ owner }) => owner)]
  return isComparable && keys.every((key) => isEqualJson(raw[key], next.value[key]))
}

/** Whether an entry refers to the same documents after a change, and its many-valued fields hold the same. */
function hasSameMembers(collection: CollectionModel, revision: Revision<StoredEntry>, next: WrittenEntry): boolean {
  if (revision.row.schema_hash !== collection.schemaHash) return false
  return (
    isEqualJson(revision.references, next.references) &&
    isEqualJson(membersOf(collection, revision.values), next.choices)
  )
}

const isEqualJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A stored entry as it is answered to a write that changes nothing. */
export async function toUnchanged(
  { locale }: WriteContext,
  collection: CollectionModel,
  writer: Writer,
  stored: StoredEntry,
  rights: FieldRights,
): Promise<EntryAnswer> {
  const localized = locale === undefined ? undefined : collection.byLocale.get(locale)
  const row = localized && (await writer.read.entries.byId(localized, stored.id, rights))
  return localized && row
    ? toEntryAnswer(localized, { ...row, slug: stored.slug }, rights)
    : toEntryAnswer(collection, stored, rights)
}

/** A written entry, as the locale shows it in which it was written. */
function toWritten(
  collection: CollectionModel,
  next: WrittenEntry,
  seq: number,
  locale: string | undefined,
  projection: Projection,
): EntryAnswer {
  const localized = locale === undefined ? undefined : collection.byLocale.get(locale)
  const shown = next.localeRows.find((one) => one.collection === localized)
  if (!shown) return toEntryAnswer(collection, { ...next, seq }, projection)
  const row = {
    ...next,
    seq,
    slug: shown.slug,
    schema_hash: shown.collection.schemaHash,
    orphaned: null,
    doc: shown.doc,
  }
  return toEntryAnswer(shown.collection, row, projection)
}

/**
 * Asks the rule for deletions about an entry as it is stored.
 *
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function requireDeletion(
  context: WriteContext,
  collection: CollectionModel,
  read: Reader,
  entry: StoredEntry,
): Promise<void> {
  const rulings = await rulingsOn(context, collection, 'delete', new Revision(context.engine.model, collection, entry))
  await requireMatches(context.access, read, entry.id, rulings)
}

/** How the deletion of an entry asks about it. */
export interface DeletionLookup {
  readonly load: EntryLoader
  /** Whether a document may refer to it. @default it may */
  mayBeReferredTo?(): boolean
  /** Whether another entry is deleted in the same transaction. @default none is */
  isDeletedToo?(entry: { readonly collection: string; readonly id: string }): boolean
}

/**
 * Prepares the deletion of an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND; its commit also PRECONDITION_REQUIRED, PRECONDITION_FAILED, CONFLICT
 */
export async function prepareDelete(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  options: Preconditions = {},
  lookup: DeletionLookup = { load: entryLoader(context, collection, id) },
): Promise<PreparedWrite<{ readonly seq: number }>> {
  const { load, mayBeReferredTo = () => true, isDeletedToo = () => false } = lookup
  const { engine, access, actor } = context
  const { model, store } = engine
  const seen = { hidden: access.hidden(collection), hasPeople: access.seesPeople(collection) }
  await access.requireRead(collection)
  const referrers = await referrerAccess(context)
  const parse = (row: StoredEntry): Revision<StoredEntry> => new Revision(model, collection, row)
  const ask = (row: StoredEntry): Promise<readonly StatedRuling[]> =>
    rulingsOn(context, collection, 'delete', parse(row))
  // A rule takes the time that it takes: it is asked before the transaction, and in it only when the entry has changed.
  const entry = collection.access.delete && (await load(store.read))
  const ruled = entry && { seq: entry.seq, rulings: await ask(entry) }
  const hooked = hooksFor(context, collection, 'beforeChange')
  return {
    isAlone: hooked !== undefined,
    commit: async (transaction) => {
      const { writer, atEnd } = transaction
      const stored = await load(writer.read)
      const rulings = ruled?.seq === stored.seq ? ruled.rulings : await ask(stored)
      await requireMatches(access, writer.read, stored.id, rulings)
      requirePreconditions(options, stored.seq, tagOf(collection, stored.seq, seen), collection.requireIfMatch)
      if (hooked) {
        const { canonical, told } = parse(stored)
        const reload = (): Promise<StoredEntry> => load(writer.read)
        const change = {
          context,
          transaction,
          action: 'delete',
          id: stored.id,
          system: told,
          stored,
          reload,
        } as const
        await runBeforeDelete(hooked, change, canonical)
      }
      const deletion = { engine, collection, id: stored.id, actor, access: referrers, isDeletedToo }
      if (mayBeReferredTo()) atEnd(await releaseReferrers(deletion, writer))
      const seq = await writer.entries.delete(collection, stored, new Date().toISOString(), actor)
      if (collection.holdsFiles) await leaveFile(engine, writer, stored, seq)
      return { seq }
    },
  }
}

/** Lets the path of a deleted asset be cleared, and the pictures made of its file be removed, once the deletion is stored. */
async function leaveFile({ files }: Engine, writer: Writer, { doc }: StoredEntry, deletion: number): Promise<void> {
  const { path, sha256 } = JSON.parse(doc)
  const pictures = `${IMAGES}${sha256}`
  await writer.fileClaims.leave(path, deletion)
  await writer.fileClaims.leave(pictures, 0)
  for (const left of [path, pictures]) files?.clearSoon(left)
}

/**
 * Looks an entry up, as far as its rule lets the caller see it. The first look is before any transaction, so that none waits
 * for the rule.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND when there is none that the caller may see
 */
export type EntryLoader = (read: Reader) => Promise<StoredEntry>

export function entryLoader({ access }: WriteContext, collection: CollectionModel, id: string): EntryLoader {
  return async (read) => {
    const filter = await access.requireRead(collection)
    if (!isUuidShaped(id)) throw notAnId()
    const stored = await read.entries.stored(collection, id.toLowerCase(), filter?.where)
    if (!stored || !(await isVisibleEntry(access, read, collection, stored))) throw new DaybookError('NOT_FOUND')
    return stored
  }
}

/** @throws CONFLICT with `details.field`, and of a localized field `details.locale`, when another entry holds a unique value */
export async function namingConflict<T>({ slug }: CollectionModel, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const { locale } = error
    const field = error.field === 'slug' || error.field === 'own_slug' ? (slug?.key ?? 'slug') : error.field
    const place = locale === undefined ? '' : ` in the locale "${locale}"`
    const details = locale === undefined ? { field } : { field, locale }
    throw new DaybookError('CONFLICT', `Another entry has this ${field}${place}.`, details, error)
  }
}
