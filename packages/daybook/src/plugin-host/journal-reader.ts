import type { ListOptions } from '../content/call-options.ts'
import type { ReplayRequest } from '../journal/replay.ts'
import type { DeliveryState } from '../journal/stored-deliveries.ts'
import type { SubscriptionTimes } from '../journal/subscriber.ts'
import type { Awaitable, HookData } from './hooks.ts'

/** A change, as the reader of a subscription sees it. */
export interface JournalEvent {
  /**
   * `create`, `update`, `delete`, `publish`, `unpublish` or `restore`. A document that is there for the reader from then on, after
   * an update, is created; one that is not there any longer is deleted, whatever was done to it. `scheduleFailed` and other
   * actions that change nothing are told to a reader `system` that names them.
   */
  readonly action: string
  /** The collection of an entry; absent for a global. */
  readonly collection?: string
  /** The entry's id; absent for a global. */
  readonly id?: string
  /** The key of a global; absent for an entry. */
  readonly global?: string
  /** The entry's slug, where it has one. */
  readonly slug?: string
  /** The number of the change in the journal: the same when it is delivered again. */
  readonly seq: number
  /** ISO 8601 in UTC. */
  readonly at: string
  /** Absent where the reader may not know people. */
  readonly actor?: string
  /** What the reader could read before the change, in the default locale; `null`: it was not there for the reader. */
  readonly before: HookData | null
  /** The same after the change: never the outcome of a later one. */
  readonly after: HookData | null
  /** Aborted when the delivery has taken too long, or the service ends. */
  readonly signal: AbortSignal
}

/** Which entries of a collection a subscription is told of, and what of them. */
export interface SubscribedCollection {
  /** Entries that hold this before or after the change; one that holds it no longer is deleted. @default all */
  readonly where?: NonNullable<ListOptions['where']>
  /** Fields of `before` and `after`. @default all */
  readonly select?: readonly string[]
}

/** A subscription of a plugin to the journal. */
export interface JournalSubscription {
  /** Small letters, digits and `-`; unique in the plugin. The position in the journal is stored under it. */
  readonly name: string
  /** Whose rights decide what is told; `system` needs `system: true`. @default 'public' */
  readonly reader?: 'public' | 'system'
  /** By key. @default all collections, unless `globals` is there */
  readonly collections?: Readonly<Record<string, SubscribedCollection>>
  /** Keys. @default all globals, unless `collections` is there */
  readonly globals?: readonly string[]
  /** Actions as the event tells them, or as the journal has them. @default all that change a document */
  readonly actions?: readonly string[]
  /** How many deliveries run at once, each of another document; 1 to 64. @default 1 */
  readonly concurrency?: number
  /** How long a delivery may take, and when a failed one is tried again. */
  readonly times?: Omit<SubscriptionTimes, 'closeMs'>
  /** Takes a change. When it rejects, the change is delivered again, and no later one of its document before it. */
  readonly deliver: (event: JournalEvent) => Awaitable<void>
}

/** How far a subscription has come. */
export interface SubscriptionStatus {
  /** Up to this number of the journal, every change is delivered, stored for later, or not wanted. */
  readonly seq: number
  /** The last number of the journal. */
  readonly head: number
  /** How many deliveries have failed, or wait behind such, and are tried again. */
  readonly pending: number
  /** How many are tried no more by themselves. */
  readonly parked: number
}

/** A delivery that has failed, or waits behind one of the same document. */
export interface FailedDelivery {
  readonly seq: number
  /** As the journal has it. */
  readonly action: string
  /** The collection of an entry; `globals` for a global. */
  readonly collection: string
  /** The entry's id, or the key of the global. */
  readonly id: string
  readonly attempts: number
  /** When it failed first; `null`: it has not been tried. ISO 8601 in UTC. */
  readonly failedAt: string | null
  /** When it is tried next; `null`: not by itself. ISO 8601 in UTC. */
  readonly dueAt: string | null
  /** Why the last attempt failed; `null`: it has not been tried. */
  readonly reason: string | null
}

/** Which failed deliveries are listed. */
export interface DeliveryQuery {
  readonly state: DeliveryState
  /** Only those after this number of the journal. @default all */
  readonly after?: number
  readonly limit: number
}

/** What a plugin can ask of its subscription. */
export interface SubscribedJournal {
  status(): Promise<SubscriptionStatus>
  /** Failed deliveries, in the order of the journal. */
  deliveries(query: DeliveryQuery): Promise<readonly FailedDelivery[]>
  /** Delivers again: soon, by the process that delivers, and those of one document in order. */
  replay(request: ReplayRequest): Promise<void>
}

/** The journal, as `setup` is given it. */
export interface PluginJournal {
  /**
   * Delivers every later change to the plugin, at least once, those of one document in order, by one process at a time. It begins
   * when the service answers, and ends with it. Until `setup` has ended.
   *
   * @throws {ConfigError} for what the model does not have
   */
  subscribe(subscription: JournalSubscription): Promise<SubscribedJournal>
}
