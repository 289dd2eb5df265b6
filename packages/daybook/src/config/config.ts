import type { AuthAdapter, AuthSource } from '../auth/adapter.ts'
import type { ASSETS } from '../fields/asset.ts'
import type { Fields } from '../fields/field.ts'
import type {
  DraftPatchValues,
  FieldValues,
  Flat,
  HasStatus,
  PatchValues,
  SparseValues,
  WriteValues,
} from '../fields/infer.ts'
import type { DocumentValidator, ValidationListQuery, ValidationQuery } from '../fields/validation.ts'
import type { CollectionAccess, GlobalAccess, PeopleAccess } from './access.ts'
import type { AssetFields, AssetsConfig } from './assets.ts'
import type { DocsConfig } from './docs.ts'
import type { ContributedDocument, ContributedFields, ContributedKey, Plugin, WithFields } from './plugin.ts'

/** Headers in which CDNs take tags of answers. */
export const CACHE_TAG_HEADERS = ['Surrogate-Key', 'Cache-Tag'] as const

export type CacheTagHeader = (typeof CACHE_TAG_HEADERS)[number]

/** A CDN in front of the service. */
export interface CdnConfig {
  /**
   * Headers of answers without a session that name what they are made of, so that a CDN can purge them: `['Surrogate-Key']` for
   * Fastly and Varnish, `['Cache-Tag']` for Cloudflare and others. @default none @see docs/cdn.md
   */
  readonly tags?: readonly ('Surrogate-Key' | 'Cache-Tag')[]
}

/** Many entries of one shape. */
export interface CollectionConfig<F extends Fields = Fields> {
  /** The fields, by key, in the order in which they are served. */
  readonly fields: F
  /** For people: shown in the OpenAPI document and the docs page. */
  readonly description?: string
  /**
   * The rules by action: each is a function of `{ principal, identity, entry }` that answers true, false, a `where`, or a promise of one
   * of them. @see docs/access.md
   */
  readonly access?: CollectionAccess
  /**
   * Fields that lists filter and sort by together, as `[['category', '-publishedOn']]`: up to 8 lists of 2 to 4 fields. A filter or a
   * rule that names values for the first fields, sorted by the next one, then reads only the entries of its page. Each index makes
   * writes slower. @default none @see docs/modelling-content.md#index-fields-together
   */
  readonly indexes?: readonly (readonly string[])[]
  /** Who may read `createdBy` and `updatedBy`: `{ read: true }` is everyone. @default any session @see docs/access.md#show-who-wrote-it */
  readonly people?: PeopleAccess
  /** The most entries on one page. @default 100 */
  readonly maxLimit?: number
  /** Refuse PUT, PATCH and DELETE without `If-Match` (428), with `If-None-Match` too. @default false */
  readonly requireIfMatch?: boolean
  /**
   * Checks a whole entry, such as one value beside another: `(entry, { before, operation, identity, locale, content })`. Answers nothing
   * when the entry may be stored, else issues: `{ path, message }`, or a message. @see docs/hooks.md#check-what-is-written
   */
  readonly validate?: EntryValidator<F>
  /** Functions that take part in writes: `{ beforeValidate, beforeChange, afterCommit }`, any of them. @see docs/hooks.md */
  readonly hooks?: object
}

/** One record, addressed by its key. */
export interface GlobalConfig<F extends Fields = Fields> {
  /** The fields, by key, in the order in which they are served; no slug and no status. */
  readonly fields: F
  /** For people: shown in the OpenAPI document and the docs page. */
  readonly description?: string
  /** The rules by action: each is a function of `{ principal, identity }` that answers true or false, or a promise of it. */
  readonly access?: GlobalAccess
  /** Who may read `createdBy` and `updatedBy`: `{ read: true }` is everyone. @default any session @see docs/access.md#show-who-wrote-it */
  readonly people?: PeopleAccess
  /** Refuse PUT without `If-Match` or `If-None-Match` (428). @default false */
  readonly requireIfMatch?: boolean
  /**
   * Checks the whole global: `(global, { before, operation, identity, locale, content })`. Answers nothing when it may be stored, else
   * issues: `{ path, message }`, or a message. @see docs/hooks.md#check-what-is-written
   */
  readonly validate?: GlobalValidator<F>
  /** Functions that take part in writes: `{ beforeValidate, beforeChange, afterCommit }`, any of them. @see docs/hooks.md */
  readonly hooks?: object
}

/** The languages of the content. */
export interface LocalesConfig {
  /** The locale of a request that names none. */
  readonly default: string
  /** Every locale, as BCP 47 tags such as `en` or `pt-br`. */
  readonly available: readonly string[]
  /** For a locale, the others to look in when it has no value, in order. @default none */
  readonly fallback?: Readonly<Record<string, readonly string[]>>
}

