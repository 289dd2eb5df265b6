import type { DaybookConfig, EntryKey } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

export interface SearchQuery<C extends DaybookConfig> extends CallOptions {
  /** Words that must all match; the last one may be a prefix. */
  readonly q: string
  /** @default all that the session may read */
  readonly collections?: readonly EntryKey<C>[]
  /** The maximum number of entries, up to 100. @default 20 */
  readonly limit?: number
  /** @default the default locale of the config */
  readonly locale?: Locale<C>
}

/** An entry of any collection with its title. */
export interface TitledEntry<C extends DaybookConfig> {
  readonly collection: EntryKey<C>
  readonly id: string
  /** Absent if the collection has no slugs. */
  readonly slug?: string
  /** Absent if the collection has no status. */
  readonly status?: string
  /** `null` if the entry has no title. */
  readonly title: string | null
}

/** The query of a page of entries of all collections. */
export interface CrossCollectionQuery<C extends DaybookConfig> extends CallOptions {
  /** The maximum number of entries, up to 100. @default 20 */
  readonly limit?: number
  /** `nextCursor` of the previous page; `null` for the first page. */
  readonly cursor?: string | null
  /** The locale of the titles. @default the default locale of the config */
  readonly locale?: Locale<C>
}

/** The query of a page of drafts. */
export interface DraftsQuery<C extends DaybookConfig> extends CrossCollectionQuery<C> {
  /** The subject of the last author. @default any */
  readonly actor?: string
}

/** A page of a list with a cursor. */
export interface CursorPage<Item> {
  readonly items: readonly Item[]
  /** `null` on the last page. */
  readonly nextCursor: string | null
}

/** An entry with a draft, as the draft has it. */
export interface ListedDraft<C extends DaybookConfig> extends TitledEntry<C> {
  /** The time of the last save, ISO 8601 in UTC. */
  readonly at: string
  /** The subject of the author; absent if the session may not see authors. */
  readonly actor?: string | null
}

/** An entry with a schedule. */
export interface ListedSchedule<C extends DaybookConfig> extends TitledEntry<C> {
  readonly action: 'publish' | 'unpublish'
  /** ISO 8601 in UTC. */
  readonly at: string
  /** The subject of the author of the schedule; absent if the session may not see authors. */
  readonly actor?: string
  /** The locales to publish; absent for all. */
  readonly locales?: readonly Locale<C>[]
}

/** The query of a page of deleted entries. */
export interface DeletedQuery {
  /** The maximum number of entries, up to the collection's largest page. @default 20 */
  readonly limit?: number
  /** `nextCursor` of the previous page; `null` for the first page. */
  readonly cursor?: string | null
}

/** A deleted entry as it was before its deletion. */
export interface DeletedEntry<C extends DaybookConfig> extends TitledEntry<C> {
  /** ISO 8601 in UTC. */
  readonly deletedAt: string
  /** The subject of the actor; `null` for an anonymous one; absent if the session may not see authors. */
  readonly deletedBy?: string | null
}
