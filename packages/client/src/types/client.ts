import type {
  BulkOutcome,
  CollectionKey,
  DaybookConfig,
  Entry,
  EntryCreate,
  EntryKey,
  EntryPosition,
  EntryUpdate,
  GlobalEntry,
  GlobalKey,
  GlobalUpdate,
  ListOptions,
  ListResult,
  ModelDescription,
  OrderedKey,
  PresentUser,
  ReadOptions,
  UndoRange,
  UndoReport,
  VersionDifference,
  VersionList,
} from 'daybook'
import type { CallOptions, RequestOptions, Token } from '../request.ts'
import type { UploadProgress, UploadSource } from '../upload.ts'
import type { AggregatedList, AggregateQuery } from './aggregate.ts'
import type { AuthClient } from './auth.ts'
import type {
  CrossCollectionQuery,
  CursorPage,
  DeletedEntry,
  DeletedQuery,
  DraftsQuery,
  ListedDraft,
  ListedSchedule,
  SearchQuery,
  TitledEntry,
} from './cross-collection.ts'
import type { DraftQuery, DraftsClient, PreviewQuery, ReadEntry, RequiredKey, Restored } from './drafts.ts'
import type { CollectionFieldsOf, Flattened, GlobalFieldsOf, Locale } from './fields.ts'
import type { Sort, Status, Where } from './filter.ts'
import type {
  Change,
  ChangeStore,
  ChangesPage,
  ChangesQuery,
  ComparedVersions,
  JournalPage,
  JournalQuery,
  MemoryCopy,
  SubscribeOptions,
  SyncOptions,
  UndoOptions,
  VersionQuery,
  VersionsQuery,
  WholeVersion,
} from './journal.ts'
import type { Depth, EntryInclude, Included, IncludePath, InnerPath } from './paths.ts'
import type { QueriedDocument } from './queried-document.ts'
import type { EntryPatch, Operation, Outcome } from './write.ts'
import type {
  ChangeOptions,
  DeleteOptions,
  EntryOrId,
  GlobalChangeOptions,
  RestoreOptions,
  WriteOptions,
} from './write-options.ts'

/** A locale to read, or `all`; `never` for a config without locales. */
type LocaleChoice<C extends DaybookConfig> = [Locale<C>] extends [never] ? never : Locale<C> | 'all'

/** The selection of a document's fields, and its locale. */
export interface ReadQuery<C extends DaybookConfig, I = readonly [], S = readonly [], D = 0, L = Locale<C>>
  extends Pick<ReadOptions, 'reverse'> {
  /** The locale to read. With a session, `all` returns maps of locales to values. @default the default locale of the config */
  readonly locale?: L
  /** The locale of missing values; `none` turns the fallback off. @default the fallback of the config */
  readonly fallbackLocale?: Locale<C> | 'none'
  /** Dotted paths of the relations to expand. */
  readonly include?: I
  /** The number of levels of relations to expand; with `include`, below the named relations. @default 1 with `include`, else 0 */
  readonly depth?: D
  /** The keys to return, and dotted paths into included relations. @default all */
  readonly select?: S
}

/** One value or several; `never` if there are none to choose from. */
type OneOrMore<T> = [T] extends [never] ? never : T | readonly T[]

export interface ListQuery<
  C extends DaybookConfig,
  K extends EntryKey<C>,
  I = readonly [],
  S = readonly [],
  D = 0,
  L = Locale<C>,
> extends ReadQuery<C, I, S, D, L>,
    Pick<ListOptions, 'nulls' | 'q' | 'limit'> {
  readonly where?: Where<C, K>
  /** Up to five fields. @default '-createdAt', or with `q` the best match first */
  readonly sort?: OneOrMore<Sort<C, K>>
  readonly status?: OneOrMore<Status<C, K>>
}

/** The page of a list. */
export interface PageQuery extends Pick<ListOptions, 'offset'> {
  /** `nextCursor` of the previous page; `null` for the first page. */
  readonly cursor?: string | null
}

type DefaultDepth<I> = I extends readonly [] ? 0 : 1

type SelectPath<C extends DaybookConfig, F, Document, I extends readonly string[], D extends Depth> =
  InnerPath<C, F, Included<C, F, I, D>> extends infer Inner extends string ? (keyof Document & string) | Inner : never

