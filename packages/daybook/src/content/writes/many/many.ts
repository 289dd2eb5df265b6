import { setImmediate as turn } from 'node:timers/promises'
import { DaybookError, invalidAt } from '../../../errors.ts'
import { isRecord } from '../../../fields/field.ts'
import type { CollectionModel } from '../../../model/model.ts'
import type { ManyParameters } from '../../../query/many-query.ts'
import type { Query } from '../../../query/parameters.ts'
import type { EntryRevision } from '../../../store/reads/page.ts'
import type { Reader } from '../../../store/reads/read.ts'
import type { StoredEntry } from '../../../store/reads/rows.ts'
import type { Writer } from '../../../store/writes/write.ts'
import type { Preconditions } from '../../etags.ts'
import { HookTime } from '../../hook-time.ts'
import { countMatches, resolveListQuery } from '../../reads/list.ts'
import type { ResolvedListQuery } from '../../reads/resolved-list-query.ts'
import { checkChangeOf } from '../change.ts'
import type { WriteContext } from '../context.ts'
import { dryRun } from '../dry-run.ts'
import { type EntryLoader, entryTarget, prepareDelete } from '../entries.ts'
import { hooksFor } from '../hooked.ts'
import { type LastStep, type PreparedWrite, StaleWrite, type WriteTransaction } from '../prepared.ts'
import { Refusals } from './refusals.ts'

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
/** How often entries are prepared again that others have changed meanwhile. */
const MAX_ATTEMPTS = 100

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
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    await many.prepare()
    try {
      return await transact((writer) => many.commit(writer), { isAlone: true })
    } catch (error) {
      if (error instanceof RefusedTogether) many.takeTurns()
      else if (!(error instanceof StaleWrite)) throw error
    }
  }
  throw new DaybookError('CONFLICT', 'The entries keep changing; try again.')
}

/** Entries that were written together refuse it; which of them, and why, shows when they are written one after the other. */
class RefusedTogether extends Error {
  override readonly name = 'RefusedTogether'
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

  /** Writes the entries one after the other from now on. */
  takeTurns(): void {
    this.#isInOrder = true
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
    const { changed, seq } = await this.#commitAll(writer, found)
    const { collection, query } = this.#entries
    const isDry = query.values.dryRun === 'true'
    const result = { collection: collection.key, matched: found.length, changed, lastId: found.at(-1)?.id }
    if (isDry || changed === 0) return { ...result, firstSeq: undefined, seq: undefined }
    return { ...result, firstSeq: firstSince(), seq }
  }

  async #commitAll(
    writer: Writer,
    found: readonly EntryRevision[],
  ): Promise<{ readonly changed: number; readonly seq: number }> {
    const lastSteps: LastStep[] = []
    const transaction = { writer, hookTime: new HookTime(), atEnd: (step: LastStep) => void lastSteps.push(step) }
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
    for (const step of lastSteps) await step(writer)
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
    const commit: EntryCommit = (id, own) => this.#commitOne(id, { ...transaction, writer: own })
    const isTogether = areIndependent && writer.isBulk && !this.#isInOrder
    return isTogether ? commitTogether(writer, window, commit) : commitInOrder(writer, window, commit, refusals)
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

/** Commits the write of an entry. */
type EntryCommit = (id: string, writer: Writer) => Promise<{ readonly seq: number }>

/**
 * Commits the writes of a window one after the other.
 *
 * @returns the numbers of their revisions; `undefined`: it is refused, or a hook has deleted it
 * @throws what says nothing of an entry; the refusal of all entries so far, when the transaction cannot go on
 */
async function commitInOrder(
  writer: Writer,
  window: readonly EntryRevision[],
  commit: EntryCommit,
  refusals: Refusals,
): Promise<readonly (number | undefined)[]> {
  const numbers: (number | undefined)[] = []
  for (const { id } of window) {
    const { last } = writer
    const failed = (error: unknown): undefined => {
      // Of a write that fails half-way, statements may have run: nothing after it can be told.
      refuse(refusals, id, error, writer.last !== last)
    }
    numbers.push(await commit(id, writer).then(({ seq }) => seq, failed))
  }
  return numbers
}

/**
 * Commits the writes of a window together.
 *
 * @throws {RefusedTogether} when one is refused
 */
async function commitTogether(
  writer: Writer,
  window: readonly EntryRevision[],
  commit: EntryCommit,
): Promise<readonly number[]> {
  const ends = await writer.bulk(
    window.map(
      ({ id }) =>
        (own: Writer) =>
          commit(id, own),
    ),
  )
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
  // After a statement that fails, the engine refuses all others, whichever entry they are of.
  if (errors.some((error) => error instanceof DaybookError && error.status < 500)) throw new RefusedTogether()
  if (errors.length > 0) throw errors.find((error) => error instanceof StaleWrite) ?? errors[0]
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.seq] : []))
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
