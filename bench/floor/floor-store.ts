import type { Call } from '../load/plan.ts'

/** What the floor asks its database for: at once, or later. */
export type Maybe<T> = T | Promise<T>

/** Goes on with a value as soon as it is there. */
export function after<A, B>(value: Maybe<A>, next: (value: A) => Maybe<B>): Maybe<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** A statement that is ready to run. */
export interface FloorStatement {
  all(...parameters: unknown[]): Maybe<readonly unknown[]>
  get(...parameters: unknown[]): Maybe<unknown>
}

/** The floor's database. */
export interface FloorStore {
  prepare(call: Call): FloorStatement
  /** Stores a row of the floor's own; it is on the disk when this is done. */
  insert(id: string, doc: string): Maybe<unknown>
}
