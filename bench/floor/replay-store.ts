import type { Call } from '../load/plan.ts'
import type { Maybe } from './maybe.ts'

/** A statement that is ready to run. */
export interface ReplayStatement {
  all(...parameters: unknown[]): Maybe<readonly unknown[]>
  get(...parameters: unknown[]): Maybe<unknown>
}

/** Daybook's own database, as the replaying floor reads it. */
export interface ReplayStore {
  prepare(call: Call): ReplayStatement
}
