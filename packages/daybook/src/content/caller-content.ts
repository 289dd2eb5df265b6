import type {
  CollectionKey,
  DaybookConfig,
  Entry,
  EntryCreate,
  EntryKey,
  EntryUpdate,
  GlobalEntry,
  GlobalKey,
  GlobalUpdate,
} from '../config/config.ts'
import { DaybookError } from '../errors.ts'
import type { CollectionModel, GlobalModel } from '../model/model.ts'
import { aggregateNames } from '../query/aggregates.ts'
import { documentParameters, PAGE, readPageBounds } from '../query/entry-query.ts'
import { listParameters } from '../query/list-query.ts'
import { writtenLocale } from '../query/locale.ts'
import { manyParameters } from '../query/many-query.ts'
import { fromPairs, type Parameters, type Query, type QueryOf, readParameters } from '../query/parameters.ts'
import { reverseParams } from '../query/reverse-page.ts'
import { type Where, whereParams } from '../query/where.ts'
import type { Access } from './access/access.ts'
import { CallerFiles } from './assets/caller-files.ts'
import type {
  BatchOperation,
  BatchOutcome,
  ConditionOptions,
  ListOptions,
  ListResult,
  LocaleOptions,
  ManyOptions,
  ManyOutcome,
  NewEntryOptions,
  ReadOptions,
} from './call-options.ts'
import type { Engine } from './engine.ts'
import { getEntry } from './reads/entry.ts'
import { readGlobal } from './reads/globals.ts'
import { planList } from './reads/list.ts'
import { tagged } from './tagged.ts'
import { runBatch } from './writes/batch.ts'
import { type WriteContext, writeContext } from './writes/context.ts'
import { prepareCreate, prepareDelete, prepareUpdate } from './writes/entries.ts'
import { prepareGlobal } from './writes/globals.ts'
import { deleteMany, type ManyEntries, type ManyResult, updateMany } from './writes/many.ts'
import { carryOut, type Transact } from './writes/prepared.ts'
import { listReferrers, type ReferencesAnswer } from './writes/referrers.ts'

/**
 * Content inside the process, for one caller: the same questions, rules and errors as over HTTP.
 *
 * @example
 * ```ts
 * const mine = service.content.as(caller)
 * const post = await mine.get('posts', 'hello')
 * ```
 */
export class CallerContent<C extends DaybookConfig = DaybookConfig> {
  readonly #engine: Engine
  readonly #access: () => Access
  readonly #transact: Transact | undefined

  /**
   * @param access the caller's access, made anew for each call
   * @param transact how writes reach the store; by default each is a transaction of its own
   */
  constructor(engine: Engine, access: () => Access, transact?: Transact) {
    this.#engine = engine
    this.#access = access
    this.#transact = transact
  }

