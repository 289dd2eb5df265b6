import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel, Model } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import { type DocumentState, decodeState } from '../../store/journal.ts'
import type { JournalRow } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { type ContentContext, toAuthor } from '../context.ts'
import type { Values } from '../documents/document.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { getFallbackChain, readStoredValues, toCanonical, withSystemKeys } from '../documents/row.ts'
import { getPublishedLocales, localizeWithStatus } from '../locales/published-locales.ts'
import { project } from '../reads/present.ts'
import { type EntryState, type FindState, listRelated, matchesWhere } from './match-where.ts'

/** Returns the collection or global of a record; `undefined` if the config no longer has it. */
export function findDocumentModel(
  { collections, globals }: Model,
  { collection, id }: Pick<JournalRow, 'collection' | 'id'>,
): CollectionModel | GlobalModel | undefined {
  return collection === GLOBALS ? globals.get(id) : collections.get(collection)
}

/** A document as it was at one position of the journal. */
interface HistoricalDocument {
  readonly id: string
  readonly seq: number
  readonly values: Values
}

/** Reads former states of documents as the caller could have read them then, in the default locale. */
export class HistoricalAccess {
  readonly #context: ContentContext
  readonly #access: Access

  constructor(context: ContentContext, access: Access) {
    this.#context = context
    this.#access = access
  }

  /**
   * Reads the state of a record's document at a position of the journal.
   *
   * @param where another filter that an entry must match
   * @returns `null` if the caller could not see the document, or it did not match; `undefined` if that state was erased
   * @throws INTERNAL_ERROR if a rule fails
   */
  async read(record: JournalRow, seq: number, where?: Condition): Promise<Values | null | undefined> {
    const { model, store } = this.#context
    const document = findDocumentModel(model, record)
    const state = document && (await store.journal.stateAt(record.collection, record.id, seq))
    if (!document || !state || state.record.action === 'delete') return null
    if (state.doc === undefined) return undefined
    const values = await this.#localize(document, state.doc)
    if (!(await this.#isVisible(document, { id: record.id, seq, values }, where))) return null
    return project(document, values, { hidden: this.#access.hidden(document) })
  }

  /** Returns a state in the default locale; for the public, in the first published locale if the default one is not published. */
  async #localize(document: CollectionModel | GlobalModel, doc: string): Promise<Values> {
    const { values: stored, locales: translations, orphaned } = decodeState(doc)
    // The config that wrote this revision is unknown.
    const columns = { doc: '', schema_hash: '', orphaned, created_by: null, updated_by: null }
    const values = readStoredValues(document, columns, stored)
    const { locales } = this.#context.model
    const canonical = toCanonical(values, translations)
    const { publishedLocales } = canonical
    if (!locales || document.kind === 'global' || !publishedLocales || publishedLocales.includes(locales.default))
      return values
    const [locale] = getPublishedLocales(document, canonical, locales)
    const visibility = await this.#access.resolveVisibility(document)
    if (locale === undefined || visibility === false || !visibility.isPublishedOnly) return values
    const fields = localizeWithStatus(document, canonical, locales, locale, getFallbackChain(locales, locale))
    return withSystemKeys(document, values, mergeFields(document, {}, fields))
  }

  async #isVisible(
    document: CollectionModel | GlobalModel,
    { id, seq, values }: HistoricalDocument,
    where: Condition | undefined,
  ): Promise<boolean> {
    if (document.kind === 'global') return (await this.#access.evaluateRead(document)) !== false
    const visibility = await this.#access.resolveVisibility(document)
    if (visibility === false) return false
    const { status } = document
    if (status && visibility.isPublishedOnly && values[status.key] !== PUBLISHED) return false
    const filters = [visibility.filter?.where, where].filter((filter) => filter !== undefined)
    if (filters.length === 0) return true
    const range = { from: seq, to: seq }
    return (await findVisibleDuring(this.#context.store, document, [id], { kind: 'all', of: filters }, range)).has(id)
  }
}

/** Positions of the journal, from the first to the last. */
export interface JournalRange {
  readonly from: number
  readonly to: number
}

/**
 * Finds the entries that matched a filter at any position of a range. An entry whose state was erased counts as a match.
 *
 * The filter is evaluated with related entries as they were at the end of the range: they must not have changed within it.
 *
 * @param where `undefined` if every entry matches
 * @returns the ids
 */
export async function findVisibleDuring(
  store: Store,
  collection: CollectionModel,
  ids: readonly string[],
  where: Condition | undefined,
  range: JournalRange,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const states = await readStates(store, collection, ids, range)
  const find = where ? await readRelated(store, states, where, range.to) : () => null
  const matches = ({ state }: DatedState): boolean => {
    if (!state || !where) return state !== null
    return matchesWhere(where, state, find) !== false
  }
  return new Set(states.filter(matches).map(({ id }) => id))
}

/** The state of an entry from one change to the next. */
interface DatedState {
  readonly id: string
  /** `null` if the entry was deleted; `undefined` if its state was erased. */
  readonly state: EntryState | null | undefined
}

async function readStates(
  { journal, read }: Store,
  collection: CollectionModel,
  ids: readonly string[],
  { from, to }: JournalRange,
): Promise<readonly DatedState[]> {
  const states = await journal.statesBetween(collection.key, ids, from, to)
  const authors = await read.feed.authors(collection, ids)
  return states.map((stored) => {
    const { id } = stored.record
    return { id, state: toEntryState(collection, stored, authors.get(id)) }
  })
}

function toEntryState(
  collection: CollectionModel,
  { record, doc }: DocumentState,
  createdBy: string | null | undefined,
): DatedState['state'] {
  if (record.action === 'delete') return null
  if (doc === undefined) return undefined
  const { values } = decodeState(doc)
  return { collection, values, createdBy, updatedBy: toAuthor(record.actor) }
}

/** Reads the entries that a filter evaluates through relations, as they were at one position. */
async function readRelated(
  store: Store,
  states: readonly DatedState[],
  where: Condition,
  position: number,
): Promise<FindState> {
  const related = new Map<string, DatedState['state']>()
  const targets = states.flatMap(({ state }) => (state ? listRelated(where, state) : []))
  for (const [to, references] of Map.groupBy(targets, (target) => target.to)) {
    const ids = [...new Set(references.map(({ id }) => id))]
    for (const { id, state } of await readStates(store, to, ids, { from: position, to: position }))
      related.set(`${to.key} ${id}`, state)
  }
  return ({ key }, id) => (related.has(`${key} ${id}`) ? related.get(`${key} ${id}`) : null)
}
