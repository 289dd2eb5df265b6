import { build, param, prepare } from '../compile.ts'
import type { PipelinedConnection } from '../connection.ts'
import type { FieldMember } from '../tables/members.ts'

/** An entry that came to hold a value of a counted field, or went from it. */
export interface TallyChange extends FieldMember {
  readonly collection: string
  readonly status: string
  readonly by: 1 | -1
}

/** The tallies that an entry counts in. */
export function tallyChanges(
  collection: string,
  status: string | null,
  values: readonly FieldMember[],
  by: TallyChange['by'],
): readonly TallyChange[] {
  return values.map((one) => ({ ...one, collection, status: status ?? '', by }))
}

/** Gathers what comes to the same row; what cancels out needs no statement. */
export class Tallies {
  readonly #counts = new Map<string, { readonly change: TallyChange; count: number }>()

  get size(): number {
    return this.#counts.size
  }

  add(changes: readonly TallyChange[]): void {
    for (const change of changes) {
      const { collection, field, status, value, by } = change
      const name = JSON.stringify([collection, field, status, value])
      const known = this.#counts.get(name)
      if (known) known.count += by
      else this.#counts.set(name, { change, count: by })
    }
  }

  /** Statements that store what was gathered, and forgets it. */
  steps(connection: Pick<PipelinedConnection, 'run'>): readonly (() => Promise<unknown>)[] {
    const changed = [...this.#counts.values()].filter(({ count }) => count !== 0)
    this.#counts.clear()
    return changed.map(
      ({ change: { collection, field, status, value }, count }) =>
        () =>
          connection.run(ADD_TALLY, { collection, field, status, value, count }),
    )
  }
}

const ADD_TALLY = prepare(
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
