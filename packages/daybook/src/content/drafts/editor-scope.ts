import type { CollectionModel } from '../../model/model.ts'
import type { LocaleChoice, LocaleQuery } from '../../query/locale.ts'
import type { Condition } from '../../query/where.ts'
import type { Access } from '../access/access.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import { type ReaderScope, readerScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'
import { requireLocale } from '../locales/locale.ts'
import { readDrafts } from '../reads/read-drafts.ts'
import { type TitledEntry, toTitled } from '../reads/titled-entry.ts'

/** A collection of which a caller may see drafts. */
export interface EditedCollection {
  readonly collection: CollectionModel
  /** What its entries must hold for that; `undefined`: nothing that a query can tell. */
  readonly where: Condition | undefined
}

/** The drafts of all collections, as far as they exist for a caller. */
export class EditorScope {
  readonly #engine: Engine
  readonly #access: Access
  readonly #scope: ReaderScope
  readonly #choice: LocaleChoice
  /** The collections of which the caller may see drafts, by key. */
  readonly collections: ReadonlyMap<string, EditedCollection>

  /**
   * @throws VALIDATION_ERROR; INTERNAL_ERROR when a rule fails
   */
  static async of(engine: Engine, access: Access, query: LocaleQuery): Promise<EditorScope> {
    const choice = requireLocale(engine.model, query, access)
    const scope = await readerScope(access, choice)
    const collections = new Map<string, EditedCollection>()
    for (const [key, collection] of engine.model.collections) {
      if (!collection.status || !scope.collection(key)) continue
      const rulings = [await access.rulingOnReads(collection), await access.rulingOnDrafts(collection)]
      if (rulings.includes(false)) continue
      const of = rulings.flatMap((ruling) => (typeof ruling === 'object' ? [ruling.where] : []))
      collections.set(key, { collection, where: of.length > 0 ? { kind: 'all', of } : undefined })
    }
    return new EditorScope(engine, access, scope, choice, collections)
  }

  private constructor(
    engine: Engine,
    access: Access,
    scope: ReaderScope,
    choice: LocaleChoice,
    collections: ReadonlyMap<string, EditedCollection>,
  ) {
    this.#engine = engine
    this.#access = access
    this.#scope = scope
    this.#choice = choice
    this.collections = collections
  }

  seesPeople(collection: CollectionModel): boolean {
    return this.#scope.seesPeople(collection)
  }

  /** What entries are called in their drafts, by id; those that are gone, or whose drafts do not exist for the caller, are absent. */
  async titled(collection: CollectionModel, ids: readonly string[]): Promise<ReadonlyMap<string, TitledEntry>> {
    const shown = this.#scope.collection(collection.key) ?? collection
    const visible = await findVisibleDrafts(this.#access, this.#engine.store.read, collection, ids)
    const rows = ids.filter((id) => visible.has(id)).map((id) => ({ id }))
    const drafts = await readDrafts(this.#engine, this.#access, shown, rows, this.#choice)
    const hidden = this.#scope.hidden(collection)
    return new Map(drafts.map(({ row }) => [row.id, toTitled(shown, row, hidden)]))
  }
}
