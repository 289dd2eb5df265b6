import { setImmediate as turn } from 'node:timers/promises'
import { DaybookError, invalidAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { ManyParameters } from '../../query/many-query.ts'
import type { Query } from '../../query/parameters.ts'
import type { EntryRevision } from '../../store/reads/page.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { Preconditions } from '../etags.ts'
import { HookRefusal } from '../hooks.ts'
import { countMatches, resolveListQuery } from '../reads/list.ts'
import type { ResolvedListQuery } from '../reads/resolved-list-query.ts'
import { checkChangeOf } from './change.ts'
import type { WriteContext } from './context.ts'
import { type EntryLoader, entryTarget, prepareDelete } from './entries.ts'
import {
  dryRun,
  type PreparedWrite,
  retryStale,
  runTransaction,
  StaleWrite,
  type WriteTransaction,
} from './pipeline.ts'
import { hooksFor } from './run-hooks.ts'

/** The most entries that are written at once. */
export const MAX_MANY = 10_000
/** Entries that are read together. Other requests have their turn after so many. */
const WINDOW = 50
/** Entries whose changes are stored together, where the engine takes that. */
const BULK_WINDOW = 100
/** The most bytes of documents in a window of more than one entry. */
const MAX_WINDOW_BYTES = 1024 * 1024
/** Search rows of documents of so many bytes wait to be stored together. */
const MAX_WAITING_BYTES = 4 * MAX_WINDOW_BYTES
/** The most that prepared changes may hold, in characters of JSON: they wait in memory for the last one. */
const MAX_PREPARED_CHARACTERS = 16 * 1024 * 1024

/** Which entries are written. */
export interface ManyEntries {
  readonly collection: CollectionModel
  readonly query: Query<ManyParameters>
  /** A part of them. @default all, or it is refused */
  readonly step?: Step
}

/** Some of the entries that match, in order of creation. */
export interface Step {
  /** The id of the last entry of the step before; empty: it is the first step. */
  readonly after: string
  /** {@link MAX_MANY} at most. */
  readonly limit: number
}

/** What became of the entries that match. */
export interface ManyResult {
  readonly collection: string
  readonly matched: number
  /** How many of them are another revision now. */
  readonly changed: number
  /** The number of the first change, which may be one of another document; `undefined`: nothing is stored. */
  readonly firstSeq: number | undefined
  /** The last number of their changes; `undefined`: nothing is stored. */
  readonly seq: number | undefined
  /** The last entry that matched. */
  readonly lastId: string | undefined
}

/**
 * Changes all entries that match, as a JSON merge patch says (RFC 7396), in one transaction: all of them, or none.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the change of an entry throws, with `details.refused`
 */
export async function updateMany(
  context: WriteContext,
  entries: ManyEntries,
  body: unknown,
  preconditions: Preconditions = {},
): Promise<ManyResult> {
  const { collection } = entries
  const change = checkChangeOf(context, collection, body, { ...preconditions, isMerge: true, isOneOfMany: true })
  // A slug that is made anew depends on those that are taken.
  const makesSlug = collection.slug !== undefined && isRecord(body) && Object.hasOwn(body, collection.slug.key)
  const isIndependent = !makesSlug && !hasHooks(context, collection)
  return writeMany(context, entries, 'update', {
    areIndependent: async () => isIndependent,
    prepare: (id, { load }) => change(entryTarget(context, collection, id, load)),
  })
}

/**
 * Deletes all entries that match, in one transaction: all of them, or none.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; what the deletion of an entry throws, with `details.refused`
 */
export async function deleteMany(
  context: WriteContext,
  entries: ManyEntries,
  preconditions: Preconditions = {},
): Promise<ManyResult> {
  const { collection } = entries
  const isHooked = hasHooks(context, collection)
  let referred: ReadonlySet<string> = new Set()
  return writeMany(context, entries, 'delete', {
    // A deletion takes references out of other entries, which may come after it.
    areIndependent: async (read, ids) => {
      if (isHooked) return false
      referred = await read.references.referredTo(collection.key, ids)
      return referred.size === 0
    },
    prepare: (id, { load, isWrittenToo }) => {
      const mayBeReferredTo = (): boolean => isHooked || referred.has(id)
      return prepareDelete(context, collection, id, preconditions, {
        load,
        mayBeReferredTo,
        isDeletedToo: (other) => other.collection === collection.key && isWrittenToo(other.id),
      })
    },
  })
}

/** Whether code of others runs inside the transaction, which may write other entries. */
const hasHooks = (context: WriteContext, collection: CollectionModel): boolean =>
  hooksFor(context, collection, 'beforeChange', 'beforeValidate', 'validate') !== undefined

/** What is done to each entry. */
interface EntryWrite {
  /** Whether the writes of these entries neither change nor ask for what those of the others store. */
  areIndependent(read: Reader, ids: readonly string[]): Promise<boolean>
  prepare(id: string, lookup: ManyLookup): Promise<PreparedWrite<{ readonly seq: number }>>
}

/** How the write of one entry of many asks about it, and about the others. */
interface ManyLookup {
  readonly load: EntryLoader
  /** Whether an entry is among those that are written. */
  isWrittenToo(id: string): boolean
}

async function writeMany(
  context: WriteContext,
  entries: ManyEntries,
  action: 'update' | 'delete',
  write: EntryWrite,
): Promise<ManyResult> {
  const { engine, access } = context
  const { collection } = entries
  const query = await resolveListQuery(engine, access, collection, entries.query)
  // Who may write no entry whatever is refused, also where none matches.
  await access.requireSomeWrite(collection, action)
  const many = new ManyWrites(context, entries, query, write)
  const isDry = entries.query.values.dryRun === 'true'
  const transact = isDry ? dryRun(context.transact) : context.transact
  return retryStale(async () => {
    await many.prepare()
    return transact((writer) => many.commit(writer), { isAlone: true })
  }, 'The entries keep changing; try again.')
}

/** A write of one entry, and the revision that it was prepared from. */
interface PreparedEntry extends PreparedWrite<{ readonly seq: number }> {
  readonly seq: number
}

/**
 * Writes of all entries that match. What takes time is done before the transaction, whose first statement makes sure that the
 * same entries match in the same revisions; those that others changed meanwhile are prepared again.
 */
class ManyWrites {
  readonly #context: WriteContext
  readonly #entries: ManyEntries
  readonly #query: ResolvedListQuery
  readonly #write: EntryWrite
  readonly #prepared = new Map<string, PreparedEntry>()
  readonly #rows = new Map<string, StoredEntry>()
  /** How much the prepared writes hold, in characters of JSON. */
  #characters = 0
  #isInOrder = false

  constructor(context: WriteContext, entries: ManyEntries, query: ResolvedListQuery, write: EntryWrite) {
    this.#context = context
    this.#entries = entries
    this.#query = query
    this.#write = write
  }

  /** @throws VALIDATION_ERROR when more entries match than can be written at once */
  async prepare(): Promise<void> {
    const { read } = this.#context.engine.store
    const found = await this.#find(read)
    const ids = new Set(found.map(({ id }) => id))
    for (const id of this.#prepared.keys()) if (!ids.has(id)) this.#forget(id)
    const isMissing = ({ id, seq }: EntryRevision): boolean => this.#prepared.get(id)?.seq !== seq
    const refusals = new Refusals()
    for (const window of windowsOf(found.filter(isMissing), WINDOW)) {
      await this.#readAhead(read, window)
      for (const row of this.#rows.values()) {
        if (refusals.isFull) break
        await this.#prepareEntry(row, refusals)
        this.#requireRoom()
      }
      if (refusals.isFull) break
      await turn()
    }
    this.#rows.clear()
    refusals.throwAny()
  }

  async #prepareEntry({ id, seq }: StoredEntry, refusals: Refusals): Promise<void> {
    try {
      const load: EntryLoader = (from) => this.#load(from, id)
      const prepared = await this.#write.prepare(id, { load, isWrittenToo: (other) => this.#prepared.has(other) })
      this.#forget(id)
      this.#prepared.set(id, { seq, ...prepared })
      this.#characters += prepared.size ?? 0
    } catch (error) {
      refusals.add(id, error)
    }
  }

  #forget(id: string): void {
    this.#characters -= this.#prepared.get(id)?.size ?? 0
    this.#prepared.delete(id)
  }

  /** @throws {StaleWrite} when it has to be prepared again */
  async commit(writer: Writer): Promise<ManyResult> {
    const found = await this.#find(writer.read)
    const isPrepared = ({ id, seq }: EntryRevision): boolean => this.#prepared.get(id)?.seq === seq
    if (found.length !== this.#prepared.size || !found.every(isPrepared)) throw new StaleWrite()
    const firstSince = writer.watch()
    const { changed, seq } = await runTransaction(writer, (transaction) => this.#commitAll(transaction, found))
    const { collection, query } = this.#entries
    const isDry = query.values.dryRun === 'true'
    const result = { collection: collection.key, matched: found.length, changed, lastId: found.at(-1)?.id }
    if (isDry || changed === 0) return { ...result, firstSeq: undefined, seq: undefined }
    return { ...result, firstSeq: firstSince(), seq }
  }

  async #commitAll(
    transaction: WriteTransaction,
    found: readonly EntryRevision[],
  ): Promise<{ readonly changed: number; readonly seq: number }> {
    const { writer } = transaction
    const refusals = new Refusals()
    let changed = 0
    let last = 0
    let waiting = 0
    for (const window of windowsOf(found, writer.isBulk ? BULK_WINDOW : WINDOW)) {
      const numbers = await this.#commitWindow(transaction, refusals, window)
      const moved = numbers.filter((now, index) => now !== undefined && now !== window[index]?.seq)
      changed += moved.length
      last = Math.max(last, ...moved.map(Number))
      waiting += window.reduce((bytes, { size }) => bytes + size, 0)
      if (waiting > MAX_WAITING_BYTES) {
        await writer.flush()
        waiting = 0
      }
      await turn()
    }
    refusals.throwAny()
    return { changed, seq: last }
  }

  /** Answers the number of each revision; `undefined`: it is refused, or a hook has deleted it. */
  async #commitWindow(
    transaction: WriteTransaction,
    refusals: Refusals,
    window: readonly EntryRevision[],
  ): Promise<readonly (number | undefined)[]> {
    const { writer } = transaction
    const areIndependent = await this.#write.areIndependent(
      writer.read,
      window.map(({ id }) => id),
    )
    this.#rows.clear()
    if (areIndependent) await this.#readAhead(writer.read, window)
    const isTogether = areIndependent && writer.isBulk && !this.#isInOrder
    return isTogether ? this.#commitTogether(transaction, window) : this.#commitInOrder(transaction, window, refusals)
  }

  /**
   * Commits the writes of a window one after the other.
   *
   * @returns the revision of each entry; `undefined` for one that refuses the write, or that a hook has deleted
   * @throws errors that are not about an entry; the refusals so far if the transaction cannot continue
   */
  async #commitInOrder(
    transaction: WriteTransaction,
    window: readonly EntryRevision[],
    refusals: Refusals,
  ): Promise<readonly (number | undefined)[]> {
    const { writer } = transaction
    const revisions: (number | undefined)[] = []
    for (const { id } of window) {
      const { last } = writer
      try {
        revisions.push((await this.#commitOne(id, transaction)).seq)
      } catch (error) {
        // A write that failed half-way may have run statements, so later writes prove nothing.
        refuse(refusals, id, error, writer.last !== last)
        revisions.push(undefined)
      }
    }
    return revisions
  }

  /**
   * Commits the writes of a window together.
   *
   * @throws {StaleWrite} if an entry refuses the write: the next attempt writes the entries in order, to find which of them do
   */
  async #commitTogether(transaction: WriteTransaction, window: readonly EntryRevision[]): Promise<readonly number[]> {
    const commits = window.map(
      ({ id }) =>
        (writer: Writer) =>
          this.#commitOne(id, { ...transaction, writer }),
    )
    const outcomes = await transaction.writer.bulk(commits)
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    // After a failed statement, the engine refuses all others, whichever entry they write.
    if (errors.some((error) => error instanceof DaybookError && error.status < 500)) {
      this.#isInOrder = true
      throw new StaleWrite()
    }
    if (errors.length > 0) throw errors.find((error) => error instanceof StaleWrite) ?? errors[0]
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.seq] : []))
  }

  async #commitOne(id: string, transaction: WriteTransaction): Promise<{ readonly seq: number }> {
    const prepared = this.#prepared.get(id)
    if (!prepared) throw new StaleWrite()
    return prepared.commit(transaction)
  }

  async #find(read: Reader): Promise<readonly EntryRevision[]> {
    const { collection, where, statuses, search } = this.#query
    const { after, limit } = this.#entries.step ?? { after: '', limit: MAX_MANY + 1 }
    const found = await read.lists.matching(collection, { where, statuses, search, after, limit })
    if (found.length > MAX_MANY) throw tooMany(await countMatches(this.#context.engine, this.#query))
    return found
  }

  async #readAhead(read: Reader, window: readonly EntryRevision[]): Promise<void> {
    const ids = window.map(({ id }) => id)
    this.#rows.clear()
    for (const row of await read.entries.storedByIds(this.#entries.collection, ids)) this.#rows.set(row.id, row)
  }

  async #load(read: Reader, id: string): Promise<StoredEntry> {
    const row = this.#rows.get(id) ?? (await read.entries.stored(this.#entries.collection, id))
    if (!row) throw new DaybookError('NOT_FOUND')
    return row
  }

  /** @throws VALIDATION_ERROR when the changes hold too much */
  #requireRoom(): void {
    if (this.#characters <= MAX_PREPARED_CHARACTERS) return
    throw invalidAt(
      'where',
      'too_large',
      `must match fewer entries: what this stores in ${this.#prepared.size} of them is more than ${MAX_PREPARED_CHARACTERS} characters`,
      { limit: MAX_PREPARED_CHARACTERS },
    )
  }
}

