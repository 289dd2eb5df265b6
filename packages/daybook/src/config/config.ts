import type { AuthAdapter, AuthSource } from '../auth/adapter.ts'
import type { EntryPath } from '../entry-path.ts'
import type { ASSETS } from '../fields/asset.ts'
import type { Field, Fields } from '../fields/field.ts'
import type {
  DraftPatchValues,
  FieldValues,
  Flat,
  HasStatus,
  PatchValues,
  SparseValues,
  WriteValues,
} from '../fields/infer.ts'
import type { InterfaceText } from '../fields/interface-text.ts'
import type { DocumentValidator, ValidationListQuery, ValidationQuery } from '../fields/validation.ts'
import type { CollectionAccess, GlobalAccess, PeopleAccess } from './access.ts'
import type { AssetFields, AssetsConfig } from './assets.ts'
import type { DocsConfig } from './docs.ts'
import type { FormConfig } from './form.ts'
import type { ContributedDocument, ContributedFields, ContributedKey, Plugin, WithFields } from './plugin.ts'

/** The headers of cache tags that CDNs support. */
export const CACHE_TAG_HEADERS = ['Surrogate-Key', 'Cache-Tag'] as const

export type CacheTagHeader = (typeof CACHE_TAG_HEADERS)[number]

/** A CDN in front of the service. */
export interface CdnConfig {
  /**
   * Headers with cache tags in responses without a session, so that a CDN can purge them: `['Surrogate-Key']` for Fastly and Varnish,
   * `['Cache-Tag']` for Cloudflare and others. @default none @see docs/guides/going-to-production.md#put-a-cdn-in-front
   */
  readonly tags?: readonly ('Surrogate-Key' | 'Cache-Tag')[]
}

/** A collection of entries with the same fields. */
export interface CollectionConfig<F extends Fields = Fields> {
  /** The fields, by key, in the order in which they are served. */
  readonly fields: F
  /** The name for people: a text, or one for each language, such as `{ en: 'Posts', de: 'Beiträge' }`. @default its key, in words */
  readonly label?: InterfaceText
  /** The name of one entry for people, such as `{ en: 'Post', de: 'Beitrag' }`. @default 'Entry' */
  readonly singularLabel?: InterfaceText
  /** A description for people and for the OpenAPI document: a text, or one for each language. */
  readonly description?: InterfaceText
  /**
   * The arrangement of the fields in the Studio's form, with tabs, rows and sections:
   * `{ tabs: [{ label: 'Content', fields: ['title', ['slug', 'date'], 'body'] }] }`. @default one below the other
   * @see docs/guides/modelling-content.md#arrange-the-form
   */
  readonly form?: FormConfig
  /**
   * The access rules by action, functions of `{ principal, identity, entry }` that return true, false, a `where`, or a promise of these.
   * @see docs/concepts/access.md
   */
  readonly access?: CollectionAccess
  /**
   * Indexes over several fields, such as `[['category', '-publishedOn']]`: up to 8 lists of 2 to 4 fields. A list with a filter or rule on the
   * first fields that is sorted by the next one reads only the entries of its page. Each index makes writes slower. @default none
   * @see docs/guides/modelling-content.md#index-fields-together
   */
  readonly indexes?: readonly (readonly string[])[]
  /** The access to `createdBy` and `updatedBy`; `{ read: true }` means everyone. @default any session @see docs/concepts/access.md#show-who-wrote-it */
  readonly people?: PeopleAccess
  /**
   * True to order entries by hand: each has a `rank`, by which lists are sorted by default, and `POST /api/:collection/:id/move` moves it.
   * @default false @see docs/guides/ordering.md
   */
  readonly orderable?: boolean
  /**
   * The path of an entry's page on the site, with keys of fields: `/articles/:slug`, or one for each locale, such as
   * `{ en: '/articles/:slug', de: '/de/articles/:slug' }`. Links in Markdown to `daybook:posts/ID` lead to it. @default none
   * @see docs/guides/links.md
   */
  readonly path?: EntryPath
  /** The maximum number of entries on a page. @default 100 */
  readonly maxLimit?: number
  /** True to reject PUT, PATCH and DELETE without `If-Match` with 428, even with `If-None-Match`. @default false */
  readonly requireIfMatch?: boolean
  /**
   * Checks a whole entry, such as two values together: `(entry, { before, operation, identity, locale, content })`. Returns nothing if the
   * entry is valid, else issues: `{ path, message }`, or a message. @see docs/guides/hooks.md#check-what-is-written
   */
  readonly validate?: EntryValidator<F>
  /** Functions that take part in writes: any of `{ beforeValidate, beforeChange, afterCommit }`. @see docs/guides/hooks.md */
  readonly hooks?: object
}

