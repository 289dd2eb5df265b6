import { DaybookError } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import { isUuidShaped } from '../../slugs.ts'
import { UniqueViolation } from '../../store/database.ts'
import type { StateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry, WrittenEntry } from '../../store/rows.ts'
import { collectMembers } from '../../store/tables/document-values.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { canSeeEntry } from '../access/draft-access.ts'
import type { FieldRights } from '../access/field-access.ts'
import { adaptFilterToLocale, notAnIdError } from '../access/rules.ts'
import type { Values } from '../documents/document.ts'
import { getDraftRevision, hasSameContent, toDraft, toDraftCanonical } from '../documents/draft-row.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { type StoredRevision, toRow, withSystemKeys } from '../documents/row.ts'
import { type CanonicalDocument, writeTranslation } from '../locales/localized.ts'
import { type Projection, toEntryResponse } from '../reads/present.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from './context.ts'
import { requireParent } from './parents.ts'
import { chooseSlug, resolveFallbackSlugs, updateFallbackSlugs } from './slugs.ts'
import type { NextRevision, UpdateTarget } from './update.ts'

type EntryAction = 'update' | 'delete'

/** A filter that an access rule has returned for a stored entry in one locale. */
interface EntryFilter {
  readonly collection: CollectionModel
  readonly filter: AccessFilter | undefined
}

export class EntryTarget implements UpdateTarget<StoredEntry, EntryResponse> {
  readonly document: CollectionModel
  readonly id: string
  readonly #context: WriteContext
  /** The result of the last evaluation of a rule. */
  #evaluated:
    | { readonly action: EntryAction; readonly seq: number; readonly filters: readonly EntryFilter[] }
    | undefined

  constructor(context: WriteContext, collection: CollectionModel, id: string) {
    this.#context = context
    this.document = collection
    this.id = id.toLowerCase()
  }

  get requiresIfMatch(): boolean {
    return this.document.requireIfMatch
  }

  /** @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND if no such entry exists for the caller */
  async load(read: Reader): Promise<StoredEntry> {
    if (!isUuidShaped(this.id)) await this.#context.access.authorizeRead(this.document)
    if (!isUuidShaped(this.id)) throw notAnIdError()
    const entry = await this.findVisible(read, this.id)
    if (!entry) throw new DaybookError('NOT_FOUND')
    return entry
  }

  /**
   * Returns an entry of the collection, if it exists for the caller.
   *
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  protected async findVisible(read: Reader, id: string): Promise<StoredEntry | undefined> {
    const { access } = this.#context
    // A rule is evaluated once for a request, before any transaction.
    const filter = await access.authorizeRead(this.document)
    const entry = await read.entries.stored(this.document, id, filter?.where)
    return entry && (await canSeeEntry(access, read, this.document, entry)) ? entry : undefined
  }

  /** @throws UNAUTHORIZED, FORBIDDEN */
  authorizeUpdate(read: Reader, revision: StoredRevision<StoredEntry>): Promise<void> {
    return this.#authorize('update', read, revision)
  }

  /** @throws UNAUTHORIZED, FORBIDDEN */
  authorizeDelete(read: Reader, revision: StoredRevision<StoredEntry>): Promise<void> {
    return this.#authorize('delete', read, revision)
  }