  /** The files of the assets. */
  get files(): CallerFiles<C> {
    return new CallerFiles<C>(this.#engine, this.#access)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async list<K extends EntryKey<C>>(collection: K, query: ListOptions = {}): Promise<ListResult<Entry<C, K>>> {
    const listed = this.#collection(collection)
    const { aggregate, ...options } = query
    const named = aggregate === undefined ? options : { ...options, aggregate: aggregateNames(aggregate) }
    const asked = fromOptions(listParameters(listed, this.#engine.model.locales), named)
    const plan = await planList(this.#engine, this.#access(), listed, asked)
    return tagged({ json: await plan.read(), tag: await plan.etag() })
  }

  /**
   * One entry by slug or id; `null` when there is none that the caller may see.
   *
   * @throws NOT_FOUND for an unknown collection, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
   */
  async get<K extends EntryKey<C>>(
    collection: K,
    address: string,
    query: ReadOptions = {},
  ): Promise<Entry<C, K> | null> {
    const model = this.#collection(collection)
    const asked = fromOptions(documentParameters(this.#engine.model.locales), query)
    try {
      return tagged(await getEntry(this.#engine, this.#access(), model, address, asked))
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'NOT_FOUND') return null
      throw error
    }
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT */
  async create<K extends CollectionKey<C>>(
    collection: K,
    data: EntryCreate<C, K>,
    { createdAt, locale }: NewEntryOptions = {},
  ): Promise<Entry<C, K>> {
    const model = this.#collection(collection)
    const context = await this.#context(locale)
    const options = createdAt === undefined ? {} : { createdAt }
    return tagged(await carryOut(context, () => prepareCreate(context, model, data, options)))
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async update<K extends EntryKey<C>>(
    collection: K,
    id: string,
    data: EntryUpdate<C, K>,
    options: LocaleOptions & ConditionOptions = {},
  ): Promise<Entry<C, K>> {
    return this.#change(collection, id, data, options, false)
  }

  /**
   * Changes an entry as a JSON merge patch says (RFC 7396): objects are merged, `null` empties.
   *
   * @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, CONFLICT, PRECONDITION_FAILED, PRECONDITION_REQUIRED
   */
  async patch<K extends EntryKey<C>>(
    collection: K,
    id: string,
    patch: Readonly<Record<string, unknown>>,
    options: LocaleOptions & ConditionOptions = {},
  ): Promise<Entry<C, K>> {
    return this.#change(collection, id, patch, options, true)
  }

  async #change<K extends EntryKey<C>>(
    collection: K,
    id: string,
    data: unknown,
    { ifMatch, locale }: LocaleOptions & ConditionOptions,
    isMerge: boolean,
  ): Promise<Entry<C, K>> {
    const model = this.#collection(collection)
    const context = await this.#context(locale)
    const options = { ...toCondition(ifMatch), isMerge }
    return tagged(await carryOut(context, () => prepareUpdate(context, model, id, data, options)))
  }

  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async delete<K extends EntryKey<C>>(collection: K, id: string, { ifMatch }: ConditionOptions = {}): Promise<void> {
    const model = this.#collection(collection)
    const context = await this.#context()
    await carryOut(context, () => prepareDelete(context, model, id, toCondition(ifMatch)))
  }

  /**
   * Changes every entry that matches, as a JSON merge patch says (RFC 7396), in one transaction: all of them, or none. At most
   * 10,000 may match.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the change of an entry throws, with `details.refused`: its id, and
   * those of up to 99 others
   */
  async updateMany<K extends EntryKey<C>>(
    collection: K,
    where: Where,
    patch: Readonly<Record<string, unknown>>,
    options: ManyOptions = {},
  ): Promise<ManyOutcome> {
    const entries = this.#many(collection, where, options)
    return toOutcome(await updateMany(await this.#context(options.locale), entries, patch))
  }

  /**
   * Deletes every entry that matches, in one transaction: all of them, or none. At most 10,000 may match.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the deletion of an entry throws, with `details.refused`: its id, and
   * those of up to 99 others
   */
  async deleteMany<K extends EntryKey<C>>(
    collection: K,
    where: Where,
    options: ManyOptions = {},
  ): Promise<ManyOutcome> {
    const entries = this.#many(collection, where, options)
    return toOutcome(await deleteMany(await this.#context(), entries))
  }

  #many(key: string, where: Where, options: ManyOptions): ManyEntries {
    const collection = this.#collection(key)
    const declared = manyParameters(collection, this.#engine.model.locales)
    return { collection, query: fromOptions(declared, { ...options, where }) }
  }

  /**
   * Carries out operations in one transaction: all of them, or none.
   *
   * @returns one result for each, in order; `entry` is absent after a delete
   * @throws what the operation throws, with its index in `details.operation`
   */
  async batch(
    operations: readonly BatchOperation<C>[],
    { locale }: LocaleOptions = {},
  ): Promise<readonly BatchOutcome[]> {
    const results = await runBatch(await this.#context(locale), { operations })
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
  async references<K extends EntryKey<C>>(
    collection: K,
    id: string,
    { limit, offset }: Pick<ListOptions, 'limit' | 'offset'> = {},
  ): Promise<ReferencesAnswer> {
    const access = this.#access()
    if (!access.isAuthenticated) throw new DaybookError('UNAUTHORIZED')
    const page = readPageBounds(fromOptions(PAGE, { limit, offset }))
    return listReferrers(this.#engine, access, this.#collection(collection), id, page)
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN */
  async readGlobal<K extends GlobalKey<C>>(key: K, query: ReadOptions = {}): Promise<GlobalEntry<C, K>> {
    const asked = fromOptions(documentParameters(this.#engine.model.locales), query)
    return tagged(await readGlobal(this.#engine, this.#access(), this.#global(key), asked))
  }

  /** @throws NOT_FOUND, VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_FAILED, PRECONDITION_REQUIRED */
  async writeGlobal<K extends GlobalKey<C>>(
    key: K,
    data: GlobalUpdate<C, K>,
    { ifMatch, locale }: LocaleOptions & ConditionOptions = {},
  ): Promise<GlobalEntry<C, K>> {
    const model = this.#global(key)
    const context = await this.#context(locale)
    return tagged(await carryOut(context, () => prepareGlobal(context, model, data, toCondition(ifMatch))))
  }

  /** @throws VALIDATION_ERROR for a locale that the config does not name */
  #context(given?: string): Promise<WriteContext> {
    const { locale } = fromOptions(writtenLocale(this.#engine.model.locales), { locale: given }).values
    const transact = this.#transact ? { transact: this.#transact } : {}
    return writeContext(this.#engine, this.#access(), { locale, ...transact })
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

const toOutcome = ({ collection, matched, changed }: ManyResult): ManyOutcome => ({ collection, matched, changed })

/** Options of a read: those that are written with brackets, and all others. */
interface QueryOptions {
  readonly where?: Where
  readonly reverse?: ReadOptions['reverse']
  readonly [option: string]: unknown
}

/** Options, read as the query parameters of the same names. */
function fromOptions<P extends Parameters>(
  declared: P,
  options: { readonly [K in keyof P]?: unknown },
): Query<QueryOf<P>> {
  const { where, reverse, ...plain }: QueryOptions = options
  // An empty list of names says nothing, as a parameter that is left out.
  const pairs = Object.entries(plain).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  const named = pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)] as const)
  const pages = reverse ? reverseParams(reverse) : []
  return readParameters(declared, fromPairs([...named, ...pages, ...(where ? whereParams(where) : [])]))
}

function toCondition(ifMatch: string | undefined) {
  if (ifMatch === '*') return { ifMatch } as const
  return ifMatch === undefined ? {} : { ifMatch: [{ weak: false, value: ifMatch.replace(/^"|"$/g, '') }] }
}
