import { MigrationError } from '../../errors.ts'
import type { Fields } from '../../fields/field.ts'
import { innerFields, isFilledFromStored } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, FieldModel, GlobalModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import { parseDraft } from '../../store/rows.ts'
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
import { findReferencesInAllLocales, serializeTranslations, toRow, withSystemKeys } from '../documents/row.ts'
import { type CanonicalDocument, changeDefaultLocale } from '../locales/localized.ts'
import { chooseSlug } from '../writes/slugs.ts'
import { createStoredContent, iterateEntries, iterateOutdated, MIGRATION_BATCH } from './stored-content.ts'

/** One kind of effect that a changed config has on stored content. */
export interface MigrationStep {
  /** `posts.title`: the collection or global, and the field. */
  readonly path: string
  readonly kind: 'rename' | 'fill' | 'lose' | 'drop'
  /** The number of documents. */
  readonly count: number
  readonly message: string
}

/** Returns true if a step loses stored values. */
export const isLossy = ({ kind }: MigrationStep): boolean => kind === 'lose' || kind === 'drop'

/** The actor of migrations in the journal. */
export const MIGRATION_ACTOR = 'migrate'

/** The maximum number of rejected values that a message names. */
const MAX_NAMED_VALUES = 5

/** A step, with the values that its field does not accept, as text. */
type TalliedStep = MigrationStep & { readonly refused: ReadonlySet<string> }

/** Counts documents by the effects on them. */
class MigrationTally {
  readonly #steps = new Map<string, TalliedStep>()

  add(path: string, kind: MigrationStep['kind'], message: string, count = 1, refused: Iterable<string> = []): void {
    const step = this.#steps.get(`${kind} ${path}`)
    const values = new Set([...(step?.refused ?? []), ...refused].slice(0, MAX_NAMED_VALUES + 1))
    this.#steps.set(`${kind} ${path}`, { path, kind, message, count: (step?.count ?? 0) + count, refused: values })
  }

  addMove(document: DocumentModel, { renamed, lost }: Pick<MigratedDocument, 'renamed' | 'lost'>): void {
    for (const path of renamed) this.add(`${document.key}.${path}`, 'rename', renameMessage(document, path))
    for (const [path, values] of Map.groupBy(lost, (one) => one.path)) {
      const refused = values.flatMap((one) => ('refused' in one ? [formatValue(one.refused)] : []))
      const isFilled = refused.length > 0 && hasConvertingFill(document, path)
      if (!isFilled) this.add(`${document.key}.${path}`, 'lose', LOST, 1, refused)
    }
  }

  get steps(): readonly MigrationStep[] {
    return [...this.#steps.values()].map(({ refused, ...step }) =>
      refused.size > 0 ? { ...step, message: `does not take ${namedValues(refused)}; these values are lost` } : step,
    )
  }
}

const LOST = 'has no place in the config; its values are lost'

/** Lists the first values of a set. */
function namedValues(values: ReadonlySet<string>): string {
  const named = [...values].slice(0, MAX_NAMED_VALUES)
  return `${named.join(', ')}${named.length < values.size ? ' and others' : ''}`
}

/** The maximum length of a value in a message, in characters. */
const MAX_SHOWN = 40

/** Formats a value for a message. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Returns true if the top-level field of a path has a `fill` that converts the stored values there. */
export function hasConvertingFill({ fieldMap }: DocumentModel, path: string): boolean {
  const field = fieldMap[path.split('.')[0] ?? '']
  return field !== undefined && isFilledFromStored(field)
}

/** Determines the effects of the config on stored content. Reads every document that an older config wrote. */
export async function planMigration(read: Reader, model: Model): Promise<readonly MigrationStep[]> {
  const tally = new MigrationTally()
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (stored.delete(collection.key)) await tallyEntries(read, collection, tally)
  }
  for (const global of model.globals.values()) await tallyGlobal(read, global, tally)
  await tallyHome(read, model, tally)
  for (const key of stored) {
    const { counts } = await read.counters.of(key)
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0)
    tally.add(key, 'drop', 'is a collection that the config no longer has; its entries are lost', count)
  }
  return tally.steps
}