/** Bounds of what the service takes. */
export interface LimitsConfig {
  /** The largest JSON body, in bytes. @default 4,194,304 */
  readonly bodyBytes?: number
  /** How long one Markdown text may take to render, in milliseconds. @default 10,000 */
  readonly renderMs?: number
  /** How often one client may try to sign in or to register in a minute, on all nodes together. @default 10 */
  readonly signInsPerMinute?: number
  /** How often one account may be tried to sign in to in a minute, by all clients together. @default twice `signInsPerMinute` @see docs/authentication.md#limit-password-guessing */
  readonly accountSignInsPerMinute?: number
  /** How many messages, such as links to set a password, one account may be sent on request in an hour. @default 10 @see docs/authentication.md#limit-password-guessing */
  readonly accountMessagesPerHour?: number
  /** How many requests a process works on or lets wait; another one is refused with 503. @default 1,000 @see docs/running.md#limit-overload */
  readonly pendingRequests?: number
  /** The longest time that a request waits before it begins, in milliseconds; after that it is refused with 503. @default 10,000 @see docs/running.md#limit-overload */
  readonly queueMs?: number
  /** How much memory a process may use for answers that it can send again, in bytes; 0: none. @default 67,108,864 @see docs/running.md#keep-answers-in-memory */
  readonly responseCacheBytes?: number
  /** How many readers of live events a process has; another one is refused with 503. @default 10,000 @see docs/live-content.md#limit-listeners */
  readonly listeners?: number
  /**
   * How often a reader of live events hears something, be it nothing new, and how often its session and its rights are looked at again, in
   * milliseconds. @default 15,000
   */
  readonly heartbeatMs?: number
  /**
   * How long the auth adapter may take to answer, in milliseconds. Loading it does not count. With accounts, hashing a password is part
   * of an answer. @default 1,800
   */
  readonly authMs?: number
  /**
   * How long code of a plugin or of the config may take, in milliseconds: a route until it answers, unless it streams its body, a hook, a validator, a check of
   * `/api/ready`, and `close`.
   * @default 10,000
   */
  readonly pluginMs?: number
  /** How long the `setup` of a plugin may take, in milliseconds. @default 60,000 */
  readonly pluginStartMs?: number
}

/** How long former versions of documents are kept. What documents are now, and their working copies, always stay. */
export interface HistoryConfig {
  /** How many former versions of a document are kept, and as many former working copies of it. @default all */
  readonly versions?: number
  /** How many days a version is kept after another one took its place. @default forever */
  readonly days?: number
}

/** Elements and attributes of HTML. */
export interface HtmlAllowance {
  /** Elements, such as `figure`. @default none */
  readonly elements?: readonly string[]
  /** Attributes by element, or by `*` for every element: `{ video: ['src'], '*': ['class', 'data-*'] }`. @default none */
  readonly attributes?: Readonly<Record<string, readonly string[]>>
}

/** How Markdown is rendered. */
export interface MarkdownConfig {
  /**
   * What raw HTML may hold besides GitHub's list. @default GitHub's list alone
   * @see docs/modelling-content.md#allow-html-in-markdown
   */
  readonly allowHtml?: HtmlAllowance
  /**
   * The hosts from which `<video>` and `<audio>` in raw HTML may load, with the port where there is one, such as `media.example.org`. The
   * service's own files, below `/uploads/`, always may. @default none
   * @see docs/modelling-content.md#show-video-and-audio
   */
  readonly mediaHosts?: readonly string[]
}

/** Accounts of the default auth adapter. They live in memory: a restart forgets them. */
export interface AccountsConfig {
  /** Whether anyone can register an account. By default, every account can write. @default 'open' */
  readonly registration?: 'open' | 'closed'
  /**
   * Accepts that with open registration, everyone who registers can write whatever has no access rule. Without it, such a service listens
   * on this machine alone, and does not start with `NODE_ENV=production`. @default false
   */
  readonly anyoneMayWrite?: boolean
  /**
   * The start of the names of cookies, which browsers send to all ports of a host: two services on one host need two. Letters, digits, `-`
   * and `_`. @default `better-auth`; in `daybook dev` with the port: `better-auth-3000`
   */
  readonly cookiePrefix?: string
}

/** Which other origins may call from a browser. */
export interface CorsConfig {
  /** Exact origins, such as `https://www.example.org`: no `*`, no slash at the end. */
  readonly origins: readonly string[]
  /** Whether those origins may send cookies. @default false */
  readonly credentials?: boolean
}

/** Writes of the first start; all of them are stored, or none. */
export interface SeedContent {
  create(collection: string, data: Readonly<Record<string, unknown>>): Promise<{ readonly id: string }>
  /** Changes an entry that the seed has made: with a locale, what its localized fields say there. */
  update(
    collection: string,
    id: string,
    data: Readonly<Record<string, unknown>>,
    options?: SeedOptions,
  ): Promise<unknown>
  writeGlobal(key: string, data: Readonly<Record<string, unknown>>, options?: SeedOptions): Promise<unknown>
}

