import { type DaybookError, validationErrorAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { COLLECTION_KEY, isTaggedReference } from '../../fields/relation.ts'
import type { CollectionModel, DocumentModel, RelationModel } from '../../model/model.ts'
import {
  type Expansion,
  listExpandedCollections,
  type ReverseExpansion,
  type Selection,
} from '../../query/expansion.ts'
import type { CurrentCounters } from '../../store/reads/counters-reader.ts'
import type { EntryRow } from '../../store/rows.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import type { Values } from '../documents/document.ts'
import type { StoredDocument } from '../documents/row.ts'
import { localizeRows } from '../locales/locale.ts'
import { hashCacheKey, toDocumentTag, toSelectionKey } from './etags.ts'
import { joinParts, type Member, type Part } from './json-members.ts'
import { appendMembers, present, presentParts } from './present.ts'
import { resolveLinks, toLinksPart } from './resolve-links.ts'
import type { DocumentResponse } from './response.ts'
import { type ExpansionSource, formatReversePage, type ReadRelatedDrafts, readReversePages } from './reverse.ts'

/** The maximum number of documents that one response includes. */
export const MAX_EXPANDED_DOCUMENTS = 2000

/** Reads the revisions of everything that a selection includes, but no documents. */
export async function openExpansion(
  context: ContentContext,
  selection: Selection,
  scope: CallerScope,
  readDrafts?: ReadRelatedDrafts,
): Promise<ExpansionSource> {
  const related = listExpandedCollections(selection)
  const dependencies = { related, ruleCollections: scope.getRuleCollections(related) }
  const counters = context.store.read.counters.current()
  const revisions = await scope.readRevisions(counters, dependencies)
  return { context, scope, revisions, linksPart: await findLinksPart(related, scope, counters), readDrafts }
}

/** Returns the part of a tag for the links of included documents, if these collections have any. */
export async function findLinksPart(
  collections: readonly CollectionModel[],
  scope: CallerScope,
  counters: CurrentCounters,
): Promise<string | undefined> {
  for (const { key } of collections) if ((await counters.of(key)).linked > 0) return toLinksPart(scope, counters)
  return undefined
}

/** Creates the tag of a document with included ones from its revision, the caller's access, the selection, and all included revisions. */
export function toExpandedTag(
  { scope, revisions, linksPart }: ExpansionSource,
  document: DocumentModel,
  revision: number,
  selection: Selection,
): string {
  const related = listExpandedCollections(selection)
  // Access to the entry may differ between locales.
  const visibleCollections = selection.hasAlternates ? [document as CollectionModel, ...related] : related
  const callerKeys = [
    [...scope.hiddenFields(document)],
    scope.canSeeAuthors(document),
    scope.cacheKeyPart(visibleCollections),
  ]
  const etagPart = hashCacheKey(
    document.schemaHash,
    callerKeys,
    toSelectionKey(selection),
    revisions,
    scope.localeChoice,
    ...(linksPart === undefined ? [] : [linksPart]),
  )
  return toDocumentTag(revision, etagPart)
}

export async function toExpandedResponse(
  context: ContentContext,
  document: DocumentModel,
  row: StoredDocument & Pick<EntryRow, 'seq'>,
  selection: Selection,
  scope: CallerScope,
  readDrafts?: ReadRelatedDrafts,
): Promise<DocumentResponse> {
  const source = await openExpansion(context, selection, scope, readDrafts)
  const [json = ''] = await presentExpanded(source, document, [row], selection)
  return { json, tag: toExpandedTag(source, document, row.seq, selection), seq: row.seq }
}

/** A stored document. The id of an entry is needed for its reverse fields. */
type ExpandableRow = StoredDocument & { readonly id?: string }

/**
 * Creates the JSON texts of stored documents with included documents. Takes one statement for each level of each reverse field, and
 * of each collection that a relation leads to, however many documents there are.
 *
 * @throws VALIDATION_ERROR if more than {@link MAX_EXPANDED_DOCUMENTS} documents would be included
 */
export async function presentExpanded(
  source: ExpansionSource,
  document: DocumentModel,
  rows: readonly ExpandableRow[],
  selection: Selection,
): Promise<readonly string[]> {
  const texts = (await expandRows(source, document, rows, selection)).map(({ text }) => text)
  return selection.hasAlternates ? appendAlternates(source, document as CollectionModel, rows, texts) : texts
}

/** The address of an entry in one locale. */
interface Alternate {
  readonly locale: string
  readonly slug: string
}

/**
 * Appends the slugs of entries in all locales in which the entry exists for the caller and has its own slug. Takes one statement for
 * each locale, however many entries there are.
 */
async function appendAlternates(
  { context, scope }: ExpansionSource,
  { key }: CollectionModel,
  rows: readonly ExpandableRow[],
  texts: readonly string[],
): Promise<readonly string[]> {
  const { model, store } = context
  const collection = model.collections.get(key)
  const ids = rows.flatMap(({ id }) => id ?? [])
  const alternates = new Map<string, Alternate[]>(ids.map((id) => [id, []]))
  for (const locale of collection && ids.length > 0 ? (model.locales?.available ?? []) : []) {
    const inLocale = collection?.byLocale.get(locale) ?? collection
    const slugs = inLocale ? await store.read.entries.ownSlugs(inLocale, ids, scope.whereVisible(inLocale)) : []
    for (const { id, slug } of slugs) alternates.get(id)?.push({ locale, slug })
  }
  return texts.map((text, index) => appendMembers(text, { alternates: alternates.get(rows[index]?.id ?? '') ?? [] }))
}

class ExpandedDocument {
  readonly text: string
  /** The number of included documents, at all levels. */
  readonly weight: number

  constructor(text: string, weight: number) {
    this.text = text
    this.weight = weight
  }
}

/** A document during expansion. Only the members with references are parsed; all other parts are JSON texts. */
interface OpenDocument {
  readonly id: string
  readonly parts: Part[]
  /** The parsed members, with an {@link ExpandedDocument} in place of each expanded reference. */
  readonly parsed: Values
  weight: number
}

async function expandRows(
  source: ExpansionSource,
  model: DocumentModel,
  storedRows: readonly ExpandableRow[],
  { select, expansions, reverses }: Selection,
): Promise<readonly ExpandedDocument[]> {
  const { scope } = source
  const rows = await resolveLinks(source.context, scope, model, storedRows)
  const projection = { hidden: scope.hiddenFields(model), select, hasAuthors: scope.canSeeAuthors(model) }
  if (expansions.length === 0 && reverses.length === 0)
    return rows.map((row) => new ExpandedDocument(present(model, row, projection), 0))
  const owners = new Set(expansions.map(({ relation }) => relation.owner))
  const documents = rows.map((row) => openDocument(row, presentParts(model, row, projection, owners), owners))
  for (const expansion of expansions) await expandRelation(source, expansion, documents)
  for (const expansion of reverses) {
    if (!select || select.has(expansion.reverse.key)) await addReversePages(source, expansion, documents)
  }
  return documents.map(closeDocument)
}

function openDocument({ id = '' }: ExpandableRow, parts: readonly Part[], owners: ReadonlySet<string>): OpenDocument {
  const members = parts.filter((part) => typeof part !== 'string' && owners.has(part.key)) as readonly Member[]
  const parsed = Object.fromEntries(members.map(({ key, text }) => [key, JSON.parse(text)]))
  return { id, parts: [...parts], parsed, weight: 0 }
}

function closeDocument({ parts, parsed, weight }: OpenDocument): ExpandedDocument {
  const texts = parts.map((part) =>
    typeof part !== 'string' && Object.hasOwn(parsed, part.key)
      ? { ...part, text: formatExpanded(parsed[part.key]) }
      : part,
  )
  return new ExpandedDocument(joinParts(texts), weight)
}

/** Formats a parsed value, in which documents replace references, as JSON. */
function formatExpanded(value: unknown): string {
  if (value instanceof ExpandedDocument) return value.text
  if (Array.isArray(value)) return `[${value.map(formatExpanded).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${formatExpanded(member)}`)
  return `{${members.join(',')}}`
}

