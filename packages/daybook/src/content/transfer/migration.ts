import type { Fields, Visitor } from '../../fields/field.ts'
import { emptyValue, innerFields, isRecord, servedKeys } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, GlobalModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/write.ts'
import { toCurrentSchema, type Values } from '../document.ts'
import { personOf } from '../engine.ts'
import { type Canonical, changeDefaultLocale } from '../locales/localized.ts'
import { withSystem } from '../reads/present.ts'
import { allReferences, fillLocaleTables, toCanonical, toRow, translationsOf } from '../writes/row.ts'
import { chooseSlug } from '../writes/slugs.ts'

/** The effects of a changed config on stored content, one kind of change at a time. */
export interface MigrationStep {
  /** `posts.title`: the collection or global, and the field. */
  readonly path: string
  readonly kind: 'rename' | 'fill' | 'lose' | 'drop'
  /** How many documents it concerns. */
  readonly count: number
  /** In words. */
  readonly message: string
}

/** Whether a step loses stored values. */
export const isLossy = ({ kind }: MigrationStep): boolean => kind === 'lose' || kind === 'drop'

/** Documents read at a time, and written in one transaction. */
const MIGRATION_BATCH = 500
/** The name under which migrations stand in the journal. */
const ACTOR = 'migrate'

/** A document on its way from what an older config wrote to what the present one serves. */
interface Move {
  readonly values: Values
  /** Dotted paths of fields that got another key. */
  readonly renamed: ReadonlySet<string>
  /** Dotted paths of values that have no place any more. */
  readonly lost: ReadonlySet<string>
}

/** Counts documents by what happens to them. */
class MigrationTally {
  readonly #steps = new Map<string, MigrationStep>()

  add(path: string, kind: MigrationStep['kind'], message: string, count = 1): void {
    const known = this.#steps.get(`${kind} ${path}`)?.count ?? 0
    this.#steps.set(`${kind} ${path}`, { path, kind, message, count: known + count })
  }

  addMove(document: DocumentModel, { renamed, lost }: Move): void {
    for (const path of renamed) this.add(`${document.key}.${path}`, 'rename', renameMessage(document, path))
    for (const path of lost)
      this.add(`${document.key}.${path}`, 'lose', 'has no place in the config; its values are lost')
  }

  get steps(): readonly MigrationStep[] {
    return [...this.#steps.values()]
  }
}

/** Works out what the config does to what is stored. Reads every document that an older config wrote. */
export async function planMigration(read: Reader, model: Model): Promise<readonly MigrationStep[]> {
  const tally = new MigrationTally()
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (stored.delete(collection.key)) await tallyEntries(read, collection, tally)
  }
  for (const global of model.globals.values()) await tallyGlobal(read, global, tally)
  await tallyHome(read, model, tally)
  for (const key of stored) {
    const { counts } = await read.lists.counters(key)
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0)
    tally.add(key, 'drop', 'is a collection that the config no longer has; its entries are lost', count)
  }
  return tally.steps
}

/** The renames alone, for start-up: only documents with renamed fields are read. */
export async function pendingRenames(read: Reader, model: Model): Promise<readonly MigrationStep[]> {
  const tally = new MigrationTally()
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (stored.has(collection.key) && hasRenames(collection.fieldMap)) await tallyEntries(read, collection, tally)
  }
  for (const global of model.globals.values()) await tallyGlobal(read, global, tally)
  await tallyHome(read, model, tally)
  return tally.steps.filter(({ kind }) => kind === 'rename')
}

/** The default locale of stored documents, where the config has another one. */
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
    const { counts } = await read.lists.counters(key)
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0)
    if (count > 0) tally.add(key, 'rename', message, count)
  }
  for (const { key, localized } of model.globals.values()) {
    if (localized.size > 0 && (await read.globals.byKey(key))) tally.add(key, 'rename', message)
  }
}

async function tallyEntries(read: Reader, collection: CollectionModel, tally: MigrationTally): Promise<void> {
  for await (const entry of outdatedEntries(read, collection)) {
    tally.addMove(collection, moveDocument(collection, entry))
    if (collection.slug && entry.slug === null) {
      tally.add(`${collection.key}.${collection.slug.key}`, 'fill', 'is made for entries that have none')
    }
  }
}

async function tallyGlobal(read: Reader, global: GlobalModel, tally: MigrationTally): Promise<void> {
  const row = await read.globals.byKey(global.key)
  if (row && (row.shape !== global.schemaHash || row.kept !== null)) tally.addMove(global, moveDocument(global, row))
}

const allEntries = (read: Reader, collection: CollectionModel): AsyncGenerator<StoredEntry> =>
  entriesInBatches((after) => read.entries.storedAfter(collection, after, MIGRATION_BATCH))

const outdatedEntries = (read: Reader, collection: CollectionModel): AsyncGenerator<StoredEntry> =>
  entriesInBatches((after) => read.entries.outdated(collection, after, MIGRATION_BATCH))

