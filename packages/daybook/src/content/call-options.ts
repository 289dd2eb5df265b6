import type { CollectionKey, DaybookConfig, EntryKey, StatusKey } from '../config/config.ts'
import type { Aggregates } from '../query/aggregates.ts'
import { type Parameters, type Query, type QueryOf, readParameters, toQueryParams } from '../query/parameters.ts'
import { toReverseParams } from '../query/reverse-page.ts'
import { toWhereParams, type Where } from '../query/where.ts'
import type { Preconditions } from './reads/etags.ts'

/** Asks for working copies; needs a session. */
export interface DraftReadOptions {
  /** Entries as their working copies have them, and those without one as they are. */
  readonly draft: true
}

/** The page of a reverse field, as in a list of its own. */
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
  /** Served keys to answer with. @default all */
  readonly select?: readonly string[]
  /** Relations to expand, as dotted paths. */
  readonly include?: readonly string[]
  /** How many levels of relations to expand, 5 at most. @default 1 with `include`, else 0 */
  readonly depth?: number
  /** Which page of an included reverse field is answered, by its path: `{ posts: { limit: 5 } }`. */
  readonly reverse?: Readonly<Record<string, ReversePageOptions>>
  /** A configured locale; `all` answers maps of locale to value, and needs a session. @default the config's */
  readonly locale?: string
  /** Where a value is looked for that the locale does not have; `none` turns that off. @default what the config says */
  readonly fallbackLocale?: string
}

/** The options of a list, as the query parameters of `GET /api/:collection`. */
export interface ListOptions extends ReadOptions {
  /** The number of entries on a page; 0 gives the count alone. @default 20 */
  readonly limit?: number
  /** The number of entries to skip; not together with `cursor`. @default 0 */
  readonly offset?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** One field or several; a leading `-` descends. @default '-createdAt' */
  readonly sort?: string | readonly string[]
  /** The place of entries without a value, for each field of `sort`. @default 'first', and 'last' for a field that descends */
  readonly nulls?: 'first' | 'last'
  /** Words that must all be found. */
  readonly q?: string
  readonly status?: string | readonly string[]
  /** The filter of the list: `{ title: { startsWith: 'A' }, or: [{ … }, { … }] }`. */
  readonly where?: Where
  /** Figures about all entries that match: `{ category: 'count', minutes: ['min', 'max'] }`, or names such as `count:category`. */
  readonly aggregate?: Aggregates
}

/** How many entries hold a value; `null`: none. */
export interface ValueCount<Value = string | number | boolean | null> {
  readonly value: Value
  readonly count: number
}

/** What is worked out over all entries of a list. */
export type AggregateResult = readonly ValueCount[] | string | number | null

/** One page of a list. */
export interface ListResult<Item> {
  readonly collection: string
  /** How many entries match, on all pages. */
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly items: readonly Item[]
  /** The `cursor` of the next page; `null` on the last. */
  readonly nextCursor: string | null
  /** What was asked for with `aggregate`, by name, such as `count:category`. */
  readonly aggregates?: Readonly<Record<string, AggregateResult>>
}

/** The locale of a write. */
export interface LocaleOptions {
  /** The locale that is written. @default the config's */
  readonly locale?: string
}

/** The precondition of a change or a delete. */
export interface PreconditionOptions {
  /** The entity tag that the stored version must have; see `etagOf`. */
  readonly ifMatch?: string
}

/** The locale and the creation time of a new entry. */
export interface NewEntryOptions extends LocaleOptions, DryRunOptions {
  /** When the entry was first written, for imports; ISO 8601. @default now */
  readonly createdAt?: string
}

/** Whether a write is tried alone. */
export interface DryRunOptions {
  /** Does everything but store: rules, hooks and validators are asked, and what would be stored is answered, without a tag. @default false */
  readonly dryRun?: boolean
}

/** How an entry is changed. */
export interface UpdateOptions extends LocaleOptions, PreconditionOptions, DryRunOptions {}

