import type { ContentContext } from '../content/context.ts'
import {
  createContentAlignment,
  dropOrphaned,
  fillStoredDocuments,
  findInvalidValues,
  findPendingMigrations,
  isLossy,
  type LoadedMigration,
  MigrationLock,
  type MigrationStep,
  migrateStoredDocuments,
  planMigration,
  requireNoValueLost,
  runMigrations,
} from '../content/transfer/index.ts'
import type { Model } from '../model/model.ts'
import type { Reader } from '../store/reads/reader.ts'
import { type LocatedMigration, loadMigrations } from './migration-files.ts'
import { toPrintable } from './output.ts'

/** The number of stored values of a field that violate the present config. */
export interface InvalidValueCount {
  readonly path: string
  readonly kind: string
  readonly message: string
  readonly count: number
  /** True if the config can fill them. */
  readonly isFilled: boolean
}

/** Everything that `daybook migrate` reports of a store. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[]
  readonly invalidValues: readonly InvalidValueCount[]
  readonly migrations: readonly LoadedMigration[]
}

/** Plans the work on a store, and loads the migrations that have not run there. */
export async function makeMigrationPlan(
  { store, model }: ContentContext,
  files: readonly LocatedMigration[],
): Promise<MigrationPlan> {
  const pending = findPendingMigrations(files, await store.read.system.migrations())
  return {
    steps: await planMigration(store.read, model),
    invalidValues: await countInvalidValues(store.read, model),
    migrations: await loadMigrations(pending),
  }
}

/** Counts the stored values that a write would reject, by field and kind, in the order of the config. */
async function countInvalidValues(read: Reader, model: Model): Promise<readonly InvalidValueCount[]> {
  const counts = new Map<string, InvalidValueCount>()
  for await (const { path, kind, message } of findInvalidValues(read, model)) {
    // The steps of the plan name losses, including those in drafts.
    if (kind === 'lose') continue
    const count = (counts.get(`${path} ${kind}`)?.count ?? 0) + 1
    counts.set(`${path} ${kind}`, { path, kind, message, count, isFilled: kind === 'fill' || kind === 'convert' })
  }
  const paths = [...model.collections.values(), ...model.globals.values()].flatMap((document) =>
    document.fields.map(({ key }) => `${document.key}.${key}`),
  )
  return [...counts.values()].toSorted((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path))
}

/** True if `--apply` has nothing to do. */
export const isUpToDate = ({ steps, invalidValues, migrations }: MigrationPlan): boolean =>
  steps.length === 0 && migrations.length === 0 && !invalidValues.some(({ isFilled }) => isFilled)

export function describePlan({ steps, invalidValues, migrations }: MigrationPlan): string {
  const lines = [
    ...steps.map((step) => `${isLossy(step) ? 'LOSS  ' : '      '}${step.path} ${step.message} (${step.count})`),
    ...invalidValues
      .filter(({ isFilled }) => isFilled)
      .map(({ path, message, count }) => `      ${path} ${message} (${count})`),
    ...migrations.map(
      ({ name, migration: { description } }) =>
        `      migrations/${name} has not run${description === undefined ? '' : `: ${toPrintable(description)}`}`,
    ),
    ...invalidValues
      .filter(({ isFilled }) => !isFilled)
      .flatMap(({ path, message, count }) => [
        `CHECK ${path} ${message} (${count})`,
        `      Find them: daybook migrate --list ${path}`,
      ]),
  ]
  return lines.length === 0 ? 'The stored content fits the config.\n' : lines.map((line) => `${line}\n`).join('')
}

/** A run of `daybook migrate`. */
export interface MigrateJob {
  readonly context: ContentContext
  readonly signal: AbortSignal
  /** True if it works on a copy, which is deleted afterwards. */
  readonly dryRun: boolean
  /** The time for which other runs wait if this one is killed, in milliseconds. @default 10000 */
  readonly leaseMs?: number
  /** Gets a line for each event. */
  log(line: string): void
}

const WAITING = 'Another process is migrating this store, or was killed while it did. Waiting for it to end.'

/** Applies a plan. Values without a field are dropped last, so that fills and migrations see them. */
export async function applyPlan(job: MigrateJob, { migrations, steps }: MigrationPlan): Promise<void> {
  const { context, signal, dryRun, log, leaseMs } = job
  const { model, store } = context
  const isLosing = steps.some(isLossy)
  // The results of fills and migrations are known only after a run.
  if (isLosing && migrations.length === 0)
    await requireNoValueLost(store.read, model, ({ field }) => field.options.fill === undefined)
  await store.prepare(model, createContentAlignment(model))
  const waiting = { onWait: () => log(WAITING), signal, ...(leaseMs === undefined ? {} : { leaseMs }) }
  const lock = await MigrationLock.acquire(store, waiting)
  try {
    const filled = await fillStoredDocuments(context, { transact: lock.transaction.bind(lock), signal })
    for (const { path, count } of filled) log(`      ${path} ${dryRun ? 'would be filled in' : 'filled in'} (${count})`)
    await migrateStoredDocuments(store, model)
    await runMigrations(migrations, { context, lock, log, signal, dryRun })
    await requireNoValueLost(store.read, model)
    if (isLosing) await dropOrphaned(store, model)
  } finally {
    await lock.release()
  }
}
