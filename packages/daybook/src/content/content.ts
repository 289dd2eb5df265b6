import { ANONYMOUS, type Caller } from '../auth/adapter.ts'
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
import { documentParameters, PAGE, readPageBounds } from '../query/entry-query.ts'
import { listParameters } from '../query/list-query.ts'
import { writtenLocale } from '../query/locale.ts'
import { fromPairs, type Parameters, type Query, type QueryOf, readParameters } from '../query/parameters.ts'
import { type Where, whereParams } from '../query/where.ts'
import { Access } from './access/access.ts'
import type { Answer } from './answer.ts'
import type { Engine } from './engine.ts'
import { getEntry } from './reads/entry.ts'
import { readGlobal } from './reads/globals.ts'
import { planList } from './reads/list.ts'
import { runBatch } from './writes/batch.ts'
import { type WriteContext, writeContext } from './writes/context.ts'
import { prepareCreate, prepareDelete, prepareUpdate } from './writes/entries.ts'
import { prepareGlobal } from './writes/globals.ts'
import { carryOut, type Transact } from './writes/prepared.ts'
import { listReferrers, type ReferencesAnswer } from './writes/referrers.ts'

/** The selection of a document's fields, and its locale. */
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

/** The options of a list, as the query parameters of `GET /api/:collection`. */
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
  /** The filter of the list: `{ title: { startsWith: 'A' }, or: [{ … }, { … }] }`. */
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

/** The caller of a call. */
export interface CallOptions {
  /** @default a caller without a session */
  readonly caller?: Caller
}

/** The caller and the locale of a write. */
export interface WriteCallOptions extends CallOptions {
  /** The locale that is written. @default the config's */
  readonly locale?: string
}

/** The caller and the precondition of a delete. */
export interface DeleteOptions extends CallOptions {
  /** The entity tag that the stored version must have; see {@link etagOf}. */
  readonly ifMatch?: string
}

/** The caller, the locale and the precondition of a change. */
export interface ChangeOptions extends WriteCallOptions, DeleteOptions {}

/** The caller, the locale and the creation time of a new entry. */
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

/** The outcome of one operation of a batch. */
export interface BatchOutcome {
  readonly op: string
  readonly collection: string
  readonly id: string
  /** The stored entry's tag, and the entry; absent after a delete. */
  readonly etag?: string
  readonly entry?: Readonly<Record<string, unknown>>
}

const etagsOfDocuments = new WeakMap<object, string>()

/** A document out of an answer, which remembers the tag that it came with. */
function tagged<T>({ json, tag }: Answer): T {
  const document = JSON.parse(json)
  etagsOfDocuments.set(document, tag)
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
  const tag = etagsOfDocuments.get(document)
  if (tag === undefined) throw new TypeError('This document came without a tag; read it by itself, with content.get().')
  return tag
}

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

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async list<K extends CollectionKey<C>>(
    collection: K,
    query: ListOptions = {},
    { caller = ANONYMOUS }: CallOptions = {},
  ): Promise<ListResult<Entry<C, K>>> {
    const listed = this.#collection(collection)
    const asked = fromOptions(listParameters(listed, this.#engine.model.locales), query)
    const plan = await planList(this.#engine, this.#access(caller), listed, asked)
    return JSON.parse(await plan.read())
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
    const asked = fromOptions(documentParameters(this.#engine.model.locales), query)
    try {
      return tagged(await getEntry(this.#engine, this.#access(caller), model, address, asked))
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
    const model = this.#collection(collection)
    const context = await this.#context(caller, locale)
    const options = createdAt === undefined ? {} : { createdAt }
    return tagged(await carryOut(context, () => prepareCreate(context, model, data, options)))
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
    const model = this.#collection(collection)
    const context = await this.#context(caller, locale)
    const options = { ...toCondition(ifMatch), isMerge }
    return tagged(await carryOut(context, () => prepareUpdate(context, model, id, data, options)))
  }

  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async delete<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    { caller = ANONYMOUS, ifMatch }: DeleteOptions = {},
  ): Promise<void> {
    const model = this.#collection(collection)
    const context = await this.#context(caller)
    await carryOut(context, () => prepareDelete(context, model, id, toCondition(ifMatch)))
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
    const results = await runBatch(await this.#context(caller, locale), { operations })
    return results.map(({ op, collection, id, answer }) => {
      const entry = answer ? { etag: answer.tag, entry: JSON.parse(answer.json) } : {}
      return { op, collection, id, ...entry }
    })
  }

  /**
   * The documents that refer to an entry, as far as the caller may see them.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  async references<K extends CollectionKey<C>>(
    collection: K,
    id: string,
    { limit, offset }: Pick<ListOptions, 'limit' | 'offset'> = {},
    { caller = ANONYMOUS }: CallOptions = {},
  ): Promise<ReferencesAnswer> {
    const access = this.#access(caller)
    if (!access.isAuthenticated) throw new DaybookError('UNAUTHORIZED')
    const page = readPageBounds(fromOptions(PAGE, { limit, offset }))
    return listReferrers(this.#engine, access, this.#collection(collection), id, page)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async readGlobal<K extends GlobalKey<C>>(
    key: K,
    { caller = ANONYMOUS, ...query }: CallOptions & ReadOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    const asked = fromOptions(documentParameters(this.#engine.model.locales), query)
    return tagged(await readGlobal(this.#engine, this.#access(caller), this.#global(key), asked))
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async writeGlobal<K extends GlobalKey<C>>(
    key: K,
    data: GlobalUpdate<C, K>,
    { caller = ANONYMOUS, ifMatch, locale }: ChangeOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    const model = this.#global(key)
    const context = await this.#context(caller, locale)
    return tagged(await carryOut(context, () => prepareGlobal(context, model, data, toCondition(ifMatch))))
  }

  /** @throws VALIDATION_ERROR for a locale that the config does not name */
  #context(caller: Caller, given?: string): Promise<WriteContext> {
    const { locale } = fromOptions(writtenLocale(this.#engine.model.locales), { locale: given }).values
    const transact = this.#transact ? { transact: this.#transact } : {}
    return writeContext(this.#engine, this.#access(caller), { locale, ...transact })
  }

  #access(caller: Caller): Access {
    return new Access(this.#engine.model, caller)
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

/** Options, read as the query parameters of the same names. */
function fromOptions<P extends Parameters>(
  declared: P,
  options: { readonly [K in keyof P]?: unknown },
): Query<QueryOf<P>> {
  const { where, ...plain }: { readonly where?: Where; readonly [option: string]: unknown } = options
  // An empty list of names says nothing, as a parameter that is left out.
  const pairs = Object.entries(plain).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  const named = pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)] as const)
  return readParameters(declared, fromPairs([...named, ...(where ? whereParams(where) : [])]))
}

function toCondition(ifMatch: string | undefined) {
  if (ifMatch === '*') return { ifMatch } as const
  return ifMatch === undefined ? {} : { ifMatch: [{ weak: false, value: ifMatch.replace(/^"|"$/g, '') }] }
}
