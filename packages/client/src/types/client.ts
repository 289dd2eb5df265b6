import type {
  ActorName,
  BulkOutcome,
  CollectionKey,
  DaybookConfig,
  Entry,
  EntryCreate,
  EntryKey,
  EntryUpdate,
  GlobalEntry,
  GlobalKey,
  GlobalUpdate,
  Identity,
  ListOptions,
  ListResult,
  ModelDescription,
  Permission,
  PresentPerson,
  Principal,
  ReadOptions,
  UndoRange,
  UndoReport,
  VersionDifference,
  VersionList,
} from 'daybook'
import type { CallOptions, RequestOptions, Token } from '../request.ts'
import type { UploadProgress, UploadSource } from '../upload.ts'
import type { AggregatedList, AggregateQuery } from './aggregate.ts'
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

/** A locale to read, or all of them at once, where there are any. */
type LocaleChoice<C extends DaybookConfig> = [Locale<C>] extends [never] ? never : Locale<C> | 'all'

/** The selection of a document's fields, and its locale. */
export interface ReadQuery<C extends DaybookConfig, I = readonly [], S = readonly [], D = 0, L = Locale<C>>
  extends Pick<ReadOptions, 'reverse'> {
  /** In which language; `all`, with a session, answers maps of locale to value. @default the config's */
  readonly locale?: L
  /** Where a value is looked for that the locale does not have; `none` turns that off. @default what the config says */
  readonly fallbackLocale?: Locale<C> | 'none'
  /** Relations whose documents are put in the place of their ids, as dotted paths. */
  readonly include?: I
  /** How many levels of relations are expanded; with `include`, below what it names. @default 1 with `include`, else 0 */
  readonly depth?: D
  /** Keys to answer with, and dotted paths into included relations. @default all */
  readonly select?: S
}

/** `never` of nothing to choose from. */
type OneOrMore<T> = [T] extends [never] ? never : T | readonly T[]

/** The query of a list. */
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

/** Which page of a list is asked for. */
export interface PageQuery extends Pick<ListOptions, 'offset'> {
  /** `nextCursor` of the page before; `null` for the first one. */
  readonly cursor?: string | null
}

/** `depth` where a query does not say. */
type UsualDepth<I> = I extends readonly [] ? 0 : 1

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

/** One member of a query, or what a query without it has. */
type Member<Q, Name extends string, Default> = Q extends { readonly [K in Name]: infer Value } ? Value : Default

type StringsIn<Q, Name extends string> = Extract<Member<Q, Name, readonly []>, readonly string[]>

/**
 * An entry as a query reads it, such as for a component that shows one.
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
  Extract<Member<Q, 'depth', UsualDepth<StringsIn<Q, 'include'>>>, Depth>,
  Extract<Member<Q, 'locale', never>, string>
>

/** A file of the service. */
export type Asset<C extends DaybookConfig = { readonly collections: Record<never, never> }> = Entry<C, 'assets'>

/** What an upload takes. */
export interface UploadOptions<C extends DaybookConfig> extends Omit<WriteOptions<C>, 'timeout'> {
  /** The name of the file itself, kept as `originalName`. @default that of a `File` */
  readonly name?: string
  /** The name under which it is stored. @default one that is like its own and cannot be guessed */
  readonly filename?: string
  /** Where it is stored, such as `images/2026`. @default nowhere in particular */
  readonly directory?: string
  /** A text in place of the file, for readers who cannot see it. */
  readonly alt?: string
  /** Called while the file is sent. In a browser, not with a `fetch` of your own, nor with `credentials: 'omit'`. */
  readonly onProgress?: (progress: UploadProgress) => void
  /** How long the upload may take, with the answer, in milliseconds. @default as long as it takes */
  readonly timeout?: number
}

