import { MigrationError } from '../../errors.ts'
import { type Fields, innerFields, isFilledFromStored } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, FieldModel, GlobalModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { parseDraft, type StoredEntry } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { toAuthor } from '../context.ts'
import { findMissingFields } from '../documents/document.ts'
import { toDraft } from '../documents/draft-row.ts'
import {
  isRefusedField,
  type MigratedDocument,
  migrateDocument,
  migrateTranslations,
} from '../documents/migrate-document.ts'
import { findStoredReferences, serializeTranslations, toRow, withSystemKeys } from '../documents/row.ts'
import { type CanonicalDocument, changeDefaultLocale } from '../locales/localized.ts'
import { chooseSlug } from '../writes/slugs.ts'
import {
  countEntries,
  createContentAlignment,
  iterateEntries,
  iterateOutdated,
  MIGRATION_BATCH,
} from './stored-content.ts'

/** One kind of effect that a changed config has on stored content. */
export interface MigrationStep {
  /** `posts.title`: the collection or global, and the field. */
  readonly path: string
  readonly kind: 'rename' | 'fill' | 'lose' | 'drop'
  readonly count: number
  readonly message: string
}

/** Returns true if a step loses stored values. */
export const isLossy = ({ kind }: MigrationStep): boolean => kind === 'lose' || kind === 'drop'

export const MIGRATION_ACTOR = 'migrate'

const MAX_NAMED_VALUES = 5

/** A step, with the values that its field does not accept, as text. */
type CountedStep = MigrationStep & { readonly refused: ReadonlySet<string> }

class EffectCounter {
  readonly #steps = new Map<string, CountedStep>()

  add(path: string, kind: MigrationStep['kind'], message: string, count = 1, refused: Iterable<string> = []): void {
    const step = this.#steps.get(`${kind} ${path}`)
    const values = new Set([...(step?.refused ?? []), ...refused].slice(0, MAX_NAMED_VALUES + 1))
    this.#steps.set(`${kind} ${path}`, { path, kind, message, count: (step?.count ?? 0) + count, refused: values })
  }

  addDocument(document: DocumentModel, { renamed, lost }: Pick<MigratedDocument, 'renamed' | 'lost'>): void {
    for (const path of renamed) this.add(`${document.key}.${path}`, 'rename', formatRename(document, path))
    for (const [path, values] of Map.groupBy(lost, (item) => item.path)) {
      const refused = values.flatMap((item) => ('refused' in item ? [formatValue(item.refused)] : []))
      const isFilled = refused.length > 0 && hasConvertingFill(document, path)
      if (!isFilled) this.add(`${document.key}.${path}`, 'lose', LOST_MESSAGE, 1, refused)
    }
  }

  get steps(): readonly MigrationStep[] {
    return [...this.#steps.values()].map(({ refused, ...step }) =>
      refused.size > 0
        ? { ...step, message: `does not accept ${formatValues(refused)}; these values will be lost` }
        : step,
    )
  }
}

const LOST_MESSAGE = 'is not in the config; its values will be lost'

/** Lists the first values of a set. */
function formatValues(values: ReadonlySet<string>): string {
  const named = [...values].slice(0, MAX_NAMED_VALUES)
  return `${named.join(', ')}${named.length < values.size ? ' and others' : ''}`
}

const MAX_VALUE_LENGTH = 40

export function formatValue(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

/** Returns true if the top-level field of a path has a `fill` that converts the stored values there. */
export function hasConvertingFill({ fieldMap }: DocumentModel, path: string): boolean {
  const field = fieldMap[path.split('.')[0] ?? '']
  return field !== undefined && isFilledFromStored(field)
}

/** Determines the effects of the config on stored content. Reads every document that an older config wrote. */
export async function planMigration(read: Reader, model: Model): Promise<readonly MigrationStep[]> {
  const counter = new EffectCounter()
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (stored.delete(collection.key)) await countEntryEffects(read, collection, counter)
  }
  for (const global of model.globals.values()) await countGlobalEffects(read, global, counter)
  await countDefaultLocaleChange(read, model, counter)
  for (const key of stored) {
    const message = 'is no longer a collection of the config; its entries will be lost'
    counter.add(key, 'drop', message, await countEntries(read, key))
  }
  return counter.steps
}

/** Finds the pending renames at start-up. Reads only documents with renamed fields. */
export async function findPendingRenames(read: Reader, model: Model): Promise<readonly MigrationStep[]> {
  const counter = new EffectCounter()
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (stored.has(collection.key) && hasRenamedFields(collection.fieldMap))
      await countEntryEffects(read, collection, counter)
  }
  for (const global of model.globals.values()) await countGlobalEffects(read, global, counter)
  await countDefaultLocaleChange(read, model, counter)
  return counter.steps.filter(({ kind }) => kind === 'rename')
}