/** A single document, addressed by its key. */
export interface GlobalConfig<F extends Fields = Fields> {
  /** The fields, by key, in the order in which they are served, without a slug or status. */
  readonly fields: F
  /** The name for people: a text, or one for each language, such as `{ en: 'Site', de: 'Website' }`. @default its key, in words */
  readonly label?: InterfaceText
  /** A description for people and for the OpenAPI document: a text, or one for each language. */
  readonly description?: InterfaceText
  /**
   * The arrangement of the fields in the Studio's form, with tabs, rows and sections:
   * `{ tabs: [{ label: 'Content', fields: ['title', ['slug', 'date'], 'body'] }] }`. @default one below the other
   * @see docs/guides/modelling-content.md#arrange-the-form
   */
  readonly form?: FormConfig
  /** The access rules by action, functions of `{ principal, identity }` that return true or false, or a promise of it. */
  readonly access?: GlobalAccess
  /** The access to `createdBy` and `updatedBy`; `{ read: true }` means everyone. @default any session @see docs/concepts/access.md#show-who-wrote-it */
  readonly people?: PeopleAccess
  /** True to reject PUT without `If-Match` or `If-None-Match` with 428. @default false */
  readonly requireIfMatch?: boolean
  /**
   * Checks the whole global: `(global, { before, operation, identity, locale, content })`. Returns nothing if it is valid, else issues:
   * `{ path, message }`, or a message. @see docs/guides/hooks.md#check-what-is-written
   */
  readonly validate?: GlobalValidator<F>
  /** Functions that take part in writes: any of `{ beforeValidate, beforeChange, afterCommit }`. @see docs/guides/hooks.md */
  readonly hooks?: object
}

/** The languages of the content. */
export interface LocalesConfig {
  /** The locale of a request without one. */
  readonly default: string
  /** All locales, as BCP 47 tags such as `en` or `pt-br`. */
  readonly available: readonly string[]
  /** The fallback locales for missing values, by locale, in order. @default none */
  readonly fallback?: Readonly<Record<string, readonly string[]>>
}

/** Limits of the service. */
export interface LimitsConfig {
  /** The maximum size of a JSON body, in bytes. @default 4,194,304 */
  readonly bodyBytes?: number
  /** The timeout of rendering a Markdown text, in milliseconds. @default 10,000 */
  readonly renderMs?: number
  /** The maximum attempts of a client to sign in or to register, per minute, on all nodes together. @default 10 */
  readonly signInsPerMinute?: number
  /** The maximum attempts of all clients to sign in to an account, per minute. @default twice `signInsPerMinute` @see docs/guides/accounts.md#limit-password-guessing */
  readonly accountSignInsPerMinute?: number
  /** The maximum number of requested messages to an account, such as links to set a password, per hour. @default 10 @see docs/guides/accounts.md#limit-password-guessing */
  readonly accountMessagesPerHour?: number
  /** The maximum number of running and waiting requests of a process; more are rejected with 503. @default 1,000 @see docs/guides/running.md#limit-overload */
  readonly pendingRequests?: number
  /** The maximum time that a request waits before it begins, in milliseconds; after that, it is rejected with 503. @default 10,000 @see docs/guides/running.md#limit-overload */
  readonly queueMs?: number
  /** The memory for cached responses of a process, in bytes; 0 for none. @default 67,108,864 @see docs/guides/running.md#cache-responses-in-memory */
  readonly responseCacheBytes?: number
  /** The maximum number of subscribers to live events of a process; more are rejected with 503. @default 10,000 @see docs/guides/live-content.md#limit-listeners */
  readonly listeners?: number
  /**
   * The interval of heartbeats of live events, at which sessions and rights of subscribers are checked as well, in milliseconds.
   * @default 15,000
   */
  readonly heartbeatMs?: number
  /**
   * The timeout of a call of the auth adapter, in milliseconds, without loading it. With accounts, it includes hashing a password.
   * @default 1,800
   */
  readonly authMs?: number
  /**
   * The timeout of code of plugins and of the config, in milliseconds: a route until it responds, unless it streams its body, a hook, a
   * validator, a check of `/api/ready`, and `close`. @default 10,000
   */
  readonly pluginMs?: number
  /** The timeout of the `setup` of a plugin, in milliseconds. @default 60,000 */
  readonly pluginStartMs?: number
}

