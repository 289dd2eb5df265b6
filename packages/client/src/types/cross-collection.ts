import type { DaybookConfig, EntryKey } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** What is searched for, and where. */
export interface SearchQuery<C extends DaybookConfig> extends CallOptions {
  /** Words that must all be found; the last one may be the beginning of a word. */
  readonly q: string
  /** @default all that the reader may read */
  readonly collections?: readonly EntryKey<C>[]
  /** How many entries to answer at most, up to 100. @default 20 */
  readonly limit?: number
  /** @default the config's */
  readonly locale?: Locale<C>
}

/** An entry of some collection, as far as it is called something. */
export interface TitledEntry<C extends DaybookConfig> {
  readonly collection: EntryKey<C>
  readonly id: string
  /** Absent where the collection has no slugs. */
  readonly slug?: string
  /** Absent where the collection has no status. */
  readonly status?: string
  /** What it is called; `null`: nothing. */
  readonly title: string | null
}

/** Which page of the entries of several collections is asked for. */
export interface CrossCollectionQuery<C extends DaybookConfig> extends CallOptions {
  /** How many to answer at most, up to 100. @default 20 */
  readonly limit?: number
  /** `nextCursor` of the page before; `null` for the first one. */
  readonly cursor?: string | null
  /** In which language they say what they are called. @default the config's */
  readonly locale?: Locale<C>
}

/** Which working copies are listed. */
export interface DraftsQuery<C extends DaybookConfig> extends CrossCollectionQuery<C> {
  /** The subject of who saved them last. @default anybody */
  readonly actor?: string
}

/** Entries of several collections. */
export interface CursorPage<Item> {
  readonly items: readonly Item[]
  /** `null`: there are no more. */
  readonly nextCursor: string | null
}

/** An entry that has a working copy, as that has it. */
export interface ListedDraft<C extends DaybookConfig> extends TitledEntry<C> {
  /** When it was saved last; ISO 8601 in UTC. */
  readonly at: string
  /** The subject of who saved it; absent where the session may not know. */
  readonly actor?: string | null
}

/** An entry that is to be published or unpublished. */
export interface ListedSchedule<C extends DaybookConfig> extends TitledEntry<C> {
  readonly action: 'publish' | 'unpublish'
  /** ISO 8601 in UTC. */
  readonly at: string
  /** The subject of who set the time; absent where the session may not know. */
  readonly actor?: string
  /** The languages to publish; absent: all. */
  readonly locales?: readonly Locale<C>[]
}

/** Which page of the deleted entries of a collection is listed. */
export interface DeletedQuery {
  /** The maximum number of entries, up to the collection's largest page. @default 20 */
  readonly limit?: number
  /** `nextCursor` of the page before; `null` for the first one. */
  readonly cursor?: string | null
}

/** A deleted entry, as it was just before. */
export interface DeletedEntry<C extends DaybookConfig> extends TitledEntry<C> {
  /** ISO 8601 in UTC. */
  readonly deletedAt: string
  /** The subject of the actor; `null`: nobody is known. Absent where the session may not know. */
  readonly deletedBy?: string | null
}
