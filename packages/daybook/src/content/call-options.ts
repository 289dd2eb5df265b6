import type { CollectionKey, DaybookConfig, EntryKey, StatusKey } from '../config/config.ts'
import type { Aggregates } from '../query/aggregates.ts'
import { type Parameters, type Query, type QueryOf, readParameters, toQueryParams } from '../query/parameters.ts'
import { toReverseParams } from '../query/reverse-page.ts'
import { toWhereParams, type Where } from '../query/where.ts'
import type { Preconditions } from './reads/etags.ts'

/** Requests drafts; needs a session. */
export interface DraftReadOptions {
  /** Returns the drafts of entries, and entries without a draft as they are. */
  readonly draft: true
}

/** The page of a reverse field. */
export interface ReversePageOptions {
  /** @default 20 */
  readonly limit?: number
  /** @default 0 */
  readonly offset?: number
  /** One field or several; a leading `-` descends. @default '-createdAt' */
  readonly sort?: string | readonly string[]
  /** The place of entries without a value, for each field of `sort`. @default 'first', and 'last' for a field that descends */
  readonly nulls?: 'first' | 'last'
  readonly status?: string | readonly string[]
}

/** The selection of a document's fields, and its locale. */
export interface ReadOptions {
  /** The keys to return. @default all */
  readonly select?: readonly string[]
  /** Relations to expand, as dotted paths. */
  readonly include?: readonly string[]
  /** The number of levels of relations to expand, at most 5. @default 1 with `include`, else 0 */
  readonly depth?: number
  /** The page of each included reverse field by path: `{ posts: { limit: 5 } }`. */
  readonly reverse?: Readonly<Record<string, ReversePageOptions>>
  /** A configured locale; `all` returns maps of locale to value and needs a session. @default the default locale */
  readonly locale?: string
  /** The locale from which missing values are read; `none` turns fallbacks off. @default the fallbacks of the config */
  readonly fallbackLocale?: string
}

/** The options of a list, as the query parameters of `GET /api/:collection`. */
export interface ListOptions extends ReadOptions {
  /** The number of entries on a page; 0 returns only the count. @default 20 */
  readonly limit?: number
  /** The number of entries to skip; cannot be combined with `cursor`. @default 0 */
  readonly offset?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
  /** One field or several; a leading `-` descends. @default '-createdAt' */
  readonly sort?: string | readonly string[]
  /** The place of entries without a value, for each field of `sort`. @default 'first', and 'last' for a field that descends */
  readonly nulls?: 'first' | 'last'
  /** A search for entries with all of these words. */
  readonly q?: string
  readonly status?: string | readonly string[]
  /** The filter of the list: `{ title: { startsWith: 'A' }, or: [{ … }, { … }] }`. */
  readonly where?: Where
  /** Aggregates of all matching entries: `{ category: 'count', minutes: ['min', 'max'] }`, or names such as `count:category`. */
  readonly aggregate?: Aggregates
}

/** The number of entries with a value; `null`: without one. */
export interface ValueCount<Value = string | number | boolean | null> {
  readonly value: Value
  readonly count: number
}

/** The result of an aggregate of all matching entries. */
export type AggregateResult = readonly ValueCount[] | string | number | null

/** One page of a list. */
export interface ListResult<Item> {
  readonly collection: string
  /** The number of matching entries on all pages. */
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly items: readonly Item[]
  /** The `cursor` of the next page; `null` on the last page. */
  readonly nextCursor: string | null
  /** The requested aggregates by name, such as `count:category`. */
  readonly aggregates?: Readonly<Record<string, AggregateResult>>
}

/** The locale of a write. */
export interface LocaleOptions {
  /** The locale to write. @default the default locale */
  readonly locale?: string
}

/** The precondition of a change or a delete. */
export interface PreconditionOptions {
  /** The entity tag that the stored revision must have; see `etagOf`. */
  readonly ifMatch?: string
}

/** The locale and the creation time of a new entry. */
export interface NewEntryOptions extends LocaleOptions, DryRunOptions {
  /** The creation time, for imports; ISO 8601. @default now */
  readonly createdAt?: string
}

/** The option of a dry run. */
export interface DryRunOptions {
  /** Runs rules, hooks and validators, and returns the result without a tag and without storing it. @default false */
  readonly dryRun?: boolean
}