/** The options of a read that decide the type of its entry, see {@link EntryOf}. */
interface EntryQuery<C extends DaybookConfig, K extends EntryKey<C>> {
  readonly include?: readonly EntryInclude<C, CollectionFieldsOf<C, K>>[]
  readonly select?: readonly ((keyof Entry<C, K> & string) | `${string}.${string}`)[]
  readonly depth?: Depth
  readonly locale?: LocaleChoice<C>
  readonly draft?: boolean
}

/** One member of a query, or its default. */
type Member<Q, Name extends string, Default> = Q extends { readonly [K in Name]: infer Value } ? Value : Default

type StringsIn<Q, Name extends string> = Extract<Member<Q, Name, readonly []>, readonly string[]>

/**
 * The type of an entry in the result of a query, for example for a component that shows it.
 *
 * @example
 * ```ts
 * type Article = EntryOf<typeof config, 'posts', { include: ['author']; select: ['title', 'author.name'] }>
 * ```
 */
export type EntryOf<
  C extends DaybookConfig,
  K extends EntryKey<C>,
  Q extends EntryQuery<C, K> = Record<never, never>,
> = QueriedDocument<
  C,
  CollectionFieldsOf<C, K>,
  ReadEntry<C, K, Member<Q, 'draft', false>>,
  RequiredKey<Member<Q, 'draft', false>>,
  StringsIn<Q, 'include'>,
  StringsIn<Q, 'select'>,
  Extract<Member<Q, 'depth', DefaultDepth<StringsIn<Q, 'include'>>>, Depth>,
  Extract<Member<Q, 'locale', never>, string>
>

/** A file of the service. */
export type Asset<C extends DaybookConfig = { readonly collections: Record<never, never> }> = Entry<C, 'assets'>

export interface UploadOptions<C extends DaybookConfig> extends Omit<WriteOptions<C>, 'timeout'> {
  /** The original name of the file, stored as `originalName`. @default the name of a `File` */
  readonly name?: string
  /** The name under which the file is stored. @default derived from its name, with a part that cannot be guessed */
  readonly filename?: string
  /** The folder in which the file is stored, such as `images/2026`. @default none */
  readonly directory?: string
  /** The alternative text for people who cannot see the file. */
  readonly alt?: string
  /** Called while the file is sent. In a browser, not with a `fetch` of your own, nor with `credentials: 'omit'`. */
  readonly onProgress?: (progress: UploadProgress) => void
  /** The timeout of the upload and its response, in milliseconds. @default none */
  readonly timeout?: number
}

export interface BulkOptions<C extends DaybookConfig, K extends EntryKey<C>>
  extends Omit<ChangeOptions<C>, 'idempotencyKey'> {
  /** Words that must all match. */
  readonly q?: string
  /** @default all statuses that this session may see */
  readonly status?: OneOrMore<Status<C, K>>
}

/** A reference to an entry, with the document and the field that contain it. */
export interface Reference {
  /** The key of the collection, or `globals` for a global. */
  readonly collection: string
  readonly id: string
  readonly field: string
}

/** A link in Markdown to an entry or a file that does not exist. */
export interface BrokenLink extends Reference {
  /** The address in the text: `daybook:posts/ID`, or the address of a file. */
  readonly link: string
}

/** The methods that collections and files share. */
interface EntriesClient<C extends DaybookConfig, K extends EntryKey<C>> {
  /** Iterates over all matching entries, and reads them page by page. `limit` is the page size. @default 100 */
  iterate<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, K>, Entry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const W extends boolean = false,
  >(
    query?: Flattened<ListQuery<C, K, I, S, D, L> & DraftQuery<C, K, W>>,
    options?: CallOptions,
  ): AsyncGenerator<QueriedDocument<C, CollectionFieldsOf<C, K>, ReadEntry<C, K, W>, RequiredKey<W>, I, S, D, L>, void>

  /**
   * Updates the fields in `data`; `null` empties one. With an entry instead of an id, fails if the entry has changed since it was
   * read.
   *
   * @throws {TypeError} for an entry without a tag, such as an item of a list
   */
  update(entry: EntryOrId, data: EntryUpdate<C, K>, options?: ChangeOptions<C>): Promise<Entry<C, K>>

