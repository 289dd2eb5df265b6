import type { Caller } from '../auth/adapter.ts'
import { getSubject } from '../auth/adapter.ts'
import type { DeriveTools } from '../fields/field.ts'
import type { Model } from '../model/model.ts'
import type { Store } from '../store/store.ts'

/** What every operation on content works with. */
export interface Engine {
  readonly model: Model
  readonly store: Store
  readonly tools: DeriveTools
  /** Exact numbers of matches that were costly to count, by question and revision. */
  readonly totals: Map<string, Promise<number>>
  /** The `Idempotency-Key`s of writes that this node is carrying out. */
  readonly underWay: Set<string>
  /** The same engine on copies of the store. */
  readonly replicas: WeakMap<Store, Engine>
}

/** An engine that has done nothing yet. */
export const makeEngine = (model: Model, store: Store, tools: DeriveTools): Engine => ({
  model,
  store,
  tools,
  totals: new Map(),
  underWay: new Set(),
  replicas: new WeakMap(),
})

/** A document as it is answered. */
export interface Answer {
  /** JSON text. */
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** `seq` of the last change: the revision. */
  readonly seq: number
}

/** A stored entry as it is answered. */
export interface EntryAnswer extends Answer {
  readonly id: string
  /** Its slug, or its id in a collection without slugs. */
  readonly address: string
}

/** Who the journal says it was. */
export const actorOf = (caller: Caller): string => getSubject(caller) ?? 'anonymous'

/** The same engine, reading from a copy that has come as far as this number of the journal, where there is one. */
export function replicaAt(engine: Engine, seq: number): Engine {
  const store = engine.store.replicaAt(seq)
  if (store === engine.store) return engine
  const known = engine.replicas.get(store) ?? { ...engine, store }
  engine.replicas.set(store, known)
  return known
}