/** @param next a batch of entries after the one of that number */
async function* entriesInBatches(
  next: (after: number) => Promise<readonly StoredEntry[]>,
): AsyncGenerator<StoredEntry> {
  for (let after = 0; ; ) {
    const page = await next(after)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < MIGRATION_BATCH) return
    after = last.pk
  }
}

/**
 * Carries the plan out, a batch of documents at a time. When it is interrupted, running it again goes on.
 * Lossy steps are carried out, too: ask first.
 */
export async function applyMigration(store: Store, model: Model): Promise<void> {
  await store.prepare(model, (writer, collection) => fillLocaleTables(model, writer, collection))
  await moveHome(store, model)
  for (const collection of model.collections.values()) await moveEntries(store, model, collection)
  await store.transaction(async (writer) => {
    for (const global of model.globals.values()) await moveGlobal(writer, model, global)
    const declared = await writer.read.system.storedCollections()
    for (const key of declared) if (!model.collections.has(key)) await writer.dropCollection(key)
  })
}

/** All at once: half of it would be taken for the whole. */
async function moveHome(store: Store, model: Model): Promise<void> {
  const defaultLocale = await formerDefaultLocale(store.read, model)
  const to = model.locales?.default
  if (to === undefined || defaultLocale === undefined) return
  const move = async (writer: Writer): Promise<void> => {
    for (const collection of model.collections.values()) {
      if (collection.localized.size === 0) continue
      for await (const entry of allEntries(writer.read, collection)) {
        await moveEntry(writer, model, collection, entry, defaultLocale)
      }
    }
    for (const global of model.globals.values()) await moveGlobal(writer, model, global, defaultLocale)
    await writer.noteDefaultLocale(to)
  }
  await store.transaction(move, { isLong: true })
}

async function moveEntries(store: Store, model: Model, collection: CollectionModel): Promise<void> {
  for (let isDone = false; !isDone; ) {
    await store.transaction(async (writer) => {
      const page = await writer.read.entries.outdated(collection, 0, MIGRATION_BATCH)
      for (const entry of page) await moveEntry(writer, model, collection, entry)
      isDone = page.length < MIGRATION_BATCH
    })
  }
}

/** @param defaultLocale the default locale when the entry was written */
async function moveEntry(
  writer: Writer,
  model: Model,
  collection: CollectionModel,
  entry: StoredEntry,
  defaultLocale: string | undefined = model.locales?.default,
): Promise<void> {
  const moved = moveTranslations(collection, moveDocument(collection, entry).values, entry.locales)
  const own = underDefaultLocale(model, collection, moved, defaultLocale)
  // A move to another default locale makes no slugs: an entry without text in that locale has none.
  const isMove = defaultLocale !== model.locales?.default
  const values = isMove ? own.values : await chooseSlug(writer.read, collection, own.values, defaultLocale)
  const next = toRow(model, collection, {
    id: entry.id,
    canonical: { ...own, values },
    createdAt: entry.created_at,
    updatedAt: new Date().toISOString(),
    createdBy: entry.created_by,
    updatedBy: personOf(ACTOR),
    orphaned: null,
  })
  await writer.updateEntry(collection, entry, { ...next, status: entry.status }, ACTOR)
}

/** A document under the config's default locale, wherever it had its values before. */
function underDefaultLocale(
  { locales }: Model,
  document: DocumentModel,
  canonical: Canonical,
  defaultLocale: string | undefined,
): Canonical {
  if (!locales || defaultLocale === undefined || defaultLocale === locales.default || document.localized.size === 0)
    return canonical
  return changeDefaultLocale(document, canonical, defaultLocale, locales.default)
}

async function moveGlobal(
  writer: Writer,
  model: Model,
  global: DocumentModel,
  defaultLocale = model.locales?.default,
): Promise<void> {
  const row = await writer.read.globals.byKey(global.key)
  const isSettled = defaultLocale === model.locales?.default || global.localized.size === 0
  if (!row || (isSettled && row.shape === global.schemaHash && row.kept === null)) return
  const canonical = underDefaultLocale(
    model,
    global,
    moveTranslations(global, moveDocument(global, row).values, row.locales),
    defaultLocale,
  )
  const doc = JSON.stringify(withSystem(global, { key: global.key }, canonical.values))
  const people = { created_by: row.created_by, updated_by: personOf(ACTOR) }
  const next = {
    key: global.key,
    ...people,
    shape: global.schemaHash,
    kept: null,
    locales: translationsOf(canonical),
    doc,
  }
  const references = allReferences(model, global, canonical)
  await writer.writeGlobal(row, next, references, new Date().toISOString(), ACTOR)
}

/** A moved document with its translations, under the new keys of renamed fields. */
function moveTranslations({ fieldMap }: DocumentModel, values: Values, locales: string | null): Canonical {
  const { translations } = toCanonical(values, locales)
  const moved = Object.entries(translations).map(([locale, said]) => [
    locale,
    Object.fromEntries(Object.entries(said).map(([path, value]) => [movePath([fieldMap], path.split('/')), value])),
  ])
  return { values, translations: Object.fromEntries(moved) }
}