/** The retention of former versions of documents. Current documents and their drafts always stay. */
export interface HistoryConfig {
  /** The number of former versions of a document, and of former drafts. @default all */
  readonly versions?: number
  /** The number of days for which a version is kept after it was replaced. @default forever */
  readonly days?: number
}

/** Allowed elements and attributes of HTML. */
export interface HtmlAllowance {
  /** Elements, such as `figure`. @default none */
  readonly elements?: readonly string[]
  /** Attributes by element, or by `*` for every element: `{ video: ['src'], '*': ['class', 'data-*'] }`. @default none */
  readonly attributes?: Readonly<Record<string, readonly string[]>>
}

/** Options of rendering Markdown. */
export interface MarkdownConfig {
  /**
   * Elements and attributes that raw HTML may contain besides GitHub's list. @default GitHub's list only
   * @see docs/guides/modelling-content.md#allow-html-in-markdown
   */
  readonly allowHtml?: HtmlAllowance
  /**
   * The hosts from which `<video>` and `<audio>` in raw HTML may load, with their port if needed, such as `media.example.org`. The service's
   * own files below `/uploads/` are always allowed. @default none
   * @see docs/guides/modelling-content.md#show-video-and-audio
   */
  readonly mediaHosts?: readonly string[]
}

/** Accounts of the default auth adapter, which are in memory and lost at a restart. */
export interface AccountsConfig {
  /** Decides if anyone can register an account. By default, every account can write. @default 'open' */
  readonly registration?: 'open' | 'closed'
  /**
   * Accepts that with open registration, every account can write to documents without access rules. Otherwise such a service listens only on
   * this machine, and does not start with `NODE_ENV=production`. @default false
   */
  readonly anyoneMayWrite?: boolean
  /**
   * The prefix of cookie names, of letters, digits, `-` and `_`. Browsers send cookies to all ports of a host, so that two services on one
   * host need different prefixes. @default `better-auth`; in `daybook dev` with the port: `better-auth-3000`
   */
  readonly cookiePrefix?: string
}

/** Other origins whose pages may call the API. */
export interface CorsConfig {
  /** Exact origins, such as `https://www.example.org`, without `*` and without a slash at the end. */
  readonly origins: readonly string[]
  /** True if those origins may send cookies. @default false */
  readonly credentials?: boolean
}

/** The writes of the first start. All of them are stored, or none. */
export interface SeedContent {
  create(collection: string, data: Readonly<Record<string, unknown>>): Promise<{ readonly id: string }>
  /** Changes an entry of the seed; with a locale, its localized fields in that locale. */
  update(
    collection: string,
    id: string,
    data: Readonly<Record<string, unknown>>,
    options?: SeedOptions,
  ): Promise<unknown>
  writeGlobal(key: string, data: Readonly<Record<string, unknown>>, options?: SeedOptions): Promise<unknown>
}

/**
 * {@link SeedContent} with the types of collections and globals.
 *
 * @example
 * ```ts
 * const model = { collections: { posts, authors }, globals: { site } }
 * export default defineConfig({
 *   ...model,
 *   seed: async (content: SeedContentOf<typeof model>) => void (await content.create('posts', { title: 'Hello' })),
 * })
 * ```
 */
