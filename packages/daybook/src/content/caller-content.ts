import { type Caller, SYSTEM } from '../auth/adapter.ts'
import type {
  CollectionKey,
  DaybookConfig,
  DraftEntry,
  DraftUpdate,
  Entry,
  EntryCreate,
  EntryKey,
  EntryPosition,
  EntryUpdate,
  GlobalEntry,
  GlobalKey,
  GlobalUpdate,
  OrderedKey,
  StatusKey,
} from '../config/config.ts'
import { DaybookError } from '../errors.ts'
import type { CollectionModel, GlobalModel } from '../model/model.ts'
import { toAggregateNames } from '../query/aggregates.ts'
import { documentParameters, PAGE_PARAMETERS, readPageBounds } from '../query/document-query.ts'
import { entryDraftParameters, hasDrafts } from '../query/draft-query.ts'
import { bulkParameters, listParameters } from '../query/list-query.ts'
import { writeLocaleParameter } from '../query/locale-parameters.ts'
import type { Where } from '../query/where.ts'
import { Access } from './access/access.ts'
import { CallerFiles } from './assets/caller-files.ts'
import {
  type BatchOperation,
  type BatchOutcome,
  type BulkOptions,
  type BulkOutcome,
  type DraftReadOptions,
  type DryRunOptions,
  type ListOptions,
  type ListResult,
  type LocaleOptions,
  type NewEntryOptions,
  type PreconditionOptions,
  type PublishOptions,
  parseOptions,
  type ReadOptions,
  type RestoreOptions,
  type SaveDraftOptions,
  type ScheduleOptions,
  toPreconditions,
  type UnpublishOptions,
  type UpdateOptions,
} from './call-options.ts'
import type { ContentContext } from './context.ts'
import { executePublication, type PublicationOp } from './drafts/publication.ts'
import { DraftTarget, prepareDiscard } from './drafts/save-draft.ts'
import { prepareUnschedule } from './drafts/schedule.ts'
import { readEntry } from './reads/entry.ts'
import { readGlobal } from './reads/global.ts'
import { readList } from './reads/list.ts'
import { type EntryResponse, readTaggedDocument, tagDocument } from './reads/response.ts'
import { runBatch } from './writes/batch.ts'
import { bulkDelete, bulkUpdate } from './writes/bulk.ts'
import type { BulkResult, BulkSelection } from './writes/bulk-write.ts'
import { createWriteContext, type WriteContext } from './writes/context.ts'
import { parseCreate, prepareCreate } from './writes/create.ts'
import { prepareDelete } from './writes/delete.ts'
import { EntryTarget } from './writes/entry-target.ts'
import { GlobalTarget } from './writes/global-target.ts'
import { listReferrers, type ReferencesPage } from './writes/list-referrers.ts'
import { parseMove, prepareMove } from './writes/move.ts'
import { execute, type Transact } from './writes/pipeline.ts'
import { parseUpdate, prepareUpdate } from './writes/update.ts'

/**
 * The in-process API for one caller, with the parameters, rules and errors of the HTTP API.
 *
 * @example
 * ```ts
 * const mine = service.content.as(caller)
 * const post = await mine.get('posts', 'hello')
 * ```
 */
export class CallerContent<C extends DaybookConfig = DaybookConfig> {
  readonly #context: ContentContext
  readonly #access: () => Access
  readonly #transact: Transact | undefined

  /**
   * @param access creates the caller's access for each call
   * @param transact runs a write in a transaction; by default each write has its own
   */
  constructor(context: ContentContext, access: () => Access, transact?: Transact) {
    this.#context = context
    this.#access = access
    this.#transact = transact
  }

