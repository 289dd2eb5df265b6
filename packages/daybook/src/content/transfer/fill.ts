import { createServiceCaller } from '../../auth/adapter.ts'
import { DaybookError, MigrationError } from '../../errors.ts'
import type { Field } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, FieldModel, GlobalModel, Model } from '../../model/model.ts'
import { isFieldShown } from '../../show-if.ts'
import { UniqueViolation } from '../../store/database.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { type Draft, type GlobalRow, parseDraft, type StoredEntry } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { withAbort } from '../../with-timeout.ts'
import { FULL_RIGHTS } from '../access/field-access.ts'
import { UnrestrictedAccess } from '../access/unrestricted-access.ts'
import { type ContentContext, toAuthor } from '../context.ts'
import { isEmpty, type Values } from '../documents/document.ts'
import { toDraft } from '../documents/draft-row.ts'
import {
  getValuesToMigrate,
  isRefusedField,
  type MigratedDocument,
  migrateDocument,
  migrateTranslations,
} from '../documents/migrate-document.ts'
import { keepOrphaned } from '../documents/orphaned-values.ts'
import { toPlainJson } from '../documents/plain-json.ts'
import { mergeFields, prepareFields } from '../documents/prepare-fields.ts'
import { findStoredReferences, serializeTranslations, toCanonical, toRow, withSystemKeys } from '../documents/row.ts'
import type { CanonicalDocument, Translation } from '../locales/localized.ts'
import { checkBody } from '../writes/body.ts'
import { createFieldTools, createWriteContext, type WriteContext } from '../writes/context.ts'
import { rebaseDraft } from '../writes/entry-target.ts'
import { requireTargets } from '../writes/references.ts'
import { MIGRATION_ACTOR, toOrphaned } from './schema-migration.ts'
import { iterateEntries, MIGRATION_BATCH } from './stored-content.ts'

/** A field, and the number of documents in which it was filled. */
export interface FilledField {
  /** `posts.summary`: the collection or global, and the field. */
  readonly path: string
  readonly count: number
}

/** The columns of a stored document from which missing values are determined. */
export type StoredText = Pick<StoredEntry, 'doc' | 'orphaned' | 'locales'>

const getFieldsWithFill = ({ fields }: DocumentModel): readonly FieldModel[] =>
  fields.filter(({ field }) => field.options.fill !== undefined)

/** The fields whose `fill` a stored document needs, each with the reason. */
export type FieldsToFill = ReadonlyMap<FieldModel, 'empty' | 'refused'>

/**
 * Finds the fields that need their `fill` in a stored document: the field is required and empty, the document is older than the field, or
 * the field does not accept a stored value in some locale.
 */
export function findFieldsToFill(
  document: DocumentModel,
  row: StoredText,
  migrated: Pick<MigratedDocument, 'values' | 'stored' | 'lost'> = migrateDocument(document, row),
): FieldsToFill {
  const { values, stored } = migrated
  const translations = getTranslations(row)
  const fieldsToFill = getFieldsWithFill(document).flatMap(
    (model): readonly (readonly [FieldModel, 'empty' | 'refused'])[] => {
      const { key, field } = model
      const { type, options } = field
      if (
        isRefusedField(migrated, key) ||
        translations.some(([, translation]) => isRefusedInTranslation(translation, model))
      )
        return [[model, 'refused']]
      // A fill that converts stored values returns nothing without a stored value.
      if (type.converter?.(options)) return []
      const needsFill =
        options.required === true
          ? isEmpty(values[key]) && isFieldShown(options.showIf, values)
          : !Object.hasOwn(stored, key) && !hasKey(row, key)
      return needsFill ? [[model, 'empty']] : []
    },
  )
  return new Map(fieldsToFill)
}

/** Finds the fields that need their `fill` because they do not accept a value in the draft of an entry. */
export function findRefusedInDraft(
  collection: DocumentModel,
  row: { readonly draft?: string | null },
): readonly FieldModel[] {
  const draft = row.draft ? parseDraft({ draft: row.draft }) : undefined
  return draft ? pickRefused(findFieldsToFill(collection, draft)) : []
}

