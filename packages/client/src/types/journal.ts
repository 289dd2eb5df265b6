import type { DaybookConfig, DryRunOptions, Entry, EntryKey, GlobalEntry, GlobalKey, Version } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** A change, independent of the config. */
export type AnyChange =
  | {
      readonly action: 'upsert'
      readonly collection: string
      readonly id: string
      readonly slug?: string
      readonly data: object
    }
  | { readonly action: 'delete'; readonly collection: string; readonly id: string }

type EntryChange<C extends DaybookConfig> = {
  readonly [K in EntryKey<C>]:
    | {
        readonly action: 'upsert'
        readonly collection: K
        readonly id: string
        readonly slug?: string
        readonly data: Entry<C, K>
      }
    | { readonly action: 'delete'; readonly collection: K; readonly id: string }
}[EntryKey<C>]

type GlobalChange<C extends DaybookConfig> = {
  readonly [K in GlobalKey<C>]:
    | { readonly action: 'upsert'; readonly collection: 'globals'; readonly id: K; readonly data: GlobalEntry<C, K> }
    | { readonly action: 'delete'; readonly collection: 'globals'; readonly id: K }
}[GlobalKey<C>]

/** The current state of an entry or a global, or its removal from the view of the session. */
export type Change<C extends DaybookConfig> = EntryChange<C> | GlobalChange<C>

interface FeedFilter<C extends DaybookConfig> {
  /** @default all that the session may read */
  readonly collections?: readonly (EntryKey<C> | 'globals')[]
}

export interface ChangesQuery<C extends DaybookConfig> extends FeedFilter<C>, CallOptions {
  /** The token `next` of the previous page. @default all documents come first */
  readonly since?: string | undefined
  /** The maximum number of items, up to 1,000. @default 100 */
  readonly limit?: number
}

export interface ChangesPage<C extends DaybookConfig> {
  readonly items: readonly Change<C>[]
  /** The token to continue from; equal to `since` if nothing has changed. */
  readonly next: string
}

export interface SubscribeOptions<C extends DaybookConfig> extends FeedFilter<C> {
  /** The token to continue from. @default now */
  readonly since?: string | undefined
  /** Ends the subscription. */
  readonly signal?: AbortSignal
  /** The time without data after which the client reconnects, in milliseconds. @default 45,000 */
  readonly idleTimeout?: number
}

/** A copy that `sync` keeps equal to what the session can see. */
export interface ChangeStore<Item> {
  /** Returns the token of the last `apply`; `undefined` for an empty copy. */
  token(): string | undefined | Promise<string | undefined>
  /** Changes the copy and stores the token atomically. */
  apply(items: readonly Item[], next: string): void | Promise<void>
  /** Clears the copy and the token. */
  clear(): void | Promise<void>
}

/** The options of `sync`. */
export type SyncOptions<C extends DaybookConfig> = Omit<SubscribeOptions<C>, 'since'>

/** A copy in memory. */
export interface MemoryCopy<C extends DaybookConfig> extends ChangeStore<Change<C>> {
  get<K extends EntryKey<C>>(collection: K, id: string): Entry<C, K> | undefined
  get<K extends GlobalKey<C>>(collection: 'globals', id: K): GlobalEntry<C, K> | undefined
  /** Returns the entries of a collection in arbitrary order. */
  all<K extends EntryKey<C>>(collection: K): readonly Entry<C, K>[]
}

export interface JournalQuery extends CallOptions {
  /** The number of the journal after which the list begins. @default 0 */
  readonly since?: number
  /** The number of the journal before which the list begins, with the newest change first; not with `since`. */
  readonly before?: number
  /** The earliest time, in ISO 8601. @default any */
  readonly from?: string
  /** The time before which the changes were made, in ISO 8601. @default any */
  readonly until?: string
  /** Actions, such as `publish`. @default all */
  readonly actions?: readonly string[]
  /** The subject of the actor. @default any */
  readonly actor?: string
  /** Keys of collections, and `globals`. @default all that the session may read */
  readonly collections?: readonly string[]
  /** The maximum number of records, up to 1,000. @default 100 */
  readonly limit?: number
}

/** A change with its actor. */
export interface JournalRecord {
  readonly seq: number
  /** ISO 8601 in UTC. */
  readonly at: string
  /** The subject of the actor; absent if the session may not see authors. */
  readonly actor?: string
  readonly action: string
  readonly collection: string
  readonly id: string
}

export interface JournalPage {
  readonly items: readonly JournalRecord[]
  /** The number to continue after. */
  readonly next: number
}

/** The query of a page of versions. */
export interface VersionsQuery {
  /** At most 100. @default 20 */
  readonly limit?: number
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | null
}

/** A version with its content. */
export interface WholeVersion<Document> extends Version {
  /** The document, whose fields may be empty in a draft; `null` if the change deleted it, or the content was erased. */
  readonly data: { readonly [Key in keyof Document]: Document[Key] | null } | null
}

/** The locale of a version. */
export interface VersionQuery<C extends DaybookConfig> {
  /** @default the default locale of the config */
  readonly locale?: Locale<C>
  /** The locale of missing values; `none` turns the fallback off. @default the fallback of the config */
  readonly fallbackLocale?: Locale<C> | 'none'
}

export interface ComparedVersions {
  readonly revision: number
  /** The version that the patch is applied to. */
  readonly against: number
}

export interface UndoOptions extends CallOptions, DryRunOptions {}
