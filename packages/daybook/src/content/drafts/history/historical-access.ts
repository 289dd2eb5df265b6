import { PUBLISHED } from '../../../fields/status.ts'
import type { CollectionModel, GlobalModel, Model } from '../../../model/model.ts'
import type { Condition } from '../../../query/where.ts'
import { parseWhole } from '../../../store/journal.ts'
import type { JournalRow } from '../../../store/reads/rows.ts'
import { GLOBALS } from '../../../store/tables/tables.ts'
import type { Access } from '../../access/access.ts'
import { mergeFields, type Values } from '../../documents/document.ts'
import { chainOf, storedValues, toCanonical, withSystem } from '../../documents/row.ts'
import type { Engine } from '../../engine.ts'
import { publishedLocalesOf, showIn } from '../../locales/published-locales.ts'
import { project } from '../../reads/present.ts'
import { findVisibleDuring } from './historical-visibility.ts'

/** The collection or global of a record; `undefined` if the config no longer has it. */
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
  readonly #engine: Engine
  readonly #access: Access

  constructor(engine: Engine, access: Access) {
    this.#engine = engine
    this.#access = access
  }

  /**
   * Reads the state of a record's document at a position of the journal.
   *
   * @param where a filter that an entry must match besides
   * @returns `null`: the caller could not see it, or it did not match; `undefined`: that state was erased
   * @throws INTERNAL_ERROR when a rule fails
   */
  async read(record: JournalRow, seq: number, where?: Condition): Promise<Values | null | undefined> {
    const { model, store } = this.#engine
    const document = findDocumentModel(model, record)
    const state = document && (await store.journal.stateAt(record.collection, record.id, seq))
    if (!document || !state || state.record.action === 'delete') return null
    if (state.doc === undefined) return undefined
    const values = await this.#localize(document, state.doc)
    if (!(await this.#isVisible(document, { id: record.id, seq, values }, where))) return null
    return project(document, values, { hidden: this.#access.hidden(document) })
  }

  /** A state in the default locale; if the public sees it in other locales only, in the first of those for the public. */
  async #localize(document: CollectionModel | GlobalModel, doc: string): Promise<Values> {
    const { values: stored, locales: translations, orphaned } = parseWhole(doc)
    // The config that wrote this revision is unknown.
    const columns = { doc: '', schema_hash: '', orphaned, created_by: null, updated_by: null }
    const values = storedValues(document, columns, stored)
    const { locales } = this.#engine.model
    const canonical = toCanonical(values, translations)
    const { publishedLocales } = canonical
    if (!locales || document.kind === 'global' || !publishedLocales || publishedLocales.includes(locales.default))
      return values
    const [first] = publishedLocalesOf(document, canonical, locales)
    const visibility = await this.#access.visibility(document)
    if (first === undefined || visibility === false || !visibility.isPublishedOnly) return values
    const fields = showIn(document, canonical, locales, first, chainOf(locales, first))
    return withSystem(document, values, mergeFields(document, {}, fields))
  }

  async #isVisible(
    document: CollectionModel | GlobalModel,
    { id, seq, values }: HistoricalDocument,
    where: Condition | undefined,
  ): Promise<boolean> {
    if (document.kind === 'global') return (await this.#access.rulingOnReads(document)) !== false
    const visibility = await this.#access.visibility(document)
    if (visibility === false) return false
    const { status } = document
    if (status && visibility.isPublishedOnly && values[status.key] !== PUBLISHED) return false
    const of = [visibility.filter?.where, where].filter((filter) => filter !== undefined)
    if (of.length === 0) return true
    const range = { from: seq, to: seq }
    return (await findVisibleDuring(this.#engine.store, document, [id], { kind: 'all', of }, range)).has(id)
  }
}