  get files(): CallerFiles<C> {
    return new CallerFiles<C>(this.#context, this.#access)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  list<K extends StatusKey<C>>(
    collection: K,
    query: ListOptions & DraftReadOptions,
  ): Promise<ListResult<DraftEntry<C, K>>>
  list<K extends EntryKey<C>>(collection: K, query?: ListOptions): Promise<ListResult<Entry<C, K>>>
  async list(collection: string, query: ListOptions & Partial<DraftReadOptions> = {}): Promise<ListResult<unknown>> {
    const model = this.#requireCollection(collection)
    const { aggregate, ...options } = query
    const namedOptions = aggregate === undefined ? options : { ...options, aggregate: toAggregateNames(aggregate) }
    const parameters = parseOptions(listParameters(model, this.#context.model.locales), namedOptions)
    return readTaggedDocument(await readList(this.#context, this.#access(), model, parameters))
  }

  /**
   * Reads an entry by slug or id; `null` if there is none that the caller may see.
   *
   * @throws NOT_FOUND for an unknown collection, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  get<K extends StatusKey<C>>(
    collection: K,
    address: string,
    query: ReadOptions & DraftReadOptions,
  ): Promise<DraftEntry<C, K> | null>
  get<K extends EntryKey<C>>(collection: K, address: string, query?: ReadOptions): Promise<Entry<C, K> | null>
  async get(
    collection: string,
    address: string,
    query: ReadOptions & Partial<DraftReadOptions> = {},
  ): Promise<unknown> {
    const model = this.#requireCollection(collection)
    const parameters = parseOptions(
      { ...documentParameters(this.#context.model.locales), ...entryDraftParameters(model) },
      query,
    )
    try {
      return await readTaggedDocument(await readEntry(this.#context, this.#access(), model, address, parameters))
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'NOT_FOUND') return null
      throw error
    }
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT */
  async create<K extends CollectionKey<C>>(
    collection: K,
    data: EntryCreate<C, K>,
    { createdAt, locale, dryRun }: NewEntryOptions = {},
  ): Promise<Entry<C, K>> {
    const model = this.#requireCollection(collection)
    const context = await this.#createContext({ locale, dryRun })
    const options = createdAt === undefined ? {} : { createdAt }
    const body = parseCreate(context, model, data)
    return toDocument(await execute(context, () => prepareCreate(context, model, body, options)), dryRun)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async update<K extends EntryKey<C>>(
    collection: K,
    id: string,
    data: EntryUpdate<C, K>,
    options: UpdateOptions = {},
  ): Promise<Entry<C, K>> {
    return this.#change(collection, id, data, options, false)
  }

  /**
   * Changes an entry by a JSON merge patch (RFC 7396): objects are merged, `null` clears a value.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  async patch<K extends EntryKey<C>>(
    collection: K,
    id: string,
    patch: Readonly<Record<string, unknown>>,
    options: UpdateOptions = {},
  ): Promise<Entry<C, K>> {
    return this.#change(collection, id, patch, options, true)
  }

  async #change<K extends EntryKey<C>>(
    collection: K,
    id: string,
    data: unknown,
    { ifMatch, locale, dryRun }: UpdateOptions,
    isMerge: boolean,
  ): Promise<Entry<C, K>> {
    const model = this.#requireCollection(collection)
    const context = await this.#createContext({ locale, dryRun })
    const target = new EntryTarget(context, model, id)
    const body = parseUpdate(context, model, data, { isMerge })
    return toDocument(
      await execute(context, () => prepareUpdate(context, target, body, toPreconditions(ifMatch))),
      dryRun,
    )
  }

  /**
   * Moves an entry of an orderable collection before or after another one, or to an end; in a tree, also to another parent.
   *
   * @throws NOT_FOUND, also if the collection is not orderable; VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED,
   * PRECONDITION_REQUIRED
   */
  async move<K extends OrderedKey<C>>(
    collection: K,
    id: string,
    position: EntryPosition,
    { ifMatch, dryRun }: PreconditionOptions & DryRunOptions = {},
  ): Promise<Entry<C, K>> {
    const model = this.#requireCollection(collection)
    if (!model.orderable) throw new DaybookError('NOT_FOUND', `Entries of ${collection} have no order by hand.`)
    const context = await this.#createContext({ dryRun })
    const move = parseMove(context, model, position)
    return toDocument(
      await execute(context, () => prepareMove(context, model, id, move, toPreconditions(ifMatch))),
      dryRun,
    )
  }

  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async delete<K extends EntryKey<C>>(
    collection: K,
    id: string,
    { ifMatch, dryRun }: PreconditionOptions & DryRunOptions = {},
  ): Promise<void> {
    const model = this.#requireCollection(collection)
    const context = await this.#createContext({ dryRun })
    const target = new EntryTarget(context, model, id)
    await execute(context, () => prepareDelete(context, target, toPreconditions(ifMatch)))
  }

  /**
   * Saves the fields of `data` to the draft of an entry. The published content stays unchanged, and required values may be missing
   * until the draft is published.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  async saveDraft<K extends StatusKey<C>>(
    collection: K,
    id: string,
    data: DraftUpdate<C, K>,
    { ifMatch, locale, dryRun, autosave = false, merge = false }: SaveDraftOptions = {},
  ): Promise<DraftEntry<C, K>> {
    const model = this.#requireDrafts(collection)
    const context = await this.#createContext({ locale, dryRun })
    const target = new DraftTarget(context, model, id, autosave)
    const body = parseUpdate(context, model, data, { isMerge: merge, isDraft: true })
    return toDocument(
      await execute(context, () => prepareUpdate(context, target, body, toPreconditions(ifMatch))),
      dryRun,
    )
  }

  /**
   * Discards the draft of an entry; the entry stays unchanged.
   *
   * @throws NOT_FOUND if there is none; UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  async discardDraft<K extends StatusKey<C>>(
    collection: K,
    id: string,
    { ifMatch, dryRun }: PreconditionOptions & DryRunOptions = {},
  ): Promise<void> {
    const model = this.#requireDrafts(collection)
    const context = await this.#createContext({ dryRun })
    await execute(context, () => prepareDiscard(context, model, id, toPreconditions(ifMatch)))
  }

  /**
   * Publishes the draft of an entry, or the entry itself if it has none. With a future `at`, schedules the publication and returns the
   * draft.
   *
   * @throws as {@link update}: the published content must be complete
   */
  publish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    options: PublishOptions & ScheduleOptions,
  ): Promise<DraftEntry<C, K>>
  publish<K extends StatusKey<C>>(collection: K, id: string, options?: PublishOptions): Promise<Entry<C, K>>
  publish(
    collection: string,
    id: string,
    { at, locales, ...options }: PublishOptions & Partial<ScheduleOptions> = {},
  ): Promise<never> {
    return this.#changePublication('publish', this.#requireDrafts(collection), id, { publishAt: at, locales }, options)
  }

  /**
   * Hides an entry from callers without a session, in all or some locales; its draft stays. With a future `at`, schedules this and
   * returns the draft.
   *
   * @throws as {@link update}
   */
  unpublish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    options: UnpublishOptions & ScheduleOptions,
  ): Promise<DraftEntry<C, K>>
  unpublish<K extends StatusKey<C>>(collection: K, id: string, options?: UnpublishOptions): Promise<Entry<C, K>>
  unpublish(
    collection: string,
    id: string,
    { at, locales, ...options }: UnpublishOptions & Partial<ScheduleOptions> = {},
  ): Promise<never> {
    return this.#changePublication(
      'unpublish',
      this.#requireDrafts(collection),
      id,
      { unpublishAt: at, locales },
      options,
    )
  }

  /**
   * Cancels the scheduled times of an entry.
   *
   * @throws NOT_FOUND if there are none; UNAUTHORIZED, FORBIDDEN
   */
  async unschedule<K extends StatusKey<C>>(collection: K, id: string): Promise<void> {
    const model = this.#requireDrafts(collection)
    const context = await this.#createContext()
    await execute(context, () => prepareUnschedule(context, model, id))
  }

  /**
   * Restores the content of an earlier revision: to the draft, or, in a collection without a status, as a new revision. The published
   * content never changes. A deleted entry is stored again with its id, as a draft if its collection has a status.
   *
   * @param revision a revision of the entry; `undefined`: the last content of a deleted entry
   * @throws as {@link update}; NOT_FOUND if the entry has no such revision, or it was erased
   */
  restore<K extends StatusKey<C>>(
    collection: K,
    id: string,
    revision?: number,
    options?: RestoreOptions,
  ): Promise<DraftEntry<C, K>>
  restore<K extends EntryKey<C>>(
    collection: K,
    id: string,
    revision?: number,
    options?: RestoreOptions,
  ): Promise<Entry<C, K>>
  restore(
    collection: string,
    id: string,
    revision?: number,
    { slug, ...options }: RestoreOptions = {},
  ): Promise<unknown> {
    return this.#changePublication('restore', this.#requireCollection(collection), id, { revision, slug }, options)
  }

  async #changePublication<Result>(
    op: PublicationOp,
    collection: CollectionModel,
    id: string,
    fields: Readonly<Record<string, unknown>>,
    { ifMatch, dryRun }: PreconditionOptions & DryRunOptions,
  ): Promise<Result> {
    const context = await this.#createContext({ dryRun })
    const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    return toDocument(await executePublication(context, collection, op, id, body, toPreconditions(ifMatch)), dryRun)
  }

  /**
   * Changes all matching entries by a JSON merge patch (RFC 7396) in one transaction. At most 10,000 entries may match.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; the error of an entry, with the ids of up to 100 such entries in
   * `details.refused`
   */
  async updateMany<K extends EntryKey<C>>(
    collection: K,
    where: Where,
    patch: Readonly<Record<string, unknown>>,
    options: BulkOptions = {},
  ): Promise<BulkOutcome> {
    const entries = this.#selectEntries(collection, where, options)
    return toOutcome(await bulkUpdate(await this.#createContext({ locale: options.locale }), entries, patch))
  }

  /**
   * Deletes all matching entries in one transaction. At most 10,000 entries may match.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; the error of an entry, with the ids of up to 100 such entries in
   * `details.refused`
   */
  async deleteMany<K extends EntryKey<C>>(
    collection: K,
    where: Where,
    options: BulkOptions = {},
  ): Promise<BulkOutcome> {
    const entries = this.#selectEntries(collection, where, options)
    return toOutcome(await bulkDelete(await this.#createContext(), entries))
  }

  #selectEntries(collectionKey: string, where: Where, options: BulkOptions): BulkSelection {
    const collection = this.#requireCollection(collectionKey)
    const parameters = bulkParameters(collection, this.#context.model.locales)
    return { collection, query: parseOptions(parameters, { ...options, where }) }
  }

  /**
   * Executes operations in one transaction.
   *
   * @returns one result for each operation, in order; `entry` is absent after a delete
   * @throws the error of the first failed operation, with its index in `details.operation`
   */
  async batch(
    operations: readonly BatchOperation<C>[],
    { locale, dryRun }: LocaleOptions & DryRunOptions = {},
  ): Promise<readonly BatchOutcome[]> {
    const { results } = await runBatch(await this.#createContext({ locale, dryRun }), { operations })
    return results.map(({ op, collection, id, entry: response }) => {
      const tag = dryRun ? {} : { etag: response?.tag }
      const entry = response ? { ...tag, entry: JSON.parse(response.json) } : {}
      return { op, collection, id, ...entry }
    })
  }

  /**
   * Lists the documents that refer to an entry and that the caller may see.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  async references<K extends EntryKey<C>>(
    collection: K,
    id: string,
    { limit, offset }: Pick<ListOptions, 'limit' | 'offset'> = {},
  ): Promise<ReferencesPage> {
    const access = this.#access()
    if (!access.isAuthenticated) throw new DaybookError('UNAUTHORIZED')
    const page = readPageBounds(parseOptions(PAGE_PARAMETERS, { limit, offset }))
    return listReferrers(this.#context, access, this.#requireCollection(collection), id, page)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async readGlobal<K extends GlobalKey<C>>(key: K, query: ReadOptions = {}): Promise<GlobalEntry<C, K>> {
    const parameters = parseOptions(documentParameters(this.#context.model.locales), query)
    return readTaggedDocument(await readGlobal(this.#context, this.#access(), this.#requireGlobal(key), parameters))
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async writeGlobal<K extends GlobalKey<C>>(
    key: K,
    data: GlobalUpdate<C, K>,
    { ifMatch, locale, dryRun }: UpdateOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    const model = this.#requireGlobal(key)
    const context = await this.#createContext({ locale, dryRun })
    const target = new GlobalTarget(context, model)
    const body = parseUpdate(context, model, data)
    return toDocument(
      await execute(context, () => prepareUpdate(context, target, body, toPreconditions(ifMatch))),
      dryRun,
    )
  }

  /** @throws VALIDATION_ERROR for an unknown locale */
  #createContext({ locale: requestedLocale, dryRun: isDry = false }: ContextOptions = {}): Promise<WriteContext> {
    const { locale } = parseOptions(writeLocaleParameter(this.#context.model.locales), {
      locale: requestedLocale,
    }).values
    const transact = this.#transact ? { transact: this.#transact } : {}
    return createWriteContext(this.#context, this.#access(), { locale, isDry, ...transact })
  }

  /** @throws VALIDATION_ERROR for a collection whose entries have no drafts */
  #requireDrafts(key: string): CollectionModel {
    const collection = this.#requireCollection(key)
    if (hasDrafts(collection)) return collection
    throw new DaybookError(
      'VALIDATION_ERROR',
      `Entries of ${key} have no drafts. Give the collection a field f.status().`,
    )
  }

  #requireCollection(key: string): CollectionModel {
    const collection = this.#context.model.collections.get(key)
    if (!collection) throw new DaybookError('NOT_FOUND', `The collection "${key}" does not exist.`)
    return collection
  }

  #requireGlobal(key: string): GlobalModel {
    const global = this.#context.model.globals.get(key)
    if (!global) throw new DaybookError('NOT_FOUND', `The global "${key}" does not exist.`)
    return global
  }
}

interface ContextOptions {
  readonly locale?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Returns the document of a response. The result of a dry run has no tag. */
const toDocument = <T>(response: Pick<EntryResponse, 'json' | 'tag'>, isDry: boolean | undefined): T =>
  isDry ? JSON.parse(response.json) : tagDocument(response)

const toOutcome = ({ collection, matched, changed }: BulkResult): BulkOutcome => ({ collection, matched, changed })

/**
 * The in-process API of the service itself. Its caller is `SYSTEM` with the role `service`; {@link ServiceContent.as} returns the API
 * for another caller.
 *
 * @example
 * ```ts
 * await service.content.create('posts', { title: 'Hello' })
 * const { items } = await service.content.as(caller).list('posts')
 * ```
 */
export class ServiceContent<C extends DaybookConfig = DaybookConfig> extends CallerContent<C> {
  readonly #context: ContentContext
  readonly #transact: Transact | undefined

  /** @param transact runs a write in a transaction; by default each write has its own */
  constructor(context: ContentContext, transact?: Transact) {
    super(context, () => new Access(context.model, SYSTEM), transact)
    this.#context = context
    this.#transact = transact
  }

  /** Returns the API with the rights of a caller; `ANONYMOUS` stands for callers without a session. */
  as(caller: Caller): CallerContent<C> {
    return new CallerContent<C>(this.#context, () => new Access(this.#context.model, caller), this.#transact)
  }
}