/** How a working copy is saved. */
export interface SaveDraftOptions extends UpdateOptions {
  /** While the same actor autosaves, each save takes the place of the one before it in history. @default false */
  readonly autosave?: boolean
  /** Merges inside objects, as a JSON merge patch does (RFC 7396). @default false */
  readonly merge?: boolean
}

/** When something is done. */
export interface ScheduleOptions {
  /** A time to come, in the place of one that was set before; ISO 8601. One that has passed is now. */
  readonly at: string
}

/** How an entry is published. */
export interface PublishOptions extends PreconditionOptions, DryRunOptions {
  /** The locales in which it is published; fields that are not localized come along. @default all */
  readonly locales?: readonly string[]
}

/** Options of `unpublish`. */
export interface UnpublishOptions extends PreconditionOptions, DryRunOptions {
  /** The locales in which it is published no longer. @default all */
  readonly locales?: readonly string[]
}

/** The precondition of a restore, whether it is tried alone, and the slug of a deleted entry. */
export interface RestoreOptions extends PreconditionOptions, DryRunOptions {
  /** The slug of a deleted entry. @default the one that it had */
  readonly slug?: string | undefined
}

/** The options of a write of all entries that match. */
export interface BulkOptions extends LocaleOptions {
  /** Words that must all be found. */
  readonly q?: string
  readonly status?: string | readonly string[]
  /** Does everything but store. @default false */
  readonly dryRun?: boolean
}

/** The outcome of a write of all entries that match. */
export interface BulkOutcome {
  readonly collection: string
  /** How many entries matched. */
  readonly matched: number
  /** How many of them have changed, or would have. */
  readonly changed: number
}

/** One operation of a batch. */
export type BatchOperation<C extends DaybookConfig = DaybookConfig> =
  | {
      readonly op: 'create'
      readonly collection: CollectionKey<C>
      readonly data: Readonly<Record<string, unknown>>
    }
  | (OnEntry<EntryKey<C>> & { readonly op: 'update'; readonly data: Readonly<Record<string, unknown>> })
  | (OnEntry<EntryKey<C>> & { readonly op: 'delete' })
  | (OnEntry<StatusKey<C>> & {
      readonly op: 'publish'
      readonly data?: { readonly locales?: readonly string[]; readonly publishAt?: string }
    })
  | (OnEntry<StatusKey<C>> & {
      readonly op: 'unpublish'
      readonly data?: { readonly locales?: readonly string[]; readonly unpublishAt?: string }
    })
  | (OnEntry<EntryKey<C>> & {
      readonly op: 'restore'
      readonly data: { readonly revision?: number; readonly slug?: string }
    })

/** What an operation is about that makes no entry. */
interface OnEntry<K extends string> {
  readonly collection: K
  readonly id: string
  /** The entity tag that the stored version must have; of a working copy, where the operation is about that. */
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

/** Options of a read: those that are written with brackets, and all others. */
interface QueryOptions {
  readonly where?: Where
  readonly reverse?: ReadOptions['reverse']
  readonly [option: string]: unknown
}

/** Options, read as the query parameters of the same names. */
export function parseOptions<P extends Parameters>(
  declared: P,
  options: { readonly [K in keyof P]?: unknown },
): Query<QueryOf<P>> {
  const { where, reverse, ...plain }: QueryOptions = options
  // An empty list of names says nothing, as a parameter that is left out.
  const pairs = Object.entries(plain).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  const named = pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)] as const)
  const pages = reverse ? toReverseParams(reverse) : []
  return readParameters(declared, toQueryParams([...named, ...pages, ...(where ? toWhereParams(where) : [])]))
}

/** The precondition that a tag states. */
export function toPreconditions(ifMatch: string | undefined): Preconditions {
  if (ifMatch === '*') return { ifMatch }
  return ifMatch === undefined ? {} : { ifMatch: [{ weak: false, value: ifMatch.replace(/^"|"$/g, '') }] }
}