/** The path of a value under the present keys; numbers of items stay as they are. */
function movePath(sets: readonly Fields[], [step, ...rest]: readonly string[]): string {
  if (step === undefined) return ''
  const fields = sets.flatMap((set) => Object.entries(set))
  const isItem = /^\d+$/.test(step)
  // An item of a list stands for the fields inside it.
  const found = isItem ? undefined : findRenamed(fields, step)
  const inner = found ? innerFields(found.field) : isItem ? sets : fields.flatMap(([, field]) => innerFields(field))
  const again =
    !found && !isItem
      ? findRenamed(
          inner.flatMap((set) => Object.entries(set)),
          step,
        )
      : undefined
  const key = found?.key ?? again?.key ?? step
  const tail = movePath(again ? innerFields(again.field) : inner, rest)
  return tail === '' ? key : `${key}/${tail}`
}

function findRenamed(
  fields: readonly (readonly [string, Fields[string]])[],
  step: string,
): { readonly key: string; readonly field: Fields[string] } | undefined {
  for (const [key, field] of fields) {
    if (servedKeys(key, field).includes(step)) return { key: step, field }
    const old = field.options.renamedFrom
    if (old !== undefined && servedKeys(old, field).includes(step)) {
      return { key: step === old ? key : (generatedKey(field, key) ?? key), field }
    }
  }
  return undefined
}

/** Brings a document into the present shape, its renamed fields under their new keys. */
function moveDocument(document: DocumentModel, row: { readonly doc: string; readonly kept: string | null }): Move {
  const own = withoutNulls(JSON.parse(row.doc))
  const given = { ...(row.kept ? (JSON.parse(row.kept) as Values) : {}), ...own }
  const renamed = new Set<string>()
  const moved = moveFields(document.fieldMap, given, '', renamed)
  const values = toCurrentSchema(document, moved)
  const system = [...document.systemKeys.before, ...document.systemKeys.after]
  const before = leavesOf(Object.fromEntries(Object.entries(moved).filter(([key]) => !system.includes(key))))
  const after = leavesOf(values)
  return { values, renamed, lost: new Set([...before].filter((path) => !after.has(path))) }
}

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

function moveFields(fields: Fields, values: Values, prefix: string, renamed: Set<string>): Values {
  const moved = moveKeys(fields, values, prefix, renamed)
  for (const [key, field] of Object.entries(fields)) {
    const value = moved[key]
    if (value === null || value === undefined || !field.type.accepts(value, field.options)) continue
    moved[key] = field.type.walk?.(value, field.options, renamer(`${prefix}${key}.`, renamed)) ?? value
  }
  return moved
}

/** Moves inside containers; what has no field any more stays, so that its loss is seen. */
function renamer(prefix: string, renamed: Set<string>): Visitor {
  return {
    enter: (fields, value) => moveKeys(fields, value, prefix, renamed),
    value: (field, value) =>
      value === null || value === undefined
        ? emptyValue(field)
        : (field.type.walk?.(value, field.options, renamer(prefix, renamed)) ?? value),
    generated: (generated, copy, _source, stored) => {
      copy[generated.key] = stored ?? null
    },
  }
}

function moveKeys(fields: Fields, values: Readonly<Values>, prefix: string, renamed: Set<string>): Values {
  const moved: Values = { ...values }
  for (const [key, field] of Object.entries(fields)) {
    const old = field.options.renamedFrom
    if (old === undefined || !Object.hasOwn(moved, old) || moved[key] != null) continue
    renamed.add(`${prefix}${key}`)
    const pairs = [
      [old, key],
      [generatedKey(field, old), generatedKey(field, key)],
    ] as const
    for (const [from, to] of pairs) {
      if (from === undefined || to === undefined) continue
      moved[to] = moved[from]
      delete moved[from]
    }
  }
  return moved
}

const generatedKey = (field: Fields[string], key: string): string | undefined =>
  field.type.generated?.(key, field.options)?.key

/** Dotted paths of everything that holds a value; the items of a list share one. */
function leavesOf(value: unknown, path = ''): Set<string> {
  if (value === null || value === undefined) return new Set()
  const inner = Array.isArray(value)
    ? value.map((item) => leavesOf(item, path))
    : isRecord(value)
      ? Object.entries(value).map(([key, one]) => leavesOf(one, path === '' ? key : `${path}.${key}`))
      : [new Set([path])]
  return new Set(inner.flatMap((leaves) => [...leaves]))
}

function hasRenames(fields: Fields): boolean {
  return Object.values(fields).some(
    (field) => field.options.renamedFrom !== undefined || innerFields(field).some(hasRenames),
  )
}

function renameMessage({ fieldMap }: DocumentModel, path: string): string {
  const old = fieldMap[path]?.options.renamedFrom
  return old === undefined ? 'takes the values of its old key' : `takes the values of ${old}`
}