/** Returns the default locale of stored documents if the config has another one. */
async function readFormerDefaultLocale(read: Reader, { locales }: Model): Promise<string | undefined> {
  const defaultLocale = await read.system.defaultLocale()
  return locales && defaultLocale !== locales.default ? defaultLocale : undefined
}

async function countDefaultLocaleChange(read: Reader, model: Model, counter: EffectCounter): Promise<void> {
  const defaultLocale = await readFormerDefaultLocale(read, model)
  if (defaultLocale === undefined) return
  const stored = await read.system.storedCollections()
  const message = `gets the default locale ${model.locales?.default}; its values in ${defaultLocale} are kept as a translation`
  for (const { key, localized } of model.collections.values()) {
    if (localized.size === 0 || !stored.includes(key)) continue
    const count = await countEntries(read, key)
    if (count > 0) counter.add(key, 'rename', message, count)
  }
  for (const { key, localized } of model.globals.values()) {
    if (localized.size > 0 && (await read.globals.byKey(key))) counter.add(key, 'rename', message)
  }
}

async function countEntryEffects(read: Reader, collection: CollectionModel, counter: EffectCounter): Promise<void> {
  for await (const entry of iterateOutdated(read, collection)) {
    counter.addDocument(collection, migrateWithDraft(collection, entry))
    if (collection.slug && lacksSlug(collection, entry)) {
      counter.add(`${collection.key}.${collection.slug.key}`, 'fill', 'is generated for entries without one')
    }
  }
}

/** Returns true if an entry of an older config gets a slug. */
const lacksSlug = ({ schemaHash, slug }: CollectionModel, entry: StoredEntry): boolean =>
  slug !== undefined && entry.slug === null && (entry.schema_hash !== schemaHash || entry.orphaned !== null)

/** Determines the effects on an entry and its draft. A field that both have counts once. */
function migrateWithDraft(collection: CollectionModel, entry: StoredEntry): Pick<MigratedDocument, 'renamed' | 'lost'> {
  const draft = parseDraft(entry)
  const [entryEffects, draftEffects] = [entry, draft].map((row) => row && migrateDocument(collection, row))
  return {
    renamed: new Set([...(entryEffects?.renamed ?? []), ...(draftEffects?.renamed ?? [])]),
    lost: [...(entryEffects?.lost ?? []), ...(draftEffects?.lost ?? [])],
  }
}

async function countGlobalEffects(read: Reader, global: GlobalModel, counter: EffectCounter): Promise<void> {
  const row = await read.globals.byKey(global.key)
  if (row && (row.schema_hash !== global.schemaHash || row.orphaned !== null))
    counter.addDocument(global, migrateDocument(global, row))
}

/**
 * Migrates documents to the current schema, a batch at a time. After an interruption, another run continues. Values without a field stay
 * with their documents; {@link dropOrphaned} deletes them.
 */
export async function migrateStoredDocuments(store: Store, model: Model): Promise<void> {
  await store.prepare(model, createContentAlignment(model))
  await changeStoredDefaultLocale(store, model)
  for (const collection of model.collections.values()) await migrateEntries(store, model, collection, toOrphaned)
  await store.transaction(async (writer) => {
    for (const global of model.globals.values()) await migrateGlobal(writer, model, global, toOrphaned)
  })
}

/** Deletes values without a field, and collections that the config no longer has. This cannot be undone, so commands ask first. */
export async function dropOrphaned(store: Store, model: Model): Promise<void> {
  for (const collection of model.collections.values())
    await migrateEntries(store, model, collection, keepFilledOrphaned)
  await store.transaction(async (writer) => {
    for (const global of model.globals.values()) await migrateGlobal(writer, model, global, keepFilledOrphaned)
    const declared = await writer.read.system.storedCollections()
    for (const key of declared) if (!model.collections.has(key)) await writer.system.dropCollection(key)
  })
}

/**
 * Checks that no document loses the value of a required field.
 *
 * @param fields the required fields to check. @default all
 * @throws {MigrationError} if a required field would be empty because it does not accept its stored value
 */
