import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel, Model } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import { parseWhole } from '../../store/journal.ts'
import type { JournalRow } from '../../store/reads/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { mergeFields, type Values } from '../document.ts'
import type { Engine } from '../engine.ts'
import { publishedLocalesOf, showIn } from '../locales/published-locales.ts'
import { project, storedValues, withSystem } from '../reads/present.ts'
import { chainOf, toCanonical } from '../writes/row.ts'
import { seenWithin } from './seen-within.ts'

/** The document of a record, if the config still has its collection or global. */
export function documentOf(
  { collections, globals }: Model,
  { collection, id }: Pick<JournalRow, 'collection' | 'id'>,
): CollectionModel | GlobalModel | undefined {
  return collection === GLOBALS ? globals.get(id) : collections.get(collection)
}

/** A document as it was when the journal had come to a number. */
interface PastDocument {
  readonly id: string
  readonly seq: number
  readonly values: Values
}

/** Documents as a reader could have read them when the journal had come to a number, in the default locale. */
export class PastView {
  readonly #engine: Engine
  readonly #access: Access

  constructor(engine: Engine, access: Access) {
    this.#engine = engine
    this.#access = access
  }

  /**
   * What the reader could have read of a record's document.
   *
   * @param seq where the journal stood
   * @param where what an entry must hold besides
   * @returns `null`: it was not there for the reader, or did not hold that; `undefined`: that state was erased
   * @throws INTERNAL_ERROR when a rule fails
   */
  async at(record: JournalRow, seq: number, where?: Condition): Promise<Values | null | undefined> {
    const { model, store } = this.#engine
    const document = documentOf(model, record)
    const state = document && (await store.journal.stateAt(record.collection, record.id, seq))
    if (!document || !state || state.record.action === 'delete') return null
    if (state.doc === undefined) return undefined
    const values = await this.#shown(document, state.doc)
    if (!(await this.#isVisible(document, { id: record.id, seq, values }, where))) return null
    return project(document, values, { hidden: this.#access.hidden(document) })
  }

  /** A state in the default locale; one that the public sees in other locales only, for the public, in the first of those. */
  async #shown(document: CollectionModel | GlobalModel, doc: string): Promise<Values> {
    const { values: stored, locales: languages, orphaned } = parseWhole(doc)
    // The config that wrote this revision is unknown.
    const columns = { doc: '', schema_hash: '', orphaned, created_by: null, updated_by: null }
    const values = storedValues(document, columns, stored)
    const { locales } = this.#engine.model
    const canonical = toCanonical(values, languages)
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
    { id, seq, values }: PastDocument,
    where: Condition | undefined,
  ): Promise<boolean> {
    if (document.kind === 'global') return (await this.#access.rulingOnReads(document)) !== false
    const visibility = await this.#access.visibility(document)
    if (visibility === false) return false
    const { status } = document
    if (status && visibility.isPublishedOnly && values[status.key] !== PUBLISHED) return false
    const conditions = [...(visibility.filter ? [visibility.filter.where] : []), ...(where ? [where] : [])]
    if (conditions.length === 0) return true
    const at = { from: seq, to: seq }
    const filter = { ...at, where: { kind: 'all', of: conditions } } as const
    return (await seenWithin(this.#engine.store, document, [id], [filter], at)).has(id)
  }
}
