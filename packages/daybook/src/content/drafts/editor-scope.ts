import { isAuthenticated } from '../../auth/adapter.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { LocaleChoice, LocaleQuery } from '../../query/locale.ts'
import type { Access } from '../access/access.ts'
import { type ReaderScope, readerScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'
import { requireLocale } from '../locales/locale.ts'
import { type TitledEntry, toTitled } from '../reads/titled-entry.ts'
import { readDrafts } from './read-drafts.ts'

/** The working copies of all collections, as far as a caller may read them. */
export class EditorScope {
  readonly #engine: Engine
  readonly #scope: ReaderScope
  readonly #choice: LocaleChoice
  /** The collections that have working copies which the caller may read. */
  readonly collections: ReadonlyMap<string, CollectionModel>

  /**
   * @throws VALIDATION_ERROR; INTERNAL_ERROR when a rule fails
   */
  static async of(engine: Engine, access: Access, asked: LocaleQuery): Promise<EditorScope> {
    const choice = requireLocale(engine.model, asked, access)
    return new EditorScope(engine, access, await readerScope(access, choice), choice)
  }

  private constructor(engine: Engine, access: Access, scope: ReaderScope, choice: LocaleChoice) {
    this.#engine = engine
    this.#scope = scope
    this.#choice = choice
    const readable = [...engine.model.collections].filter(
      ([key, one]) => one.status && scope.collection(key) && isAuthenticated(access.callerFor(one)),
    )
    this.collections = new Map(readable)
  }

  /** What entries must hold to be there for the caller. */
  where(collection: CollectionModel): ReturnType<ReaderScope['visible']> {
    return this.#scope.visible(collection)
  }

  seesPeople(collection: CollectionModel): boolean {
    return this.#scope.seesPeople(collection)
  }

  /** What entries are called in their working copies, by id; those that are gone are absent. */
  async titled(collection: CollectionModel, ids: readonly string[]): Promise<ReadonlyMap<string, TitledEntry>> {
    const shown = this.#scope.collection(collection.key) ?? collection
    const rows = ids.map((id) => ({ id }))
    const drafts = await readDrafts(this.#engine, shown, rows, this.#choice)
    const hidden = this.#scope.hidden(collection)
    return new Map(drafts.map(({ row }) => [row.id, toTitled(shown, row, hidden)]))
  }
}