export interface SeedContentOf<C extends DaybookConfig> {
  create<K extends CollectionKey<C>>(collection: K, data: EntryCreate<C, K>): Promise<{ readonly id: string }>
  update<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    data: EntryUpdate<C, K>,
    options?: SeedOptions,
  ): Promise<unknown>
  writeGlobal<K extends GlobalKey<C>>(key: K, data: GlobalUpdate<C, K>, options?: SeedOptions): Promise<unknown>
}

/**
 * The content for a validator, with the types of the config. A validator is a part of the config, so it needs an explicit result type.
 *
 * @example
 * ```ts
 * validate: async (event, { content }): Promise<ValidationResult> => {
 *   const { items } = await (content as ValidationContentOf<typeof config>).list('events')
 *   return items.some(({ title }) => title === event.title) ? 'there is another event of this title' : undefined
 * }
 * ```
 */
export interface ValidationContentOf<C extends DaybookConfig> {
  get<K extends EntryKey<C>>(collection: K, address: string, query?: ValidationQuery): Promise<Entry<C, K> | null>
  list<K extends EntryKey<C>>(
    collection: K,
    query?: ValidationListQuery,
  ): Promise<{ readonly total: number; readonly items: readonly Entry<C, K>[] }>
  readGlobal<K extends GlobalKey<C>>(key: K, query?: ValidationQuery): Promise<GlobalEntry<C, K>>
}

/** The options of a write of the first start. */
export interface SeedOptions {
  /** The written locale. @default the default locale */
  readonly locale?: string
}

/** A database that a config names. `postgres()` returns one; Daybook alone calls its methods. */
export interface DatabaseConfig {
  open(options?: never): Promise<object>
  snapshot(): Promise<object>
}

/** The config of a service, as `daybook.config.ts` exports it. */
export interface DaybookConfig {
  /** The collections by key, each made with `defineCollection`. */
  readonly collections: Readonly<Record<string, CollectionConfig>>
  /** The globals by key, each made with `defineGlobal`. @default none */
  readonly globals?: Readonly<Record<string, GlobalConfig>>
  /** The languages of the content. @default one language @see docs/concepts/locales.md */
  readonly locales?: LocalesConfig
  /** The database, such as `postgres(process.env.DATABASE_URL)`. @default a file in the data folder @see docs/reference/config.md#postgresurl-options */
  readonly database?: DatabaseConfig
  /**
   * The source of sessions: options of accounts in memory, `betterAuth()` for accounts in the service's database, or an adapter.
   * @default accounts in memory; anyone can register
   * @see docs/guides/accounts.md docs/reference/config.md#betterauthoptions docs/guides/accounts.md#write-an-adapter
   */
  readonly auth?: AuthAdapter | AuthSource | AccountsConfig
  /**
   * The number of proxies in front of the service that send the client's address in `X-Forwarded-For`, `-Proto` and `-Host`. If it is too
   * high, clients can forge their address. @default 0 @see docs/guides/accounts.md#limit-password-guessing
   */
  readonly trustProxy?: number
  /** Other origins whose pages may call the API. @default off */
  readonly cors?: CorsConfig
  /** The docs page; `false` switches it off. @default on, at `/docs` */
  readonly docs?: DocsConfig | false
  /** The storage of files, and rules for uploads. @default files of every type, in the data folder @see docs/guides/files.md */
  readonly assets?: AssetsConfig
  /** Limits of the service. */
  readonly limits?: LimitsConfig
  /** The retention of former versions of documents. @default forever @see docs/concepts/history.md#choose-how-long-history-is-kept */
  readonly history?: HistoryConfig
  /** Options of rendering Markdown. */
  readonly markdown?: MarkdownConfig
  /** `Cache-Control` of responses without a session. @default 'public, max-age=0, must-revalidate' */
  readonly publicCacheControl?: string
  /** Options for a CDN in front of the service. */
  readonly cdn?: CdnConfig
  /** Plugins, which add collections, fields, routes and hooks, such as `[redirects()]`. @default none */
  readonly plugins?: readonly Plugin[]
  /** Further routes, like those of a plugin. @default none @see docs/guides/plugins.md#declare-a-route */
  readonly routes?: readonly object[]
  /** Fills an empty store once, before the first request. All of it is stored, or nothing. */
  readonly seed?: (content: SeedContent) => Promise<void>
}

