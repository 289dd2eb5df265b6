import { ANONYMOUS, type Caller, isAuthenticated } from '../auth/adapter.ts'
import type {
  CollectionKey,
  DaybookConfig,
  Entry,
  EntryCreate,
  EntryUpdate,
  GlobalEntry,
  GlobalKey,
  GlobalUpdate,
} from '../config/config.ts'
import { DaybookError } from '../errors.ts'
import type { CollectionModel, GlobalModel } from '../model/model.ts'
import { readPage } from '../query/entry-query.ts'
import { readWriteLocale } from '../query/locale.ts'
import { fromPairs, type Params } from '../query/params.ts'
import { type Where, whereParams } from '../query/where.ts'
import { runBatch } from './batch.ts'
import type { Answer, Engine, RunWrite } from './engine.ts'
import { getEntry, listEntries } from './entries.ts'
import { readGlobal, writeGlobal } from './globals.ts'
import { listReferrers, type ReferencesAnswer } from './referrers.ts'
import { createEntry, deleteEntry, updateEntry } from './write-entries.ts'

/** What of a document is answered, and in which language. */
export interface ReadOptions {
  /** Served keys to answer with. @default all */
  readonly select?: readonly string[]
  /** Relations to expand, as dotted paths. */
  readonly include?: readonly string[]
  /** How many levels of relations to expand, 5 at most. @default 1 with `include`, else 0 */
  readonly depth?: number
  /** A configured locale; `all` answers maps of locale to value, and needs a session. @default the config's */
  readonly locale?: string
  /** Where a value is looked for that the locale does not have; `none` turns that off. @default what the config says */
  readonly fallbackLocale?: string
}

/** What a list is asked, as the query parameters of `GET /api/:collection`. */
export interface ListOptions extends ReadOptions {
  /** @default 20 */
  readonly limit?: number
  /** @default 0 */
  readonly offset?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** One field or several; a leading `-` descends. @default '-createdAt' */
  readonly sort?: string | readonly string[]
  /** Words that must all be found. */
  readonly q?: string
  readonly status?: string | readonly string[]
  /** What entries must hold: `{ title: { startsWith: 'A' }, or: [{ … }, { … }] }`. */
  readonly where?: Where
}

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
}

/** For whom a call is made. */
export interface CallOptions {
  /** @default a caller without a session */
  readonly caller?: Caller
}

/** For whom a write is made, and in which language. */
export interface WriteCallOptions extends CallOptions {
  /** The locale that is written. @default the config's */
  readonly locale?: string
}

/** For whom and on what condition a document is deleted. */
export interface DeleteOptions extends CallOptions {
  /** The entity tag that the stored version must have; see {@link etagOf}. */
  readonly ifMatch?: string
}

/** For whom and on what condition a change is made. */
export interface ChangeOptions extends WriteCallOptions, DeleteOptions {}

/** For whom a new entry is made. */
export interface CreateOptions extends WriteCallOptions {
  /** When the entry was first written, for imports; ISO 8601. @default now */
  readonly createdAt?: string
}

/** One operation of a batch. */
export interface BatchOperation<C extends DaybookConfig = DaybookConfig> {
  readonly op: 'create' | 'update' | 'delete'
  readonly collection: CollectionKey<C>
  /** Of what is changed or deleted. */
  readonly id?: string
  /** The entity tag that the stored version must have. */
  readonly ifMatch?: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** What happened to one operation of a batch. */
export interface BatchOutcome {
  readonly op: string
  readonly collection: string
  readonly id: string
  /** The stored entry's tag, and the entry; absent after a delete. */
  readonly etag?: string
  readonly entry?: Readonly<Record<string, unknown>>
}

const tags = new WeakMap<object, string>()

/** A document out of an answer, which remembers the tag that it came with. */
function tagged<T>({ json, tag }: Answer): T {
  const document = JSON.parse(json)
  tags.set(document, tag)
  return document
}

/**
 * The strong entity tag that a document came with, for `ifMatch`.
 *
 * @throws {TypeError} for an item of a list, and for anything that {@link Content} did not answer: without a tag a change
 * would be made on no condition at all
 *
 * @example
 * ```ts
 * const post = await content.get('posts', 'hello')
 * await content.update('posts', post.id, { title: 'Hello!' }, { ifMatch: etagOf(post), caller })
 * ```
 */
export function etagOf(document: object): string {
  const tag = tags.get(document)
  if (tag === undefined) throw new TypeError('This document came without a tag; read it by itself, with content.get().')
  return tag
}

/**
 * Content inside the process: the same questions, rules and errors as over HTTP. Access is enforced;
 * who calls without a session passes no `caller`, and work of the service itself passes `SYSTEM`.
 */
export class Content<C extends DaybookConfig = DaybookConfig> {
  readonly #engine: Engine
  readonly #run: RunWrite | undefined

