import type { Leaves } from './document-fields.ts'
import type { Values } from './field-values.ts'
import type { DocumentRef, LocalCopies, OpenEditors } from './local-copies.ts'
import type { RemoteStore } from './remote.ts'
import type { Clock, ScheduleTimes } from './save-schedule.ts'

/** The times of an editor, in milliseconds. */
export interface SavingTimes extends ScheduleTimes {
  /** The maximum pause between keystrokes of one undo step. @default 1,000 */
  readonly coalesceMs: number
}

export const DEFAULT_TIMES: SavingTimes = {
  debounceMs: 800,
  longestUnsavedMs: 5000,
  firstRetryMs: 1000,
  longestRetryMs: 60_000,
  coalesceMs: 1000,
}

export interface EditorOptions {
  readonly document: DocumentRef
  /** The initial values of an unstored document. */
  readonly initial?: Values
  readonly leaves: Leaves
  readonly remote: RemoteStore
  /** True if edits are saved automatically; otherwise by `flush`, as for documents that are public at once. */
  readonly isAutosaved: boolean
  /**
   * True if only `flush` creates an unstored document, for example because its slug derives from a title that is still being typed.
   * @default false
   */
  readonly isCreatedOnFlush?: boolean
  /** The user's subject. Each user has separate local copies. */
  readonly person: string
  readonly copies: LocalCopies
  readonly openEditors: OpenEditors
  readonly clock: Clock
  /** Generates random names, as `crypto.randomUUID` does. */
  readonly generateName: () => string
  /** @default `Math.random` */
  readonly random?: () => number
  readonly times?: Partial<SavingTimes>
}
