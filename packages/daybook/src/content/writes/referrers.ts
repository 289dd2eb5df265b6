import { DaybookError } from '../../errors.ts'
import { emptyValue, type Field, type Reference } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, GlobalModel } from '../../model/model.ts'
import type { Referrer } from '../../store/reads/reference-reader.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { Access } from '../access/access.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import { type ContentContext, toAuthor } from '../context.ts'
import type { Values } from '../documents/document.ts'
import { collectOrphaned } from '../documents/orphaned-values.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import {
  findStoredReferences,
  readStoredValues,
  serializeTranslations,
  toCanonical,
  toRow,
  withSystemKeys,
} from '../documents/row.ts'
import { type CanonicalDocument, writeTranslation } from '../locales/localized.ts'
import { localizeStrictWithStatus } from '../locales/published-locales.ts'
import type { WriteContext } from './context.ts'
import type { LastStep } from './pipeline.ts'

/** The maximum number of references that a CONFLICT lists. */
const MAX_LISTED_REFERRERS = 100
/** The number of references that are read at a time. */
const REFERRER_BATCH = 200

/** An entry that is being deleted, and the caller. */
export interface Deletion {
  readonly content: ContentContext
  readonly collection: CollectionModel
  readonly id: string
  readonly actor: string
  /** The referring documents that the caller may read. */
  readonly access: ReferrerAccess
  /** Returns true if another entry is deleted in the same transaction, and its references with it. */
  isAlsoDeleted(entry: Pick<Referrer, 'collection' | 'id'>): boolean
}

/**
 * Removes every reference to an entry that is about to be deleted, in the same transaction.
 *
 * @returns the removal from documents that the caller may not read. It must run at the end of the transaction: earlier, the revisions of
 * these changes, and the tags that depend on them, would show in the responses to later writes of the transaction.
 * @throws CONFLICT with `details.references` if a reference restricts the deletion
 */
export async function removeReferences(deletion: Deletion, writer: Writer): Promise<LastStep> {
  const { collection, id } = deletion
  const [first] = await writer.read.references.referrers(collection.key, id, 1)
  if (!first) return async () => {}
  await rejectRestricted(deletion, writer)
  const { visible, hidden } = await splitReferrers(deletion, writer)
  for (const referrer of visible) await removeReference(deletion, writer, referrer)
  return async (lastWriter) => {
    for (const referrer of hidden) await removeReference(deletion, lastWriter, referrer)
  }
}

/** Returns true if the referring entry is deleted in the same transaction. */
const isDeleted = ({ collection, id, isAlsoDeleted }: Deletion, referrer: Referrer): boolean =>
  (referrer.collection === collection.key && referrer.id === id) || isAlsoDeleted(referrer)

/** Splits the documents that refer to the entry by whether the caller may see the reference. */
async function splitReferrers(deletion: Deletion, writer: Writer) {
  const getDocumentKey = (referrer: Referrer): string => `${referrer.collection} ${referrer.id}`
  const documents = new Map<string, Referrer>()
  const visibleKeys = new Set<string>()
  for await (const page of iterateReferrers(deletion, writer)) {
    for (const referrer of page) documents.set(getDocumentKey(referrer), referrer)
    for (const referrer of await findVisible(deletion, writer, page)) visibleKeys.add(getDocumentKey(referrer))
  }
  const isVisible = (referrer: Referrer): boolean => visibleKeys.has(getDocumentKey(referrer))
  const all = [...documents.values()]
  return { visible: all.filter(isVisible), hidden: all.filter((referrer) => !isVisible(referrer)) }
}

/** Reads the references from documents that are not deleted. */
async function* iterateReferrers(deletion: Deletion, writer: Writer): AsyncGenerator<readonly Referrer[]> {
  const { collection, id } = deletion
  for (let offset = 0, isLast = false; !isLast; offset += REFERRER_BATCH) {
    const page = await writer.read.references.referrers(collection.key, id, REFERRER_BATCH, offset)
    yield page.filter((referrer) => !isDeleted(deletion, referrer))
    isLast = page.length < REFERRER_BATCH
  }
}

/**
 * Rejects the deletion if a reference restricts it.
 *
 * @throws CONFLICT with the references that the caller may see in `details.references`
 */
async function rejectRestricted(deletion: Deletion, writer: Writer): Promise<void> {
  let isRestrictedAnywhere = false
  const references: Referrer[] = []
  for await (const page of iterateReferrers(deletion, writer)) {
    const restricted = page.filter((referrer) => isRestricted(deletion.content, referrer))
    isRestrictedAnywhere ||= restricted.length > 0
    references.push(...(await findVisible(deletion, writer, restricted)))
    if (references.length >= MAX_LISTED_REFERRERS) break
  }
  if (!isRestrictedAnywhere) return
  throw new DaybookError('CONFLICT', 'Other documents require this entry. Change or delete them first.', {
    references: references.slice(0, MAX_LISTED_REFERRERS),
  })
}

/** The access of a caller to documents that refer to others. */
export interface ReferrerAccess {
  readonly scope: CallerScope
  /** True for globals that the caller may read; the `Error` of a failed rule is thrown only if its global refers to the entry. */
  readonly globals: ReadonlyMap<string, boolean | Error>
}

export async function resolveReferrerAccess({ content, access, scope }: WriteContext): Promise<ReferrerAccess> {
  const globals = new Map<string, boolean | Error>()
  for (const global of content.model.globals.values()) {
    globals.set(global.key, await canRead(access, global).catch((error: Error) => error))
  }
  return { scope, globals }
}

