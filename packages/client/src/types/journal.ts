import type { DaybookConfig, DryRunOptions, Entry, EntryKey, GlobalEntry, GlobalKey, Version } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** A change, whatever the config. */
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

/** What an entry or a global is now, or that the reader sees it no longer. */
export type Change<C extends DaybookConfig> = EntryChange<C> | GlobalChange<C>

/** Which changes are asked for. */
interface FeedFilter<C extends DaybookConfig> {
  /** @default all that the reader may read */
  readonly collections?: readonly (EntryKey<C> | 'globals')[]
}

/** The query of a page of changes. */
export interface ChangesQuery<C extends DaybookConfig> extends FeedFilter<C>, CallOptions {
  /** The token `next` of the page before. @default everything that is there is told first */
  readonly since?: string | undefined
  /** How many items to answer at most, up to 1,000. @default 100 */
  readonly limit?: number
}

/** A page of changes. */
export interface ChangesPage<C extends DaybookConfig> {
  readonly items: readonly Change<C>[]
  /** The token to go on from; the one that was asked with when nothing has changed. */
  readonly next: string
}

/** How changes are followed. */
export interface SubscribeOptions<C extends DaybookConfig> extends FeedFilter<C> {
  /** A token to go on from. @default now */
  readonly since?: string | undefined
  /** Ends it. */
  readonly signal?: AbortSignal
  /** A connection on which nothing has come for this time is made anew, in milliseconds. @default 45,000 */
  readonly idleTimeout?: number
}

/** A copy that `sync` keeps equal to what the reader can see. */
export interface ChangeStore<Item> {
  /** The token of the last `apply`; `undefined`: the copy is empty. */
  token(): string | undefined | Promise<string | undefined>
  /** Changes the copy, and notes the token with it: both, or neither. */
  apply(items: readonly Item[], next: string): void | Promise<void>
  /** Empties the copy, and forgets the token. */
  clear(): void | Promise<void>
}

/** How a copy is kept. */
export type SyncOptions<C extends DaybookConfig> = Omit<SubscribeOptions<C>, 'since'>

/** A copy in memory. */
export interface MemoryCopy<C extends DaybookConfig> extends ChangeStore<Change<C>> {
  get<K extends EntryKey<C>>(collection: K, id: string): Entry<C, K> | undefined
  get<K extends GlobalKey<C>>(collection: 'globals', id: K): GlobalEntry<C, K> | undefined
  /** The entries of a collection, in no order. */
  all<K extends EntryKey<C>>(collection: K): readonly Entry<C, K>[]
}

/** The query of a page of the journal. */
export interface JournalQuery extends CallOptions {
  /** A number of the journal: what came after it is listed. @default 0 */
  readonly since?: number
  /** The subject of who made the changes. */
  readonly actor?: string
  /** Keys of collections, and `globals`. @default all that the session may read */
  readonly collections?: readonly string[]
  /** How many records to answer at most, up to 1,000. @default 100 */
  readonly limit?: number
}

/** A change, and who made it. */
export interface JournalRecord {
  readonly seq: number
  /** ISO 8601 in UTC. */
  readonly at: string
  /** The subject of who made it; absent where the session may not know. */
  readonly actor?: string
  readonly action: string
  readonly collection: string
  readonly id: string
}

/** A page of the journal. */
export interface JournalPage {
  readonly items: readonly JournalRecord[]
  /** The number to go on after. */
  readonly next: number
}

/** Which page of versions is asked for. */
export interface VersionsQuery {
  /** @default 20, at most 100 */
  readonly limit?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | null
}

/** A version with its content. */
export interface WholeVersion<Document> extends Version {
  /** What any field held, which may be nothing in a working copy; `null` where the document was deleted, or the content erased. */
  readonly data: { readonly [Key in keyof Document]: Document[Key] | null } | null
}

/** In which language a version is read. */
export interface VersionQuery<C extends DaybookConfig> {
  /** @default the config's */
  readonly locale?: Locale<C>
  /** Where a value is looked for that the locale does not have; `none` turns that off. @default what the config says */
  readonly fallbackLocale?: Locale<C> | 'none'
}

/** Two versions of a document. */
export interface ComparedVersions {
  readonly revision: number
  /** The version that is changed into the other. */
  readonly against: number
}

/** How changes are undone. */
export interface UndoOptions extends CallOptions, DryRunOptions {}
