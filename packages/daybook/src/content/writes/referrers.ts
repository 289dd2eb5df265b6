import { DaybookError } from '../../errors.ts'
import type { Field, Reference } from '../../fields/field.ts'
import { emptyValue } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, GlobalModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { Referrer, ReferrerFilter } from '../../store/reads/reference-reader.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import { canSeeEntry } from '../access/draft-access.ts'
import { notAnIdError } from '../access/rules.ts'
import { type ContentContext, toAuthor } from '../context.ts'
import { collectOrphaned, mergeFields, type Values } from '../documents/document.ts'
import {
  findReferencesInAllLocales,
  readStoredValues,
  serializeTranslations,
  toCanonical,
  toRow,
  withSystemKeys,
} from '../documents/row.ts'
import { DEFAULT_LOCALE } from '../locales/locale.ts'
import { type CanonicalDocument, writeTranslation } from '../locales/localized.ts'
import { localizeStrictWithStatus } from '../locales/published-locales.ts'
import type { WriteContext } from './context.ts'
import type { LastStep } from './pipeline.ts'

/** The most references that a refusal lists. */
const MAX_LISTED_REFERRERS = 100
/** References that are read at a time. */
const REFERRER_BATCH = 200

/** An entry that is being deleted, and the caller. */
export interface Deletion {
  readonly engine: ContentContext
  readonly collection: CollectionModel
  readonly id: string
  readonly actor: string
  /** What the caller may see. */
  readonly access: ReferrerAccess
  /** Whether another entry of the collection is deleted in the same transaction: its references go with it. */
  isAlsoDeleted(entry: Pick<Referrer, 'collection' | 'id'>): boolean
}

/**
 * Takes every reference to an entry that is about to be deleted out of its document, in the same transaction.
 *
 * @returns the part of it that the caller may not see. It belongs to the end of the transaction: earlier, the numbers of
 * those changes, and the tags that they move, would show in the answers to the writes after them.
 * @throws CONFLICT with `details.references` when a reference restricts the deletion
 */
export async function removeReferences(deletion: Deletion, writer: Writer): Promise<LastStep> {
  const { collection, id } = deletion
  const [found] = await writer.read.references.referrers(collection.key, id, 1)
  if (!found) return async () => {}
  await refuseRestricted(deletion, writer)
  const { shown, unshown } = await referringDocuments(deletion, writer)
  for (const document of shown) await release(deletion, writer, document)
  return async (last) => {
    for (const document of unshown) await release(deletion, last, document)
  }
}

/** Whether a reference goes with the deletion by itself. */
const isDeleted = ({ collection, id, isAlsoDeleted }: Deletion, referrer: Referrer): boolean =>
  (referrer.collection === collection.key && referrer.id === id) || isAlsoDeleted(referrer)

/** The documents that refer to the entry: those that the caller sees do, and the others. */
async function referringDocuments(deletion: Deletion, writer: Writer) {
  const nameOf = (one: Referrer): string => `${one.collection} ${one.id}`
  const documents = new Map<string, Referrer>()
  const seenNames = new Set<string>()
  for await (const page of pagesOfReferrers(deletion, writer)) {
    for (const one of page) documents.set(nameOf(one), one)
    for (const one of await seen(deletion, writer, page)) seenNames.add(nameOf(one))
  }
  const isShown = (one: Referrer): boolean => seenNames.has(nameOf(one))
  const all = [...documents.values()]
  return { shown: all.filter(isShown), unshown: all.filter((one) => !isShown(one)) }
}

/** References of documents that stay. */
async function* pagesOfReferrers(deletion: Deletion, writer: Writer): AsyncGenerator<readonly Referrer[]> {
  const { collection, id } = deletion
  for (let offset = 0, isLast = false; !isLast; offset += REFERRER_BATCH) {
    const page = await writer.read.references.referrers(collection.key, id, REFERRER_BATCH, offset)
    yield page.filter((one) => !isDeleted(deletion, one))
    isLast = page.length < REFERRER_BATCH
  }
}

/**
 * Refuses when a reference restricts the deletion. Every caller is told that there is one, and which, as far as they may see.
 *
 * @throws CONFLICT
 */
