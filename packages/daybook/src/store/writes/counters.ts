import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { PipelinedConnection, WriteStep } from '../connection.ts'
import type { StoredEntry, WrittenEntry } from '../rows.ts'
import { build, param, prepare, type Statement } from '../statement.ts'
import { collectCountedValues, type FieldMember } from '../tables/document-values.ts'
import { hasLinks, isPartlyPublished, LINKED, PUBLISHED_LOCALES, type SystemTables } from '../tables/tables.ts'

/** A change of the counters of a collection. As a status, `null` is an entry without one, and `undefined` no entry. */
export interface CounterChange {
  readonly key: string
  readonly seq: number
  /** True if callers without a session could see the entry, in any locale, before or after the change. */
  readonly isVisible: boolean
  readonly from: string | null | undefined
  readonly to: string | null | undefined
  /** The change of the number of entries that are published in some locales only. @default 0 */
  readonly partlyPublished?: number
  /** The change of the number of entries with links to documents. @default 0 */
  readonly linked?: number
  readonly values: readonly ValueChange[]
  /** True if only drafts or schedules changed. @default false */
  readonly isDraft?: boolean
}

/** A value of a counted field that an entry gained or lost. */
interface ValueChange extends FieldMember {
  readonly collection: string
  readonly status: string
  readonly by: 1 | -1
}

/** Returns the effect of a creation, an update or a deletion of an entry on the counters of its collection. */
export function entryCounterChange(
  collection: CollectionModel,
  seq: number,
  before: StoredEntry | undefined,
  after: WrittenEntry | undefined,
): CounterChange {
  const { key, status, counted } = collection
  const states = [before, after].filter((state) => state !== undefined)
  const isCounted = counted.length > 0
  return {
    key,
    seq,
    isVisible: status === undefined || states.some((state) => state.status === PUBLISHED || isPartlyPublished(state)),
    from: before?.status,
    to: after?.status,
    partlyPublished:
      Number(after !== undefined && isPartlyPublished(after)) -
      Number(before !== undefined && isPartlyPublished(before)),
    linked: Number(after !== undefined && hasLinks(after)) - Number(before !== undefined && hasLinks(before)),
    values: [
      ...(isCounted && before ? toValueChanges(collection, before.status, JSON.parse(before.doc), -1) : []),
      ...(isCounted && after ? toValueChanges(collection, after.status, after.value, 1) : []),
    ],
  }
}

/** Returns the effect of a change of a draft or a schedule. */
export const draftCounterChange = (key: string, seq: number): CounterChange => ({
  key,
  seq,
  isVisible: false,
  from: undefined,
  to: undefined,
  values: [],
  isDraft: true,
})

/** Returns the counted values that a document adds, or removes. */
export const toValueChanges = (
  collection: CollectionModel,
  status: string | null,
  doc: Readonly<Record<string, unknown>>,
  by: ValueChange['by'],
): readonly ValueChange[] =>
  collectCountedValues(collection, doc).map((value) => ({
    ...value,
    collection: collection.key,
    status: status ?? '',
    by,
  }))

/** Sums changes of the same counter. Changes that cancel out need no statement. */
export class ValueCounters {
  readonly #sums = new Map<string, { readonly change: ValueChange; sum: number }>()

  get size(): number {
    return this.#sums.size
  }

  add(changes: readonly ValueChange[]): void {
    for (const change of changes) {
      const { collection, field, status, value, by } = change
      const name = JSON.stringify([collection, field, status, value])
      const entry = this.#sums.get(name)
      if (entry) entry.sum += by
      else this.#sums.set(name, { change, sum: by })
    }
  }

  /** Returns the statements that store the sums, and starts again at zero. */
  steps(connection: Pick<PipelinedConnection, 'run'>): readonly WriteStep[] {
    const changed = [...this.#sums.values()].filter(({ sum }) => sum !== 0)
    this.#sums.clear()
    return changed.map(
      ({ change: { collection, field, status, value }, sum }) =>
        () =>
          connection.run(ADD_TO_VALUE, { collection, field, status, value, count: sum }),
    )
  }
}

/** Returns the statements that store changes, in the order of their numbers, with one row for each collection. */
export function counterSteps(connection: PipelinedConnection, changes: readonly CounterChange[]): readonly WriteStep[] {
  const values = new ValueCounters()
  for (const change of changes) values.add(change.values)
  const byCollection = [...Map.groupBy(changes, ({ key }) => key)]
  return [
    ...byCollection.map(
      ([key, group]) =>
        () =>
          updateCounters(connection, key, group),
    ),
    ...values.steps(connection),
  ]
}

/** Stores the number of entries of a collection, and the last change that callers without a session can see. */
async function updateCounters(
  connection: PipelinedConnection,
  key: string,
  changes: readonly CounterChange[],
): Promise<void> {
  const row = await connection.get(READ_COUNTERS, { key })
  if (!row) throw new Error(`No counters for ${key}`)
  const entryChanges = changes.filter(({ isDraft }) => !isDraft)
  const counts: { [status: string]: number } = JSON.parse(row.counts)
  const add = (name: string, by: number): void => {
    if (by !== 0) counts[name] = (counts[name] ?? 0) + by
  }
  for (const { from, to, partlyPublished = 0, linked = 0 } of entryChanges) {
    if (from !== undefined) add(from ?? '', -1)
    if (to !== undefined) add(to ?? '', 1)
    add(PUBLISHED_LOCALES, partlyPublished)
    add(LINKED, linked)
  }
  await connection.run(UPDATE_COUNTERS, {
    key,
    seq: entryChanges.at(-1)?.seq ?? row.seq,
    visibleSeq: entryChanges.findLast(({ isVisible }) => isVisible)?.seq ?? row.visible_seq,
    draftSeq: changes.findLast(({ isDraft }) => isDraft)?.seq ?? row.draft_seq,
    counts: JSON.stringify(counts),
  })
}

export const READ_COUNTERS: Statement<SystemTables['daybook$collections']> = prepare(
  build.selectFrom('daybook$collections').selectAll().where('key', '=', param<string>('key')),
)
const UPDATE_COUNTERS = prepare(
  build
    .updateTable('daybook$collections')
    .set({
      seq: param<number>('seq'),
      visible_seq: param<number>('visibleSeq'),
      draft_seq: param<number | null>('draftSeq'),
      counts: param<string>('counts'),
    })
    .where('key', '=', param<string>('key')),
)
const ADD_TO_VALUE = prepare(
  build
    .insertInto('daybook$tallies')
    .values({
      collection: param<string>('collection'),
      field: param<string>('field'),
      status: param<string>('status'),
      value: param<string>('value'),
      count: param<number>('count'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['collection', 'field', 'status', 'value'])
        .doUpdateSet((row) => ({ count: row('daybook$tallies.count', '+', row.ref('excluded.count')) })),
    ),
)
