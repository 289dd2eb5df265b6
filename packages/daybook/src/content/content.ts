import { ANONYMOUS, type Caller } from '../auth/adapter.ts'
import type {
  CollectionKey,
  DaybookConfig,
  DraftEntry,
  DraftUpdate,
  Entry,
  EntryCreate,
  EntryKey,
  EntryUpdate,
  GlobalEntry,
  GlobalKey,
  GlobalUpdate,
  StatusKey,
} from '../config/config.ts'
import type { Where } from '../query/where.ts'
import { Access } from './access/access.ts'
import type {
  AtTime,
  BatchOperation,
  BatchOutcome,
  CallOptions,
  ChangeOptions,
  CreateOptions,
  DeleteOptions,
  DraftRead,
  ListOptions,
  ListResult,
  ManyCallOptions,
  ManyOutcome,
  PublishOptions,
  ReadOptions,
  RestoreOptions,
  SaveDraftOptions,
  UnpublishOptions,
  WriteCallOptions,
} from './call-options.ts'
import { CallerContent } from './caller-content.ts'
import type { Engine } from './engine.ts'
import type { Transact } from './writes/prepared.ts'
import type { ReferencesAnswer } from './writes/references/referrers.ts'

/**
 * Content inside the process: the same questions, rules and errors as over HTTP. Access is enforced;
 * a call without `caller` is anonymous, and work of the service itself passes `SYSTEM`.
 */
export class Content<C extends DaybookConfig = DaybookConfig> {
  readonly #engine: Engine
  readonly #transact: Transact | undefined

  /** @param transact how writes reach the store; by default each is a transaction of its own */
  constructor(engine: Engine, transact?: Transact) {
    this.#engine = engine
    this.#transact = transact
  }