/** Which entries are written besides, and how. */
export interface BulkOptions<C extends DaybookConfig, K extends EntryKey<C>>
  extends Omit<ChangeOptions<C>, 'idempotencyKey'> {
  /** Words that must all be found. */
  readonly q?: string
  /** @default all that this session may see */
  readonly status?: OneOrMore<Status<C, K>>
}

/** A document that refers to an entry, and the field that it does so with. */
export interface Reference {
  /** The key of a collection; of a global, its own. */
  readonly collection: string
  readonly id: string
  readonly field: string
}

/** What can be done with the entries of a collection and with files alike. */
interface EntriesClient<C extends DaybookConfig, K extends EntryKey<C>> {
  /** All entries that match, page by page, while they are asked for. `limit` is the size of a page. @default 100 */
  iterate<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, K>, Entry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const W extends boolean = false,
  >(
    query?: Flattened<ListQuery<C, K, I, S, D, L> & DraftQuery<C, K, W>>,
    options?: CallOptions,
  ): AsyncGenerator<QueriedDocument<C, CollectionFieldsOf<C, K>, ReadEntry<C, K, W>, RequiredKey<W>, I, S, D, L>, void>

  /**
   * Changes the fields that `data` names; `null` empties one. With an entry in place of its id, only if it has not changed
   * since it was read.
   *
   * @throws {TypeError} for an entry that came without a tag, as items of lists do
   */
  update(entry: EntryOrId, data: EntryUpdate<C, K>, options?: ChangeOptions<C>): Promise<Entry<C, K>>

  /** The same, and merges inside groups (RFC 7396). */
  patch(entry: EntryOrId, data: EntryPatch<C, K>, options?: ChangeOptions<C>): Promise<Entry<C, K>>

  /** With an entry in place of its id, only if it has not changed since it was read. */
  delete(entry: EntryOrId, options?: DeleteOptions<C>): Promise<void>

  /**
   * Brings the content of an earlier revision back: into the working copy, or, where entries have no status, as a new revision. What is
   * published never changes by it. A deleted entry is stored again with its id, as a draft where entries have a status; a deleted file
   * with its bytes, as long as the service keeps them.
   *
   * @param revision by default, and of a deleted entry alone: its last content
   */
  restore(entry: EntryOrId, revision?: number, options?: RestoreOptions<C>): Promise<Restored<C, K>>

  /**
   * One page of the deleted entries that `restore` brings back for this session, the last deletion first. With a `nextCursor`, a page may
   * be shorter than `limit`.
   *
   * @throws {DaybookError} UNAUTHORIZED; FORBIDDEN for a session that may restore no entry of the collection
   */
  listDeleted(query?: DeletedQuery, options?: CallOptions): Promise<CursorPage<DeletedEntry<C>>>

  /**
   * Changes every entry that matches, merging inside groups (RFC 7396), in one transaction: all of them, or none. At most
   * 10,000 may match.
   *
   * @throws {DaybookError} the error of an entry that refuses it, with the ids of the first 100 in `details.refused`
   */
  updateMany(where: Where<C, K>, data: EntryPatch<C, K>, options?: BulkOptions<C, K>): Promise<BulkOutcome>

  /**
   * Deletes every entry that matches, in one transaction: all of them, or none. At most 10,000 may match.
   *
   * @throws {DaybookError} the error of an entry that refuses it, with the ids of the first 100 in `details.refused`
   */
  deleteMany(where: Where<C, K>, options?: BulkOptions<C, K>): Promise<BulkOutcome>

  /** Says that this session has an entry open, for 30 seconds. @returns everyone who has */
  enter(id: string, options?: CallOptions): Promise<readonly PresentPerson[]>
  /** Says that this session has closed an entry. */
  leave(id: string, options?: CallOptions): Promise<void>
  /** Documents that refer to an entry, as far as this session may read them. */
  references(
    id: string,
    query?: { readonly limit?: number; readonly offset?: number },
    options?: CallOptions,
  ): Promise<Omit<ListResult<Reference>, 'collection' | 'nextCursor'>>