  /** @param run how writes reach the store; by default each is a transaction of its own */
  constructor(engine: Engine, run?: RunWrite) {
    this.#engine = engine
    this.#run = run
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async list<K extends CollectionKey<C>>(
    collection: K,
    query: ListOptions = {},
    { caller = ANONYMOUS }: CallOptions = {},
  ): Promise<ListResult<Entry<C, K>>> {
    const answer = await listEntries(this.#engine, this.#collection(collection), toParams(query), caller)
    return JSON.parse(answer.json ?? 'null')
  }

  /**
   * One entry by slug or id; `null` when there is none that the caller may see.
   *
   * @throws NOT_FOUND for an unknown collection, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  async get<K extends CollectionKey<C>>(
    collection: K,
    address: string,
    query: ReadOptions = {},
    { caller = ANONYMOUS }: CallOptions = {},
  ): Promise<Entry<C, K> | null> {
    const model = this.#collection(collection)
    try {
      return tagged(await getEntry(this.#engine, model, address, toParams(query), caller))
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'NOT_FOUND') return null
      throw error
    }
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT */
  async create<K extends CollectionKey<C>>(
    collection: K,
    data: EntryCreate<C, K>,
    { caller = ANONYMOUS, createdAt, locale }: CreateOptions = {},
  ): Promise<Entry<C, K>> {
    const options = { ...(createdAt === undefined ? {} : { createdAt }), locale: this.#locale(locale) }
    return tagged(await createEntry(this.#engine, this.#collection(collection), data, caller, options, this.#run))
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async update<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    data: EntryUpdate<C, K>,
    options: ChangeOptions = {},
  ): Promise<Entry<C, K>> {
    return this.#change(collection, id, data, options, false)
  }

  /**
   * Changes an entry as a JSON merge patch says (RFC 7396): objects are merged, `null` empties.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  async patch<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    patch: Readonly<Record<string, unknown>>,
    options: ChangeOptions = {},
  ): Promise<Entry<C, K>> {
    return this.#change(collection, id, patch, options, true)
  }

  async #change<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    data: unknown,
    { caller = ANONYMOUS, ifMatch, locale }: ChangeOptions,
    isMerge: boolean,
  ): Promise<Entry<C, K>> {
    const options = { ...toCondition(ifMatch), locale: this.#locale(locale), isMerge }
    const model = this.#collection(collection)
    return tagged(await updateEntry(this.#engine, model, id, data, caller, options, this.#run))
  }

  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async delete<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    { caller = ANONYMOUS, ifMatch }: DeleteOptions = {},
  ): Promise<void> {
    await deleteEntry(this.#engine, this.#collection(collection), id, caller, toCondition(ifMatch), this.#run)
  }

  /**
   * Carries out operations in one transaction: all of them, or none.
   *
   * @returns one result for each, in order; `entry` is absent after a delete
   * @throws what the operation throws, with its index in `details.operation`
   */
  async batch(
    operations: readonly BatchOperation<C>[],
    { caller = ANONYMOUS, locale }: WriteCallOptions = {},
  ): Promise<readonly BatchOutcome[]> {
    const run: RunWrite = this.#run ?? ((work) => this.#engine.store.transaction(work))
    const results = await runBatch(this.#engine, { operations }, caller, run, this.#locale(locale))
    return results.map(({ op, collection, id, answer }) => {
      const entry = answer ? { etag: answer.tag, entry: JSON.parse(answer.json) } : {}
      return { op, collection, id, ...entry }
    })
  }

  /**
   * Who refers to an entry, as far as the caller may see it.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  async references<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    { limit, offset }: Pick<ListOptions, 'limit' | 'offset'> = {},
    { caller = ANONYMOUS }: CallOptions = {},
  ): Promise<ReferencesAnswer> {
    if (!isAuthenticated(caller)) throw new DaybookError('UNAUTHORIZED')
    const page = readPage(
      toParams({ ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }) }),
    )
    return listReferrers(this.#engine, this.#collection(collection), id, page, caller)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async readGlobal<K extends GlobalKey<C>>(
    key: K,
    { caller = ANONYMOUS, ...query }: CallOptions & ReadOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    return tagged(await readGlobal(this.#engine, this.#global(key), toParams(query), caller))
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async writeGlobal<K extends GlobalKey<C>>(
    key: K,
    data: GlobalUpdate<C, K>,
    { caller = ANONYMOUS, ifMatch, locale }: ChangeOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    const options = { ...toCondition(ifMatch), locale: this.#locale(locale) }
    return tagged(await writeGlobal(this.#engine, this.#global(key), data, caller, options, this.#run))
  }

  #locale(given: string | undefined): string | undefined {
    return readWriteLocale(given, this.#engine.model.locales)
  }

  #collection(key: string): CollectionModel {
    const collection = this.#engine.model.collections.get(key)
    if (!collection) throw new DaybookError('NOT_FOUND', `There is no collection "${key}".`)
    return collection
  }

  #global(key: string): GlobalModel {
    const global = this.#engine.model.globals.get(key)
    if (!global) throw new DaybookError('NOT_FOUND', `There is no global "${key}".`)
    return global
  }
}

/** The query parameters that say the same. */
function toParams({ where, ...plain }: ListOptions): Params {
  // An empty list of names says nothing, as a parameter that is left out.
  const pairs = Object.entries(plain).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  const named = pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)] as const)
  return fromPairs([...named, ...(where ? whereParams(where) : [])])
}

function toCondition(ifMatch: string | undefined) {
  if (ifMatch === '*') return { ifMatch } as const
  return ifMatch === undefined ? {} : { ifMatch: [{ weak: false, value: ifMatch.replace(/^"|"$/g, '') }] }
}