async function refuseRestricted(deletion: Deletion, writer: Writer): Promise<void> {
  let isHeld = false
  const references: Referrer[] = []
  for await (const page of pagesOfReferrers(deletion, writer)) {
    const restricted = page.filter((one) => isRestricted(deletion.engine, one))
    isHeld ||= restricted.length > 0
    references.push(...(await seen(deletion, writer, restricted)))
    if (references.length >= MAX_LISTED_REFERRERS) break
  }
  if (!isHeld) return
  throw new DaybookError('CONFLICT', 'Other documents need this entry; change or delete them first.', {
    references: references.slice(0, MAX_LISTED_REFERRERS),
  })
}

/** The access of a caller to documents that refer to others. */
export interface ReferrerAccess {
  readonly scope: CallerScope
  /** Which globals may be read; an `Error` is thrown only when its global is asked about. */
  readonly globals: ReadonlyMap<string, boolean | Error>
}

export async function resolveReferrerAccess({
  services: engine,
  access,
  scope,
}: WriteContext): Promise<ReferrerAccess> {
  const globals = new Map<string, boolean | Error>()
  for (const one of engine.model.globals.values()) {
    globals.set(one.key, await mayRead(access, one).catch((error: Error) => error))
  }
  return { scope, globals }
}

function isReadable({ globals }: ReferrerAccess, key: string): boolean {
  const ruling = globals.get(key)
  if (ruling instanceof Error) throw ruling
  return ruling === true
}

/** Referrers that the reader may see, with the field that refers. */
async function seen(
  { engine: { model }, access }: Deletion,
  writer: Writer,
  referrers: readonly Referrer[],
): Promise<readonly Referrer[]> {
  const { scope } = access
  const shown = new Set<string>()
  for (const [key, group] of Map.groupBy(referrers, ({ collection }) => collection)) {
    const collection = scope.readableCollection(key)
    if (!collection) continue
    const ids = [...new Set(group.map(({ id }) => id))]
    const statuses = scope.visibleStatuses(collection)
    const rows = await writer.read.entries.statuses(collection, ids, scope.accessFilter(collection)?.where)
    for (const { id, status } of rows) if (statuses?.includes(String(status)) ?? true) shown.add(`${key} ${id}`)
  }
  return referrers.filter(({ collection: key, id, field }) => {
    const document = key === GLOBALS ? model.globals.get(id) : model.collections.get(key)
    const owners = (document?.relations.get(field) ?? []).map(({ owner }) => owner)
    const isShown = key === GLOBALS ? isReadable(access, id) : shown.has(`${key} ${id}`)
    return document !== undefined && isShown && !owners.some((owner) => scope.hiddenFields(document).has(owner))
  })
}

async function mayRead(access: Access, global: GlobalModel): Promise<boolean> {
  return (await access.evaluateRead(global)) === true
}

function isRestricted({ model }: ContentContext, { collection, id, field }: Referrer): boolean {
  const document = collection === GLOBALS ? model.globals.get(id) : model.collections.get(collection)
  return document?.relations.get(field)?.some(({ onDelete }) => onDelete === 'restrict') === true
}

async function release(deletion: Deletion, writer: Writer, referrer: Referrer): Promise<void> {
  const { engine, actor } = deletion
  const gone: Reference = { collection: deletion.collection.key, id: deletion.id }
  const at = new Date().toISOString()
  if (referrer.collection === GLOBALS) return releaseGlobal(engine, writer, referrer.id, gone, at, actor)
  const collection = engine.model.collections.get(referrer.collection)
  const stored = collection && (await writer.read.entries.stored(collection, referrer.id))
  if (!collection || !stored) return writer.references.drop(referrer.collection, referrer.id)
  const canonical = omitReference(
    engine,
    collection,
    toCanonical(readStoredValues(collection, stored), stored.locales),
    gone,
  )
  const next = toRow(engine.model, collection, {
    id: stored.id,
    canonical,
    createdAt: stored.created_at,
    updatedAt: at,
    createdBy: stored.created_by,
    updatedBy: toAuthor(actor),
    orphaned: collectOrphaned(collection, stored),
    draft: stored.draft,
    orphanedStatus: stored.status,
  })
  await writer.entries.update(collection, stored, next, actor)
}