/** @param isLast whether nothing after it can be told */
function refuse(refusals: Refusals, id: string, error: unknown, isLast: boolean): void {
  if (error instanceof StaleWrite) throw error
  const isRefusal = error instanceof DaybookError
  if (isRefusal && error.code === 'NOT_FOUND') return
  refusals.add(id, error)
  if (!isRefusal || isLast || refusals.isFull) refusals.throwAny()
}

/** Parts of so many entries, or of as many as are large together. */
function* windowsOf(all: readonly EntryRevision[], limit: number): Generator<readonly EntryRevision[]> {
  let window: EntryRevision[] = []
  let bytes = 0
  for (const one of all) {
    if (window.length === limit || (window.length > 0 && bytes + one.size > MAX_WINDOW_BYTES)) {
      yield window
      window = []
      bytes = 0
    }
    window.push(one)
    bytes += one.size
  }
  if (window.length > 0) yield window
}

const tooMany = (matched: number): DaybookError =>
  invalidAt(
    'where',
    'maxItems',
    `matches ${matched} entries, and one request writes at most ${MAX_MANY}. Narrow it, such as by createdAt, or use daybook update or daybook delete, which take steps`,
    { limit: MAX_MANY, count: matched },
  )

/** The most refused entries that one answer names. */
const MAX_REFUSED = 100

