import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import { type AccessFilter, type Condition, conjuncts, type QueryScope, relatedCollections } from '../../query/where.ts'
import type { CurrentCounters } from '../../store/reads/counters-reader.ts'
import { type Access, type Visibility, wherePublished } from './access.ts'
import { adaptFilterToLocale } from './rules.ts'

/** Collections on whose documents a response depends, beside the requested one. */
export interface Dependencies {
  /** Collections whose documents are embedded or filtered by. */
  readonly related: readonly CollectionModel[]
  /** Collections that access rules look into. */
  readonly ruleCollections: readonly CollectionModel[]
}

const ONLY_PUBLISHED: readonly string[] = [PUBLISHED]

/** All that a caller may see, in one language: the rules of all collections about reads and drafts are asked for it. */
export async function resolveCallerScope(access: Access, choice: LocaleChoice): Promise<CallerScope> {
  return new CallerScope(access, choice, await access.resolveVisibilities())
}

/**
 * What a reader may ask about, in every collection that relations lead to, as one language shows it. A collection that they
 * may not read does not exist for filters and expansion.
 */
export class CallerScope implements QueryScope {
  readonly access: Access
  readonly localeChoice: LocaleChoice
  readonly collections: Model['collections']
  readonly #visibilities: ReadonlyMap<string, Visibility | false | Error>

  /** @param visibilities see {@link Access.resolveVisibilities} */
  constructor(access: Access, choice: LocaleChoice, visibilities: ReadonlyMap<string, Visibility | false | Error>) {
    this.localeChoice = choice
    const { byLocale, collections } = access.model
    this.collections = byLocale.get(choice.locale ?? '') ?? collections
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

  /** True if no entry exists for the reader that is not published. */
  seesPublishedOnly(collection: CollectionModel): boolean {
    const visibility = this.#visibility(collection.key)
    return visibility ? visibility.isPublishedOnly : this.access.seesPublishedOnly(collection)
  }

  accessFilter(collection: CollectionModel): AccessFilter | undefined {
    const visibility = this.#visibility(collection.key)
    const filter = visibility ? visibility.filter : undefined
    return filter && adaptFilterToLocale(this.access.model, collection, filter)
  }

  /** What entries must hold to be there for the reader, their status included; `undefined`: nothing. */
  whereVisible(collection: CollectionModel): Condition | undefined {
    const published = this.seesPublishedOnly(collection) ? wherePublished(collection) : undefined
    const of = [this.accessFilter(collection)?.where, published].filter((one) => one !== undefined)
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
    const visible = visibleStatuses(this.visibleStatuses(collection), statuses)
    return takeStatus(collection, visible, withFilter(where, this.accessFilter(collection)?.where))
  }

  /** The part of an ETag's variant that differs between readers with different access to these collections. */
  cacheKeyPart(collections: readonly CollectionModel[]): unknown {
    const seen = [...new Set(collections)].map((one) => [
      one.key,
      [...this.hiddenFields(one)],
      this.canSeeAuthors(one),
      this.accessFilter(one)?.cacheKey,
      this.seesPublishedOnly(one),
      this.#draftReader(one.key),
    ])
    return [this.access.callerKind, seen]
  }

  /** Collections that rules look into to tell what of these the reader may see. */
  getRuleCollections(collections: readonly CollectionModel[]): readonly CollectionModel[] {
    return [...new Set(collections)].flatMap((one) => relatedCollections(this.accessFilter(one)?.where))
  }

  /** Reads the revisions of the collections that a response depends on; of related ones, the last change that the caller may see. */
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

  #draftReader(key: string): string | undefined {
    const visibility = this.#visibility(key)
    return visibility ? visibility.draftCallerKey : undefined
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

/** The statuses of the entries that are meant, and the rest of the filter. */
interface StatusAndRest {
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  readonly where: Condition | undefined
}

/**
 * Takes the conditions on the status out of a filter. Statuses are counted, and are part of every index, so that a rule which lets readers see
 * what is published costs no more than the default without a rule.
 *
 * @param statuses those that the filter is limited to anyway
 */
function takeStatus(
  { status }: CollectionModel,
  statuses: readonly string[] | undefined,
  where: Condition | undefined,
): StatusAndRest {
  if (!status || !where) return { statuses, where }
  const parts = conjuncts(where)
  const aboutStatus = parts.filter(isAboutStatus)
  if (aboutStatus.length === 0) return { statuses, where }
  const rest = parts.filter((part) => !aboutStatus.includes(part))
  return {
    statuses: (statuses ?? status.values).filter((value) => aboutStatus.every((part) => statusMatches(part, value))),
    where: rest.length === 0 ? undefined : { kind: 'all', of: rest },
  }
}

/** True if a condition compares only the status. An `or` without parts compares nothing. */
function isAboutStatus(condition: Condition): boolean {
  if (condition.kind === 'all' || condition.kind === 'any') {
    return condition.of.length > 0 && condition.of.every(isAboutStatus)
  }
  return condition.kind === 'compare' && condition.by.column === 'status'
}

function statusMatches(condition: Condition, status: string): boolean {
  if (condition.kind === 'all') return condition.of.every((part) => statusMatches(part, status))
  if (condition.kind === 'any') return condition.of.some((part) => statusMatches(part, status))
  if (condition.kind !== 'compare') return false
  return condition.operator.matches(status, ...condition.values) !== condition.negated
}
