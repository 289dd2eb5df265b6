import { type DaybookError, invalidAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { DocumentModel, RelationModel } from '../../model/model.ts'
import { collectionsOf, type Expansion, type Selection } from '../../query/expansion.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { ReaderScope } from '../access/reader-scope.ts'
import type { Answer } from '../answer.ts'
import type { Values } from '../document.ts'
import type { Engine } from '../engine.ts'
import { documentTag, selectionVariant, variantOf } from '../etags.ts'
import { inChosenLocale } from '../locales/locale.ts'
import type { Sources } from './list-question.ts'
import { present, project, putPeople, readableValues, type StoredDocument } from './present.ts'

/** The most documents that one answer expands. */
export const MAX_EXPANDED_DOCUMENTS = 2000

/** How far other collections have come: where they are shown, as far as the reader may see it. */
export async function revisionsOf(
  { store }: Engine,
  { touched, behind }: Sources,
  scope: ReaderScope,
): Promise<readonly number[]> {
  const revisions: number[] = []
  for (const collection of new Set(touched)) {
    const { seq, visibleSeq } = await store.read.lists.counters(collection.key)
    revisions.push(scope.seesPublicOnly(collection) ? visibleSeq : seq)
  }
  for (const { key } of new Set(behind)) revisions.push((await store.read.lists.counters(key)).seq)
  return revisions
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
): Promise<Answer> {
  const variant = await expandedVariant(engine, document, selection, scope)
  const [json = ''] = await presentExpanded(engine, document, [row], selection, scope)
  return { json, tag: documentTag(row.seq, variant), seq: row.seq }
}

/** The ETag variant of a document: its reader, its selection, and the revision of everything it embeds. */
async function expandedVariant(
  engine: Engine,
  document: DocumentModel,
  selection: Selection,
  scope: ReaderScope,
): Promise<string> {
  const touched = collectionsOf(selection.expansions)
  const others = await revisionsOf(engine, { touched, behind: scope.filterDependencies(touched) }, scope)
  const reader = [[...scope.hidden(document)], scope.seesPeople(document), scope.variant(touched)]
  return variantOf(document.schemaHash, reader, selectionVariant(selection), others, scope.choice)
}

/** The state of one expansion. */
interface Work {
  readonly engine: Engine
  readonly scope: ReaderScope
  /** Documents put in place of references so far. */
  count: number
}

/**
 * The JSON texts of stored entries with the documents that they refer to: one statement for each relation and level,
 * however many entries there are.
 *
 * @throws VALIDATION_ERROR when more than {@link MAX_EXPANDED_DOCUMENTS} documents would be put in
 */
export async function presentExpanded(
  engine: Engine,
  collection: DocumentModel,
  rows: readonly StoredDocument[],
  { select, expansions }: Selection,
  scope: ReaderScope,
): Promise<readonly string[]> {
  const hidden = scope.hidden(collection)
  const projection = { hidden, select, hasPeople: scope.seesPeople(collection) }
  if (expansions.length === 0) return rows.map((row) => present(collection, row, projection))
  const work: Work = { engine, scope, count: 0 }
  // With every locale asked for, a localized reference is a map.
  const isPlain =
    !scope.choice.isAll && hidden.size === 0 && !select && rows.every(({ shape }) => shape === collection.schemaHash)
  if (isPlain && expansions.every((one) => isSpliceable(one, scope))) {
    const texts = await splice(work, rows, expansions)
    return projection.hasPeople ? texts.map((text, index) => putPeople(text, rows[index] as StoredDocument)) : texts
  }
  const values = rows.map((row) => readableValues(collection, row, projection))
  const weights = await expand(work, values, expansions)
  spend(
    work,
    weights.reduce((sum, one) => sum + one, 0),
  )
  return values.map((one) => JSON.stringify(project(collection, one, projection)))
}

/** Whether related documents can be put into the text as they are stored, without taking it apart. */
function isSpliceable({ relation, to, inner, select }: Expansion, scope: ReaderScope): boolean {
  return relation.isSpliceable && inner.length === 0 && !select && scope.hidden(to).size === 0
}

async function splice(
  work: Work,
  rows: readonly StoredDocument[],
  expansions: readonly Expansion[],
): Promise<readonly string[]> {
  // Places are looked for in the stored texts alone: what is put in may hold the same keys.
  const found = rows.map(({ doc }) => expansions.map((expansion) => findReferences(doc, expansion)))
  const shown: ReadonlyMap<string, string>[] = []
  for (const [index, expansion] of expansions.entries()) {
    const ids = found.flatMap((places) => places[index]?.ids ?? [])
    const targets = await fetchRows(work, expansion, ids)
    const projection = { hidden: NOTHING_HIDDEN, hasPeople: work.scope.seesPeople(expansion.to) }
    shown.push(new Map([...targets].map(([id, row]) => [id, present(expansion.to, row, projection)])))
  }
  return rows.map(({ doc }, row) => {
    const places = expansions.map(({ relation }, index) => ({
      place: found[row]?.[index] as ReferencePlace,
      many: relation.many,
      texts: shown[index] as ReadonlyMap<string, string>,
    }))
    places.sort((one, other) => other.place.start - one.place.start)
    return places.reduce((text, { place, texts, many }) => putDocuments(work, text, place, texts, many), doc)
  })
}

const NOTHING_HIDDEN: ReadonlySet<string> = new Set()

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
  )