/** Replaces the references of one relation with documents. */
async function expandRelation(
  source: ExpansionSource,
  expansion: Expansion,
  documents: readonly OpenDocument[],
): Promise<void> {
  const places = documents.map(({ parsed }) => findPlaces(parsed, expansion.relation.steps))
  const references = places.flat().flatMap(({ object, key }) => object[key])
  const ids = references.flatMap((reference) => getId(expansion, reference) ?? [])
  const byId = await expandById(source, expansion, await readRelated(source, expansion, ids))
  for (const [index, document] of documents.entries()) {
    for (const place of places[index] ?? []) document.weight += replaceReferences(place, expansion, byId)
  }
  requireFewDocuments(documents)
}

/** Expands entries, and returns them by id. Targets of relations to several collections get a member with their collection. */
async function expandById(
  source: ExpansionSource,
  included: Expansion | ReverseExpansion,
  rows: readonly EntryRow[],
): Promise<ReadonlyMap<string, ExpandedDocument>> {
  const { to } = included
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()]
  if (distinct.length > MAX_EXPANDED_DOCUMENTS) throw createTooManyDocumentsError()
  const isTagged = 'relation' in included && included.relation.isTagged
  const expanded = await expandRows(source, to, distinct, included)
  return new Map(
    expanded.map(({ text, weight }, index) => {
      const tagged = isTagged ? `{"${COLLECTION_KEY}":"${to.key}",${text.slice(1)}` : text
      return [distinct[index]?.id ?? '', new ExpandedDocument(tagged, weight)]
    }),
  )
}