/**
 * The same writes, typed by the collections and globals that are seeded.
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
 * The content that a validator reads, typed by the config. A validator is a part of the config, so it states the type of its own result.
 *
 * @example
 * ```ts
 * validate: async (event, { content }): Promise<ValidationAnswer> => {
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

/** How a document of the first start is written. */
export interface SeedOptions {
  /** The language of what is written. @default the default locale */
  readonly locale?: string
}

/** A database that a config names. `postgres()` returns one; Daybook alone calls its methods. */
export interface DatabaseConfig {
  open(options?: never): Promise<object>
  snapshot(): Promise<object>
}

/** The config of a service, as `daybook.config.ts` exports it. */
export interface DaybookConfig {
  /** Many entries of one shape, by key; each made with `defineCollection`. */
  readonly collections: Readonly<Record<string, CollectionConfig>>
  /** One record of its own shape, by key; each made with `defineGlobal`. @default none */
  readonly globals?: Readonly<Record<string, GlobalConfig>>
  /** The languages of the content. @default one language @see docs/locales.md */
  readonly locales?: LocalesConfig
  /** Where content is kept: `postgres(process.env.DATABASE_URL)`. @default a file in the data folder @see docs/reference/config.md#postgresurl-options */
  readonly database?: DatabaseConfig
  /**
   * Where sessions come from: options of the accounts that a service has by itself, `betterAuth()` for accounts in the service's
   * database, or an adapter in their place. @default accounts in memory; anyone can register
   * @see docs/authentication.md docs/reference/config.md#betterauthoptions docs/your-own-sessions.md
   */
  readonly auth?: AuthAdapter | AuthSource | AccountsConfig
  /**
   * How many proxies stand in front of the service and tell the client's address, by `X-Forwarded-For`, `-Proto` and `-Host`.
   * One too many, and clients can make up their address. @default 0 @see docs/authentication.md#limit-password-guessing
   */
  readonly trustProxy?: number
  /** Which other origins may call from a browser. @default off */
  readonly cors?: CorsConfig
  /** The docs page; `false` switches it off. @default on, at `/docs` */
  readonly docs?: DocsConfig | false
  /** Where uploaded files lie, and which may be uploaded. @default files of every type, in the data folder @see docs/files.md */
  readonly assets?: AssetsConfig
  /** Bounds of what the service takes. */
  readonly limits?: LimitsConfig
  /** How long former versions of documents are kept. @default forever @see docs/history.md#choose-how-long-history-is-kept */
  readonly history?: HistoryConfig
  /** What Markdown becomes. */
  readonly markdown?: MarkdownConfig
  /** `Cache-Control` of answers without a session. @default 'public, max-age=0, must-revalidate' */
  readonly publicCacheControl?: string
  /** What a CDN in front of the service is told. */
  readonly cdn?: CdnConfig
  /** What adds collections, fields, routes and hooks, such as `[redirects()]`. @default none */
  readonly plugins?: readonly Plugin[]
  /** Routes of this service's own, as a plugin has them. @default none @see docs/plugins.md#declare-a-route */
  readonly routes?: readonly object[]
  /** Fills an empty store, once, before the service first answers; all of it is stored, or nothing. */
  readonly seed?: (content: SeedContent) => Promise<void>
}

/** Keys of a config's collections, those of its plugins among them. */
export type CollectionKey<C extends DaybookConfig> = (
  | keyof C['collections']
  | ContributedKey<C, 'collections'>
  | OpenKey<C>
) &
  string
/** Keys of all that has entries: of a config's collections, and of its files. */
export type EntryKey<C extends DaybookConfig> = CollectionKey<C> | typeof ASSETS
/** Keys of a config's globals, those of its plugins among them. */
export type GlobalKey<C extends DaybookConfig> = (
  | keyof NonNullable<C['globals']>
  | ContributedKey<C, 'globals'>
  | OpenKey<C>
) &
  string

/** The fields of a collection, those that plugins add to it among them. */
export type CollectionFields<C extends DaybookConfig, K> = WithFields<
  K extends keyof C['collections']
    ? C['collections'][K]['fields']
    : K extends typeof ASSETS
      ? AssetFields
      : ContributedDocument<C, 'collections', K>,
  ContributedFields<C, K>
>
/** The fields of a global, those that plugins add to it among them. */
export type GlobalFields<C extends DaybookConfig, K> = WithFields<
  K extends keyof NonNullable<C['globals']>
    ? NonNullable<C['globals']>[K]['fields']
    : ContributedDocument<C, 'globals', K>,
  ContributedFields<C, K>