async function releaseGlobal(
  engine: ContentContext,
  writer: Writer,
  key: string,
  gone: Reference,
  at: string,
  actor: string,
): Promise<void> {
  const global = engine.model.globals.get(key)
  const row = global && (await writer.read.globals.byKey(key))
  if (!global || !row) return writer.references.drop(GLOBALS, key)
  const canonical = omitReference(engine, global, toCanonical(readStoredValues(global, row), row.locales), gone)
  const doc = JSON.stringify(withSystemKeys(global, { key }, mergeFields(global, {}, canonical.values)))
  const people = { created_by: row.created_by, updated_by: toAuthor(actor) }
  const next = {
    key,
    ...people,
    schema_hash: global.schemaHash,
    orphaned: collectOrphaned(global, row),
    locales: serializeTranslations(canonical),
    doc,
  }
  await writer.globals.write(row, next, findReferencesInAllLocales(engine.model, global, canonical), at, actor)
}

/** A document without any reference to an entry, in whatever locale. */
export function omitReference(
  { model: { locales } }: ContentContext,
  document: DocumentModel,
  canonical: CanonicalDocument,
  gone: Reference,
): CanonicalDocument {
  const own: CanonicalDocument = { ...canonical, values: withoutReference(document, canonical.values, gone) }
  if (!locales) return own
  return Object.keys(canonical.translations).reduce((current, locale) => {
    const inLocale = withoutReference(document, localizeStrictWithStatus(document, current, locales, locale), gone)
    return writeTranslation(document, current, inLocale, locale, locales.default)
  }, own)
}

/** The fields of a document with every reference to an entry taken out. */
function withoutReference(document: DocumentModel, values: Values, gone: Reference): Values {
  const released: Values = {}
  for (const { key, field, servedKeys } of document.fields) {
    for (const served of servedKeys) released[served] = values[served]
    released[key] = releaseValue(field, values[key], gone)
  }
  return released
}

function releaseValue(field: Field, value: unknown, gone: Reference): unknown {
  if (value === null || value === undefined) return value
  const refersTo = (held: unknown): boolean =>
    field.type
      .references?.(held, field.options)
      .some(({ collection, id }) => collection === gone.collection && id === gone.id) === true
  if (refersTo(value)) return Array.isArray(value) ? value.filter((one) => !refersTo(one)) : emptyValue(field)
  const released =
    field.type.walk?.(value, field.options, {
      value: (inner, innerValue) => releaseValue(inner, innerValue, gone),
      generated: (generated, copy, _source, stored) => {
        copy[generated.key] = stored ?? null
      },
    }) ?? value
  // A list of references loses the one that is gone.
  return Array.isArray(released) ? released.filter((item) => item !== null) : released
}

/** The documents that refer to an entry. */
export interface ReferencesPage {
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly items: readonly Referrer[]
}

/**
 * Lists the documents that refer to an entry, as far as the caller may read them.
 *
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN
 */
export async function listReferrers(
  engine: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<ReferencesPage> {
  const { read } = engine.store
  const filter = await access.authorizeRead(collection)
  if (!isUuidShaped(id)) throw notAnIdError()
  const key = id.toLowerCase()
  const [found] = await read.entries.statuses(collection, [key], filter?.where)
  if (!found || !(await canSeeEntry(access, read, collection, found))) throw new DaybookError('NOT_FOUND')
  const among = await readable(engine, access)
  const total = await read.references.count(collection.key, key, among)
  return { total, ...page, items: await read.references.referrers(collection.key, key, page.limit, page.offset, among) }
}

/** Which relation fields the caller may read, and of which entries. */
async function readable({ model }: ContentContext, access: Access): Promise<ReferrerFilter> {
  const scope = await resolveCallerScope(access, DEFAULT_LOCALE)
  const hiddenIn = (document: DocumentModel, isOpen: boolean): readonly string[] => {
    const hidden = scope.hiddenFields(document)
    const relations = [...document.relations.values()].flat()
    return relations.filter(({ owner }) => !isOpen || hidden.has(owner)).map(({ path }) => path)
  }
  const found: string[] = []
  for (const one of model.collections.values()) {
    found.push(...hiddenIn(one, scope.readableCollection(one.key) !== undefined).map((path) => `${one.key} ${path}`))
  }
  for (const one of model.globals.values()) {
    if (one.relations.size === 0) continue
    found.push(...hiddenIn(one, await mayRead(access, one)).map((path) => `${GLOBALS} ${one.key} ${path}`))
  }
  const filters = [...model.collections.values()].flatMap((one) => {
    if (one.relations.size === 0 || !scope.readableCollection(one.key)) return []
    const where = scope.whereVisible(one)
    return where ? [{ collection: one, where }] : []
  })
  return { except: found, filters }
}
