import { LRUCache } from 'lru-cache'
import type { Intake } from '../assets/intake.ts'
import type { Caller } from '../auth/adapter.ts'
import { getSubject } from '../auth/adapter.ts'
import type { DeriveTools } from '../fields/field.ts'
import { lruMax } from '../lru-max.ts'
import type { Model } from '../model/model.ts'
import type { Query } from '../query/parameters.ts'
import { SingleFlight } from '../single-flight.ts'
import type { Store } from '../store/store.ts'
import { ANONYMOUS_ACTOR } from '../store/tables/tables.ts'
import type { Access } from './access/access.ts'
import type { Files } from './assets/files.ts'
import type { ResolvedListQuery } from './reads/resolved-list-query.ts'
import type { WriteHooks } from './writes/hooks.ts'

/** The parts of an engine. */
export interface ContentContextOptions {
  readonly model: Model
  readonly store: Store
  readonly tools: DeriveTools
  /** The files of the assets. @default there are none: those of deleted assets are left to the next sweep */
  readonly files?: Files | undefined
  /** Takes uploaded files in. */
  readonly intake?: Intake | undefined
  /** Code of others that takes part in writes. @default none */
  readonly hooks?: WriteHooks | undefined
}

/** Finds the caller that a stored one is now; `null`: they may not sign in any more. */
export type RefreshCaller = (stored: Caller) => Promise<Caller | null>

/** The shared state of all operations on content. */
export class ContentContext implements ContentContextOptions {
  readonly model: Model
  readonly tools: DeriveTools
  readonly files: Files | undefined
  readonly intake: Intake | undefined
  readonly hooks: WriteHooks | undefined
  /** Results of earlier lists. */
  readonly listCache: ListCache
  /** The keys of the idempotency records of writes that are in progress. */
  readonly pendingIdempotencyKeys: Set<string> = new Set()
  /** Set by the service that identifies callers; without one, nobody is present. */
  refreshCaller: RefreshCaller = async () => null
  /** Called when a time is set at which an entry is to be published or unpublished. */
  readonly scheduleListeners: Set<() => void> = new Set()
  readonly #store: Store
  /** Whether it works inside a transaction of another one. */
  readonly isInTransaction: boolean
  readonly #replicas = new WeakMap<Store, ContentContext>()

  constructor(
    { model, store, tools, files, intake, hooks }: ContentContextOptions,
    lists: ListCache = emptyLists(),
    isLent = false,
  ) {
    this.model = model
    this.#store = store
    this.tools = tools
    this.files = files
    this.intake = intake
    this.hooks = hooks
    this.listCache = lists
    this.isInTransaction = isLent
  }

  /** @throws {Error} in a hook that holds up a transaction of this store: it is lent an engine of its own */
  get store(): Store {
    if (!this.isInTransaction) this.hooks?.requireOutsideTransaction()
    return this.#store
  }

  /**
   * The engine that works on a store which a hook or the seed was lent. What is cached of a transaction is of no use to others.
   *
   * @param tools how it derives values; @default as this one does
   */
  withStore(store: Store, tools: DeriveTools = this.tools): ContentContext {
    if (store === this.#store) return this
    const { model, files, intake, hooks } = this
    const lent = new ContentContext({ model, store, tools, files, intake, hooks }, emptyLists(), true)
    lent.refreshCaller = this.refreshCaller
    return lent
  }

  /**
   * The engine that answers a read: for readers without a session it may be that of a replica.
   *
   * @param minSeq a number of the journal that the copy must have come to
   */
  resolveReplica({ isAuthenticated }: Access, minSeq = 0): ContentContext {
    const own = this.store
    if (isAuthenticated || !own.hasReplicas) return this
    const store = own.replicaAt(minSeq)
    if (store === own) return this
    const known =
      this.#replicas.get(store) ?? new ContentContext({ model: this.model, store, tools: this.tools }, this.listCache)
    this.#replicas.set(store, known)
    return known
  }
}

/** The cache of lists. Nothing in it is ever invalidated: keys name all that an answer depends on. */
export interface ListCache {
  /** Resolved list queries by the parsed query, then by collection and kind of caller. */
  readonly resolvedQueries: WeakMap<Query, LRUCache<string, ResolvedListQuery>>
  /** Exact numbers of matches that were costly to count, by query and revision. */
  readonly totals: LRUCache<string, number>
  /** The running counts of these. */
  readonly runningCounts: SingleFlight<number>
  /** The number of entries that refer to a document, by query, revision and its id. */
  readonly reverseTotals: LRUCache<string, number>
  /** Aggregates as JSON text, by query and revision. */
  readonly aggregates: LRUCache<string, string>
  /** The running computations of these. */
  readonly runningAggregates: SingleFlight<string>
}

/** The maximum number of cached totals. */
const MAX_TOTALS = 1000
/** The most documents of which is remembered how many entries refer to them. */
const MAX_REVERSE_TOTALS = 10_000
/** How much text of aggregates is remembered, in characters. */
const MAX_AGGREGATE_TEXT = 8 * 1024 * 1024

const emptyLists = (): ListCache => ({
  resolvedQueries: new WeakMap(),
  totals: new LRUCache({ max: MAX_TOTALS }),
  runningCounts: new SingleFlight(),
  reverseTotals: new LRUCache(lruMax(MAX_REVERSE_TOTALS)),
  aggregates: new LRUCache({
    maxSize: MAX_AGGREGATE_TEXT,
    sizeCalculation: (text, key) => text.length + key.length,
  }),
  runningAggregates: new SingleFlight(),
})

/** An actor as documents name those who made and changed them; `null`: nobody is known. */
export const toAuthor = (actor: string): string | null => (actor === ANONYMOUS_ACTOR ? null : actor)

/** The actor that the journal records. */
export const getActor = (caller: Caller): string => getSubject(caller) ?? ANONYMOUS_ACTOR
