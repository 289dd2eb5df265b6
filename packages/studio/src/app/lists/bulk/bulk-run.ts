import { type Client, changesOf, DaybookError } from '@daybook/client'
import type { DaybookConfig } from 'daybook'
import type { ListItem } from '../../api/client.ts'
import type { StudioCollection } from '../../model/studio-model.ts'
import type { RowFilter } from '../rows-query.ts'
import { type BulkAction, type BulkOperation, getNeededFields, toOperation, wouldChange } from './bulk-operations.ts'

/** How many operations are one transaction. */
const TOGETHER = 100
/** From how many refusals on no more are looked for. */
const MAX_REFUSALS = 20
/** The most entries that are changed at once. */
export const MAX_ENTRIES = 10_000

/** An entry that cannot be changed so, and why. */
export interface Refusal {
  readonly id: string
  readonly error: unknown
}

/** What a dry run found. */
export interface DryRun {
  /** How many entries were chosen. */
  readonly selected: number
  /** The entries that would change. */
  readonly ids: readonly string[]
  readonly refusals: readonly Refusal[]
  /** Whether there may be more refusals than those. */
  readonly isPartial: boolean
}

/** Numbers of changes in the journal. */
export interface ChangeRange {
  readonly from: number
  readonly to: number
}

/** What was done: as much as could be. */
export interface BulkOutcome {
  readonly done: number
  /** What an undo undoes; empty: nothing has changed. */
  readonly ranges: readonly ChangeRange[]
  /** Why it ended early. */
  readonly error?: unknown
}

/** Called with how much is done, from 0 to 1. */
export type Progress = (part: number) => void

/** Does something to many entries of a collection: tries it first, does it, and takes it back. */
export class BulkRun {
  readonly #client: Client<DaybookConfig>
  readonly #collection: StudioCollection
  readonly #person: string
  readonly #signal: AbortSignal

  /** @param person the subject of who is signed in */
  constructor(client: Client<DaybookConfig>, collection: StudioCollection, person: string, signal: AbortSignal) {
    this.#client = client
    this.#collection = collection
    this.#person = person
    this.#signal = signal
  }

  /** Says what an action would do, and stores nothing. @param chosen ids, or which entries */
  async dryRun(action: BulkAction, chosen: readonly string[] | RowFilter, onProgress: Progress): Promise<DryRun> {
    const items = await this.#items(action, chosen, (part) => onProgress(part / 2))
    const ids = items.filter((item) => wouldChange(this.#collection, action, item)).map(({ id }) => id)
    const refusals: Refusal[] = []
    let left = ids
    for (const some of chunks(ids)) {
      const refused = await this.#refusals(action, some, MAX_REFUSALS - refusals.length)
      refusals.push(...refused)
      const isRefused = new Set(refused.map(({ id }) => id))
      left = left.filter((id) => !isRefused.has(id))
      if (refusals.length >= MAX_REFUSALS) return { selected: items.length, ids: left, refusals, isPartial: true }
      onProgress(0.5 + (ids.indexOf(some.at(-1) ?? '') + 1) / ids.length / 2)
    }
    return { selected: items.length, ids: left, refusals, isPartial: false }
  }

  /** Does it; each transaction is done whole, or not at all. */
  async execute(action: BulkAction, ids: readonly string[], onProgress: Progress): Promise<BulkOutcome> {
    const ranges: ChangeRange[] = []
    let done = 0
    try {
      for (const some of chunks(ids)) {
        const range = changesOf(await this.#batch(this.#operations(action, some), {}))
        if (range) ranges.push(range)
        done += some.length
        onProgress(done / ids.length)
      }
    } catch (error) {
      return { done, ranges, error }
    }
    return { done, ranges }
  }

  /** Takes back what was done. @returns how many entries stay as they are, because others have changed them since */
  async undo(ranges: readonly ChangeRange[]): Promise<number> {
    let blocked = 0
    for (const range of ranges.toReversed()) {
      blocked += (await this.#client.undo({ ...range, actor: this.#person })).blocked.length
    }
    return blocked
  }

  async #items(
    action: BulkAction,
    chosen: readonly string[] | RowFilter,
    onProgress: Progress,
  ): Promise<readonly ListItem[]> {
    const { key, statusField, maxLimit } = this.#collection
    const common = {
      select: ['id', ...getNeededFields(this.#collection, action)],
      ...(statusField === null ? {} : { draft: true }),
    }
    const items: ListItem[] = []
    const limit = Math.min(TOGETHER, maxLimit)
    const queries = isIds(chosen)
      ? chunks(chosen, limit).map((ids) => ({ ...common, where: { id: { in: ids } }, limit }))
      : [{ ...common, ...chosen, sort: 'id', limit }]
    for (const query of queries) {
      const rows = this.#client.collections[key]?.iterate(query as object, { signal: this.#signal }) ?? []
      for await (const item of rows) {
        items.push(item as unknown as ListItem)
        if (items.length > MAX_ENTRIES) return items
      }
      onProgress(items.length / (isIds(chosen) ? chosen.length : MAX_ENTRIES))
    }
    return items
  }

  /** A batch names the first operation that is refused: without it, it is tried again. */
  async #refusals(action: BulkAction, ids: readonly string[], most: number): Promise<readonly Refusal[]> {
    const refusals: Refusal[] = []
    let left = [...ids]
    while (left.length > 0 && refusals.length < most) {
      try {
        await this.#batch(this.#operations(action, left), { dryRun: true })
        return refusals
      } catch (error) {
        const at = error instanceof DaybookError ? error.details.operation : undefined
        const id = typeof at === 'number' ? left[at] : undefined
        if (id === undefined) throw error
        refusals.push({ id, error })
        left = left.filter((one) => one !== id)
      }
    }
    return refusals
  }

  #operations(action: BulkAction, ids: readonly string[]): readonly BulkOperation[] {
    return ids.map((id) => toOperation(this.#collection, action, id))
  }

  /** Operations come from the model, which types know nothing of. */
  #batch(operations: readonly BulkOperation[], options: { readonly dryRun?: boolean }): Promise<object> {
    return this.#client.batch(operations as never, { ...options, timeout: 120_000, signal: this.#signal })
  }
}

const isIds = (chosen: readonly string[] | RowFilter): chosen is readonly string[] => Array.isArray(chosen)

function chunks(ids: readonly string[], size = TOGETHER): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
}