export async function requireNoValueLost(
  read: Reader,
  model: Model,
  fields: (field: FieldModel) => boolean = () => true,
): Promise<void> {
  const counts = new Map<string, { count: number; readonly refused: Set<string> }>()
  const check = (document: DocumentModel, row: Pick<StoredEntry, 'doc' | 'orphaned'>): void => {
    const { values, lost } = migrateDocument(document, row)
    const emptiedFields = document.fields.filter(
      (item) => isRefusedField({ lost }, item.key) && fields(item) && findMissingFields(item, values).length > 0,
    )
    for (const { key } of emptiedFields) {
      const path = `${document.key}.${key}`
      const { count, refused } = counts.get(path) ?? { count: 0, refused: new Set<string>() }
      for (const item of lost)
        if ('refused' in item && item.path.split('.')[0] === key) refused.add(formatValue(item.refused))
      counts.set(path, { count: count + 1, refused })
    }
  }
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (!stored.has(collection.key)) continue
    for await (const entry of iterateOutdated(read, collection)) check(collection, entry)
  }
  for (const global of model.globals.values()) {
    const row = await read.globals.byKey(global.key)
    if (row) check(global, row)
  }
  const lines = [...counts].map(
    ([path, { count, refused }]) =>
      `${path} is required, but would be empty (${count}): it does not accept ${formatValues(refused)}`,
  )
  if (lines.length === 0) return
  throw new MigrationError(
    `${lines.join('\n')}\nThese values are kept. Convert them with a fill of the field or a migration, or restore the former options.`,
  )
}

/** Returns the values of a migrated document that have no field and are kept, as JSON. */
type ToOrphaned = (document: DocumentModel, migrated: MigratedDocument) => string | null

/** Keeps only values of fields whose `fill` could convert them: the plan did not announce their loss. */
const keepFilledOrphaned: ToOrphaned = (document, migrated) => {
  const remaining = Object.entries(migrated.hidden).filter(
    ([key]) => isRefusedField(migrated, key) && hasConvertingFill(document, key),
  )
  return remaining.length > 0 ? JSON.stringify(Object.fromEntries(remaining)) : null
}

/** Keeps all values. */
export const toOrphaned: ToOrphaned = (_document, { hidden }) =>
  Object.keys(hidden).length > 0 ? JSON.stringify(hidden) : null

/** Changes the default locale of all documents in one transaction: a partial change could not be detected. */
async function changeStoredDefaultLocale(store: Store, model: Model): Promise<void> {
  const defaultLocale = await readFormerDefaultLocale(store.read, model)
  const to = model.locales?.default
  if (to === undefined || defaultLocale === undefined) return
  const localized = [...model.collections.values()].filter((collection) => collection.localized.size > 0)
  const migrated = async (writer: Writer): Promise<void> => {
    await writer.system.withoutLocaleIndexes(localized, async () => {
      for (const collection of localized) {
        for await (const entry of iterateEntries(writer.read, collection)) {
          await migrateEntry(writer, model, collection, entry, toOrphaned, defaultLocale)
        }
      }
    })
    for (const global of model.globals.values()) await migrateGlobal(writer, model, global, toOrphaned, defaultLocale)
    await writer.system.noteDefaultLocale(to)
  }
  await store.transaction(migrated, { isLong: true })
}

async function migrateEntries(
  store: Store,
  model: Model,
  collection: CollectionModel,
  pickOrphaned: ToOrphaned,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = await store.transaction(async (writer) => {
      const page = await writer.read.entries.outdated(collection, after ?? 0, MIGRATION_BATCH)
      for (const entry of page) await migrateEntry(writer, model, collection, entry, pickOrphaned)
      return page.length < MIGRATION_BATCH ? undefined : page.at(-1)?.pk
    })
  }
}

/** @param defaultLocale the default locale when the entry was written */
async function migrateEntry(
  writer: Writer,
  model: Model,
  collection: CollectionModel,
  entry: StoredEntry,
  pickOrphaned: ToOrphaned,
  defaultLocale: string | undefined = model.locales?.default,
): Promise<void> {
  const migration = { model, collection, orphanedOf: pickOrphaned, defaultLocale }
  const migratedEntry = migrateRow(migration, entry, lacksSlug(collection, entry))
  if (migratedEntry) await updateEntry(writer, migration, entry, migratedEntry)
  const draft = parseDraft(entry)
  const next = draft && migrateRow(migration, draft)
  if (!next) return
  const at = new Date().toISOString()
  const save = { at, by: toAuthor(MIGRATION_ACTOR), isAutosave: false }
  const migratedDocument = toDraft(collection, entry, next.canonical, next.orphaned, save)
  await writer.drafts.write(collection, entry, migratedDocument, { at, actor: MIGRATION_ACTOR })
}

interface CollectionMigration {
  readonly model: Model
  readonly collection: CollectionModel
  readonly orphanedOf: ToOrphaned
  /** The default locale when the documents were written. */
  readonly defaultLocale: string | undefined
}

