import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import { collectionsInLocale, type LocaleChoice } from '../../query/locale.ts'
import { type StatusAndRest, takeStatus } from '../../query/status-where.ts'
import { type AccessFilter, type Condition, type QueryScope, relatedCollections } from '../../query/where.ts'
import { type Access, isPublished, type Visibility } from './access.ts'
import { filterFor } from './rules.ts'

const ONLY_PUBLISHED: readonly string[] = [PUBLISHED]

/** All that a caller may see, in one language: the rules of all collections about reads and drafts are asked for it. */
export async function readerScope(access: Access, choice: LocaleChoice): Promise<ReaderScope> {
  return new ReaderScope(access, choice, await access.visibilities())
}

/**
 * What a reader may ask about, in every collection that relations lead to, as one language shows it. A collection that they
 * may not read does not exist for filters and expansion.
 */
export class ReaderScope implements QueryScope {
  readonly access: Access
  readonly choice: LocaleChoice
  readonly collections: Model['collections']
  readonly #visibilities: ReadonlyMap<string, Visibility | false | Error>

  /** @param visibilities see {@link Access.visibilities} */
  constructor(access: Access, choice: LocaleChoice, visibilities: ReadonlyMap<string, Visibility | false | Error>) {
    this.choice = choice
    this.collections = collectionsInLocale(access.model, choice)
    this.access = access
    this.#visibilities = visibilities
  }

  collection(key: string): CollectionModel | undefined {
    return this.#visibility(key) === false ? undefined : this.collections.get(key)
  }

  hidden(document: DocumentModel): ReadonlySet<string> {
    return this.access.hidden(document)
  }

  seesPeople(document: DocumentModel): boolean {
    return this.access.seesPeople(document)
  }

  statuses(collection: CollectionModel): readonly string[] | undefined {
    return this.seesPublishedOnly(collection) ? ONLY_PUBLISHED : undefined
  }

  /** True if no entry exists for the reader that is not published. */
  seesPublishedOnly(collection: CollectionModel): boolean {
    const visibility = this.#visibility(collection.key)
    return visibility ? visibility.isPublishedOnly : this.access.seesPublishedOnly(collection)
  }

  filter(collection: CollectionModel): AccessFilter | undefined {
    const visibility = this.#visibility(collection.key)
    const filter = visibility ? visibility.filter : undefined
    return filter && filterFor(this.access.model, collection, filter)
  }

  /** What entries must hold to be there for the reader, their status included; `undefined`: nothing. */
  visible(collection: CollectionModel): Condition | undefined {
    const published = this.seesPublishedOnly(collection) ? isPublished(collection) : undefined
    const of = [this.filter(collection)?.where, published].filter((one) => one !== undefined)
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

  /** The part of an ETag's variant that differs between readers with different access to these collections. */
  variant(collections: readonly CollectionModel[]): unknown {
    const seen = [...new Set(collections)].map((one) => [
      one.key,
      [...this.hidden(one)],
      this.seesPeople(one),
      this.filter(one)?.name,
      this.seesPublishedOnly(one),
      this.#draftReader(one.key),
    ])
    return [this.access.key, seen]
  }

  /** Collections that rules look into to tell what of these the reader may see. */
  filterDependencies(collections: readonly CollectionModel[]): readonly CollectionModel[] {
    return [...new Set(collections)].flatMap((one) => relatedCollections(this.filter(one)?.where))
  }

  #draftReader(key: string): string | undefined {
    const visibility = this.#visibility(key)
    return visibility ? visibility.draftReader : undefined
  }

  /**
   * @returns `undefined` where no rule decides about it
   * @throws what a rule threw: a rule that failed matters only when its collection is asked about
   */
  #visibility(key: string): Visibility | false | undefined {
    const visibility = this.#visibilities.get(key)
    if (visibility instanceof Error) throw visibility
    return visibility
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