  async #authorize(action: EntryAction, read: Reader, revision: StoredRevision<StoredEntry>): Promise<void> {
    for (const { collection, filter } of await this.evaluateRule(action, revision))
      await this.#context.access.authorizeEntry(read, collection, revision.row.id, filter)
  }

  /**
   * Evaluates the access rule for a stored entry, once for each revision. An entry that is published only in locales other than the default
   * is also checked as a published entry: a rule that allows only drafts does not allow it.
   *
   * @returns the filters that the entry must match
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async evaluateRule(action: EntryAction, revision: StoredRevision<StoredEntry>): Promise<readonly EntryFilter[]> {
    const { access, content } = this.#context
    const { seq, status } = revision.row
    if (this.#evaluated?.action === action && this.#evaluated.seq === seq) return this.#evaluated.filters
    const { document } = this
    const rule = document.access[action]
    const views = [{ collection: document, entry: rule && revision.valuesWithAuthors }]
    const [publishedLocale] = status === PUBLISHED ? [] : (revision.canonical.publishedLocales ?? [])
    if (rule && document.status && publishedLocale !== undefined)
      views.push({
        collection: document.byLocale.get(publishedLocale) ?? document,
        entry: { ...revision.valuesWithAuthors, [document.status.key]: PUBLISHED },
      })
    const filters = await Promise.all(
      views.map(async ({ collection, entry }) => {
        const filter = await access.authorizeWrite(document, action, entry)
        return { collection, filter: filter && adaptFilterToLocale(content.model, collection, filter) }
      }),
    )
    this.#evaluated = { action, seq, filters }
    return filters
  }

  /** Evaluates the rule for the result, so that callers cannot turn an entry into one that they may not update. */
  async authorizeResult(revision: StoredRevision<StoredEntry>, patch: Values): Promise<AccessFilter | undefined> {
    const { document } = this
    if (!document.access.update) return undefined
    const result = buildUpdatedEntry(this.#context, document, revision, patch)
    return this.#context.access.authorizeWrite(document, 'update', result)
  }

  async derive(read: Reader, values: Values, before: StoredRevision<StoredEntry>): Promise<Values> {
    await requireParent(read, this.document, values, this.id, before.values)
    return chooseSlug(read, this.document, values, this.#context.locale, this.id)
  }

  /** @throws FORBIDDEN if the stored entry does not match the filter; CONFLICT with `details.field` */
  async store(
    writer: Writer,
    revision: StoredRevision<StoredEntry>,
    { canonical, patch, skipsUnchanged, filter }: NextRevision,
    rights: FieldRights,
  ): Promise<EntryResponse> {
    const context = this.#context
    const { row, orphaned } = revision
    const next = { canonical, orphaned, draft: row.draft, skipsUnchanged }
    const stored = await storeEntry(context, writer, this.document, revision, next, rights)
    if (stored.seq === row.seq) return stored
    await context.access.authorizeEntry(writer.read, this.document, row.id, filter)
    if (row.draft !== null) await rebaseDraft(context, writer, this.document, row, patch, skipsUnchanged)
    return stored
  }
}

/** Returns the entry as it would be after the change, passed to access rules. */
export function buildUpdatedEntry(
  { content: { model }, locale, author }: WriteContext,
  collection: CollectionModel,
  revision: StoredRevision,
  patch: Values,
): Values {
  const merged = mergeFields(collection, revision.getLocaleValues(locale), patch)
  const canonical = writeTranslation(collection, revision.canonical, merged, locale, model.locales?.default)
  const values = withSystemKeys(collection, revision.values, mergeFields(collection, {}, canonical.values))
  return { ...values, createdBy: revision.row.created_by, updatedBy: author }
}

interface NextEntry {
  readonly canonical: CanonicalDocument
  readonly orphaned: string | null
  /** The draft, as stored in its column. */
  readonly draft: string | null
  /** True if nothing is stored when nothing changes. @default false */
  readonly skipsUnchanged?: boolean
  /** The action that the journal records. @default 'update' */
  readonly action?: StateAction
}

/**
 * Stores the next revision of an entry.
 *
 * @throws CONFLICT with `details.field`
 */
export async function storeEntry(
  context: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  revision: StoredRevision<StoredEntry>,
  { canonical, orphaned, draft, skipsUnchanged = false, action = 'update' }: NextEntry,
  rights: FieldRights,
): Promise<EntryResponse> {
  const { row } = revision
  const { content, actor, author, locale } = context
  const { model } = content
  const next = toRow(model, collection, {
    id: row.id,
    canonical: await resolveFallbackSlugs(model, writer.read, collection, canonical, row.id),
    createdAt: row.created_at,
    updatedAt: new Date().toISOString(),
    createdBy: row.created_by,
    updatedBy: author,
    orphaned,
    draft,
  })
  const isUnchanged = skipsUnchanged && row.schema_hash === collection.schemaHash && isSameEntry(revision, next)
  if (isUnchanged) return toUnchangedResponse(context, collection, writer, row, rights)
  const seq = await explainUniqueViolation(collection, () =>
    writer.entries.update(collection, row, next, actor, {
      hasSameSearchRows: hasSameSearchRows(collection, revision, next),
      hasSameMembers: hasSameMembers(collection, revision, next),
      action,
    }),
  )
  await updateFallbackSlugs(content, writer, collection, next, actor)
  return toWrittenResponse(collection, next, seq, locale, rights)
}

/** Returns true if the update changes nothing except `updatedAt`. */
function isSameEntry({ raw, row }: StoredRevision, next: WrittenEntry): boolean {
  const isEqual = isEqualJson({ ...raw, updatedAt: null }, { ...next.value, updatedAt: null })
  return isEqual && row.locales === next.locales
}

/** Returns true if searches find the entry by the same words and values as before; false, since unknown, for a row of an older config. */
function hasSameSearchRows(
  collection: CollectionModel,
  { row, raw }: StoredRevision<StoredEntry>,
  next: WrittenEntry,
): boolean {
  const isComparable =
    row.schema_hash === collection.schemaHash && row.locales === next.locales && row.status === next.status
  const keys = [...collection.searchable.map(({ key }) => key), ...collection.searchFilters.map(({ owner }) => owner)]
  return isComparable && keys.every((key) => isEqualJson(raw[key], next.value[key]))
}

/** Returns true if the references and the multi-valued fields of the entry have not changed. */
function hasSameMembers(
  collection: CollectionModel,
  revision: StoredRevision<StoredEntry>,
  next: WrittenEntry,
): boolean {
  if (revision.row.schema_hash !== collection.schemaHash) return false
  return (
    isEqualJson(revision.storedReferences, next.references) &&
    isEqualJson(collectMembers(collection, revision.values), next.choices)
  )
}

const isEqualJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns the response to a write that changes nothing. */
export async function toUnchangedResponse(
  { locale }: WriteContext,
  collection: CollectionModel,
  writer: Writer,
  stored: StoredEntry,
  rights: FieldRights,
): Promise<EntryResponse> {
  const localized = locale === undefined ? undefined : collection.byLocale.get(locale)
  const row = localized && (await writer.read.entries.byId(localized, stored.id, rights))
  return localized && row
    ? toEntryResponse(localized, { ...row, slug: stored.slug }, rights)
    : toEntryResponse(collection, stored, rights)
}

export function toWrittenResponse(
  collection: CollectionModel,
  next: WrittenEntry,
  seq: number,
  locale: string | undefined,
  projection: Projection,
): EntryResponse {
  const localized = locale === undefined ? undefined : collection.byLocale.get(locale)
  const localeRow = next.localeRows.find((row) => row.collection === localized)
  if (!localeRow) return toEntryResponse(collection, { ...next, seq }, projection)
  const { slug, doc } = localeRow
  const row = { ...next, seq, slug, schema_hash: localeRow.collection.schemaHash, orphaned: null, doc }
  return toEntryResponse(localeRow.collection, row, projection)
}

/** @throws CONFLICT with `details.field`, and for a localized field `details.locale`, if another entry has a unique value */
export async function explainUniqueViolation<T>({ slug }: CollectionModel, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const { locale } = error
    const field = error.field === 'slug' || error.field === 'own_slug' ? (slug?.key ?? 'slug') : error.field
    const place = locale === undefined ? '' : ` in the locale "${locale}"`
    const details = locale === undefined ? { field } : { field, locale }
    throw new DaybookError('CONFLICT', `This ${field} is already used by another entry${place}.`, details, error)
  }
}

/**
 * Applies an update of an entry to its draft; otherwise publishing the draft would revert the update.
 *
 * @param patch the fields that the update names, in their stored form
 * @param skipsUnchanged true if nothing is stored when the draft does not change; false for an update that names hidden fields
 */
export async function rebaseDraft(
  { content: { model }, actor, author, locale }: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  entry: StoredEntry,
  patch: Values,
  skipsUnchanged: boolean,
): Promise<void> {
  const before = getDraftRevision(model, collection, entry)
  const values = mergeFields(collection, before.getLocaleValues(locale), patch)
  const canonical = writeTranslation(collection, before.canonical, values, locale, model.locales?.default)
  if (skipsUnchanged && hasSameContent(collection, toDraftCanonical(collection, before), canonical)) return
  const at = new Date().toISOString()
  const draft = toDraft(collection, entry, canonical, before.orphaned, { at, by: author, isAutosave: false })
  await writer.drafts.write(collection, entry, draft, { at, actor })
}
