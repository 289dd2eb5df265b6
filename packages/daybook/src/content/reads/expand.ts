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
import type { EntryRow } from '../../store/rows.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import type { Values } from '../documents/document.ts'
import type { StoredDocument } from '../documents/row.ts'
import { localizeRows } from '../locales/locale.ts'
import { hashCacheKey, toDocumentTag, toSelectionKey } from './etags.ts'
import { joinParts, type Member, type Part } from './json-members.ts'
import { appendMembers, present, presentParts } from './present.ts'
import type { DocumentResponse } from './response.ts'
import { type ExpansionSource, formatReversePage, type ReadRelatedDrafts, readReversePages } from './reverse.ts'

/** The most documents that one answer expands. */
export const MAX_EXPANDED_DOCUMENTS = 2000

/** Reads the revisions of everything that a selection embeds in one document. No document is read. */
export async function openExpansion(
  engine: ContentContext,
  selection: Selection,
  scope: CallerScope,
  showDrafts?: ReadRelatedDrafts,
): Promise<ExpansionSource> {
  const related = listExpandedCollections(selection)
  const dependencies = { related, ruleCollections: scope.getRuleCollections(related) }
  const revisions = await scope.readRevisions(engine.store.read.counters.current(), dependencies)
  return { context: engine, scope, revisions, readDrafts: showDrafts }
}

/** The tag of a document with what is included: its revision, the reader, the selection, and the revisions of everything embedded. */
export function toExpandedTag(
  { scope, revisions }: ExpansionSource,
  document: DocumentModel,
  revision: number,
  selection: Selection,
): string {
  const related = listExpandedCollections(selection)
  // In other locales, other readers may see the entry.
  const seen = selection.hasAlternates ? [document as CollectionModel, ...related] : related
  const reader = [[...scope.hiddenFields(document)], scope.canSeeAuthors(document), scope.cacheKeyPart(seen)]
  const variant = hashCacheKey(document.schemaHash, reader, toSelectionKey(selection), revisions, scope.localeChoice)
  return toDocumentTag(revision, variant)
}

/** A document with the documents that it refers to in place of their ids. */
export async function toExpandedResponse(
  engine: ContentContext,
  document: DocumentModel,
  row: StoredDocument & Pick<EntryRow, 'seq'>,
  selection: Selection,
  scope: CallerScope,
  showDrafts?: ReadRelatedDrafts,
): Promise<DocumentResponse> {
  const source = await openExpansion(engine, selection, scope, showDrafts)
  const [json = ''] = await presentExpanded(source, document, [row], selection)
  return { json, tag: toExpandedTag(source, document, row.seq, selection), seq: row.seq }
}

/** A stored document. An entry has an id, by which its reverse fields find what refers to it. */
type ReferringRow = StoredDocument & { readonly id?: string }

/**
 * The JSON texts of stored documents with what is included: one statement for each level of each reverse field, and of each collection that
 * a relation leads to, however many documents there are.
 *
 * @throws VALIDATION_ERROR if more than {@link MAX_EXPANDED_DOCUMENTS} documents would be put in
 */
export async function presentExpanded(
  source: ExpansionSource,
  document: DocumentModel,
  rows: readonly ReferringRow[],
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
 * Appends the slugs of entries in all locales to their texts: of each locale in which the entry exists for the reader and has a slug of its
 * own. One statement for each locale, however many entries there are.
 */
async function appendAlternates(
  { context: engine, scope }: ExpansionSource,
  { key }: CollectionModel,
  rows: readonly ReferringRow[],
  texts: readonly string[],
): Promise<readonly string[]> {
  const { model, store } = engine
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

/** A document with everything that is included in it. */
class ExpandedDocument {
  readonly text: string
  /** The number of documents inside it, at all levels. */
  readonly weight: number

  constructor(text: string, weight: number) {
    this.text = text
    this.weight = weight
  }
}

/** A document while others are put into it. Its parts are texts; only the members that hold references are parsed. */
interface OpenDocument {
  readonly id: string
  readonly parts: Part[]
  /** The parsed values of members, with an {@link ExpandedDocument} in the place of each expanded reference. */
  readonly parsed: Values
  weight: number
}

async function expandRows(
  source: ExpansionSource,
  model: DocumentModel,
  rows: readonly ReferringRow[],
  { select, expansions, reverses: lists }: Selection,
): Promise<readonly ExpandedDocument[]> {
  const { scope } = source
  const projection = { hidden: scope.hiddenFields(model), select, hasAuthors: scope.canSeeAuthors(model) }
  if (expansions.length === 0 && lists.length === 0)
    return rows.map((row) => new ExpandedDocument(present(model, row, projection), 0))
  const owners = new Set(expansions.map(({ relation }) => relation.owner))
  const documents = rows.map((row) => openDocument(row, presentParts(model, row, projection, owners), owners))
  for (const expansion of expansions) await expandRelation(source, expansion, documents)
  for (const list of lists) {
    if (!select || select.has(list.reverse.key)) await addReversePages(source, list, documents)
  }
  return documents.map(closeDocument)
}

function openDocument({ id = '' }: ReferringRow, parts: readonly Part[], owners: ReadonlySet<string>): OpenDocument {
  const members = parts.filter((part) => typeof part !== 'string' && owners.has(part.key)) as readonly Member[]
  const parsed = Object.fromEntries(members.map(({ key, text }) => [key, JSON.parse(text)]))
  return { id, parts: [...parts], parsed, weight: 0 }
}

function closeDocument({ parts, parsed, weight }: OpenDocument): ExpandedDocument {
  const texts = parts.map((part) =>
    typeof part !== 'string' && Object.hasOwn(parsed, part.key) ? { ...part, text: toText(parsed[part.key]) } : part,
  )
  return new ExpandedDocument(joinParts(texts), weight)
}

/** The JSON text of a parsed value in which documents stand in the place of references. */
function toText(value: unknown): string {
  if (value instanceof ExpandedDocument) return value.text
  if (Array.isArray(value)) return `[${value.map(toText).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${toText(member)}`)
  return `{${members.join(',')}}`
}

/** Puts documents in the place of the references of one relation. */
async function expandRelation(
  source: ExpansionSource,
  expansion: Expansion,
  documents: readonly OpenDocument[],
): Promise<void> {
  const places = documents.map(({ parsed }) => findPlaces(parsed, expansion.relation.steps))
  const references = places.flat().flatMap(({ object, key }) => object[key])
  const ids = references.flatMap((reference) => getId(expansion, reference) ?? [])
  const byId = await expandById(source, expansion, await fetchRows(source, expansion, ids))
  for (const [index, document] of documents.entries()) {
    for (const place of places[index] ?? []) document.weight += substitute(place, expansion, byId)
  }
  requireFew(documents)
}

/** Entries with what is included in them, by id. Those in the place of references to several collections name their own. */
async function expandById(
  source: ExpansionSource,
  included: Expansion | ReverseExpansion,
  rows: readonly EntryRow[],
): Promise<ReadonlyMap<string, ExpandedDocument>> {
  const { to } = included
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()]
  if (distinct.length > MAX_EXPANDED_DOCUMENTS) throw tooManyDocuments()
  const isTagged = 'relation' in included && included.relation.isTagged
  const expanded = await expandRows(source, to, distinct, included)
  return new Map(
    expanded.map(({ text, weight }, index) => {
      const tagged = isTagged ? `{"${COLLECTION_KEY}":"${to.key}",${text.slice(1)}` : text
      return [distinct[index]?.id ?? '', new ExpandedDocument(tagged, weight)]
    }),
  )
}