  /** The versions of an entry, newest first: what changes and saved working copies made of it. */
  versions(id: string, query?: VersionsQuery, options?: CallOptions): Promise<VersionList>

  /** One version of an entry. */
  version(
    id: string,
    revision: number,
    query?: VersionQuery<C>,
    options?: CallOptions,
  ): Promise<WholeVersion<Entry<C, K>>>

  /** What makes one version of another, as a JSON Patch (RFC 6902). */
  difference(
    id: string,
    versions: ComparedVersions,
    query?: VersionQuery<C>,
    options?: CallOptions,
  ): Promise<VersionDifference>
}

/** The entries of one collection. */
export interface CollectionClient<C extends DaybookConfig, K extends CollectionKey<C>> extends EntriesClient<C, K> {
  /** One page of the entries that match; `aggregate` asks for figures about all of them: `{ category: 'count', minutes: ['min', 'max'] }`. */
  findMany<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
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

  /** The entry of this slug, or `null` when there is none that this reader may see. */
  findBySlug<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, K>, Entry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
    const W extends boolean = false,
    const P extends string | undefined = undefined,
  >(
    slug: string,
    query?: Flattened<ReadQuery<C, I, S, D, L> & PreviewQuery<C, K, W, P>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, CollectionFieldsOf<C, K>, ReadEntry<C, K, W, P>, RequiredKey<W>, I, S, D, L> | null>

  /** The entry of this id, or `null` when there is none that this reader may see. */
  findById<
    const I extends readonly EntryInclude<C, CollectionFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
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
  /** One page of the files that match; `aggregate` asks for figures about all of them: `{ mimeType: 'count', size: 'sum' }`. */
  list<
    const I extends readonly IncludePath<C, CollectionFieldsOf<C, 'assets'>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
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

  /** The file of this id, or `null` when there is none that this reader may see. */
  get<
    const I extends readonly IncludePath<C, CollectionFieldsOf<C, 'assets'>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
    const S extends readonly SelectPath<C, CollectionFieldsOf<C, 'assets'>, Entry<C, 'assets'>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
  >(
    id: string,
    query?: Flattened<ReadQuery<C, I, S, D, L>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, CollectionFieldsOf<C, 'assets'>, Entry<C, 'assets'>, 'id', I, S, D, L> | null>

  /**
   * Stores a file. A stream is sent as it is read, except by browsers, which take it in first. Nothing is stored when the upload ends
   * early.
   *
   * @example
   * ```ts
   * import { openAsBlob } from 'node:fs'
   *
   * const cat = await client.assets.upload(await openAsBlob('cat.jpg'), { name: 'cat.jpg', alt: 'A cat' })
   * ```
   *
   * @throws {DaybookError} PAYLOAD_TOO_LARGE; VALIDATION_ERROR, for a type that is not accepted, too; CONFLICT when `filename` is taken
   */
  upload(file: UploadSource, options?: UploadOptions<C>): Promise<Asset<C>>
}

/** One global. */
export interface GlobalClient<C extends DaybookConfig, K extends GlobalKey<C>> {
  get<
    const I extends readonly IncludePath<C, GlobalFieldsOf<C, K>>[] = readonly [],
    const D extends Depth = UsualDepth<I>,
    const S extends readonly SelectPath<C, GlobalFieldsOf<C, K>, GlobalEntry<C, K>, I, D>[] = readonly [],
    const L extends LocaleChoice<C> = never,
  >(
    query?: Flattened<ReadQuery<C, I, S, D, L>>,
    options?: CallOptions,
  ): Promise<QueriedDocument<C, GlobalFieldsOf<C, K>, GlobalEntry<C, K>, 'key', I, S, D, L>>

  /** Changes the fields that `data` names; `null` empties one. */
  update(data: GlobalUpdate<C, K>, options?: GlobalChangeOptions<C>): Promise<GlobalEntry<C, K>>

  /** The versions of a global, newest first. */
  versions(query?: VersionsQuery, options?: CallOptions): Promise<VersionList>

  /** One version of a global. */
  version(revision: number, query?: VersionQuery<C>, options?: CallOptions): Promise<WholeVersion<GlobalEntry<C, K>>>

  /** What makes one version of another, as a JSON Patch (RFC 6902). */
  difference(versions: ComparedVersions, query?: VersionQuery<C>, options?: CallOptions): Promise<VersionDifference>
}

/** The session that a request has, or none. */
export type Session =
  | { readonly authenticated: true; readonly principal: Principal; readonly identity: Identity }
  | { readonly authenticated: false; readonly principal: null; readonly identity: null }

/** A session that was just begun. */
export type SignedIn = Extract<Session, { readonly authenticated: true }> & {
  /** The session's bearer token, for {@link Client.withToken}. A browser has got it as a cookie, too. */
  readonly token: string
}

/** The permissions on a collection or a global, and the fields that may be read and not written. */
export type Permissions<Action extends string> = { readonly [A in Action]: Permission } & {
  readonly fields: Readonly<Record<string, { readonly read: true; readonly write: false }>>
}

/** What the asker may do; collections and globals that they may not read are absent. */
export interface AllPermissions<C extends DaybookConfig> {
  readonly collections: {
    readonly [K in EntryKey<C>]?: Permissions<'read' | 'create' | 'update' | 'delete' | 'restore'>
  }
  readonly globals: { readonly [K in GlobalKey<C>]?: Permissions<'read' | 'update'> }
}

/** The permissions of the caller on one global. */
export interface GlobalPermissions extends Pick<Permissions<never>, 'fields'> {
  readonly read: true
  readonly update: boolean
}

/** The permissions of the caller on one entry; those of drafts and publishing only if entries of the collection have a status. */
export type EntryPermissions<C extends DaybookConfig, K extends EntryKey<C>> = GlobalPermissions & {
  readonly delete: boolean
  readonly restore: boolean
} & ([Status<C, K>] extends [never] ? unknown : PublicationPermissions<Status<C, K>>)

/** The permissions of the caller on the draft and the publication of one entry. */
export interface PublicationPermissions<S extends string = string> {
  /** True if the caller sees the draft. */
  readonly draft: boolean
  readonly saveDraft: boolean
  readonly publish: boolean
  readonly unpublish: boolean
  /** Each status of the collection: true if an update may give it to the entry. */
  readonly statuses: Readonly<Record<S, boolean>>
}

/** An action of the auth adapter. */
export interface AuthActionDescription {
  readonly description?: string
  /** The JSON Schema of what it takes. */
  readonly input?: Readonly<Record<string, unknown>>
}

/** Sessions. What the actions answer is what the accounts of a service without an `auth` of its own do. */
export interface AuthClient<C extends DaybookConfig> {
  session(options?: CallOptions): Promise<Session>
  /** What the service can do about sessions, by name. Without `login`, they come from elsewhere: from tokens, for example. */
  actions(options?: CallOptions): Promise<Readonly<Record<string, AuthActionDescription>>>
  /** What the asker may do, for drawing its buttons. */
  permissions(options?: CallOptions): Promise<AllPermissions<C>>
  /**
   * The permissions of the caller on one entry or one global.
   *
   * @throws {DaybookError} NOT_FOUND for an entry that does not exist for the caller
   */
  permissionsOn<K extends EntryKey<C>>(
    document: { readonly collection: K; readonly id: string },
    options?: CallOptions,
  ): Promise<EntryPermissions<C, K>>
  permissionsOn(document: { readonly global: GlobalKey<C> }, options?: CallOptions): Promise<GlobalPermissions>
  /** The names of at most 100 actors; those that have none are left out. */
  people(subjects: readonly string[], options?: CallOptions): Promise<readonly ActorName[]>
  /** Begins a session. The client itself keeps no token: see {@link Client.withToken}. */
  login(credentials: { readonly email: string; readonly password: string }, options?: CallOptions): Promise<SignedIn>
  /** Makes an account and begins a session. */
  register(
    account: { readonly name: string; readonly email: string; readonly password: string },
    options?: CallOptions,
  ): Promise<SignedIn>
  /** Ends the session. */
  logout(options?: CallOptions): Promise<void>
  /** Runs another action of the auth adapter; `undefined` when it answers nothing. */
  action<Answer = unknown>(
    name: string,
    input?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Answer>
}

/** A Daybook service, typed by its config. */
export interface Client<C extends DaybookConfig> {
  readonly collections: {
    readonly [K in CollectionKey<C>]: [Status<C, K>] extends [never]
      ? CollectionClient<C, K>
      : CollectionClient<C, K> & DraftsClient<C, K>
  }
  readonly globals: { readonly [K in GlobalKey<C>]: GlobalClient<C, K> }
  readonly assets: AssetClient<C>
  readonly auth: AuthClient<C>
  /** Carries out up to 500 operations in one transaction: all of them, or none. */
  batch(operations: readonly Operation<C>[], options?: WriteOptions<C>): Promise<readonly Outcome<C>[]>
  /**
   * Undoes the changes of a range of the journal by new ones, in one transaction. What was changed since stays as it is: the report
   * names it, with the changes in the way.
   */
  undo(range: UndoRange, options?: UndoOptions): Promise<UndoReport>
  /** Who changed what, of documents that this session may read. */
  journal(query?: JournalQuery): Promise<JournalPage>
  /** A page of what changed since a token: what was there at first, and what an entry is now that was changed since. */
  changes(query?: ChangesQuery<C>): Promise<ChangesPage<C>>
  /**
   * Changes as they happen; comes back by itself after a lost connection, and misses nothing.
   *
   * @throws GONE when it cannot continue, as when what this session may see has changed
   */
  subscribe(options?: SubscribeOptions<C>): AsyncGenerator<Change<C>, void>
  /** Keeps a copy of all that this session can see, until the signal ends it. Where it cannot continue, it empties the copy and begins anew. */
  sync(store: ChangeStore<Change<C>>, options?: SyncOptions<C>): Promise<void>
  /** A copy in memory, for `sync`. @param onChange called after each change of it */
  memoryCopy(onChange?: () => void): MemoryCopy<C>
  /** Finds entries by their words in all collections: the best match of each, then the second best of each; at most 10 of each. */
  search(query: SearchQuery<C>): Promise<{ readonly items: readonly TitledEntry<C>[] }>
  /** The entries of all collections that have working copies, those that were saved last first. */
  drafts(query?: DraftsQuery<C>): Promise<CursorPage<ListedDraft<C>>>
  /** What is to be published or unpublished at a time in all collections, the soonest first. With a cursor, a page may be short. */
  schedules(query?: CrossCollectionQuery<C>): Promise<CursorPage<ListedSchedule<C>>>
  /** The content model, as far as this session may know it, and what it may do: for forms and editors' interfaces. */
  model(options?: CallOptions): Promise<ModelDescription>
  /** Whether the process runs. */
  health(options?: CallOptions): Promise<{ readonly status: 'ok' }>
  /** Whether the service can do its work; `SERVICE_UNAVAILABLE` when it cannot. */
  ready(options?: CallOptions): Promise<{ readonly status: 'ready'; readonly checks: Readonly<Record<string, string>> }>
  /**
   * Sends a request to a route that has no method here, such as a plugin's, and returns the parsed JSON; `undefined` for an empty
   * response. A document remembers its tag, as everywhere.
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
  /** The same client in another session; without a token, in none. */
  withToken(token: Token | undefined): Client<C>
}