const pickRefused = (fieldsToFill: FieldsToFill): readonly FieldModel[] =>
  [...fieldsToFill].flatMap(([model, reason]) => (reason === 'refused' ? [model] : []))

const hasKey = ({ doc }: StoredText, key: string): boolean => Object.hasOwn(JSON.parse(doc) as Values, key)

const getTranslations = ({ locales }: Pick<StoredText, 'locales'>): readonly (readonly [string, Translation])[] =>
  Object.entries(toCanonical({}, locales).translations)

/** Returns true if a localized field does not accept its value in a translation. */
function isRefusedInTranslation(translation: Translation, { key, field: { type, options } }: FieldModel): boolean {
  return options.localized === true && Object.hasOwn(translation, key) && !type.accepts(translation[key], options)
}

interface FilledDocument {
  /** The fields that were filled in any locale. */
  readonly keys: ReadonlySet<string>
  readonly canonical: CanonicalDocument
  readonly fillResults: Values
  /** The filled values in their stored form, with their derived fields. */
  readonly storedValues: Values
  readonly orphaned: string | null
}

export interface FillRun {
  /** Runs a transaction of the migration, or one that is rolled back. */
  readonly transact: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
  readonly signal: AbortSignal
}

/**
 * Fills the fields that have a `fill`, a batch of documents at a time. After an interruption, another run continues, since filled documents
 * are not filled again.
 *
 * @throws {MigrationError} if a fill throws, or returns a value that its field does not accept; the documents before it stay filled
 */
export async function fillStoredDocuments(context: ContentContext, run: FillRun): Promise<readonly FilledField[]> {
  const job: FillJob = {
    context: await createWriteContext(context, new UnrestrictedAccess(context.model, MIGRATOR)),
    run,
    counts: new Map(getFillPaths(context.model).map((path) => [path, 0])),
  }
  for (const collection of context.model.collections.values()) {
    if (getFieldsWithFill(collection).length > 0) await fillCollection(job, collection)
  }
  for (const global of context.model.globals.values()) {
    if (getFieldsWithFill(global).length > 0) await fillGlobal(job, global)
  }
  return [...job.counts].filter(([, count]) => count > 0).map(([path, count]) => ({ path, count }))
}

/** Returns the paths of fields with a `fill`, in the order of the config. */
const getFillPaths = ({ collections, globals }: Model): readonly string[] =>
  [...collections.values(), ...globals.values()].flatMap((document) =>
    getFieldsWithFill(document).map((field) => `${document.key}.${field.key}`),
  )

interface FillJob {
  readonly context: WriteContext
  readonly run: FillRun
  /** The numbers of filled documents, by the path of the field. */
  readonly counts: Map<string, number>
}

function countFilled({ counts }: FillJob, { key }: DocumentModel, keys: Iterable<string>): void {
  for (const path of [...keys].map((field) => `${key}.${field}`)) counts.set(path, (counts.get(path) ?? 0) + 1)
}

async function fillCollection(job: FillJob, collection: CollectionModel): Promise<void> {
  for (let after = 0; ; ) {
    job.run.signal.throwIfAborted()
    const page = await job.context.content.store.read.entries.storedAfter(collection, after, MIGRATION_BATCH)
    const last = page.at(-1)
    if (!last) return
    const filled = await fillPage(job, collection, page)
    // Entries have changed since they were read, so read the page again.
    if (!filled) continue
    for (const { keys } of filled) countFilled(job, collection, keys)
    after = last.pk
  }
}

async function fillPage(
  job: FillJob,
  collection: CollectionModel,
  page: readonly StoredEntry[],
): Promise<readonly FilledEntry[] | undefined> {
  const filled = new Map<StoredEntry, FilledEntry>()
  for (const entry of page) {
    const filledEntry = await fillEntry(job, collection, entry)
    if (filledEntry.keys.size > 0) filled.set(entry, filledEntry)
  }
  if (filled.size === 0) return []
  const isStored = await job.run.transact(async (writer) => {
    const ids = [...filled.keys()].map(({ id }) => id)
    const currentEntries = await writer.read.entries.storedByIds(collection, ids)
    const seqs = new Map(currentEntries.map(({ id, seq }) => [id, seq]))
    if ([...filled.keys()].some(({ id, seq }) => seqs.get(id) !== seq)) return false
    for (const [entry, filledEntry] of filled) await storeEntry(job, writer, collection, entry, filledEntry)
    return true
  })
  return isStored ? [...filled.values()] : undefined
}