  /** Like `update`, but merges inside groups (RFC 7396). */
  patch(entry: EntryOrId, data: EntryPatch<C, K>, options?: ChangeOptions<C>): Promise<Entry<C, K>>

  /** Deletes an entry. With an entry instead of an id, fails if the entry has changed since it was read. */
  delete(entry: EntryOrId, options?: DeleteOptions<C>): Promise<void>

  /**
   * Restores an earlier revision: as the draft, or as a new revision if entries have no status. The published entry never changes. A
   * deleted entry is stored again with its id, unpublished if entries have a status; a deleted file with its bytes, as long as the
   * service keeps them.
   *
   * @param revision @default the last one of a deleted entry, which has no other
   */
  restore(entry: EntryOrId, revision?: number, options?: RestoreOptions<C>): Promise<Restored<C, K>>

  /**
   * Lists a page of the deleted entries that this session may restore, the latest deletion first. A page with a `nextCursor` may be
   * shorter than `limit`.
   *
   * @throws {DaybookError} UNAUTHORIZED; FORBIDDEN for a session that may restore no entry of the collection
   */
  listDeleted(query?: DeletedQuery, options?: CallOptions): Promise<CursorPage<DeletedEntry<C>>>

  /**
   * Updates every matching entry in one transaction, and merges inside groups (RFC 7396). At most 10,000 entries may match.
   *
   * @throws {DaybookError} the error of a rejected entry, with the ids of the first 100 in `details.refused`
   */
  updateMany(where: Where<C, K>, data: EntryPatch<C, K>, options?: BulkOptions<C, K>): Promise<BulkOutcome>

  /**
   * Deletes every matching entry in one transaction. At most 10,000 entries may match.
   *
   * @throws {DaybookError} the error of a rejected entry, with the ids of the first 100 in `details.refused`
   */
  deleteMany(where: Where<C, K>, options?: BulkOptions<C, K>): Promise<BulkOutcome>

  /** Announces for 30 seconds that this session has an entry open. @returns everyone who has it open */
  enter(id: string, options?: CallOptions): Promise<readonly PresentUser[]>
  /** Announces that this session has closed an entry. */
  leave(id: string, options?: CallOptions): Promise<void>
  /** Lists the documents that refer to an entry, if this session may read them. */
  references(
    id: string,
    query?: { readonly limit?: number; readonly offset?: number },
    options?: CallOptions,
  ): Promise<Omit<ListResult<Reference>, 'collection' | 'nextCursor'>>

  /** Lists the versions of an entry, including saved drafts, newest first. */
  versions(id: string, query?: VersionsQuery, options?: CallOptions): Promise<VersionList>

  /** Reads one version of an entry. */
  version(
    id: string,
    revision: number,
    query?: VersionQuery<C>,
    options?: CallOptions,
  ): Promise<WholeVersion<Entry<C, K>>>

  /** Returns the difference between two versions as a JSON Patch (RFC 6902). */
  difference(
    id: string,
    versions: ComparedVersions,
    query?: VersionQuery<C>,
    options?: CallOptions,
  ): Promise<VersionDifference>
}

/** The entries of one collection. */
export interface CollectionClient<C extends DaybookConfig, K extends CollectionKey<C>> extends EntriesClient<C, K> {
  /** Lists a page of matching entries. `aggregate` adds figures about all of them: `{ category: 'count', minutes: ['min', 'max'] }`. */
  findMany<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, K>, Entry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const A extends AggregateQuery<C, K> = never,
    const W extends boolean = false,
  >(
    query?: Flattened<ListQuery<C, K, I, S, D, L> & PageQuery & DraftQuery<C, K, W> & { readonly aggregate?: A }>,
    options?: CallOptions,
  ): Promise<
    AggregatedList<
      C,
      K,
      QueriedDocument<C, CollectionFieldsOf<C, K>, ReadEntry<C, K, W>, RequiredKey<W>, I, S, D, L>,
      A
    >
  >

