import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import { collectionsInLocale, type LocaleChoice } from '../../query/locale.ts'
import { type StatusAndRest, takeStatus } from '../../query/status-where.ts'
import { type AccessFilter, type Condition, type QueryScope, relatedCollections } from '../../query/where.ts'
import type { Access } from './access.ts'
import { filterFor, type Ruling } from './rules.ts'

/** All that a caller may see, in one language: the read rules of all collections are asked for it. */
export async function readerScope(access: Access, choice: LocaleChoice): Promise<ReaderScope> {
  return new ReaderScope(access, choice, await access.rulingsOnReads())
}

/**
 * What a reader may ask about, in every collection that relations lead to, as one language shows it. A collection that they
 * may not read does not exist for filters and expansion.
 */
export class ReaderScope implements QueryScope {
  readonly choice: LocaleChoice
  readonly collections: Model['collections']
  readonly #access: Access
  readonly #rulings: ReadonlyMap<string, Ruling | Error>

  /** @param rulings see {@link Access.rulingsOnReads} */
  constructor(access: Access, choice: LocaleChoice, rulings: ReadonlyMap<string, Ruling | Error>) {
    this.choice = choice
    this.collections = collectionsInLocale(access.model, choice)
    this.#access = access
    this.#rulings = rulings
  }

  collection(key: string): CollectionModel | undefined {
    return this.#rulingOn(key) === false ? undefined : this.collections.get(key)
  }

  hidden(document: DocumentModel): ReadonlySet<string> {
    return this.#access.hidden(document)
  }

  seesPeople(document: DocumentModel): boolean {
    return this.#access.seesPeople(document)
  }

  statuses(collection: CollectionModel): readonly string[] | undefined {
    return this.#access.statuses(collection)
  }

  seesPublicOnly(collection: CollectionModel): boolean {
    return this.#access.seesPublicOnly(collection)
  }

  filter(collection: CollectionModel): AccessFilter | undefined {
    const ruling = this.#rulingOn(collection.key)
    return typeof ruling === 'boolean' ? undefined : filterFor(this.#access.model, collection, ruling)
  }

  /** What entries must hold to be there for the reader, their status included; `undefined`: nothing. */
  visible(collection: CollectionModel): Condition | undefined {
    const of = [this.filter(collection)?.where, this.#publicOnly(collection)].filter((one) => one !== undefined)
    return of.length === 0 ? undefined : { kind: 'all', of }
  }

  /**
   * What is asked of a list of entries, within what the reader may see.
   *
   * @param statuses those asked for; `undefined`: any
   */
  narrow(
    collection: CollectionModel,
    statuses: readonly string[] | undefined,
    where?: Condition | undefined,
  ): StatusAndRest {
    const visible = visibleStatuses(this.statuses(collection), statuses)
    return takeStatus(collection, visible, withFilter(where, this.filter(collection)?.where))
  }

  #publicOnly(collection: CollectionModel): Condition | undefined {
    const by = collection.status && collection.comparables.get(collection.status.key)
    if (!by || !this.seesPublicOnly(collection)) return undefined
    return { kind: 'compare', by, operator: 'eq', values: [PUBLISHED], negated: false }
  }

  /** The part of an ETag's variant that differs between readers with different access to these collections. */
  variant(collections: readonly CollectionModel[]): unknown {
    const seen = [...new Set(collections)].map((one) => [
      one.key,
      [...this.hidden(one)],
      this.seesPeople(one),
      this.filter(one)?.name,
    ])
    return [this.#access.key, seen]
  }

  /** Collections that rules look into to tell what of these the reader may see. */
  filterDependencies(collections: readonly CollectionModel[]): readonly CollectionModel[] {
    return [...new Set(collections)].flatMap((one) => relatedCollections(this.filter(one)?.where))
  }

  /** @throws what the rule threw: a rule that failed matters only when its collection is asked about */
  #rulingOn(key: string): Ruling {
    const ruling = this.#rulings.get(key) ?? true
    if (ruling instanceof Error) throw ruling
    return ruling
  }
}

/** The statuses asked for, as far as the reader may see them. */
function visibleStatuses(
  visible: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  return visible && asked ? asked.filter((one) => visible.includes(one)) : (visible ?? asked)
}

function withFilter(where: Condition | undefined, filter: Condition | undefined): Condition | undefined {
  return where && filter ? { kind: 'all', of: [filter, where] } : (where ?? filter)
}