function canReadGlobal({ globals }: ReferrerAccess, key: string): boolean {
  const result = globals.get(key)
  if (result instanceof Error) throw result
  return result === true
}

async function findVisible(
  { content: { model }, access }: Deletion,
  writer: Writer,
  referrers: readonly Referrer[],
): Promise<readonly Referrer[]> {
  const { scope } = access
  const visible = new Set<string>()
  for (const [key, group] of Map.groupBy(referrers, ({ collection }) => collection)) {
    const collection = scope.readableCollection(key)
    if (!collection) continue
    const ids = [...new Set(group.map(({ id }) => id))]
    const statuses = scope.visibleStatuses(collection)
    const rows = await writer.read.entries.statuses(collection, ids, scope.accessFilter(collection)?.where)
    for (const { id, status } of rows) if (statuses?.includes(String(status)) ?? true) visible.add(`${key} ${id}`)
  }
  return referrers.filter(({ collection: key, id, field }) => {
    const document = key === GLOBALS ? model.globals.get(id) : model.collections.get(key)
    const owners = (document?.relations.get(field) ?? []).map(({ owner }) => owner)
    const isVisible = key === GLOBALS ? canReadGlobal(access, id) : visible.has(`${key} ${id}`)
    return document !== undefined && isVisible && !owners.some((owner) => scope.hiddenFields(document).has(owner))
  })
}

export async function canRead(access: Access, global: GlobalModel): Promise<boolean> {
  return (await access.evaluateRead(global)) === true
}

function isRestricted({ model }: ContentContext, { collection, id, field }: Referrer): boolean {
  const document = collection === GLOBALS ? model.globals.get(id) : model.collections.get(collection)
  return document?.relations.get(field)?.some(({ onDelete }) => onDelete === 'restrict') === true
}

async function removeReference(deletion: Deletion, writer: Writer, referrer: Referrer): Promise<void> {
  const { content, actor } = deletion
  const reference: Reference = { collection: deletion.collection.key, id: deletion.id }
  const at = new Date().toISOString()
  if (referrer.collection === GLOBALS) return removeFromGlobal(content, writer, referrer.id, reference, at, actor)
  const collection = content.model.collections.get(referrer.collection)
  const stored = collection && (await writer.read.entries.stored(collection, referrer.id))
  if (!collection || !stored) return writer.references.drop(referrer.collection, referrer.id)
  const canonical = omitReference(
    content,
    collection,
    toCanonical(readStoredValues(collection, stored), stored.locales),
    reference,
  )
  const next = toRow(content.model, collection, {
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

async function removeFromGlobal(
  context: ContentContext,
  writer: Writer,
  key: string,
  reference: Reference,
  at: string,
  actor: string,
): Promise<void> {
  const global = context.model.globals.get(key)
  const row = global && (await writer.read.globals.byKey(key))
  if (!global || !row) return writer.references.drop(GLOBALS, key)
  const canonical = omitReference(context, global, toCanonical(readStoredValues(global, row), row.locales), reference)
  const doc = JSON.stringify(withSystemKeys(global, { key }, mergeFields(global, {}, canonical.values)))
  const authors = { created_by: row.created_by, updated_by: toAuthor(actor) }
  const next = {
    key,
    ...authors,
    schema_hash: global.schemaHash,
    orphaned: collectOrphaned(global, row),
    locales: serializeTranslations(canonical),
    doc,
  }
  await writer.globals.write(row, next, findStoredReferences(context.model, global, canonical), at, actor)
}

/** Returns a document without any reference to an entry, in all locales. */
export function omitReference(
  { model: { locales } }: ContentContext,
  document: DocumentModel,
  canonical: CanonicalDocument,
  reference: Reference,
): CanonicalDocument {
  const base: CanonicalDocument = { ...canonical, values: omitFromFields(document, canonical.values, reference) }
  if (!locales) return base
  return Object.keys(canonical.translations).reduce((current, locale) => {
    const inLocale = omitFromFields(document, localizeStrictWithStatus(document, current, locales, locale), reference)
    return writeTranslation(document, current, inLocale, locale, locales.default)
  }, base)
}

/** Returns the fields of a document without any reference to an entry. */
function omitFromFields(document: DocumentModel, values: Values, reference: Reference): Values {
  const remaining: Values = {}
  for (const { key, field, servedKeys } of document.fields) {
    for (const served of servedKeys) remaining[served] = values[served]
    remaining[key] = omitFromValue(field, values[key], reference)
  }
  return remaining
}

function omitFromValue(field: Field, value: unknown, reference: Reference): unknown {
  if (value === null || value === undefined) return value
  const refersTo = (item: unknown): boolean =>
    field.type
      .references?.(item, field.options)
      .some(({ collection, id }) => collection === reference.collection && id === reference.id) === true
  if (refersTo(value)) return Array.isArray(value) ? value.filter((item) => !refersTo(item)) : emptyValue(field)
  const remaining =
    field.type.walk?.(value, field.options, {
      value: (inner, innerValue) => omitFromValue(inner, innerValue, reference),
      generated: (generated, copy, _source, stored) => {
        copy[generated.key] = stored ?? null
      },
    }) ?? value
  // In a list, the removed reference leaves no gap.
  return Array.isArray(remaining) ? remaining.filter((item) => item !== null) : remaining
}