/** An entry and its draft, with filled values. */
interface FilledEntry {
  /** The fields that were filled in either of them. */
  readonly keys: ReadonlySet<string>
  /** `undefined` if the entry does not change. */
  readonly entry: FilledDocument | undefined
  /** The draft, in which values that its fields do not accept are replaced; `undefined` if there are none. */
  readonly draft: FilledDocument | undefined
  /** The values filled into the entry that its draft lacks as well. */
  readonly missing: Values
}

async function fillEntry(job: FillJob, collection: CollectionModel, entry: StoredEntry): Promise<FilledEntry> {
  const filledEntry = await fillDocument(job, collection, entry, entry.id)
  const draft = parseDraft(entry)
  if (!draft) return { keys: filledEntry?.keys ?? new Set(), entry: filledEntry, draft: undefined, missing: {} }
  const { created_by, updated_by } = entry
  const refused = findRefusedInDraft(collection, entry)
  const filledDraft = await fillDocument(job, collection, { ...draft, created_by, updated_by }, entry.id, refused)
  const missing = filledEntry ? pickMissingInDraft(collection, draft, filledEntry.storedValues, refused) : {}
  const keys = new Set([...(filledEntry?.keys ?? []), ...(filledDraft?.keys ?? [])])
  return { keys, entry: filledEntry, draft: filledDraft, missing }
}

async function storeEntry(
  { context }: FillJob,
  writer: Writer,
  collection: CollectionModel,
  entry: StoredEntry,
  { entry: filledEntry, draft: filledDraft, missing }: FilledEntry,
): Promise<void> {
  const { id, created_at: createdAt, status } = entry
  await explainRefusal(collection, id, async () => {
    if (filledEntry) {
      const { canonical, fillResults, orphaned } = filledEntry
      await requireTargets(
        writer.read,
        collection,
        { values: fillResults, suppliedFields: fillResults, before: [] },
        context.scope,
      )
      const next = toRow(context.content.model, collection, {
        id,
        canonical,
        createdAt,
        updatedAt: new Date().toISOString(),
        createdBy: entry.created_by,
        updatedBy: toAuthor(MIGRATION_ACTOR),
        orphaned,
        draft: entry.draft,
        orphanedStatus: status,
      })
      await writer.entries.update(collection, entry, next, MIGRATION_ACTOR)
    }
    if (filledDraft) await storeDraft(writer, collection, entry, filledDraft, missing)
    else if (entry.draft !== null && Object.keys(missing).length > 0)
      await rebaseDraft(context, writer, collection, entry, missing, true)
  })
}

/** Stores a draft in all its locales. Rebasing it would change only the default locale. */
async function storeDraft(
  writer: Writer,
  collection: CollectionModel,
  entry: StoredEntry,
  { canonical, orphaned }: FilledDocument,
  missing: Values,
): Promise<void> {
  const at = new Date().toISOString()
  const values = mergeFields(collection, canonical.values, missing)
  const save = { at, by: toAuthor(MIGRATION_ACTOR), isAutosave: false }
  const draft = toDraft(collection, entry, { ...canonical, values }, orphaned, save)
  await writer.drafts.write(collection, entry, draft, { at, actor: MIGRATION_ACTOR })
}

/** Returns the filled values of an entry that its draft lacks as well. */
function pickMissingInDraft(
  collection: CollectionModel,
  draft: Draft,
  storedValues: Values,
  refused: readonly FieldModel[],
): Values {
  const { values } = migrateDocument(collection, draft)
  const keys = getFieldsWithFill(collection)
    .filter((model) => isEmpty(values[model.key]) && !refused.includes(model))
    .flatMap(({ servedKeys }) => servedKeys)
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(storedValues, key)).map((key) => [key, storedValues[key]]),
  )
}