>

/** Keys of collections whose entries have a status, and so working copies. */
export type StatusKey<C extends DaybookConfig> = CollectionKey<C> & WithStatus<C, CollectionKey<C>>
type WithStatus<C extends DaybookConfig, K> = K extends string
  ? HasStatus<CollectionFields<C, K>> extends true
    ? K
    : never
  : never

/** A config of which only a part is known, as a plugin sees it: its own documents are typed, all others are open. */
export interface OpenConfig<
  C extends DaybookConfig['collections'] = Record<never, never>,
  G extends NonNullable<DaybookConfig['globals']> = Record<never, never>,
> extends DaybookConfig {
  readonly collections: C
  readonly globals: G
  /** Never set. */
  readonly '~open': true
}

/** Keys beside those that are known. */
type OpenKey<C> = C extends { readonly '~open': true } ? string & {} : never

/** Who made and last changed a document. */
interface People {
  /** The subject of the identity that made it; `null` where nobody is known. Absent for readers who may not know. */
  readonly createdBy?: string | null | undefined
  /** The subject of the identity that last changed it. Absent for readers who may not know. */
  readonly updatedBy?: string | null | undefined
}

/** The same, never absent where the config shows them to everyone. */
type PeopleOf<Config> = People &
  (Config extends { readonly people: { readonly read: true } }
    ? { readonly createdBy: string | null; readonly updatedBy: string | null }
    : unknown)

/** The keys that every entry has beside its fields. */
export interface EntrySystem {
  /** UUIDv7 (RFC 9562). */
  readonly id: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly createdAt: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly updatedAt: string
}

/** An entry as its hooks are told of it: as the written language itself has it. */
export type HookedEntry<F extends Fields> = Flat<EntrySystem & People & SparseValues<F, 'localized'>>
/** A global as its hooks are told of it: as the written language itself has it. */
export type HookedGlobal<F extends Fields> = Flat<GlobalSystem & People & SparseValues<F, 'localized'>>
/** The validator of an entry: fields that the caller may not read, and did not send, are empty. */
export type EntryValidator<F extends Fields> = DocumentValidator<
  Flat<EntrySystem & SparseValues<F, 'guarded'>>,
  Flat<EntrySystem & SparseValues<F, 'guarded' | 'localized'>>
>
/** The validator of a global: fields that the caller may not read, and did not send, are empty. */
export type GlobalValidator<F extends Fields> = DocumentValidator<
  Flat<GlobalSystem & SparseValues<F, 'guarded'>>,
  Flat<GlobalSystem & SparseValues<F, 'guarded' | 'localized'>>
>

interface GlobalSystem {
  readonly key: string
}

/** An entry as it is read. */
export type Entry<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  EntrySystem & FieldValues<CollectionFields<C, K>> & PeopleOf<C['collections'][K]>
>
/** The data of a new entry; read-only fields are accepted and ignored. */
export type EntryCreate<C extends DaybookConfig, K extends CollectionKey<C>> = Flat<
  WriteValues<CollectionFields<C, K>> & Partial<EntrySystem> & People
>
/** The data of a change: the fields to change, `null` to empty one. */
export type EntryUpdate<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  PatchValues<CollectionFields<C, K>> & Partial<EntrySystem> & People
>

/** What reads of working copies say besides. */
export interface DraftSystem {
  /** Whether there is a working copy; else the entry reads as it is. */
  readonly hasDraft: boolean
  /** When it is to be published, ISO 8601; `null`: no time is set. */
  readonly publishAt: string | null
  /** When it is to be unpublished, ISO 8601; `null`: no time is set. */
  readonly unpublishAt: string | null
  /** The locales in which it is published; `null`: the content has none. */
  readonly publishedLocales: readonly string[] | null
}

/** An entry as its working copy has it: whatever is required may be missing still. */
export type DraftEntry<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  EntrySystem & SparseValues<CollectionFields<C, K>, 'unfinished'> & PeopleOf<C['collections'][K]> & DraftSystem
>
/** The data of a save of a working copy: the fields to change, `null` to empty one. */
export type DraftUpdate<C extends DaybookConfig, K extends EntryKey<C>> = Flat<
  DraftPatchValues<CollectionFields<C, K>> & Partial<EntrySystem> & People & Partial<DraftSystem>
>

/** A global as it is read. */
export type GlobalEntry<C extends DaybookConfig, K extends GlobalKey<C>> = Flat<
  { readonly key: K } & FieldValues<GlobalFields<C, K>> & PeopleOf<NonNullable<C['globals']>[K]>
>
/** The data of a change of a global. */
export type GlobalUpdate<C extends DaybookConfig, K extends GlobalKey<C>> = Flat<
  PatchValues<GlobalFields<C, K>> & { readonly key?: K } & People
>
