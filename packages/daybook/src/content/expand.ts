import { invalidAt } from '../errors.ts'
import { isRecord } from '../fields/field.ts'
import type { CollectionModel } from '../model/model.ts'
import type { Expansion, Shape } from '../query/expansion.ts'
import type { QueryScope } from '../query/where.ts'
import type { EntryRow, Reader } from '../store/read.ts'
import type { Values } from './document.ts'
import { present, project, storedValues } from './present.ts'

/** The most documents that one answer expands. */
export const MAX_EXPANDED = 2000

/** What expanding works with. */
interface Work {
  readonly read: Reader
  readonly scope: QueryScope
  /** Documents put in place of references so far. */
  count: number
}

/**
 * The JSON texts of stored entries with the documents that they refer to: one statement for each relation and level,
 * however many entries there are.
 *
 * @throws VALIDATION_ERROR when more than {@link MAX_EXPANDED} documents would be put in
 */
export async function presentExpanded(
  read: Reader,
  collection: CollectionModel,
  rows: readonly EntryRow[],
  { select, expansions }: Shape,
  scope: QueryScope,
): Promise<readonly string[]> {
  const hidden = scope.hidden(collection)
  if (expansions.length === 0) return rows.map((row) => present(collection, row, { hidden, select }))
  const work: Work = { read, scope, count: 0 }
  const isPlain = hidden.size === 0 && !select && rows.every(({ shape }) => shape === collection.shape)
  if (isPlain && expansions.every((one) => isSpliceable(one, scope))) return splice(work, rows, expansions)
  const values = rows.map((row) => storedValues(collection, row))
  await expand(work, values, expansions)
  return values.map((one) => JSON.stringify(project(collection, one, { hidden, select })))
}

/** Whether related documents can be put into the text as they are stored, without taking it apart. */
function isSpliceable({ relation, to, inner, select }: Expansion, scope: QueryScope): boolean {
  return relation.isSpliceable && inner.length === 0 && !select && scope.hidden(to).size === 0
}

async function splice(
  work: Work,
  rows: readonly EntryRow[],
  expansions: readonly Expansion[],
): Promise<readonly string[]> {
  let texts: readonly string[] = rows.map(({ doc }) => doc)
  for (const expansion of expansions) {
    const places = texts.map((text) => findReferences(text, expansion))
    const found = await fetchRows(
      work,
      expansion,
      places.flatMap(({ ids }) => ids),
    )
    const shown = new Map([...found].map(([id, row]) => [id, present(expansion.to, row, { hidden: NOTHING })]))
    texts = texts.map((text, index) => put(work, text, places[index] as Place, shown, expansion.relation.many))
  }
  return texts
}

const NOTHING: ReadonlySet<string> = new Set()

/** Where the references of one field stand in a document's text. */
interface Place {
  readonly start: number
  readonly end: number
  readonly ids: readonly string[]
}

const ID = /[0-9a-f-]{36}/g

/**
 * A quote inside a string is escaped, and the model has made sure that the key stands in one place only: so the first
 * `"key":` is the field itself.
 */
function findReferences(text: string, { relation: { path, many } }: Expansion): Place {
  const marker = `"${path}":${many ? '[' : '"'}`
  const found = text.indexOf(marker)
  if (found < 0) return { start: 0, end: 0, ids: [] }
  const start = found + marker.length - 1
  const end = text.indexOf(many ? ']' : '"', start + 1) + 1
  return { start, end, ids: text.slice(start, end).match(ID) ?? [] }
}

function put(
  work: Work,
  text: string,
  { start, end, ids }: Place,
  shown: ReadonlyMap<string, string>,
  many: boolean,
): string {
  if (end === 0) return text
  const documents = ids.flatMap((id) => shown.get(id) ?? [])
  spend(work, documents.length)
  const value = many ? `[${documents.join(',')}]` : (documents[0] ?? 'null')
  return `${text.slice(0, start)}${value}${text.slice(end)}`
}

function spend(work: Work, documents: number): void {
  work.count += documents
  if (work.count <= MAX_EXPANDED) return
  throw invalidAt(
    'include',
    'maxItems',
    `would expand more than ${MAX_EXPANDED} documents; ask for fewer entries or relations`,
  )
}

/** The related documents that the reader may see, by id. */
async function fetchRows(
  { read, scope }: Work,
  { to, isOpen }: Expansion,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EntryRow>> {
  const wanted = [...new Set(ids)]
  if (!isOpen || wanted.length === 0) return new Map()
  const statuses = scope.statuses(to)
  const rows = await read.byIds(to, wanted)
  const visible = rows.filter(({ status }) => statuses === undefined || statuses.includes(String(status)))
  return new Map(visible.map((row) => [row.id, row]))
}

/** Puts related documents into parsed ones, in place. */
async function expand(work: Work, documents: readonly Values[], expansions: readonly Expansion[]): Promise<void> {
  for (const expansion of expansions) {
    const { relation, to, inner, select } = expansion
    const holders = documents.flatMap((one) => holdersOf(one, relation.path.split('.')))
    const ids = holders.flatMap(({ value }) => [value].flat()).filter((id) => typeof id === 'string')
    const rows = await fetchRows(work, expansion, ids)
    const values = new Map([...rows].map(([id, row]) => [id, storedValues(to, row)]))
    await expand(work, [...values.values()], inner)
    const hidden = work.scope.hidden(to)
    const shown = new Map([...values].map(([id, one]) => [id, project(to, one, { hidden, select })]))
    for (const holder of holders) substitute(work, holder, shown)
  }
}

/** An object that holds references under a key. */
interface Holder {
  readonly object: Values
  readonly key: string
  readonly value: unknown
}

/** Lists and blocks on the way are passed through: every item is looked into. */
function holdersOf(value: unknown, [key = '', ...rest]: readonly string[]): readonly Holder[] {
  if (Array.isArray(value)) return value.flatMap((item) => holdersOf(item, [key, ...rest]))
  if (!isRecord(value) || !Object.hasOwn(value, key)) return []
  return rest.length === 0 ? [{ object: value, key, value: value[key] }] : holdersOf(value[key], rest)
}

function substitute(work: Work, { object, key, value }: Holder, shown: ReadonlyMap<string, Values>): void {
  const documents = [value].flat().flatMap((id) => shown.get(String(id)) ?? [])
  spend(work, documents.length)
  object[key] = Array.isArray(value) ? documents : (documents[0] ?? null)
}