/** An object, and a key under which it holds references. */
interface Place {
  readonly object: Values
  readonly key: string
}

/** Finds the references of a relation: in every item of the lists on the way, and in blocks of the right kind. */
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

/** The id in a reference to the collection of an expansion. A relation to several collections has an expansion for each of them. */
function getId({ relation, to }: Expansion, reference: unknown): string | undefined {
  if (!relation.isTagged) return typeof reference === 'string' ? reference : undefined
  return isTaggedReference(reference) && reference.collection === to.key ? reference.id : undefined
}

/** @returns for how many documents the new value counts */
function substitute({ object, key }: Place, expansion: Expansion, byId: ReadonlyMap<string, ExpandedDocument>): number {
  const value = object[key]
  let weight = 0
  const values = [value].flat().flatMap((reference) => {
    const id = getId(expansion, reference)
    // The expansion of another collection replaces the reference.
    if (id === undefined) return expansion.relation.isTagged ? [reference] : []
    const document = byId.get(id)
    weight += document ? 1 + document.weight : 0
    return document ?? []
  })
  object[key] = Array.isArray(value) ? values : (values[0] ?? null)
  return weight
}

/** The related entries that the reader may see. */
async function fetchRows(
  { context: engine, scope, readDrafts: showDrafts }: ExpansionSource,
  { to, isReadable: isOpen }: Expansion,
  ids: readonly string[],
): Promise<readonly EntryRow[]> {
  if (!isOpen || ids.length === 0) return []
  const statuses = scope.visibleStatuses(to)
  const rows = await engine.store.read.entries.byIds(to, [...new Set(ids)], {
    where: scope.accessFilter(to)?.where,
    hasAuthors: scope.canSeeAuthors(to),
  })
  if (showDrafts) return showDrafts(to, rows)
  const visible = rows.filter(({ status }) => statuses === undefined || statuses.includes(String(status)))
  return localizeRows(engine, scope.access, to, visible, scope.localeChoice)
}

/** Adds a page of the entries that refer to it to each document. */
async function addReversePages(
  source: ExpansionSource,
  list: ReverseExpansion,
  documents: readonly OpenDocument[],
): Promise<void> {
  const pages = await readReversePages(source, list, [...new Set(documents.map(({ id }) => id))])
  const byId = await expandById(
    source,
    list,
    [...pages.values()].flatMap(({ rows }) => rows),
  )
  for (const document of documents) {
    const page = pages.get(document.id)
    const items = page?.rows.flatMap(({ id }) => byId.get(id) ?? []) ?? []
    const texts = items.map(({ text }) => text)
    document.parts.push({ key: list.reverse.key, text: formatReversePage(list, document.id, page, texts) })
    for (const { weight } of items) document.weight += 1 + weight
  }
  requireFew(documents)
}

/** @throws VALIDATION_ERROR if too many documents are put in: each counts in every place where it stands, with all that is put into it */
function requireFew(documents: readonly OpenDocument[]): void {
  const total = documents.reduce((sum, { weight }) => sum + weight, 0)
  if (total > MAX_EXPANDED_DOCUMENTS) throw tooManyDocuments()
}

const tooManyDocuments = (): DaybookError =>
  validationErrorAt(
    'include',
    'maxItems',
    `would expand more than ${MAX_EXPANDED_DOCUMENTS} documents; ask for fewer entries or relations`,
    { limit: MAX_EXPANDED_DOCUMENTS },
  )