  /** The same content with one caller for all calls. */
  as(caller: Caller = ANONYMOUS): CallerContent<C> {
    return new CallerContent<C>(this.#engine, () => new Access(this.#engine.model, caller), this.#transact)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  list<K extends StatusKey<C>>(
    collection: K,
    query: ListOptions & DraftRead,
    options?: CallOptions,
  ): Promise<ListResult<DraftEntry<C, K>>>
  list<K extends EntryKey<C>>(
    collection: K,
    query?: ListOptions,
    options?: CallOptions,
  ): Promise<ListResult<Entry<C, K>>>
  list<K extends EntryKey<C>>(
    collection: K,
    query: ListOptions = {},
    { caller }: CallOptions = {},
  ): Promise<ListResult<unknown>> {
    return this.as(caller).list(collection, query)
  }

  /**
   * One entry by slug or id; `null` when there is none that the caller may see.
   *
   * @throws NOT_FOUND for an unknown collection, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  get<K extends StatusKey<C>>(
    collection: K,
    address: string,
    query: ReadOptions & DraftRead,
    options?: CallOptions,
  ): Promise<DraftEntry<C, K> | null>
  get<K extends EntryKey<C>>(
    collection: K,
    address: string,
    query?: ReadOptions,
    options?: CallOptions,
  ): Promise<Entry<C, K> | null>
  get<K extends EntryKey<C>>(
    collection: K,
    address: string,
    query: ReadOptions = {},
    { caller }: CallOptions = {},
  ): Promise<unknown> {
    return this.as(caller).get(collection, address, query)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT */
  create<K extends CollectionKey<C>>(
    collection: K,
    data: EntryCreate<C, K>,
    { caller, ...options }: CreateOptions = {},
  ): Promise<Entry<C, K>> {
    return this.as(caller).create(collection, data, options)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  update<K extends EntryKey<C>>(
    collection: K,
    id: string,
    data: EntryUpdate<C, K>,
    { caller, ...options }: ChangeOptions = {},
  ): Promise<Entry<C, K>> {
    return this.as(caller).update(collection, id, data, options)
  }

  /**
   * Changes an entry as a JSON merge patch says (RFC 7396): objects are merged, `null` empties.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  patch<K extends EntryKey<C>>(
    collection: K,
    id: string,
    patch: Readonly<Record<string, unknown>>,
    { caller, ...options }: ChangeOptions = {},
  ): Promise<Entry<C, K>> {
    return this.as(caller).patch(collection, id, patch, options)
  }

  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  delete<K extends EntryKey<C>>(collection: K, id: string, { caller, ...options }: DeleteOptions = {}): Promise<void> {
    return this.as(caller).delete(collection, id, options)
  }

  /**
   * Saves the working copy of an entry: the fields that `data` names. What is published stays as it is, and what is required may be
   * missing until it is published.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   *
   * @example
   * ```ts
   * await content.saveDraft('posts', post.id, { title: 'Hello!' }, { caller })
   * await content.publish('posts', post.id, { caller, at: '2027-01-01T08:00:00Z' })
   * ```
   */
  saveDraft<K extends StatusKey<C>>(
    collection: K,
    id: string,
    data: DraftUpdate<C, K>,
    { caller, ...options }: CallOptions & SaveDraftOptions = {},
  ): Promise<DraftEntry<C, K>> {
    return this.as(caller).saveDraft(collection, id, data, options)
  }

  /**
   * Throws the working copy of an entry away; the entry stays as it is.
   *
   * @throws NOT_FOUND when there is none; UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  discardDraft<K extends StatusKey<C>>(
    collection: K,
    id: string,
    { caller, ...options }: DeleteOptions = {},
  ): Promise<void> {
    return this.as(caller).discardDraft(collection, id, options)
  }

  /**
   * Publishes an entry: its working copy where it has one, else what it is. With a time to come, then, and the answer is the
   * working copy.
   *
   * @throws as {@link update}: what is published must be complete
   */
  publish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    options: CallOptions & PublishOptions & AtTime,
  ): Promise<DraftEntry<C, K>>
  publish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    options?: CallOptions & PublishOptions,
  ): Promise<Entry<C, K>>
  publish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    { caller, ...options }: CallOptions & PublishOptions = {},
  ): Promise<unknown> {
    return this.as(caller).publish(collection, id, options)
  }

  /**
   * Takes an entry out of what readers without a session see; its working copy stays. With a time to come, then, and the answer is
   * the working copy.
   *
   * @throws as {@link update}
   */
  unpublish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    options: CallOptions & UnpublishOptions & AtTime,
  ): Promise<DraftEntry<C, K>>
  unpublish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    options?: CallOptions & UnpublishOptions,
  ): Promise<Entry<C, K>>
  unpublish<K extends StatusKey<C>>(
    collection: K,
    id: string,
    { caller, ...options }: CallOptions & UnpublishOptions = {},
  ): Promise<unknown> {
    return this.as(caller).unpublish(collection, id, options)
  }

  /**
   * Forgets the times at which an entry was to be published or unpublished.
   *
   * @throws NOT_FOUND when none is set; UNAUTHORIZED, FORBIDDEN
   */
  unschedule<K extends StatusKey<C>>(collection: K, id: string, { caller }: CallOptions = {}): Promise<void> {
    return this.as(caller).unschedule(collection, id)
  }

  /**
   * Brings the content of an earlier revision back: into the working copy, or, in a collection without a status, as a new revision.
   * The published content never changes. A deleted entry is stored again with its id, as a draft where its collection has a status.
   *
   * @param revision the number of one of the entry's versions; `undefined`: the last content of a deleted entry
   * @throws as {@link update}; NOT_FOUND when the entry has no such version, or it was erased
   */
  restore<K extends StatusKey<C>>(
    collection: K,
    id: string,
    revision?: number,
    options?: CallOptions & RestoreOptions,
  ): Promise<DraftEntry<C, K>>
  restore<K extends EntryKey<C>>(
    collection: K,
    id: string,
    revision?: number,
    options?: CallOptions & RestoreOptions,
  ): Promise<Entry<C, K>>
  restore<K extends EntryKey<C>>(
    collection: K,
    id: string,
    revision?: number,
    { caller, ...options }: CallOptions & RestoreOptions = {},
  ): Promise<unknown> {
    return this.as(caller).restore(collection, id, revision, options)
  }

  /**
   * Changes every entry that matches, as a JSON merge patch says (RFC 7396), in one transaction: all of them, or none. At most
   * 10,000 may match.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the change of an entry throws, with `details.refused`
   */
  updateMany<K extends EntryKey<C>>(
    collection: K,
    where: Where,
    patch: Readonly<Record<string, unknown>>,
    { caller, ...options }: ManyCallOptions = {},
  ): Promise<ManyOutcome> {
    return this.as(caller).updateMany(collection, where, patch, options)
  }

  /**
   * Deletes every entry that matches, in one transaction: all of them, or none. At most 10,000 may match.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the deletion of an entry throws, with `details.refused`
   */
  deleteMany<K extends EntryKey<C>>(
    collection: K,
    where: Where,
    { caller, ...options }: ManyCallOptions = {},
  ): Promise<ManyOutcome> {
    return this.as(caller).deleteMany(collection, where, options)
  }

  /**
   * Carries out operations in one transaction: all of them, or none.
   *
   * @returns one result for each, in order; `entry` is absent after a delete
   * @throws what the operation throws, with its index in `details.operation`
   */
  batch(
    operations: readonly BatchOperation<C>[],
    { caller, ...options }: WriteCallOptions = {},
  ): Promise<readonly BatchOutcome[]> {
    return this.as(caller).batch(operations, options)
  }

  /**
   * The documents that refer to an entry, as far as the caller may see them.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  references<K extends EntryKey<C>>(
    collection: K,
    id: string,
    page: Pick<ListOptions, 'limit' | 'offset'> = {},
    { caller }: CallOptions = {},
  ): Promise<ReferencesAnswer> {
    return this.as(caller).references(collection, id, page)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  readGlobal<K extends GlobalKey<C>>(
    key: K,
    { caller, ...query }: CallOptions & ReadOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    return this.as(caller).readGlobal(key, query)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  writeGlobal<K extends GlobalKey<C>>(
    key: K,
    data: GlobalUpdate<C, K>,
    { caller, ...options }: ChangeOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    return this.as(caller).writeGlobal(key, data, options)
  }
}
