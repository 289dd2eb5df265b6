import { type Caller, createServiceCaller } from '../../auth/adapter.ts'
import { DaybookError, MigrationError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { readRuleWhere } from '../../query/rule-where.ts'
import type { Condition, Where } from '../../query/where.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { UnrestrictedAccess } from '../access/unrestricted-access.ts'
import { CallerContent } from '../caller-content.ts'
import type { ContentContext } from '../context.ts'
import { getValuesToMigrate } from '../documents/migrate-document.ts'
import { StoredRevision } from '../documents/row.ts'
import { parseTags, toDocumentTag } from '../reads/etags.ts'
import type { EntryResponse } from '../reads/response.ts'
import { createWriteContext, type WriteContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import { type PreparedWrite, runTransaction, StaleWrite, type Transact } from '../writes/pipeline.ts'
import { parseUpdate, prepareUpdate } from '../writes/update.ts'
import type { EntryChange, MigratedEntry, MigrationContent } from './define-migration.ts'

/** The maximum number of entries that one transaction of `each` changes. */
const EACH_BATCH = 200
/** The maximum number of attempts for entries that are written concurrently. */
const MAX_ATTEMPTS = 100

/** The position of each loop of a migration: the `pk` of the last entry, by the name of the loop. */
export type LoopPositions = Readonly<Record<string, number>>

export interface MigrationRun {
  /** `2026-11-22-split-names`, as in `migrations/2026-11-22-split-names.ts`. */
  readonly name: string
  readonly transact: Transact
  readonly signal: AbortSignal
  readonly positions: LoopPositions
  /** Stores the position of a loop, in the transaction of its changes. */
  savePosition(writer: Writer, loop: string, pk: number): Promise<void>
}

type Change = Parameters<MigrationContent['each']>[2]

export class MigrationRunContent extends CallerContent implements MigrationContent {
  readonly #context: ContentContext
  readonly #caller: Caller
  readonly #run: MigrationRun
  #loops = 0

  constructor(context: ContentContext, run: MigrationRun) {
    const caller = createServiceCaller('daybook', `migration:${run.name}`)
    super(context, () => new UnrestrictedAccess(context.model, caller), run.transact)
    this.#context = context
    this.#caller = caller
    this.#run = run
  }

  async each(key: string, where: Where, change: Change): Promise<number> {
    const collection = this.#context.model.collections.get(key)
    if (!collection) throw new MigrationError(`each: the config has no collection "${key}". Use one that exists.`)
    if (!isRecord(where))
      throw new MigrationError("each: write a filter, or {} for all: each('posts', {}, (entry) => …)")
    if (typeof change !== 'function')
      throw new MigrationError('each: write a function of the entry that returns the fields to change.')
    this.#loops += 1
    const loop = `${this.#loops} ${key} ${JSON.stringify(where)}`
    const filter = this.#parseFilter(collection, where)
    let changed = 0
    for (let after = this.#run.positions[loop] ?? 0; ; ) {
      const changedPage = await this.#changePage(collection, filter, { loop, after, change })
      if (!changedPage) return changed
      changed += changedPage.changed
      after = changedPage.last
    }
  }

  #parseFilter({ key }: CollectionModel, where: Where): Condition | undefined {
    const { collections } = this.#context.model
    const collection = collections.get(key)
    return collection && Object.keys(where).length > 0 ? readRuleWhere(where, collection, collections) : undefined
  }

  /** Changes the next entries in one transaction; `undefined` if there are none. */
  async #changePage(
    collection: CollectionModel,
    filter: Condition | undefined,
    { loop, after, change }: { readonly loop: string; readonly after: number; readonly change: Change },
  ): Promise<{ readonly changed: number; readonly last: number } | undefined> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      this.#run.signal.throwIfAborted()
      const { entries } = this.#context.store.read
      const page = await entries.matchingAfter(collection, after, EACH_BATCH, filter)
      const last = page.at(-1)?.pk
      if (last === undefined) return undefined
      const changed = await this.#tryPage(collection, page, { loop, last, change })
      if (changed !== undefined) return { changed, last }
    }
    throw new MigrationError(
      `each: entries of ${collection.key} keep changing. Run it again while fewer clients write.`,
    )
  }

  /** Stores the changes of these entries and the position of the loop; `undefined`, and nothing is stored, if one was written concurrently. */
  async #tryPage(
    collection: CollectionModel,
    page: readonly StoredEntry[],
    { loop, last, change }: { readonly loop: string; readonly last: number; readonly change: Change },
  ): Promise<number | undefined> {
    const context = await createWriteContext(this.#context, new UnrestrictedAccess(this.#context.model, this.#caller), {
      transact: this.#run.transact,
    })
    const writes: { readonly entry: StoredEntry; readonly write: PreparedWrite<EntryResponse> }[] = []
    try {
      for (const entry of page) {
        const write = await this.#prepare(context, collection, entry, change)
        if (write) writes.push({ entry, write })
      }
      return await context.transact(
        async (writer) => {
          let count = 0
          for (const { entry, write } of writes) {
            const { seq } = await runTransaction(writer, (transaction) => write.commit(transaction)).catch((error) =>
              explainRefused(collection, entry, error),
            )
            if (seq !== entry.seq) count += 1
          }
          await this.#run.savePosition(writer, loop, last)
          return count
        },
        { exclusive: true },
      )
    } catch (error) {
      if (error instanceof StaleWrite) return undefined
      throw error
    }
  }

  async #prepare(
    context: WriteContext,
    collection: CollectionModel,
    entry: StoredEntry,
    change: Change,
  ): Promise<PreparedWrite<EntryResponse> | undefined> {
    const data = await change(this.#show(collection, entry))
    if (data === undefined) return undefined
    requireChange(collection, entry, data)
    const ifMatch = parseTags(toDocumentTag(entry.seq, 'each'))
    const target = new EntryTarget(context, collection, entry.id)
    try {
      return await prepareUpdate(context, target, parseUpdate(context, collection, data), { ifMatch })
    } catch (error) {
      return explainRefused(collection, entry, error)
    }
  }

  /** Returns an entry including values without a field. */
  #show(collection: CollectionModel, entry: StoredEntry): MigratedEntry {
    const { valuesWithAuthors, orphaned } = new StoredRevision(this.#context.model, collection, entry)
    const { id, created_at: createdAt, updated_at: updatedAt } = entry
    const values = getValuesToMigrate(collection, valuesWithAuthors, orphaned ? JSON.parse(orphaned) : {})
    return { ...values, id, createdAt, updatedAt }
  }
}

function requireChange({ key }: CollectionModel, { id }: StoredEntry, data: EntryChange): void {
  if (!isRecord(data))
    throw new MigrationError(
      `each: the function must return an object of fields, or nothing. It did not for ${key} ${id}.`,
    )
}

/** @throws {MigrationError} that names the entry; {StaleWrite} if the entry was written or deleted concurrently */
function explainRefused({ key }: CollectionModel, { id }: StoredEntry, error: unknown): never {
  if (!(error instanceof DaybookError)) throw error
  const { code, message, details } = error
  if (code === 'PRECONDITION_FAILED' || code === 'NOT_FOUND') throw new StaleWrite()
  const issues = details.issues?.map((issue) => issue.message)
  throw new MigrationError(`each: the change of ${key} ${id} was rejected. ${issues?.join(' ') ?? message}`)
}
