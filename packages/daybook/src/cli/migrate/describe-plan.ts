import type { Engine } from '../../content/engine.ts'
import { type LoadedMigration, pendingMigrations } from '../../content/migrations/run-migrations.ts'
import { isLossy, type MigrationStep, planMigration } from '../../content/transfer/migration.ts'
import { findMisfits } from '../../content/transfer/misfits.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import { printable } from '../progress.ts'
import { type FoundMigration, loadMigrations } from './find-migrations.ts'

/** Stored values of one field that do not hold under the present config. */
export interface MisfitCount {
  readonly path: string
  readonly kind: string
  readonly message: string
  readonly count: number
  /** Whether the config can fill them. */
  readonly isFilled: boolean
}

/** Everything that `daybook migrate` has to say of a store. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[]
  readonly misfits: readonly MisfitCount[]
  readonly migrations: readonly LoadedMigration[]
}

/** Works out what there is to do on a store, and loads the migrations that have not run there. */
export async function makePlan({ store, model }: Engine, files: readonly FoundMigration[]): Promise<MigrationPlan> {
  const pending = pendingMigrations(files, await store.read.system.migrations())
  return {
    steps: await planMigration(store.read, model),
    misfits: await countMisfits(store.read, model),
    migrations: await loadMigrations(pending),
  }
}

/** Counts the stored values that a write would refuse, by field and kind, in the order of the config. */
async function countMisfits(read: Reader, model: Model): Promise<readonly MisfitCount[]> {
  const counts = new Map<string, MisfitCount>()
  for await (const { path, kind, message } of findMisfits(read, model)) {
    // The plan's steps name losses, those of working copies, too.
    if (kind === 'lose') continue
    const count = (counts.get(`${path} ${kind}`)?.count ?? 0) + 1
    counts.set(`${path} ${kind}`, { path, kind, message, count, isFilled: kind === 'fill' || kind === 'convert' })
  }
  const paths = [...model.collections.values(), ...model.globals.values()].flatMap((one) =>
    one.fields.map(({ key }) => `${one.key}.${key}`),
  )
  return [...counts.values()].toSorted((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path))
}

/** Whether there is nothing that `--apply` would do. */
export const isSettled = ({ steps, misfits, migrations }: MigrationPlan): boolean =>
  steps.length === 0 && migrations.length === 0 && !misfits.some(({ isFilled }) => isFilled)

/** The plan in lines. */
export function describePlan({ steps, misfits, migrations }: MigrationPlan): string {
  const lines = [
    ...steps.map((step) => `${isLossy(step) ? 'LOSS  ' : '      '}${step.path} ${step.message} (${step.count})`),
    ...misfits.filter((one) => one.isFilled).map(({ path, message, count }) => `      ${path} ${message} (${count})`),
    ...migrations.map(
      ({ name, migration: { description } }) =>
        `      migrations/${name} has not run${description === undefined ? '' : `: ${printable(description)}`}`,
    ),
    ...misfits
      .filter((one) => !one.isFilled)
      .flatMap(({ path, message, count }) => [
        `CHECK ${path} ${message} (${count})`,
        `      Find them: daybook migrate --list ${path}`,
      ]),
  ]
  return lines.length === 0 ? 'The stored content fits the config.\n' : lines.map((line) => `${line}\n`).join('')
}
