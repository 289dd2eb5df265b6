import type { LRUCache } from 'lru-cache'
import type { Caller } from '../auth/adapter.ts'
import { getSubject } from '../auth/adapter.ts'
import type { DeriveTools } from '../fields/field.ts'
import type { Model } from '../model/model.ts'
import type { Query } from '../query/parameters.ts'
import type { Store } from '../store/store.ts'
import type { Access } from './access/access.ts'
import type { ListQuestion } from './reads/list-question.ts'

/** The parts of an engine. */
export interface EngineParts {
  readonly model: Model
  readonly store: Store
  readonly tools: DeriveTools
}

/** The shared state of all operations on content. */
export class Engine implements EngineParts {
  readonly model: Model
  readonly store: Store
  readonly tools: DeriveTools
  /** Results of earlier lists. */
  readonly lists: ListCache
  /** Idempotency keys of the writes that are under way. */
  readonly writesUnderWay: Set<string> = new Set()
  readonly #replicas = new WeakMap<Store, Engine>()

  constructor({ model, store, tools }: EngineParts, lists: ListCache = { plans: new WeakMap(), totals: new Map() }) {
    this.model = model
    this.store = store
    this.tools = tools
    this.lists = lists
  }

  /**
   * The engine that answers a read: for readers without a session it may be that of a replica.
   *
   * @param minSeq a number of the journal that the copy must have come to
   */
  sourceFor({ isAuthenticated }: Access, minSeq = 0): Engine {
    if (isAuthenticated || !this.store.hasReplicas) return this
    const store = this.store.replicaAt(minSeq)
    if (store === this.store) return this
    const known = this.#replicas.get(store) ?? new Engine({ model: this.model, store, tools: this.tools }, this.lists)
    this.#replicas.set(store, known)
    return known
  }
}

/** The cache of lists. Nothing in it is ever invalidated: keys name all that an answer depends on. */
export interface ListCache {
  /** Lists by their query, where equal queries mean the same for many readers; by collection and kind of reader. */
  readonly plans: WeakMap<Query, LRUCache<string, ListQuestion>>
  /** Exact numbers of matches that were costly to count, by question and revision. */
  readonly totals: Map<string, Promise<number>>
}

/** The actor that the journal records. */
export const actorOf = (caller: Caller): string => getSubject(caller) ?? 'anonymous'
