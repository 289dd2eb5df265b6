import { type Client, changesOf, DaybookError } from '@daybook/client'
import type { DaybookConfig } from 'daybook'
import type { ListItem } from '../../api/client.ts'
import type { StudioCollection } from '../../model/studio-model.ts'
import type { RowFilter } from '../rows-query.ts'
import { type BulkAction, type BulkOperation, getNeededFields, toOperation, wouldChange } from './bulk-operations.ts'

const BATCH_SIZE = 100
/** The number of refusals after which a dry run stops. */
const MAX_REFUSALS = 20
export const MAX_ENTRIES = 10_000

/** An entry that rejects an action, with the error. */
export interface Refusal {
  readonly id: string
  readonly error: unknown
}

export interface DryRun {
  readonly selected: number
  /** The entries that would change. */
  readonly ids: readonly string[]
  readonly refusals: readonly Refusal[]
  /** True if there may be more refusals. */
  readonly isPartial: boolean
}

/** A range of `seq` in the journal. */
export interface ChangeRange {
  readonly from: number
  readonly to: number
}

export interface BulkOutcome {
  readonly done: number
  /** The changes that an undo reverts; empty if nothing has changed. */
  readonly ranges: readonly ChangeRange[]
  /** The error that stopped the action. */
  readonly error?: unknown
}

/** Called with the completed fraction, from 0 to 1. */
export type Progress = (part: number) => void

/** Tries, executes and undoes bulk actions on entries of a collection. */
export class BulkRun {
  readonly #client: Client<DaybookConfig>
  readonly #collection: StudioCollection
  readonly #subject: string
  readonly #signal: AbortSignal

  /** @param subject of the signed-in user */
  constructor(client: Client<DaybookConfig>, collection: StudioCollection, subject: string, signal: AbortSignal) {
    this.#client = client
    this.#collection = collection
    this.#subject = subject
    this.#signal = signal
  }

  /** Finds the entries that an action would change, and those that reject it. @param selection ids or a filter */
  async dryRun(action: BulkAction, selection: readonly string[] | RowFilter, onProgress: Progress): Promise<DryRun> {
    const items = await this.#readItems(action, selection, (part) => onProgress(part / 2))
    const ids = items.filter((item) => wouldChange(this.#collection, action, item)).map(({ id }) => id)
    const refusals: Refusal[] = []
    let accepted = ids
    for (const chunk of chunks(ids)) {
      const refused = await this.#findRefusals(action, chunk, MAX_REFUSALS - refusals.length)
      refusals.push(...refused)
      const isRefused = new Set(refused.map(({ id }) => id))
      accepted = accepted.filter((id) => !isRefused.has(id))
      if (refusals.length >= MAX_REFUSALS) return { selected: items.length, ids: accepted, refusals, isPartial: true }
      onProgress(0.5 + (ids.indexOf(chunk.at(-1) ?? '') + 1) / ids.length / 2)
    }
    return { selected: items.length, ids: accepted, refusals, isPartial: false }
  }

  /** Executes an action in transactions of up to 100 entries. */
  async execute(action: BulkAction, ids: readonly string[], onProgress: Progress): Promise<BulkOutcome> {
    const ranges: ChangeRange[] = []
    let done = 0
    try {
      for (const chunk of chunks(ids)) {
        const range = changesOf(await this.#sendBatch(this.#makeOperations(action, chunk), {}))
        if (range) ranges.push(range)
        done += chunk.length
        onProgress(done / ids.length)
      }
    } catch (error) {
      return { done, ranges, error }
    }
    return { done, ranges }
  }

  /** Reverts changes. @returns the number of entries that stay changed because others have changed them since */
  async undo(ranges: readonly ChangeRange[]): Promise<number> {
    let blocked = 0
    for (const range of ranges.toReversed()) {
      blocked += (await this.#client.undo({ ...range, actor: this.#subject })).blocked.length
    }
    return blocked
  }

  async #readItems(
    action: BulkAction,
    selection: readonly string[] | RowFilter,
    onProgress: Progress,
  ): Promise<readonly ListItem[]> {
    const { key, statusField, maxLimit } = this.#collection
    const common = {
      select: ['id', ...getNeededFields(this.#collection, action)],
      ...(statusField === null ? {} : { draft: true }),
    }
    const items: ListItem[] = []
    const limit = Math.min(BATCH_SIZE, maxLimit)
    const queries = isIds(selection)
      ? chunks(selection, limit).map((ids) => ({ ...common, where: { id: { in: ids } }, limit }))
      : [{ ...common, ...selection, sort: 'id', limit }]
    for (const query of queries) {
      const rows = this.#client.collections[key]?.iterate(query as object, { signal: this.#signal }) ?? []
      for await (const item of rows) {
        items.push(item as unknown as ListItem)
        if (items.length > MAX_ENTRIES) return items
      }
      onProgress(items.length / (isIds(selection) ? selection.length : MAX_ENTRIES))
    }
    return items
  }

  /** Collects refusals. The error of a batch names only the first one, so the batch is tried again without that entry. */
  async #findRefusals(action: BulkAction, ids: readonly string[], max: number): Promise<readonly Refusal[]> {
    const refusals: Refusal[] = []
    let remaining = [...ids]
    while (remaining.length > 0 && refusals.length < max) {
      try {
        await this.#sendBatch(this.#makeOperations(action, remaining), { dryRun: true })
        return refusals
      } catch (error) {
        const index = error instanceof DaybookError ? error.details.operation : undefined
        const id = typeof index === 'number' ? remaining[index] : undefined
        if (id === undefined) throw error
        refusals.push({ id, error })
        remaining = remaining.filter((other) => other !== id)
      }
    }
    return refusals
  }

  #makeOperations(action: BulkAction, ids: readonly string[]): readonly BulkOperation[] {
    return ids.map((id) => toOperation(this.#collection, action, id))
  }

  /** The static types do not know the operations of the model. */
  #sendBatch(operations: readonly BulkOperation[], options: { readonly dryRun?: boolean }): Promise<object> {
    return this.#client.batch(operations as never, { ...options, timeout: 120_000, signal: this.#signal })
  }
}

const isIds = (selection: readonly string[] | RowFilter): selection is readonly string[] => Array.isArray(selection)

function chunks(ids: readonly string[], size = BATCH_SIZE): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) => ids.slice(index * size, (index + 1) * size))
}