async function fillGlobal(job: FillJob, global: GlobalModel): Promise<void> {
  const { context, run } = job
  run.signal.throwIfAborted()
  const row = await context.content.store.read.globals.byKey(global.key)
  const filled = row && (await fillDocument(job, global, row, global.key))
  if (!filled) return
  const isStored = await run.transact(async (writer) => {
    const currentRow = await writer.read.globals.byKey(global.key)
    if (currentRow?.seq !== row.seq) return false
    await storeGlobal(job, writer, global, row, filled)
    return true
  })
  if (!isStored) return fillGlobal(job, global)
  countFilled(job, global, filled.keys)
}

async function storeGlobal(
  { context: { content, scope } }: FillJob,
  writer: Writer,
  global: GlobalModel,
  row: GlobalRow,
  { canonical, fillResults, orphaned }: FilledDocument,
): Promise<void> {
  const { key, schemaHash: schema_hash } = global
  await explainRefusal(global, key, async () => {
    await requireTargets(writer.read, global, { values: fillResults, suppliedFields: fillResults, before: [] }, scope)
    const doc = JSON.stringify(withSystemKeys(global, { key }, canonical.values))
    const authors = { created_by: row.created_by, updated_by: toAuthor(MIGRATION_ACTOR) }
    const next = {
      key,
      ...authors,
      schema_hash,
      orphaned: keepOrphaned(global, canonical.values, orphaned),
      locales: serializeTranslations(canonical),
      doc,
    }
    const references = findStoredReferences(content.model, global, canonical)
    await writer.globals.write(row, next, references, new Date().toISOString(), MIGRATION_ACTOR)
  })
}

/**
 * Calls the fills of a document.
 *
 * @param fields the fields to fill. @default those that need it
 * @returns `undefined` if no field is filled
 */
async function fillDocument(
  job: FillJob,
  document: DocumentModel,
  row: StoredText & Pick<StoredEntry, 'created_by' | 'updated_by'>,
  id: string,
  fields?: readonly FieldModel[],
): Promise<FilledDocument | undefined> {
  const migrated = migrateDocument(document, row)
  const fieldsToFill = fields ?? [...findFieldsToFill(document, row, migrated).keys()]
  if (fieldsToFill.length === 0) return undefined
  const authors = { createdBy: row.created_by, updatedBy: row.updated_by }
  const inputValues = {
    ...getValuesToMigrate(document, migrated.values, migrated.hidden),
    ...getSystemValues(document, row),
    ...authors,
  }
  const needsFill = ({ key }: FieldModel): boolean => isEmpty(migrated.values[key]) || isRefusedField(migrated, key)
  const fillResults = await callFills(job, document, fieldsToFill.filter(needsFill), inputValues, id)
  const migratedDocument = migrateTranslations(document, migrated.values, row.locales)
  const storedValues = await toStoredValues(job, document, fillResults, migratedDocument, id)
  const canonical = { ...migratedDocument, values: mergeFields(document, migrated.values, storedValues) }
  const keys = new Set(Object.keys(fillResults))
  const translations: Record<string, Translation> = { ...canonical.translations }
  for (const [locale, translation] of Object.entries(canonical.translations)) {
    const refused = fieldsToFill.filter((model) => isRefusedInTranslation(translation, model))
    const filledValues = await callFills(job, document, refused, { ...inputValues, ...translation }, id)
    translations[locale] = {
      ...translation,
      ...(await toStoredValues(job, document, filledValues, EMPTY_DOCUMENT, id)),
    }
    for (const key of Object.keys(filledValues)) keys.add(key)
  }
  if (keys.size === 0) return undefined
  // The fills have converted the hidden values of these fields.
  const hidden = Object.fromEntries(Object.entries(migrated.hidden).filter(([key]) => !Object.hasOwn(fillResults, key)))
  const orphaned = toOrphaned(document, { ...migrated, hidden })
  return { keys, canonical: { ...canonical, translations }, fillResults, storedValues, orphaned }
}

