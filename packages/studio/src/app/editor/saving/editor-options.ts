import type { Leaves } from './document-fields.ts'
import type { Values } from './field-values.ts'
import type { DocumentRef, LocalCopies, OpenEditors } from './local-copies.ts'
import type { RemoteStore } from './remote.ts'
import type { Clock, ScheduleTimes } from './save-schedule.ts'

/** When the engine does what. */
export interface SavingTimes extends ScheduleTimes {
  /** The longest pause within one step of undo. @default 1,000 */
  readonly coalesceMs: number
}

/** When the engine does what, unless it is told otherwise. */
export const DEFAULT_TIMES: SavingTimes = {
  debounceMs: 800,
  longestUnsavedMs: 5000,
  firstRetryMs: 1000,
  longestRetryMs: 60_000,
  coalesceMs: 1000,
}
/** What an editor of one document needs. */
export interface EditorOptions {
  readonly document: DocumentRef
  /** Of a document that was never stored: what it begins with. */
  readonly initial?: Values
  readonly leaves: Leaves
  readonly remote: RemoteStore
  /** Whether edits are saved by themselves; else by `flush`, as where a save is seen by readers at once. */
  readonly isAutosaved: boolean
  /**
   * Whether a document that was never stored is created by `flush` alone, as where its slug is made from a title that is
   * still being typed. @default false
   */
  readonly isCreatedOnFlush?: boolean
  /** The subject of the session: local copies are the person's own. */
  readonly person: string
  readonly copies: LocalCopies
  readonly open: OpenEditors
  readonly clock: Clock
  /** Random names, such as `crypto.randomUUID`. */
  readonly newName: () => string
  /** @default `Math.random` */
  readonly random?: () => number
  readonly times?: Partial<SavingTimes>
}
