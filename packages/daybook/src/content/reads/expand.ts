import { type DaybookError, invalidAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { COLLECTION_KEY, isTaggedReference } from '../../fields/relations/relation-to-several.ts'
import type { CollectionModel, DocumentModel, RelationModel } from '../../model/model.ts'
import { collectionsOf, type Expansion, type ListExpansion, type Selection } from '../../query/expansion.ts'
import type { CountersLook } from '../../store/reads/counters-reader.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { ReaderScope } from '../access/reader-scope.ts'
import type { Answer } from '../answer.ts'
import type { Values } from '../document.ts'
import type { Engine } from '../engine.ts'
import { documentTag, selectionVariant, variantOf } from '../etags.ts'
import { inChosenLocale } from '../locales/locale.ts'
import type { AnswerSource, DraftView } from './answer-source.ts'
import type { Sources } from './list-question.ts'
import { type Projection, present, project, putMembers, readableValues, type StoredDocument } from './present.ts'
import { type FoundPage, findPages, toListText, toListValue } from './reverse.ts'

/** The most documents that one answer expands. */
export const MAX_EXPANDED_DOCUMENTS = 2000

/** How far other collections have come: where they are shown, as far as the reader may see it. */
export async function revisionsOf(
  counters: CountersLook,
  { touched, behind }: Sources,
  scope: ReaderScope,
): Promise<readonly number[]> {
  const revisions: number[] = []
  for (const collection of new Set(touched)) {
    const { seq, visibleSeq } = await counters.of(collection.key)
    revisions.push(scope.seesPublishedOnly(collection) ? visibleSeq : seq)
  }
  for (const { key } of new Set(behind)) revisions.push((await counters.of(key)).seq)
  return revisions
}

/** How a document is answered with the documents that it refers to in place of their ids. */
export interface ExpandedPlan {
  readonly tag: string
  /** @param row as the language shows it that is asked for */
  present(row: StoredDocument): Promise<string>
}

/** Looks at how far everything has come that the answer depends on; no document is read. */
export async function planExpanded(
  engine: Engine,
  document: DocumentModel,
  { seq }: Pick<EntryRow, 'seq'>,
  selection: Selection,
  scope: ReaderScope,
  showDrafts?: DraftView,
): Promise<ExpandedPlan> {
  const touched = collectionsOf(selection)
  const sources = { touched, behind: scope.filterDependencies(touched) }
  const revisions = await revisionsOf(engine.store.read.counters.look(), sources, scope)
  return {
    tag: documentTag(seq, expandedVariant(document, selection, scope, revisions)),
    present: async (row) => {
      const [json = ''] = await presentExpanded({ engine, scope, revisions, showDrafts }, document, [row], selection)
      return json
    },
  }
}

/**
 * A document with the documents that it refers to in place of their ids.
 *
 * @param row as the language shows it that is asked for
 */
export async function answerExpanded(
  engine: Engine,
  document: DocumentModel,
  row: StoredDocument & Pick<EntryRow, 'seq'>,
  selection: Selection,
  scope: ReaderScope,
  showDrafts?: DraftView,
): Promise<Answer> {
  const { tag, present: toText } = await planExpanded(engine, document, row, selection, scope, showDrafts)
  return { json: await toText(row), tag, seq: row.seq }
}

/** The ETag variant of a document: its reader, its selection, and the revisions of everything it embeds. */
function expandedVariant(
  document: DocumentModel,
  selection: Selection,
  scope: ReaderScope,
  revisions: readonly number[],
): string {
  const touched = collectionsOf(selection)
  // In other locales, other readers may see the entry.
  const seen = selection.hasAlternates ? [document as CollectionModel, ...touched] : touched
  const reader = [[...scope.hidden(document)], scope.seesPeople(document), scope.variant(seen)]
  return variantOf(document.schemaHash, reader, selectionVariant(selection), revisions, scope.choice)
}

/** A stored document that reverse fields may belong to: they have an id. */
type ListedDocument = StoredDocument & { readonly id?: string }

/** The state of one expansion. */
interface Work extends AnswerSource {
  /** Documents put in place of references so far. */
  count: number
}

/**
 * The JSON texts of stored entries with what is included: one statement for each collection that a relation leads to, or reverse
 * field, and level, however many entries there are.
 *
 * @throws VALIDATION_ERROR when more than {@link MAX_EXPANDED_DOCUMENTS} documents would be put in
 */
export async function presentExpanded(
  source: AnswerSource,
  document: DocumentModel,
  rows: readonly ListedDocument[],
  selection: Selection,
): Promise<readonly string[]> {
  const texts = await expandedTexts(source, document, rows, selection)
  return selection.hasAlternates ? appendAlternates(source, document as CollectionModel, rows, texts) : texts
}

/** The address of an entry in one locale. */
interface Alternate {
  readonly locale: string
  readonly slug: string
}

/**
 * Puts the slugs of entries in all locales behind their texts: those of locales in which the entry exists for the reader, and has a slug
 * of its own. One statement for each locale, however many entries there are.
 */
async function appendAlternates(
  { engine, scope }: { readonly engine: Engine; readonly scope: ReaderScope },
  { key }: CollectionModel,
  rows: readonly { readonly id?: string }[],
  texts: readonly string[],
): Promise<readonly string[]> {
  const { model, store } = engine
  const collection = model.collections.get(key)
  const ids = rows.flatMap(({ id }) => id ?? [])
  const alternates = new Map<string, Alternate[]>(ids.map((id) => [id, []]))
  for (const locale of collection && ids.length > 0 ? (model.locales?.available ?? []) : []) {
    const inLocale = collection?.byLocale.get(locale) ?? collection
    const found = inLocale ? await store.read.entries.ownSlugs(inLocale, ids, scope.visible(inLocale)) : []
    for (const { id, slug } of found) alternates.get(id)?.push({ locale, slug })
  }
  return texts.map((text, index) => putMembers(text, { alternates: alternates.get(rows[index]?.id ?? '') ?? [] }))
}

async function expandedTexts(
  source: AnswerSource,
  collection: DocumentModel,
  rows: readonly ListedDocument[],
  selection: Selection,
): Promise<readonly string[]> {
  const { scope } = source
  const { select, expansions, lists } = selection
  const hidden = scope.hidden(collection)
  const projection = { hidden, select, hasPeople: scope.seesPeople(collection) }
  if (expansions.length === 0 && lists.length === 0) return rows.map((row) => present(collection, row, projection))
  const work: Work = { ...source, count: 0 }
  if (canSplice(selection, scope, projection)) {
    const own = rows.map((row) => present(collection, row, projection))
    return appendLists(work, rows, await splice(work, own, expansions), lists)
  }
  const values = rows.map((row) => readableValues(collection, row, projection))
  const weights = await expand(work, values, selection)
  spend(
    work,
    weights.reduce((sum, one) => sum + one, 0),
  )
  return values.map((one) => JSON.stringify(project(collection, one, projection)))
}

/** Whether all that is included can be put into the texts of documents, without taking them apart. */
function canSplice({ expansions, lists }: Selection, { choice }: ReaderScope, { hidden, select }: Projection): boolean {
  // With every locale asked for, a localized reference is a map. Reverse fields are put behind all others, selected or not.
  const takesLists = lists.length === 0 || (hidden.size === 0 && !select)
  const areInText = expansions.every(({ relation }) => relation.isSpliceable)
  return !choice.isAll && takesLists && areInText && [...expansions, ...lists].every(isFlat)
}

/** Whether nothing is put into what is included. */
const isFlat = ({ expansions, lists }: Selection): boolean => expansions.length === 0 && lists.length === 0

/** How entries are shown that are included. */
const includedProjection = ({ scope }: Work, { to, select }: Expansion | ListExpansion): Projection => ({
  hidden: scope.hidden(to),
  select,
  hasPeople: scope.seesPeople(to),
})

/** Adds reverse fields to the ends of texts. */
async function appendLists(
  work: Work,
  rows: readonly ListedDocument[],
  texts: readonly string[],
  lists: readonly ListExpansion[],
): Promise<readonly string[]> {
  const ids = rows.map(({ id = '' }) => id)
  const ends = rows.map(() => '')
  for (const list of lists) {
    const projection = includedProjection(work, list)
    const pages = await findPages(work, list, ids)
    for (const [index, id] of ids.entries()) {
      const page = pages.get(id)
      const items = page?.rows.map((row) => present(list.to, row, projection)) ?? []
      spend(work, items.length)
      ends[index] += `,"${list.reverse.key}":${toListText(list, id, page, items)}`
    }
  }
  return texts.map((text, index) => `${text.slice(0, -1)}${ends[index]}}`)
}

async function splice(
  work: Work,
  texts: readonly string[],
  expansions: readonly Expansion[],
): Promise<readonly string[]> {
  // Places are looked for in the documents' own texts alone: what is put in may hold the same keys.
  const found = texts.map((text) => expansions.map((expansion) => findReferences(text, expansion)))
  const shown: ReadonlyMap<string, string>[] = []
  for (const [index, expansion] of expansions.entries()) {
    const ids = found.flatMap((places) => places[index]?.ids ?? [])
    const targets = await fetchRows(work, expansion, ids)
    const projection = includedProjection(work, expansion)
    shown.push(new Map([...targets].map(([id, row]) => [id, present(expansion.to, row, projection)])))
  }
  return texts.map((text, row) => {
    const places = expansions.map(({ relation }, index) => ({
      place: found[row]?.[index] as ReferencePlace,
      many: relation.many,
      documents: shown[index] as ReadonlyMap<string, string>,
    }))
    places.sort((one, other) => other.place.start - one.place.start)
    return places.reduce((put, { place, documents, many }) => putDocuments(work, put, place, documents, many), text)
  })
}

/** Where the references of one field stand in a document's text. */
interface ReferencePlace {
  readonly start: number
  readonly end: number
  readonly ids: readonly string[]
}

const ID_FORMAT = /[0-9a-f-]{36}/g

/**
 * A quote inside a string is escaped, and the model has made sure that the key stands in one place only: so the first
 * `"key":` is the field itself.
 */
function findReferences(text: string, { relation: { path, many } }: Expansion): ReferencePlace {
  const marker = `"${path}":${many ? '[' : '"'}`
  const found = text.indexOf(marker)
  if (found < 0) return { start: 0, end: 0, ids: [] }
  const start = found + marker.length - 1
  const end = text.indexOf(many ? ']' : '"', start + 1) + 1
  return { start, end, ids: text.slice(start, end).match(ID_FORMAT) ?? [] }
}

function putDocuments(
  work: Work,
  text: string,
  { start, end, ids }: ReferencePlace,
  shown: ReadonlyMap<string, string>,
  many: boolean,
): string {
  if (end === 0) return text
  const documents = ids.flatMap((id) => shown.get(id) ?? [])
  spend(work, documents.length)
  const value = many ? `[${documents.join(',')}]` : (documents[0] ?? 'null')
  return `${text.slice(0, start)}${value}${text.slice(end)}`
}

/** @throws VALIDATION_ERROR when an answer would hold too many documents */
function spend(work: Work, documents: number): void {
  work.count += documents
  if (work.count > MAX_EXPANDED_DOCUMENTS) throw tooManyDocuments()
}

const tooManyDocuments = (): DaybookError =>
  invalidAt(
    'include',
    'maxItems',
    `would expand more than ${MAX_EXPANDED_DOCUMENTS} documents; ask for fewer entries or relations`,
    { limit: MAX_EXPANDED_DOCUMENTS },
  )

/** The related documents that the reader may see, by id. */
async function fetchRows(
  { engine, scope, showDrafts }: Work,
  { to, isOpen }: Expansion,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EntryRow>> {
  const wanted = [...new Set(ids)]
  if (!isOpen || wanted.length === 0) return new Map()
  const statuses = scope.statuses(to)
  const found = await engine.store.read.entries.byIds(to, wanted, {
    where: scope.filter(to)?.where,
    hasPeople: scope.seesPeople(to),
  })
  const isSeen = ({ status }: EntryRow): boolean => statuses === undefined || statuses.includes(String(status))
  const seen = showDrafts ? await showDrafts(to, found) : found.filter(isSeen)
  const visible = showDrafts ? seen : await inChosenLocale(engine, scope.access, to, seen, scope.choice)
  return new Map(visible.map((row) => [row.id, row]))
}

/**
 * Puts documents into parsed ones, in place. A document that stands in several places is counted in each, with all that is
 * put inside of it.
 *
 * @returns how many documents stand in each
 */
async function expand(
  work: Work,
  documents: readonly Values[],
  { expansions, lists }: Selection,
): Promise<readonly number[]> {
  const weights = documents.map(() => 0)
  const weigh = (index: number, weight: number): void => {
    weights[index] = (weights[index] ?? 0) + weight
    if ((weights[index] ?? 0) > MAX_EXPANDED_DOCUMENTS) throw tooManyDocuments()
  }
  for (const expansion of expansions) {
    const holders = documents.map((one) => holdersOf(one, expansion.relation.steps))
    const shown = await fetchDocuments(work, expansion, holders.flat())
    for (const [index, own] of holders.entries()) {
      for (const holder of own) weigh(index, substitute(holder, expansion, shown))
    }
  }
  for (const list of lists) {
    const pages = await fetchPages(work, list, documents)
    for (const [index, document] of documents.entries()) weigh(index, putPage(document, list, pages))
  }
  return weights
}

/** The documents that references lead to, by id, as they are put in. */
async function fetchDocuments(
  work: Work,
  expansion: Expansion,
  holders: readonly Holder[],
): Promise<ReadonlyMap<string, ShownDocument>> {
  const ids = holders.flatMap(({ value }) => [value].flat()).flatMap((one) => idOf(expansion, one) ?? [])
  const rows = [...(await fetchRows(work, expansion, ids)).values()]
  const shown = await showRows(work, expansion, rows)
  return new Map(rows.map(({ id }, index) => [id, shown[index] as ShownDocument]))
}

/** Entries with all that is put into them. */
async function showRows(
  work: Work,
  included: Expansion | ListExpansion,
  rows: readonly EntryRow[],
): Promise<readonly ShownDocument[]> {
  const { to } = included
  const projection = includedProjection(work, included)
  const values = rows.map((row) => readableValues(to, row, projection))
  const weights = await expand(work, values, included)
  const tag = 'relation' in included && included.relation.isTagged ? { [COLLECTION_KEY]: to.key } : {}
  return values.map((one, index) => ({
    value: { ...tag, ...project(to, one, projection) },
    weight: 1 + (weights[index] ?? 0),
  }))
}

/** An object that holds references under a key. */
interface Holder {
  readonly object: Values
  readonly key: string
  readonly value: unknown
}

/** Lists and blocks on the way are passed through: every item is looked into, blocks of the right kind alone. */
function holdersOf(value: unknown, [step, ...rest]: RelationModel['steps']): readonly Holder[] {
  if (!step) return []
  if (Array.isArray(value)) return value.flatMap((item) => holdersOf(item, [step, ...rest]))
  if (!isRecord(value) || !Object.hasOwn(value, step.key)) return []
  if (step.block !== undefined && value._type !== step.block) return []
  const { key } = step
  if (rest.length > 0) return holdersOf(value[key], rest)
  const held = value[key]
  // A map of locale to references, where every locale is asked for.
  if (isRecord(held) && !isTaggedReference(held)) {
    return Object.keys(held).map((locale) => ({ object: held, key: locale, value: held[locale] }))
  }
  return [{ object: value, key, value: held }]
}

/** A document as it is put in, and for how many documents it counts. */
interface ShownDocument {
  readonly value: Values
  readonly weight: number
}

/** The id of a reference that the expansion is about. A document that took the place of one is of another collection. */
function idOf({ relation, to }: Expansion, reference: unknown): string | undefined {
  if (!relation.isTagged) return typeof reference === 'string' ? reference : undefined
  return isTaggedReference(reference) && reference.collection === to.key ? reference.id : undefined
}

/** Answers for how many documents the new value counts. */
function substitute({ object, key }: Holder, expansion: Expansion, shown: ReadonlyMap<string, ShownDocument>): number {
  const value = object[key]
  let weight = 0
  const values = [value].flat().flatMap((reference) => {
    const id = idOf(expansion, reference)
    // What another collection has to say is put in by the expansion of that one.
    if (id === undefined) return expansion.relation.isTagged ? [reference] : []
    const document = shown.get(id)
    weight += document?.weight ?? 0
    return document ? [document.value] : []
  })
  object[key] = Array.isArray(value) ? values : (values[0] ?? null)
  return weight
}

/** One page of entries as it is put in, and for how many documents it counts. */
interface ShownPage extends FoundPage {
  readonly shown: readonly ShownDocument[]
}

/** The pages of a reverse field, by the id of the document that it belongs to. */
async function fetchPages(
  work: Work,
  list: ListExpansion,
  documents: readonly Values[],
): Promise<ReadonlyMap<string, ShownPage>> {
  const ids = [...new Set(documents.map(({ id }) => String(id)))]
  const found = [...(await findPages(work, list, ids))]
  const rows = found.flatMap(([, page]) => page.rows)
  if (rows.length > MAX_EXPANDED_DOCUMENTS) throw tooManyDocuments()
  const shown = await showRows(work, list, rows)
  let from = 0
  return new Map(
    found.map(([id, page]) => {
      const own = shown.slice(from, from + page.rows.length)
      from += page.rows.length
      return [id, { ...page, shown: own }]
    }),
  )
}

/** Answers for how many documents the page counts. */
function putPage(document: Values, list: ListExpansion, pages: ReadonlyMap<string, ShownPage>): number {
  const id = String(document.id)
  const page = pages.get(id)
  const shown = page?.shown ?? []
  const items = shown.map(({ value }) => value)
  document[list.reverse.key] = toListValue(list, id, page, items)
  return shown.reduce((sum, { weight }) => sum + weight, 0)
}
