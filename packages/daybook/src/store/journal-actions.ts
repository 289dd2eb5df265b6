/** Actions of the journal that change a document. */
export const STATE_ACTIONS = ['create', 'update', 'delete', 'publish', 'unpublish', 'restore'] as const
/**
 * Actions that change nothing published: `draft` saves a draft and `discard` discards it, `schedule` and `unschedule` change schedules,
 * `scheduleFailed` records a failed one, and `erase` erases former states.
 */
export const SIDE_ACTIONS = ['draft', 'discard', 'schedule', 'unschedule', 'scheduleFailed', 'erase'] as const

export type StateAction = (typeof STATE_ACTIONS)[number]
export type JournalAction = StateAction | (typeof SIDE_ACTIONS)[number]

const STATES: ReadonlySet<string> = new Set(STATE_ACTIONS)

export const isStateAction = (action: string): action is StateAction => STATES.has(action)

/** Returns the kind of write that an action is: for example, publishing is an update. */
export const toWriteAction = (action: StateAction): 'create' | 'update' | 'delete' =>
  action === 'create' || action === 'delete' ? action : 'update'