interface MigratedRow {
  readonly canonical: CanonicalDocument
  readonly orphaned: string | null
  /** False if reads return the same as before, since only values without a field are dropped. */
  readonly changesContent: boolean
}

/**
 * Migrates an entry or a draft.
 *
 * @returns `undefined` if it stays as it is: reads convert documents of an older config to the current schema
 */
function migrateRow(
  { model, collection, orphanedOf: pickOrphaned, defaultLocale }: CollectionMigration,
  row: Pick<StoredEntry, 'orphaned' | 'locales' | 'doc'>,
  lacksSlug = false,
): MigratedRow | undefined {
  const migrated = migrateDocument(collection, row)
  const orphaned = pickOrphaned(collection, migrated)
  const dropsValues = orphaned !== toOrphaned(collection, migrated)
  const changesLocale = defaultLocale !== model.locales?.default
  const changesContent = changesLocale || migrated.renamed.size > 0 || lacksSlug
  if (!changesContent && !dropsValues) return undefined
  const migratedDocument = migrateTranslations(collection, migrated.values, row.locales)
  return { canonical: toDefaultLocale(model, collection, migratedDocument, defaultLocale), orphaned, changesContent }
}

async function updateEntry(
  writer: Writer,
  { model, collection, defaultLocale }: CollectionMigration,
  entry: StoredEntry,
  { canonical: document, orphaned, changesContent }: MigratedRow,
): Promise<void> {
  const changesDefaultLocale = defaultLocale !== model.locales?.default
  // A change of the default locale generates no slugs: an entry without text in that locale has none.
  const values = changesDefaultLocale
    ? document.values
    : await chooseSlug(writer.read, collection, document.values, defaultLocale, entry.id)
  const next = toRow(model, collection, {
    id: entry.id,
    canonical: { ...document, values },
    createdAt: entry.created_at,
    updatedAt: changesContent ? new Date().toISOString() : entry.updated_at,
    createdBy: entry.created_by,
    updatedBy: changesContent ? toAuthor(MIGRATION_ACTOR) : entry.updated_by,
    orphaned,
    draft: entry.draft,
    orphanedStatus: entry.status,
  })
  await writer.entries.update(collection, entry, next, MIGRATION_ACTOR)
}

function toDefaultLocale(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
  defaultLocale: string | undefined,
): CanonicalDocument {
  if (!locales || defaultLocale === undefined || defaultLocale === locales.default || document.localized.size === 0)
    return canonical
  return changeDefaultLocale(document, canonical, defaultLocale, locales.default)
}

async function migrateGlobal(
  writer: Writer,
  model: Model,
  global: DocumentModel,
  pickOrphaned: ToOrphaned,
  defaultLocale = model.locales?.default,
): Promise<void> {
  const row = await writer.read.globals.byKey(global.key)
  if (!row) return
  const migrated = migrateDocument(global, row)
  const orphaned = pickOrphaned(global, migrated)
  const changesLocale = defaultLocale !== model.locales?.default && global.localized.size > 0
  const changesContent = changesLocale || migrated.renamed.size > 0
  if (!changesContent && orphaned === toOrphaned(global, migrated)) return
  const migratedDocument = migrateTranslations(global, migrated.values, row.locales)
  const canonical = toDefaultLocale(model, global, migratedDocument, defaultLocale)
  const doc = JSON.stringify(withSystemKeys(global, { key: global.key }, canonical.values))
  const authors = {
    created_by: row.created_by,
    updated_by: changesContent ? toAuthor(MIGRATION_ACTOR) : row.updated_by,
  }
  const next = {
    key: global.key,
    ...authors,
    schema_hash: global.schemaHash,
    orphaned,
    locales: serializeTranslations(canonical),
    doc,
  }
  const references = findStoredReferences(model, global, canonical)
  await writer.globals.write(row, next, references, new Date().toISOString(), MIGRATION_ACTOR)
}

function hasRenamedFields(fields: Fields): boolean {
  return Object.values(fields).some(
    (field) =>
      field.options.renamedFrom !== undefined ||
      field.options.formerTo !== undefined ||
      innerFields(field).some(hasRenamedFields),
  )
}

function formatRename({ fieldMap }: DocumentModel, path: string): string {
  const old = fieldMap[path]?.options.renamedFrom
  if (old !== undefined) return `gets the values of ${old}`
  const former = fieldMap[path]?.options.formerTo
  return former === undefined
    ? 'gets the values of its former key'
    : `gets the references to ${[former].flat().join(', ')}`
}