/** The keys of a config's collections, those of its plugins included. */
export type CollectionKey<C extends DaybookConfig> = (
  | keyof C['collections']
  | ContributedKey<C, 'collections'>
  | OpenKey<C>
) &
  string
/** The keys of a config's collections and of its files. */
export type EntryKey<C extends DaybookConfig> = CollectionKey<C> | typeof ASSETS
/** The fields of a collection, with the targets of parents, and the rank if it is orderable. */
type OwnFields<Collection extends CollectionConfig, K> = Collection extends { readonly orderable: true }
  ? WithTargets<Collection['fields'], K> & { readonly rank: RankField }
  : WithTargets<Collection['fields'], K>

type RankField = Field<string, { readonly '~filled'?: true }>

type WithTargets<F extends Fields, K> = true extends { readonly [P in keyof F]: IsParent<F[P]> }[keyof F]
  ? { readonly [P in keyof F]: IsParent<F[P]> extends true ? ParentIn<F[P], K> : F[P] }
  : F

type IsParent<F> = F extends { readonly options: infer O } ? ('~parent' extends keyof O ? true : false) : false

type ParentIn<F, K> = F extends Field<infer Value, infer O> ? Field<Value, O & { readonly to: K }> : never

/** The keys of a config's globals, those of its plugins included. */
export type GlobalKey<C extends DaybookConfig> = (
  | keyof NonNullable<C['globals']>
  | ContributedKey<C, 'globals'>
  | OpenKey<C>
) &
  string

/** The fields of a collection, those of plugins included. */
export type CollectionFields<C extends DaybookConfig, K> = WithFields<
  K extends keyof C['collections']
    ? OwnFields<C['collections'][K], K>
    : K extends typeof ASSETS
      ? AssetFields
      : ContributedDocument<C, 'collections', K>,
  ContributedFields<C, K>
>
/** The fields of a global, those of plugins included. */
export type GlobalFields<C extends DaybookConfig, K> = WithFields<
  K extends keyof NonNullable<C['globals']>
    ? NonNullable<C['globals']>[K]['fields']
    : ContributedDocument<C, 'globals', K>,
  ContributedFields<C, K>
>

/** The keys of collections whose entries have a status, and so drafts. */
export type StatusKey<C extends DaybookConfig> = CollectionKey<C> & WithStatus<C, CollectionKey<C>>
type WithStatus<C extends DaybookConfig, K> = K extends string
  ? HasStatus<CollectionFields<C, K>> extends true
    ? K
    : never
  : never

/** The keys of orderable collections. */
export type OrderedKey<C extends DaybookConfig> =
  | {
      readonly [K in keyof C['collections'] & string]: IsOrdered<C['collections'][K]> extends true ? K : never
    }[keyof C['collections'] & string]
  | OpenKey<C>

/** True for an orderable collection, or one whose options are unknown. */
type IsOrdered<Collection> = Collection extends { readonly orderable: true }
  ? true
  : Collection extends { readonly orderable?: infer O }
    ? boolean extends O
      ? true
      : false
    : false

/** The position to which an entry moves: one of `before`, `after` and `position`; `parent` alone means the end. */
export interface EntryPosition {
  /** The id of the entry before which it is moved. */
  readonly before?: string
  /** The id of the entry after which it is moved. */
  readonly after?: string
  /** An end of the order. */
  readonly position?: 'first' | 'last'
  /** In a tree: the id of the new parent, or `null` for a root. @default the present one */
  readonly parent?: string | null
}

/** A partly known config, such as for a plugin, whose own documents are typed and all others untyped. */
export interface OpenConfig<
  C extends DaybookConfig['collections'] = Record<never, never>,
  G extends NonNullable<DaybookConfig['globals']> = Record<never, never>,
> extends DaybookConfig {
  readonly collections: C
  readonly globals: G
  /** Never set. */
  readonly '~open': true
}