/** Finds the pending renames at start-up. Reads only documents with renamed fields. */
export async function findPendingRenames(read: Reader, model: Model): Promise<readonly MigrationStep[]> {
  const tally = new MigrationTally()
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (stored.has(collection.key) && hasRenames(collection.fieldMap)) await tallyEntries(read, collection, tally)
  }
  for (const global of model.globals.values()) await tallyGlobal(read, global, tally)
  await tallyHome(read, model, tally)
  return tally.steps.filter(({ kind }) => kind === 'rename')
}

/** Returns the default locale of stored documents if the config has another one. */
async function formerDefaultLocale(read: Reader, { locales }: Model): Promise<string | undefined> {
  const defaultLocale = await read.system.defaultLocale()
  return locales && defaultLocale !== locales.default ? defaultLocale : undefined
}

async function tallyHome(read: Reader, model: Model, tally: MigrationTally): Promise<void> {
  const defaultLocale = await formerDefaultLocale(read, model)
  if (defaultLocale === undefined) return
  const stored = await read.system.storedCollections()
  const message = `takes ${model.locales?.default} as its default locale; what it says in ${defaultLocale} stays a translation`
  for (const { key, localized } of model.collections.values()) {
    if (localized.size === 0 || !stored.includes(key)) continue
    const { counts } = await read.counters.of(key)
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0)
    if (count > 0) tally.add(key, 'rename', message, count)
  }
  for (const { key, localized } of model.globals.values()) {
    if (localized.size > 0 && (await read.globals.byKey(key))) tally.add(key, 'rename', message)
  }
}

async function tallyEntries(read: Reader, collection: CollectionModel, tally: MigrationTally): Promise<void> {
  for await (const entry of iterateOutdated(read, collection)) {
    tally.addMove(collection, moveWithCopy(collection, entry))
    if (collection.slug && lacksSlug(collection, entry)) {
      tally.add(`${collection.key}.${collection.slug.key}`, 'fill', 'is made for entries that have none')
    }
  }
}

/** Returns true if an entry of an older config gets a slug. */
const lacksSlug = ({ schemaHash, slug }: CollectionModel, entry: StoredEntry): boolean =>
  slug !== undefined && entry.slug === null && (entry.schema_hash !== schemaHash || entry.orphaned !== null)

/** Determines the effects on an entry and its draft. A field that both have counts once. */
function moveWithCopy(collection: CollectionModel, entry: StoredEntry): Pick<MigratedDocument, 'renamed' | 'lost'> {
  const copy = parseDraft(entry)
  const [own, other] = [entry, copy].map((row) => row && migrateDocument(collection, row))
  return {
    renamed: new Set([...(own?.renamed ?? []), ...(other?.renamed ?? [])]),
    lost: [...(own?.lost ?? []), ...(other?.lost ?? [])],
  }
}

async function tallyGlobal(read: Reader, global: GlobalModel, tally: MigrationTally): Promise<void> {
  const row = await read.globals.byKey(global.key)
  if (row && (row.schema_hash !== global.schemaHash || row.orphaned !== null))
    tally.addMove(global, migrateDocument(global, row))
}

/**
 * Migrates documents to the current schema, a batch at a time. After an interruption, another run continues. Values without a field stay
 * with their documents; {@link dropOrphaned} deletes them.
 */
export async function migrateStored(store: Store, model: Model): Promise<void> {
  await store.prepare(model, createStoredContent(model))
  await moveHome(store, model)
  for (const collection of model.collections.values()) await moveEntries(store, model, collection, toOrphaned)
  await store.transaction(async (writer) => {
    for (const global of model.globals.values()) await moveGlobal(writer, model, global, toOrphaned)
  })
}