/** The related documents that the reader may see, by id. */
async function fetchRows(
  { engine, scope }: Work,
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
  const seen = found.filter(({ status }) => statuses === undefined || statuses.includes(String(status)))
  const visible = await inChosenLocale(engine, to, seen, scope.choice)
  return new Map(visible.map((row) => [row.id, row]))
}

/**
 * Puts related documents into parsed ones, in place. A document that stands in several places is counted in each, with
 * all that is expanded inside of it.
 */
async function expand(
  work: Work,
  documents: readonly Values[],
  expansions: readonly Expansion[],
): Promise<readonly number[]> {
  const weights = documents.map(() => 0)
  for (const expansion of expansions) {
    const { relation, to, inner, select } = expansion
    const holders = documents.map((one) => holdersOf(one, relation.steps))
    const ids = holders.flat().flatMap(({ value }) => [value].flat())
    const rows = await fetchRows(
      work,
      expansion,
      ids.filter((id) => typeof id === 'string'),
    )
    const projection = { hidden: work.scope.hidden(to), select, hasPeople: work.scope.seesPeople(to) }
    const values = [...rows.values()].map((row) => readableValues(to, row, projection))
    const innerWeights = await expand(work, values, inner)
    const shown = new Map(
      values.map((one, index) => [
        String(one.id),
        { value: project(to, one, projection), weight: 1 + (innerWeights[index] ?? 0) },
      ]),
    )
    for (const [index, own] of holders.entries()) {
      for (const holder of own) weights[index] = (weights[index] ?? 0) + substitute(holder, shown)
      if ((weights[index] ?? 0) > MAX_EXPANDED_DOCUMENTS) throw tooManyDocuments()
    }
  }
  return weights
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
  if (isRecord(held)) return Object.keys(held).map((locale) => ({ object: held, key: locale, value: held[locale] }))
  return [{ object: value, key, value: held }]
}

/** A document as it is put in, and for how many documents it counts. */
interface ShownDocument {
  readonly value: Values
  readonly weight: number
}

/** Answers for how many documents the new value counts. */
function substitute({ object, key, value }: Holder, shown: ReadonlyMap<string, ShownDocument>): number {
  const documents = [value].flat().flatMap((id) => shown.get(String(id)) ?? [])
  const values = documents.map((one) => one.value)
  object[key] = Array.isArray(value) ? values : (values[0] ?? null)
  return documents.reduce((sum, { weight }) => sum + weight, 0)
}