/** Calls the fills of these fields, and returns their non-empty results. */
async function callFills(
  { run: { signal } }: FillJob,
  document: DocumentModel,
  fields: readonly FieldModel[],
  inputValues: Values,
  id: string,
): Promise<Values> {
  const fillResults: Values = {}
  for (const { key, field } of fields) {
    const value = await fillValue({ path: `${document.key}.${key}`, key, id }, field, { inputValues, signal })
    if (!isEmpty(value)) fillResults[key] = value
  }
  return fillResults
}

const EMPTY_DOCUMENT: CanonicalDocument = { values: {}, translations: {} }

/** Converts filled values to their stored form, with their derived fields. */
async function toStoredValues(
  { context }: FillJob,
  document: DocumentModel,
  fillResults: Values,
  stored: CanonicalDocument,
  id: string,
): Promise<Values> {
  const validFields = await explainRefusal(document, id, async () =>
    checkBody(document, 'update', fillResults, FULL_RIGHTS),
  )
  return prepareFields(document, validFields, stored.values, createFieldTools(context, document, stored))
}

/** Returns the values of a document's system keys, such as its id. */
function getSystemValues({ systemKeys }: DocumentModel, { doc }: StoredText): Values {
  const stored: Values = JSON.parse(doc)
  return Object.fromEntries([...systemKeys.before, ...systemKeys.after].map((key) => [key, stored[key]]))
}

/** The field that a fill is called for, and the document. */
interface FillTarget {
  readonly path: string
  readonly key: string
  readonly id: string
}

async function fillValue(
  { path, key, id }: FillTarget,
  { type, options }: Field,
  { inputValues, signal }: { readonly inputValues: Values; readonly signal: AbortSignal },
): Promise<unknown> {
  const { fill } = options
  const convert = type.converter?.(options)
  if (convert) return convert(inputValues[key])
  if (typeof fill !== 'function') return fill
  try {
    // Each function gets a copy, so that it cannot change the document for the others.
    const value = await withAbort(async () => fill(structuredClone(inputValues)), signal)
    return isEmpty(value) ? undefined : toPlainJson(value)
  } catch (error) {
    if (signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new MigrationError(`The fill of ${path} failed for ${id}: ${reason}`)
  }
}

/** Names the document in the error of a rejected value. */
async function explainRefusal<T>({ key }: DocumentModel, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const refused = `A fill of ${key} returned an invalid value for ${id}.`
    if (error instanceof UniqueViolation)
      throw new MigrationError(`${refused} The value of ${error.field} is already used by another entry.`)
    if (!(error instanceof DaybookError)) throw error
    const reasons = error.details.issues?.map((issue) => issue.message)
    throw new MigrationError(`${refused} ${reasons?.join(' ') ?? error.message}`)
  }
}

const MIGRATOR = createServiceCaller('daybook', MIGRATION_ACTOR)

/**
 * Returns the required fields that have a `fill` and are empty in the first such entry of their collection. A store without such entries is
 * checked once: later writes cannot leave a required field empty.
 */
export async function findUnfilledFields(store: Store, model: Model): Promise<readonly string[]> {
  const unfilled: string[] = []
  for (const collection of model.collections.values()) {
    const keys = getFieldsWithFill(collection).filter(({ field }) => field.options.required === true)
    if (keys.length === 0) continue
    const note = `filled ${collection.key} ${collection.schemaHash} ${keys.map(({ key }) => key).join()}`
    if (await store.read.system.hasNote(note)) continue
    const fieldsToFill = await findFirstMissing(store.read, collection)
    if (fieldsToFill.length === 0) await store.runOnce(note, async () => {})
    unfilled.push(...fieldsToFill.map(({ key }) => `${collection.key}.${key}`))
  }
  return unfilled
}

async function findFirstMissing(read: Reader, collection: CollectionModel): Promise<readonly FieldModel[]> {
  for await (const entry of iterateEntries(read, collection)) {
    const fieldsToFill = [...findFieldsToFill(collection, entry).keys()].filter(
      ({ field }) => field.options.required === true,
    )
    if (fieldsToFill.length > 0) return fieldsToFill
  }
  return []
}
