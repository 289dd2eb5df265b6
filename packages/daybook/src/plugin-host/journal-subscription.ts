import type { ListOptions } from '../content/call-options.ts'
import type { ReplayRequest } from '../journal/replay.ts'
import type { DeliveryState } from '../journal/stored-deliveries.ts'
import type { SubscriptionTimes } from '../journal/subscriber.ts'
import type { Awaitable, HookData } from './hooks.ts'

/** A change as the reader of the subscription sees it. */
export interface JournalEvent {
  /**
   * `create`, `update`, `delete`, `publish`, `unpublish` or `restore`. It is `create` if an update makes the document visible to the
   * reader, and `delete` if any action makes it invisible. `scheduleFailed` and other actions that change nothing are delivered to a
   * reader `system` that names them.
   */
  readonly action: string
  /** The collection of an entry; absent for a global. */
  readonly collection?: string
  /** The entry's id; absent for a global. */
  readonly id?: string
  /** The key of a global; absent for an entry. */
  readonly global?: string
  /** The entry's slug, if it has one. */
  readonly slug?: string
  /** The number of the change in the journal; the same for each delivery. */
  readonly seq: number
  /** ISO 8601 in UTC. */
  readonly at: string
  /** Absent if the reader may not see authors. */
  readonly actor?: string
  /**
   * The values that the reader could read before the change, in the default locale; `null` if the document was not visible to the
   * reader, and empty if the journal no longer has the values.
   */
  readonly before: HookData | null
  /** The same after this change, independent of later ones. */
  readonly after: HookData | null
  /** Aborted after the timeout of the delivery, or when the service ends. */
  readonly signal: AbortSignal
}

/** The entries and fields of a collection that a subscription receives. */
export interface SubscribedCollection {
  /** Selects entries that match before or after the change; the action is `delete` for one that no longer matches. @default all */
  readonly where?: NonNullable<ListOptions['where']>
  /** Fields of `before` and `after`. @default all */
  readonly select?: readonly string[]
}

/** A subscription of a plugin to the journal. */
export interface JournalSubscription {
  /** Small letters, digits and `-`; unique in the plugin. The position in the journal is stored under this name. */
  readonly name: string
  /** The reader whose rights apply; `system` needs `system: true`. @default 'public' */
  readonly reader?: 'public' | 'system'
  /** By key. @default all collections, unless `globals` is set */
  readonly collections?: Readonly<Record<string, SubscribedCollection>>
  /** Keys. @default all globals, unless `collections` is set */
  readonly globals?: readonly string[]
  /** Actions of the event, or of the journal. @default all that change a document */
  readonly actions?: readonly string[]
  /** The maximum number of concurrent deliveries, each of another document; 1 to 64. @default 1 */
  readonly concurrency?: number
  /** The timeout of a delivery, and the times of further attempts. */
  readonly times?: Omit<SubscriptionTimes, 'closeMs'>
  /** Processes a change. If it rejects, the change is delivered again, before later ones of its document. */
  readonly deliver: (event: JournalEvent) => Awaitable<void>
}

/** The progress of a subscription. */
export interface SubscriptionStatus {
  /** The number in the journal up to which every change is delivered, stored for later, or not subscribed. */
  readonly seq: number
  /** The last number of the journal. */
  readonly head: number
  /** The number of deliveries that have failed, or wait for a failed one, and are tried again. */
  readonly pending: number
  /** The number of deliveries that are tried again only on request. */
  readonly parked: number
}

/** A delivery that has failed, or waits for a failed one of the same document. */
export interface FailedDelivery {
  readonly seq: number
  readonly action: string
  /** The collection of an entry; `globals` for a global. */
  readonly collection: string
  /** The entry's id, or the key of the global. */
  readonly id: string
  readonly attempts: number
  /** The time of the first failure, ISO 8601 in UTC; `null` before the first attempt. */
  readonly failedAt: string | null
  /** The time of the next attempt, ISO 8601 in UTC; `null` if it needs a request. */
  readonly dueAt: string | null
  /** The reason of the last failure; `null` before the first attempt. */
  readonly reason: string | null
}

/** Selects failed deliveries. */
export interface DeliveryQuery {
  readonly state: DeliveryState
  /** The number of the journal after which the list begins. @default all */
  readonly after?: number
  readonly limit: number
}

/** The functions with which a plugin inspects and replays its subscription. */
export interface SubscribedJournal {
  status(): Promise<SubscriptionStatus>
  /** Failed deliveries, in the order of the journal. */
  deliveries(query: DeliveryQuery): Promise<readonly FailedDelivery[]>
  /** Requests new deliveries. They follow soon, in order for each document, by the process that holds the subscription. */
  replay(request: ReplayRequest): Promise<void>
}

/** The journal in the context of `setup`. */
export interface PluginJournal {
  /**
   * Delivers every later change to the plugin, at least once, in order for each document, by one process at a time. Deliveries begin
   * when the service is ready. Only `setup` may call it.
   *
   * @throws {ConfigError} for collections, globals, fields and actions that do not exist
   */
  subscribe(subscription: JournalSubscription): Promise<SubscribedJournal>
}
