import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import { type AccessFilter, type Condition, conjuncts, type QueryScope, relatedCollections } from '../../query/where.ts'
import type { CurrentCounters } from '../../store/reads/counters-reader.ts'
import { type Access, type Visibility, wherePublished } from './access.ts'
import { adaptFilterToLocale } from './rules.ts'

/** The collections on whose documents a response depends, besides the requested one. */
export interface Dependencies {
  /** Collections whose documents are included or compared with. */
  readonly related: readonly CollectionModel[]
  /** Collections that the filters of access rules read. */
  readonly ruleCollections: readonly CollectionModel[]
}

const ONLY_PUBLISHED: readonly string[] = [PUBLISHED]

/** Resolves the scope of a caller in one locale by evaluating the read and draft rules of all collections. */
export async function resolveCallerScope(access: Access, choice: LocaleChoice): Promise<CallerScope> {
  return new CallerScope(access, choice, await access.resolveVisibilities())
}

/**
 * The content that a caller can see and filter by, in all collections, in one locale. A collection that the caller may not read does not
 * exist for filters and includes.
 */
export class CallerScope implements QueryScope {
  readonly access: Access
  readonly localeChoice: LocaleChoice
  readonly collections: Model['collections']
  readonly #visibilities: ReadonlyMap<string, Visibility | false | Error>

  /** @param visibilities see {@link Access.resolveVisibilities} */
  constructor(
    access: Access,
    localeChoice: LocaleChoice,
    visibilities: ReadonlyMap<string, Visibility | false | Error>,
  ) {
    this.localeChoice = localeChoice
    const { byLocale, collections } = access.model
    this.collections = byLocale.get(localeChoice.locale ?? '') ?? collections
    this.access = access
    this.#visibilities = visibilities
  }

  readableCollection(key: string): CollectionModel | undefined {
    return this.#visibility(key) === false ? undefined : this.collections.get(key)
  }

  hiddenFields(document: DocumentModel): ReadonlySet<string> {
    return this.access.hidden(document)
  }

  canSeeAuthors(document: DocumentModel): boolean {
    return this.access.canSeeAuthors(document)
  }

  visibleStatuses(collection: CollectionModel): readonly string[] | undefined {
    return this.seesPublishedOnly(collection) ? ONLY_PUBLISHED : undefined
  }

  /** Returns true if only published entries exist for the caller. */
  seesPublishedOnly(collection: CollectionModel): boolean {
    const visibility = this.#visibility(collection.key)
    return visibility ? visibility.isPublishedOnly : this.access.seesPublishedOnly(collection)
  }

  accessFilter(collection: CollectionModel): AccessFilter | undefined {
    const visibility = this.#visibility(collection.key)
    const filter = visibility ? visibility.filter : undefined
    return filter && adaptFilterToLocale(this.access.model, collection, filter)
  }

  /** Returns the filter of the visible entries, including their status; `undefined`: all entries are visible. */
  whereVisible(collection: CollectionModel): Condition | undefined {
    const published = this.seesPublishedOnly(collection) ? wherePublished(collection) : undefined
    const of = [this.accessFilter(collection)?.where, published].filter((condition) => condition !== undefined)
    return of.length === 0 ? undefined : { kind: 'all', of }
  }

  /**
   * Combines the statuses and the filter of a list request with the access of the caller.
   *
   * @param statuses the requested statuses; `undefined`: all
   */
  narrow(
    collection: CollectionModel,
    statuses: readonly string[] | undefined,
    where?: Condition | undefined,
  ): NarrowedFilter {
    const visible = intersectStatuses(this.visibleStatuses(collection), statuses)
    return extractStatuses(collection, visible, combineFilters(where, this.accessFilter(collection)?.where))
  }

  /** Returns the part of cache keys and entity tags that differs between callers with different access to these collections. */
  cacheKeyPart(collections: readonly CollectionModel[]): unknown {
    const accessOfCollections = [...new Set(collections)].map((collection) => [
      collection.key,
      [...this.hiddenFields(collection)],
      this.canSeeAuthors(collection),
      this.accessFilter(collection)?.cacheKey,
      this.seesPublishedOnly(collection),
      this.#getDraftCallerKey(collection.key),
    ])
    return [this.access.callerKind, accessOfCollections]
  }

  getRuleCollections(collections: readonly CollectionModel[]): readonly CollectionModel[] {
    return [...new Set(collections)].flatMap((collection) => relatedCollections(this.accessFilter(collection)?.where))
  }

  /** Reads the revisions of the collections that a response depends on: for related ones, that of the last change visible to the caller. */
  async readRevisions(
    counters: CurrentCounters,
    { related, ruleCollections }: Dependencies,
  ): Promise<readonly number[]> {
    const revisions: number[] = []
    for (const collection of new Set(related)) {
      const { seq, visibleSeq } = await counters.of(collection.key)
      revisions.push(this.seesPublishedOnly(collection) ? visibleSeq : seq)
    }
    for (const { key } of new Set(ruleCollections)) revisions.push((await counters.of(key)).seq)
    return revisions
  }

  #getDraftCallerKey(key: string): string | undefined {
    const visibility = this.#visibility(key)
    return visibility ? visibility.draftCallerKey : undefined
  }

  /**
   * @returns `undefined` if the collection has no rules
   * @throws the error of a failed rule, which only affects requests that involve its collection
   */
  #visibility(key: string): Visibility | false | undefined {
    const visibility = this.#visibilities.get(key)
    if (visibility instanceof Error) throw visibility
    return visibility
  }
}

function intersectStatuses(
  visible: readonly string[] | undefined,
  requested: readonly string[] | undefined,
): readonly string[] | undefined {
  return visible && requested ? requested.filter((status) => visible.includes(status)) : (visible ?? requested)
}

function combineFilters(where: Condition | undefined, filter: Condition | undefined): Condition | undefined {
  return where && filter ? { kind: 'all', of: [filter, where] } : (where ?? filter)
}

/** The statuses of the matching entries, and the rest of the filter. */
interface NarrowedFilter {
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  readonly where: Condition | undefined
}

/**
 * Extracts the filters on the status. Statuses have counters and are part of every index, so a rule that only shows published entries
 * costs no more than no rule.
 *
 * @param statuses the statuses to which the list is already limited
 */
function extractStatuses(
  { status }: CollectionModel,
  statuses: readonly string[] | undefined,
  where: Condition | undefined,
): NarrowedFilter {
  if (!status || !where) return { statuses, where }
  const parts = conjuncts(where)
  const statusParts = parts.filter(comparesStatusOnly)
  if (statusParts.length === 0) return { statuses, where }
  const rest = parts.filter((part) => !statusParts.includes(part))
  return {
    statuses: (statuses ?? status.values).filter((value) => statusParts.every((part) => matchesStatus(part, value))),
    where: rest.length === 0 ? undefined : { kind: 'all', of: rest },
  }
}

/** Returns true if a filter compares only the status. An `or` without parts compares nothing. */
function comparesStatusOnly(condition: Condition): boolean {
  if (condition.kind === 'all' || condition.kind === 'any') {
    return condition.of.length > 0 && condition.of.every(comparesStatusOnly)
  }
  return condition.kind === 'compare' && condition.by.column === 'status'
}

function matchesStatus(condition: Condition, status: string): boolean {
  if (condition.kind === 'all') return condition.of.every((part) => matchesStatus(part, status))
  if (condition.kind === 'any') return condition.of.some((part) => matchesStatus(part, status))
  if (condition.kind !== 'compare') return false
  return condition.operator.matches(status, ...condition.values) !== condition.negated
}