/** Deletes values without a field, and collections that the config no longer has. This cannot be undone, so commands ask first. */
export async function dropOrphaned(store: Store, model: Model): Promise<void> {
  for (const collection of model.collections.values()) await moveEntries(store, model, collection, filledOrphaned)
  await store.transaction(async (writer) => {
    for (const global of model.globals.values()) await moveGlobal(writer, model, global, filledOrphaned)
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
    const emptied = document.fields.filter(
      (one) => isRefusedField({ lost }, one.key) && fields(one) && findMissingFields(one, values[one.key]).length > 0,
    )
    for (const { key } of emptied) {
      const path = `${document.key}.${key}`
      const { count, refused } = counts.get(path) ?? { count: 0, refused: new Set<string>() }
      for (const one of lost)
        if ('refused' in one && one.path.split('.')[0] === key) refused.add(formatValue(one.refused))
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
      `${path} is required, and would be empty (${count}): it does not take ${namedValues(refused)}`,
  )
  if (lines.length === 0) return
  throw new MigrationError(
    `${lines.join('\n')}\nThese values are kept. Make others of them, with a fill of the field or a migration, or bring the former options back.`,
  )
}

/** Returns the values of a migrated document that have no field and are kept, as JSON. */
type ToOrphaned = (document: DocumentModel, move: MigratedDocument) => string | null

/** Keeps only values of fields whose `fill` could convert them: the plan did not announce their loss. */
const filledOrphaned: ToOrphaned = (document, move) => {
  const left = Object.entries(move.hidden).filter(
    ([key]) => isRefusedField(move, key) && hasConvertingFill(document, key),
  )
  return left.length > 0 ? JSON.stringify(Object.fromEntries(left)) : null
}

/** Keeps all values. */
export const toOrphaned: ToOrphaned = (_document, { hidden }) =>
  Object.keys(hidden).length > 0 ? JSON.stringify(hidden) : null

/** Changes the default locale of all documents in one transaction: a partial change could not be detected. */
async function moveHome(store: Store, model: Model): Promise<void> {
  const defaultLocale = await formerDefaultLocale(store.read, model)
  const to = model.locales?.default
  if (to === undefined || defaultLocale === undefined) return
  const localized = [...model.collections.values()].filter((collection) => collection.localized.size > 0)
  const move = async (writer: Writer): Promise<void> => {
    await writer.system.withoutLocaleIndexes(localized, async () => {
      for (const collection of localized) {
        for await (const entry of iterateEntries(writer.read, collection)) {
          await moveEntry(writer, model, collection, entry, toOrphaned, defaultLocale)
        }
      }
    })
    for (const global of model.globals.values()) await moveGlobal(writer, model, global, toOrphaned, defaultLocale)
    await writer.system.noteDefaultLocale(to)
  }
  await store.transaction(move, { isLong: true })
}

async function moveEntries(
  store: Store,
  model: Model,
  collection: CollectionModel,
  orphanedOf: ToOrphaned,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = await store.transaction(async (writer) => {
      const page = await writer.read.entries.outdated(collection, after ?? 0, MIGRATION_BATCH)
      for (const entry of page) await moveEntry(writer, model, collection, entry, orphanedOf)
      return page.length < MIGRATION_BATCH ? undefined : page.at(-1)?.pk
    })
  }
}

/** @param defaultLocale the default locale when the entry was written */
async function moveEntry(
  writer: Writer,
  model: Model,
  collection: CollectionModel,
  entry: StoredEntry,
  orphanedOf: ToOrphaned,
  defaultLocale: string | undefined = model.locales?.default,
): Promise<void> {
  const moving = { model, collection, orphanedOf, defaultLocale }
  const movedEntry = movedRow(moving, entry, lacksSlug(collection, entry))
  if (movedEntry) await updateMoved(writer, moving, entry, movedEntry)
  const copy = parseDraft(entry)
  const next = copy && movedRow(moving, copy)
  if (!next) return
  const at = new Date().toISOString()
  const save = { at, by: toAuthor(MIGRATION_ACTOR), isAutosave: false }
  const moved = toDraft(collection, entry, next.canonical, next.orphaned, save)
  await writer.drafts.write(collection, entry, moved, { at, actor: MIGRATION_ACTOR })
}

/** The migration of the documents of a collection. */
interface Moving {
  readonly model: Model
  readonly collection: CollectionModel
  readonly orphanedOf: ToOrphaned
  /** The default locale when the documents were written. */
  readonly defaultLocale: string | undefined
}

/** A migrated entry or draft. */
interface MovedRow {
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
function movedRow(
  { model, collection, orphanedOf, defaultLocale }: Moving,
  row: Pick<StoredEntry, 'orphaned' | 'locales' | 'doc'>,
  lacksSlug = false,
): MovedRow | undefined {
  const move = migrateDocument(collection, row)
  const orphaned = orphanedOf(collection, move)
  const dropsValues = orphaned !== toOrphaned(collection, move)
  const changesLocale = defaultLocale !== model.locales?.default
  const changesContent = changesLocale || move.renamed.size > 0 || lacksSlug
  if (!changesContent && !dropsValues) return undefined
  const moved = migrateTranslations(collection, move.values, row.locales)
  return { canonical: underDefaultLocale(model, collection, moved, defaultLocale), orphaned, changesContent }
}

async function updateMoved(
  writer: Writer,
  { model, collection, defaultLocale }: Moving,
  entry: StoredEntry,
  { canonical: own, orphaned, changesContent }: MovedRow,
): Promise<void> {
  const isMove = defaultLocale !== model.locales?.default
  // A change of the default locale generates no slugs: an entry without text in that locale has none.
  const values = isMove ? own.values : await chooseSlug(writer.read, collection, own.values, defaultLocale, entry.id)
  const next = toRow(model, collection, {
    id: entry.id,
    canonical: { ...own, values },
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

/** Converts a document to the default locale of the config. */
function underDefaultLocale(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
  defaultLocale: string | undefined,
): CanonicalDocument {
  if (!locales || defaultLocale === undefined || defaultLocale === locales.default || document.localized.size === 0)
    return canonical
  return changeDefaultLocale(document, canonical, defaultLocale, locales.default)
}

async function moveGlobal(
  writer: Writer,
  model: Model,
  global: DocumentModel,
  orphanedOf: ToOrphaned,
  defaultLocale = model.locales?.default,
): Promise<void> {
  const row = await writer.read.globals.byKey(global.key)
  if (!row) return
  const move = migrateDocument(global, row)
  const orphaned = orphanedOf(global, move)
  const changesLocale = defaultLocale !== model.locales?.default && global.localized.size > 0
  const changesContent = changesLocale || move.renamed.size > 0
  if (!changesContent && orphaned === toOrphaned(global, move)) return
  const moved = migrateTranslations(global, move.values, row.locales)
  const canonical = underDefaultLocale(model, global, moved, defaultLocale)
  const doc = JSON.stringify(withSystemKeys(global, { key: global.key }, canonical.values))
  const people = {
    created_by: row.created_by,
    updated_by: changesContent ? toAuthor(MIGRATION_ACTOR) : row.updated_by,
  }
  const next = {
    key: global.key,
    ...people,
    schema_hash: global.schemaHash,
    orphaned,
    locales: serializeTranslations(canonical),
    doc,
  }
  const references = findReferencesInAllLocales(model, global, canonical)
  await writer.globals.write(row, next, references, new Date().toISOString(), MIGRATION_ACTOR)
}

function hasRenames(fields: Fields): boolean {
  return Object.values(fields).some(
    (field) =>
      field.options.renamedFrom !== undefined ||
      field.options.formerTo !== undefined ||
      innerFields(field).some(hasRenames),
  )
}

function renameMessage({ fieldMap }: DocumentModel, path: string): string {
  const old = fieldMap[path]?.options.renamedFrom
  if (old !== undefined) return `takes the values of ${old}`
  const former = fieldMap[path]?.options.formerTo
  return former === undefined
    ? 'takes the values of its old key'
    : `takes the references to ${[former].flat().join(', ')}`
}
