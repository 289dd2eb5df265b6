import { LRUCache } from 'lru-cache'
import type { Intake } from '../assets/intake.ts'
import { type Caller, getSubject } from '../auth/adapter.ts'
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

export interface ContentContextOptions {
  readonly model: Model
  readonly store: Store
  readonly tools: DeriveTools
  /** The files of the assets. @default none; files of deleted assets wait for the next sweep */
  readonly files?: Files | undefined
  /** The intake of uploaded files. */
  readonly intake?: Intake | undefined
  /** Hooks and validators of writes. @default none */
  readonly hooks?: WriteHooks | undefined
}

/** Returns the current rights of a stored caller; `null` if they may no longer sign in. */
export type RefreshCaller = (stored: Caller) => Promise<Caller | null>

/**
 * The services and caches that the operations on content share. A write has it as `WriteContext.content`.
 */
export class ContentContext implements ContentContextOptions {
  readonly model: Model
  readonly tools: DeriveTools
  readonly files: Files | undefined
  readonly intake: Intake | undefined
  readonly hooks: WriteHooks | undefined
  readonly listCache: ListCache
  /** The keys of the idempotency records of writes that are in progress. */
  readonly pendingIdempotencyKeys: Set<string> = new Set()
  /** Set by a service with auth. @default no stored caller may sign in */
  refreshCaller: RefreshCaller = async () => null
  /** Called when a publication or its end is scheduled. */
  readonly scheduleListeners: Set<() => void> = new Set()
  readonly #store: Store
  /** True inside the transaction of another context. */
  readonly isInTransaction: boolean
  readonly #replicas = new WeakMap<Store, ContentContext>()

  constructor(
    { model, store, tools, files, intake, hooks }: ContentContextOptions,
    listCache: ListCache = createListCache(),
    isInTransaction = false,
  ) {
    this.model = model
    this.#store = store
    this.tools = tools
    this.files = files
    this.intake = intake
    this.hooks = hooks
    this.listCache = listCache
    this.isInTransaction = isInTransaction
  }

  /** @throws {Error} in a hook inside a transaction of this store, which must use the context that it receives */
  get store(): Store {
    if (!this.isInTransaction) this.hooks?.requireOutsideTransaction()
    return this.#store
  }

  /**
   * Returns a context for the store of a transaction that a hook or the seed works in. It has its own caches, since uncommitted results
   * must not be shared.
   *
   * @param tools derives values; @default the tools of this context
   */
  withStore(store: Store, tools: DeriveTools = this.tools): ContentContext {
    if (store === this.#store) return this
    const { model, files, intake, hooks } = this
    const context = new ContentContext({ model, store, tools, files, intake, hooks }, createListCache(), true)
    context.refreshCaller = this.refreshCaller
    return context
  }

  /**
   * Returns the context for a read: that of a replica for callers without a session, if one is available.
   *
   * @param minSeq the journal's number that the replica must have reached
   */
  resolveReplica({ isAuthenticated }: Access, minSeq = 0): ContentContext {
    const primary = this.store
    if (isAuthenticated || !primary.hasReplicas) return this
    const store = primary.replicaAt(minSeq)
    if (store === primary) return this
    const context =
      this.#replicas.get(store) ?? new ContentContext({ model: this.model, store, tools: this.tools }, this.listCache)
    this.#replicas.set(store, context)
    return context
  }
}

/** The cache of list results. Nothing is ever invalidated, because the keys contain everything that a result depends on. */
export interface ListCache {
  /** Resolved list queries by the parsed query, then by collection and access. */
  readonly resolvedQueries: WeakMap<Query, LRUCache<string, ResolvedListQuery>>
  /** The numbers of matches of filters and searches, by query and revision. */
  readonly totals: LRUCache<string, number>
  readonly runningCounts: SingleFlight<number>
  /** The numbers of entries that refer to a document, by query, revision and document id. */
  readonly reverseTotals: LRUCache<string, number>
  /** Aggregates as JSON text, by query and revision. */
  readonly aggregates: LRUCache<string, string>
  readonly runningAggregates: SingleFlight<string>
}

const MAX_TOTALS = 1000
const MAX_REVERSE_TOTALS = 10_000
/** The maximum size of cached aggregates, in characters. */
const MAX_AGGREGATE_CHARACTERS = 8 * 1024 * 1024

const createListCache = (): ListCache => ({
  resolvedQueries: new WeakMap(),
  totals: new LRUCache({ max: MAX_TOTALS }),
  runningCounts: new SingleFlight(),
  reverseTotals: new LRUCache(lruMax(MAX_REVERSE_TOTALS)),
  aggregates: new LRUCache({
    maxSize: MAX_AGGREGATE_CHARACTERS,
    sizeCalculation: (text, key) => text.length + key.length,
  }),
  runningAggregates: new SingleFlight(),
})

/** Converts an actor to an author; `null` for anonymous actors. */
export const toAuthor = (actor: string): string | null => (actor === ANONYMOUS_ACTOR ? null : actor)

/** Returns the actor that the journal records for a caller. */
export const getActor = (caller: Caller): string => getSubject(caller) ?? ANONYMOUS_ACTOR