/** An object, and the key of one of its members that holds references. */
interface Place {
  readonly object: Values
  readonly key: string
}

/** Finds the references of a relation in all items of lists, and in blocks of the right type. */
function findPlaces(value: unknown, [step, ...rest]: RelationModel['steps']): readonly Place[] {
  if (!step) return []
  if (Array.isArray(value)) return value.flatMap((item) => findPlaces(item, [step, ...rest]))
  if (!isRecord(value) || !Object.hasOwn(value, step.key)) return []
  if (step.block !== undefined && value._type !== step.block) return []
  const inner = value[step.key]
  if (rest.length > 0) return findPlaces(inner, rest)
  const isByLocale = isRecord(inner) && !isTaggedReference(inner) && !(inner instanceof ExpandedDocument)
  return isByLocale
    ? Object.keys(inner).map((locale) => ({ object: inner, key: locale }))
    : [{ object: value, key: step.key }]
}

/** Returns the id of a reference to the collection of an expansion. A relation to several collections has one expansion for each. */
function getId({ relation, to }: Expansion, reference: unknown): string | undefined {
  if (!relation.isTagged) return typeof reference === 'string' ? reference : undefined
  return isTaggedReference(reference) && reference.collection === to.key ? reference.id : undefined
}

function replaceReferences(
  { object, key }: Place,
  expansion: Expansion,
  byId: ReadonlyMap<string, ExpandedDocument>,
): number {
  const value = object[key]
  let weight = 0
  const values = [value].flat().flatMap((reference) => {
    const id = getId(expansion, reference)
    // The expansion for another collection replaces this reference.
    if (id === undefined) return expansion.relation.isTagged ? [reference] : []
    const document = byId.get(id)
    weight += document ? 1 + document.weight : 0
    return document ?? []
  })
  object[key] = Array.isArray(value) ? values : (values[0] ?? null)
  return weight
}

/** Reads the related entries that the caller may see. */
async function readRelated(
  { context, scope, readDrafts }: ExpansionSource,
  { to, isReadable }: Expansion,
  ids: readonly string[],
): Promise<readonly EntryRow[]> {
  if (!isReadable || ids.length === 0) return []
  const statuses = scope.visibleStatuses(to)
  const rows = await context.store.read.entries.byIds(to, [...new Set(ids)], {
    where: scope.accessFilter(to)?.where,
    hasAuthors: scope.canSeeAuthors(to),
  })
  if (readDrafts) return readDrafts(to, rows)
  const visible = rows.filter(({ status }) => statuses === undefined || statuses.includes(String(status)))
  return localizeRows(context, scope.access, to, visible, scope.localeChoice)
}

/** Adds a page of referring entries to each document. */
async function addReversePages(
  source: ExpansionSource,
  expansion: ReverseExpansion,
  documents: readonly OpenDocument[],
): Promise<void> {
  const pages = await readReversePages(source, expansion, [...new Set(documents.map(({ id }) => id))])
  const byId = await expandById(
    source,
    expansion,
    [...pages.values()].flatMap(({ rows }) => rows),
  )
  for (const document of documents) {
    const page = pages.get(document.id)
    const items = page?.rows.flatMap(({ id }) => byId.get(id) ?? []) ?? []
    const texts = items.map(({ text }) => text)
    document.parts.push({ key: expansion.reverse.key, text: formatReversePage(expansion, document.id, page, texts) })
    for (const { weight } of items) document.weight += 1 + weight
  }
  requireFewDocuments(documents)
}

/** @throws VALIDATION_ERROR if too many documents are included; each counts in every place, along with its own included documents */
function requireFewDocuments(documents: readonly OpenDocument[]): void {
  const total = documents.reduce((sum, { weight }) => sum + weight, 0)
  if (total > MAX_EXPANDED_DOCUMENTS) throw createTooManyDocumentsError()
}

const createTooManyDocumentsError = (): DaybookError =>
  validationErrorAt(
    'include',
    'maxItems',
    `must expand at most ${MAX_EXPANDED_DOCUMENTS} documents. Request fewer entries or relations.`,
    { limit: MAX_EXPANDED_DOCUMENTS },
  )