  /** Finds the entry with a slug; `null` if there is none that this session may see. */
  findBySlug<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, K>, Entry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const W extends boolean = false,
    const P extends string | undefined = undefined,
  >(
    slug: string,
    query?: Flattened<ReadQuery<C, I, S, D, L> & PreviewQuery<C, K, W, P>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, CollectionFieldsOf<C, K>, ReadEntry<C, K, W, P>, RequiredKey<W>, I, S, D, L> | null>

  /** Finds the entry with an id; `null` if there is none that this session may see. */
  findById<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, K>, Entry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const W extends boolean = false,
    const P extends string | undefined = undefined,
  >(
    id: string,
    query?: Flattened<ReadQuery<C, I, S, D, L> & PreviewQuery<C, K, W, P>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, CollectionFieldsOf<C, K>, ReadEntry<C, K, W, P>, RequiredKey<W>, I, S, D, L> | null>

  create(data: EntryCreate<C, K>, options?: WriteOptions<C>): Promise<Entry<C, K>>
}

/** The files of the service. */
export interface AssetClient<C extends DaybookConfig> extends EntriesClient<C, 'assets'> {
  /** Lists a page of matching files. `aggregate` adds figures about all of them: `{ mimeType: 'count', size: 'sum' }`. */
  list<
    const I extends readonly IncludePath<C, CollectionFieldsOf<C, 'assets'>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, 'assets'>, Entry<C, 'assets'>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const A extends AggregateQuery<C, 'assets'> = never,
  >(
    query?: Flattened<ListQuery<C, 'assets', I, S, D, L> & PageQuery & { readonly aggregate?: A }>,
    options?: CallOptions,
  ): Promise<
    Omit<
      AggregatedList<
        C,
        'assets',
        QueriedDocument<C, CollectionFieldsOf<C, 'assets'>, Entry<C, 'assets'>, 'id', I, S, D, L>,
        A
      >,
      'collection'
    >
  >

  /** Finds the file with an id; `null` if there is none that this session may see. */
  get<
    const I extends readonly IncludePath<C, CollectionFieldsOf<C, 'assets'>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, 'assets'>, Entry<C, 'assets'>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
  >(
    id: string,
    query?: Flattened<ReadQuery<C, I, S, D, L>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, CollectionFieldsOf<C, 'assets'>, Entry<C, 'assets'>, 'id', I, S, D, L> | null>

  /**
   * Stores a file. A stream is sent while it is read, except in browsers, which read it first. An upload that ends early stores
   * nothing.
   *
   * @example
   * ```ts
   * import { openAsBlob } from 'node:fs'
   *
   * const cat = await client.assets.upload(await openAsBlob('cat.jpg'), { name: 'cat.jpg', alt: 'A cat' })
   * ```
   *
   * @throws {DaybookError} PAYLOAD_TOO_LARGE; VALIDATION_ERROR, also for a type that is not accepted; CONFLICT if `filename` is taken
   */
  upload(file: UploadSource, options?: UploadOptions<C>): Promise<Asset<C>>
}

/** The method for orderable collections. */
export interface OrderClient<C extends DaybookConfig, K extends CollectionKey<C>> {
  /**
   * Moves an entry before or after another one, or to an end of the order; in a tree, also to another parent. With an entry instead of an id,
   * fails if the entry has changed since it was read.
   *
   * @throws {DaybookError} VALIDATION_ERROR if the neighbour does not exist, or an entry would be below itself
   */
  move(entry: EntryOrId, position: EntryPosition, options?: DeleteOptions<C>): Promise<Entry<C, K>>
}

export interface GlobalClient<C extends DaybookConfig, K extends GlobalKey<C>> {
  get<
    const I extends readonly IncludePath<C, GlobalFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = DefaultDepth<I>,
    const S extends readonly SelectPath<C, GlobalFieldsOf<C, K>, GlobalEntry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
  >(
    query?: Flattened<ReadQuery<C, I, S, D, L>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, GlobalFieldsOf<C, K>, GlobalEntry<C, K>, 'key', I, S, D, L>>

  /** Updates the fields in `data`; `null` empties one. */
  update(data: GlobalUpdate<C, K>, options?: GlobalChangeOptions<C>): Promise<GlobalEntry<C, K>>

  /** Lists the versions of a global, newest first. */
  versions(query?: VersionsQuery, options?: CallOptions): Promise<VersionList>

  /** Reads one version of a global. */
  version(revision: number, query?: VersionQuery<C>, options?: CallOptions): Promise<WholeVersion<GlobalEntry<C, K>>>

  /** Returns the difference between two versions as a JSON Patch (RFC 6902). */
  difference(versions: ComparedVersions, query?: VersionQuery<C>, options?: CallOptions): Promise<VersionDifference>
}

/** A Daybook service, typed by its config. */
export interface Client<C extends DaybookConfig> {
  readonly collections: {
    readonly [K in CollectionKey<C>]: ([Status<C, K>] extends [never]
      ? CollectionClient<C, K>
      : CollectionClient<C, K> & DraftsClient<C, K>) &
      (K extends OrderedKey<C> ? OrderClient<C, K> : unknown)
  }
  readonly globals: { readonly [K in GlobalKey<C>]: GlobalClient<C, K> }
  readonly assets: AssetClient<C>
  readonly auth: AuthClient<C>
  /** Executes up to 500 operations in one transaction. */
  batch(operations: readonly Operation<C>[], options?: WriteOptions<C>): Promise<readonly Outcome<C>[]>
  /**
   * Undoes the changes of a range of the journal by new ones, in one transaction. It skips documents that have changed since; the
   * report lists them with those changes.
   */
  undo(range: UndoRange, options?: UndoOptions): Promise<UndoReport>
  /** Lists who changed what, for documents that this session may read. */
  journal(query?: JournalQuery): Promise<JournalPage>
  /** Reads a page of the changes feed: first all documents, then the current state of documents that have changed since a token. */
  changes(query?: ChangesQuery<C>): Promise<ChangesPage<C>>
  /**
   * Yields changes as they happen. Reconnects by itself after a lost connection, and misses nothing.
   *
   * @throws GONE if it cannot continue, for example because the rights of this session have changed
   */
  subscribe(options?: SubscribeOptions<C>): AsyncGenerator<Change<C>, void>
  /** Maintains a copy of everything that this session can see until the signal aborts. If it cannot continue, it clears the copy and restarts. */
  sync(store: ChangeStore<Change<C>>, options?: SyncOptions<C>): Promise<void>
  /** Creates a copy in memory for `sync`. @param onChange called after each change of the copy */
  memoryCopy(onChange?: () => void): MemoryCopy<C>
  /** Searches all collections: returns the best match of each, then the second best of each; at most 10 of each. */
  search(query: SearchQuery<C>): Promise<{ readonly items: readonly TitledEntry<C>[] }>
  /** Lists the entries of all collections that have drafts, the latest save first. */
  drafts(query?: DraftsQuery<C>): Promise<CursorPage<ListedDraft<C>>>
  /** Lists links in Markdown to entries and files that do not exist, in all documents that this session may read. */
  brokenLinks(query?: {
    readonly limit?: number
    readonly offset?: number
  }): Promise<Omit<ListResult<BrokenLink>, 'collection' | 'nextCursor'>>
  /** Lists the schedules of all collections, the earliest first. A page with a cursor may be shorter than `limit`. */
  schedules(query?: CrossCollectionQuery<C>): Promise<CursorPage<ListedSchedule<C>>>
  /** Describes the content model and the permissions of this session, for forms and editing interfaces. */
  model(options?: CallOptions): Promise<ModelDescription>
  /** Checks that the process runs. */
  health(options?: CallOptions): Promise<{ readonly status: 'ok' }>
  /** Checks that the service works. @throws {DaybookError} SERVICE_UNAVAILABLE if it does not */
  ready(options?: CallOptions): Promise<{ readonly status: 'ready'; readonly checks: Readonly<Record<string, string>> }>
  /**
   * Sends a request to a route without a method, such as one of a plugin, and returns the parsed JSON; `undefined` for an empty
   * response. The tag of a document is remembered, as with all methods.
   *
   * @example
   * ```ts
   * const { items } = await client.request<{ items: readonly { name: string }[] }>({ path: '/api/cms/webhooks' })
   * await client.request({ method: 'POST', path: ['api', 'cms', 'webhooks', 'shop', 'replay'], body: { parked: true } })
   * ```
   *
   * @throws {DaybookError} UNEXPECTED_ANSWER for a response that is not JSON
   */
  request<Result = unknown>(request: RequestOptions): Promise<Result>
  /** Returns the client with another session, or without a token, with none. */
  withToken(token: Token | undefined): Client<C>
}