/** The options of an update. */
export interface UpdateOptions extends LocaleOptions, PreconditionOptions, DryRunOptions {}

/** The options of saving a draft. */
export interface SaveDraftOptions extends UpdateOptions {
  /** Replaces the previous autosave of the same author in the history. @default false */
  readonly autosave?: boolean
  /** Merges objects like a JSON merge patch (RFC 7396). @default false */
  readonly merge?: boolean
}

/** The time of a scheduled publication or its end. */
export interface ScheduleOptions {
  /** A future time, which replaces an earlier schedule; ISO 8601. A past time means now. */
  readonly at: string
}

/** The options of a publication. */
export interface PublishOptions extends PreconditionOptions, DryRunOptions {
  /** The locales to publish; fields that are not localized are always published. @default all */
  readonly locales?: readonly string[]
}

/** The options of `unpublish`. */
export interface UnpublishOptions extends PreconditionOptions, DryRunOptions {
  /** The locales to unpublish. @default all */
  readonly locales?: readonly string[]
}

/** The options of a restore. */
export interface RestoreOptions extends PreconditionOptions, DryRunOptions {
  /** The new slug of a deleted entry. @default its former slug */
  readonly slug?: string | undefined
}

/** The options of a bulk write. */
export interface BulkOptions extends LocaleOptions {
  /** A search for entries with all of these words. */
  readonly q?: string
  readonly status?: string | readonly string[]
  /** Returns the result without storing it. @default false */
  readonly dryRun?: boolean
}

/** The outcome of a bulk write. */
export interface BulkOutcome {
  readonly collection: string
  readonly matched: number
  /** The number of entries that changed, or would change in a dry run. */
  readonly changed: number
}

/** One operation of a batch. */
export type BatchOperation<C extends DaybookConfig = DaybookConfig> =
  | {
      readonly op: 'create'
      readonly collection: CollectionKey<C>
      readonly data: Readonly<Record<string, unknown>>
    }
  | (EntryOperation<EntryKey<C>> & { readonly op: 'update'; readonly data: Readonly<Record<string, unknown>> })
  | (EntryOperation<EntryKey<C>> & { readonly op: 'delete' })
  | (EntryOperation<StatusKey<C>> & {
      readonly op: 'publish'
      readonly data?: { readonly locales?: readonly string[]; readonly publishAt?: string }
    })
  | (EntryOperation<StatusKey<C>> & {
      readonly op: 'unpublish'
      readonly data?: { readonly locales?: readonly string[]; readonly unpublishAt?: string }
    })
  | (EntryOperation<EntryKey<C>> & {
      readonly op: 'restore'
      readonly data: { readonly revision?: number; readonly slug?: string }
    })

interface EntryOperation<K extends string> {
  readonly collection: K
  readonly id: string
  /** The entity tag that the stored revision must have: that of the draft if the operation changes the draft. */
  readonly ifMatch?: string
}

/** The outcome of one operation of a batch. */
export interface BatchOutcome {
  readonly op: string
  readonly collection: string
  readonly id: string
  /** The stored entry's tag, and the entry; absent after a delete. */
  readonly etag?: string
  readonly entry?: Readonly<Record<string, unknown>>
}

/** The options of a read: those that become parameters with brackets, and all others. */
interface QueryOptions {
  readonly where?: Where
  readonly reverse?: ReadOptions['reverse']
  readonly [option: string]: unknown
}

/** Parses options as the query parameters of the same names. */
export function parseOptions<P extends Parameters>(
  declared: P,
  options: { readonly [K in keyof P]?: unknown },
): Query<QueryOf<P>> {
  const { where, reverse, ...plain }: QueryOptions = options
  // An empty list of names is ignored, like an omitted parameter.
  const pairs = Object.entries(plain).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  const named = pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)] as const)
  const pages = reverse ? toReverseParams(reverse) : []
  return readParameters(declared, toQueryParams([...named, ...pages, ...(where ? toWhereParams(where) : [])]))
}

export function toPreconditions(ifMatch: string | undefined): Preconditions {
  if (ifMatch === '*') return { ifMatch }
  return ifMatch === undefined ? {} : { ifMatch: [{ weak: false, value: ifMatch.replace(/^"|"$/g, '') }] }
}