/** Entries that refuse what is done to many at once. */
export class Refusals {
  #first: { readonly id: string; readonly error: unknown } | undefined
  readonly #ids: string[] = []

  /** Whether an answer names no more of them. */
  get isFull(): boolean {
    return this.#ids.length >= MAX_REFUSED
  }

  /** @throws the error itself where it says nothing of the entry, as when the database cannot be used */
  add(id: string, error: unknown): void {
    const reason = reasonOf(error)
    if (!(reason instanceof DaybookError) || (reason.code === 'SERVICE_UNAVAILABLE' && reason === error)) throw error
    this.#first ??= { id, error }
    this.#ids.push(id)
  }

  /** @throws the error of the first entry, with the ids of all in `details.refused` */
  throwAny(): void {
    if (this.#first) throw refused(this.#first.error, this.#first.id, this.#ids)
  }
}

const reasonOf = (error: unknown): unknown => (error instanceof HookRefusal ? error.reason : error)

function refused(error: unknown, id: string, ids: readonly string[]): unknown {
  if (error instanceof HookRefusal) return new HookRefusal(refused(error.reason, id, ids))
  if (!(error instanceof DaybookError)) return error
  const { code, message, details } = error
  return new DaybookError(code, `Entry ${id}: ${message}`, { ...details, refused: ids }, error)
}
