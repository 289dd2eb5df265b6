/** Actions of the journal that make a document what it is from then on: everything that reads it sees the change. */
export const STATE_ACTIONS = ['create', 'update', 'delete', 'publish', 'unpublish', 'restore'] as const
/**
 * Actions beside it, which change nothing that is published: `draft` saves a working copy and `discard` throws it away,
 * `schedule` and `unschedule` are about what is to come, `scheduleFailed` tells that it could not be done, and `erase` takes former
 * states away.
 */
export const SIDE_ACTIONS = ['draft', 'discard', 'schedule', 'unschedule', 'scheduleFailed', 'erase'] as const

export type StateAction = (typeof STATE_ACTIONS)[number]
export type JournalAction = StateAction | (typeof SIDE_ACTIONS)[number]

const STATES: ReadonlySet<string> = new Set(STATE_ACTIONS)

/** Whether a record is of a change that readers of the document see. */
export const isStateAction = (action: string): action is StateAction => STATES.has(action)

/** What a change does to a document, in the words of a write: publishing it, say, is one of its updates. */
export const toWriteAction = (action: StateAction): 'create' | 'update' | 'delete' =>
  action === 'create' || action === 'delete' ? action : 'update'