/** Any key, for a partly known config. */
type OpenKey<C> = C extends { readonly '~open': true } ? string & {} : never

/** The authors of a document. */
interface Authors {
  /** The subject of the identity that created it; `null` if it is unknown. Absent for callers who may not read it. */
  readonly createdBy?: string | null | undefined
  /** The subject of the identity that last changed it; `null` if it is unknown. Absent for callers who may not read it. */
  readonly updatedBy?: string | null | undefined
}

/** The authors, never absent if the config shows them to everyone. */
type AuthorsOf<Config> = Authors &
  (Config extends { readonly people: { readonly read: true } }
    ? { readonly createdBy: string | null; readonly updatedBy: string | null }
    : unknown)

/** The keys of every entry besides its fields. */
export interface EntrySystem {
  /** UUIDv7 (RFC 9562). */
  readonly id: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly createdAt: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly updatedAt: string
}

/** An entry in hooks, with the values of the written locale only. */
export type HookedEntry<F extends Fields> = Flat<EntrySystem & Authors & SparseValues<F, 'localized'>>
/** A global in hooks, with the values of the written locale only. */
export type HookedGlobal<F extends Fields> = Flat<GlobalSystem & Authors & SparseValues<F, 'localized'>>
/** The validator of an entry. Fields that the caller neither may read nor has sent are empty. */
export type EntryValidator<F extends Fields> = DocumentValidator<
  Flat<EntrySystem & SparseValues<F, 'guarded'>>,
  Flat<EntrySystem & SparseValues<F, 'guarded' | 'localized'>>
>
/** The validator of a global. Fields that the caller neither may read nor has sent are empty. */
export type GlobalValidator<F extends Fields> = DocumentValidator<
  Flat<GlobalSystem & SparseValues<F, 'guarded'>>,
  Flat<GlobalSystem & SparseValues<F, 'guarded' | 'localized'>>
>

interface GlobalSystem {
  readonly key: string
}

/** An entry in reads. */
export type Entry<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  EntrySystem & FieldValues<CollectionFields<C, K>> & AuthorsOf<C['collections'][K]>
>
/** The data of a new entry; read-only fields are accepted and ignored. */
export type EntryCreate<C extends DaybookConfig, K extends CollectionKey<C>> = Flat<
  WriteValues<CollectionFields<C, K>> & Partial<EntrySystem> & Authors
>
/** The data of an update: the fields to change, `null` to empty one. */
export type EntryUpdate<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  PatchValues<CollectionFields<C, K>> & Partial<EntrySystem> & Authors
>

/** The further keys in reads of drafts. */
export interface DraftSystem {
  /** True if there is a draft; otherwise the values are those of the entry. */
  readonly hasDraft: boolean
  /** The time of the scheduled publication, ISO 8601; `null` if there is none. */
  readonly publishAt: string | null
  /** The time of the scheduled unpublication, ISO 8601; `null` if there is none. */
  readonly unpublishAt: string | null
  /** The locales in which it is published; `null` if the content has no locales. */
  readonly publishedLocales: readonly string[] | null
}

/** The draft of an entry, in which required values may be missing. */
export type DraftEntry<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  EntrySystem & SparseValues<CollectionFields<C, K>, 'unfinished'> & AuthorsOf<C['collections'][K]> & DraftSystem
>
/** The data of an update of a draft: the fields to change, `null` to empty one. */
export type DraftUpdate<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  DraftPatchValues<CollectionFields<C, K>> & Partial<EntrySystem> & Authors & Partial<DraftSystem>
>

/** A global in reads. */
export type GlobalEntry<C extends DaybookConfig, K extends GlobalKey<C>> = Flat<
  { readonly key: K } & FieldValues<GlobalFields<C, K>> & AuthorsOf<NonNullable<C['globals']>[K]>
>
/** The data of an update of a global. */
export type GlobalUpdate<C extends DaybookConfig, K extends GlobalKey<C>> = Flat<
  PatchValues<GlobalFields<C, K>> & { readonly key?: K } & Authors
>
