import type { Engine } from '../../content/engine.ts'
import { MigrationLock, runMigrations } from '../../content/migrations/run-migrations.ts'
import { storedContentOf } from '../../content/stored-content.ts'
import { fillStored } from '../../content/transfer/fill.ts'
import { dropOrphaned, isLossy, moveStored, requireKept } from '../../content/transfer/migration.ts'
import type { MigrationPlan } from './describe-plan.ts'

/** What a run of `daybook migrate` works on. */
export interface MigrateJob {
  readonly engine: Engine
  readonly signal: AbortSignal
  /** Whether it works on a copy, which is deleted afterwards. */
  readonly dryRun: boolean
  /** How long the job keeps others waiting after it was killed, in milliseconds. @default 10000 */
  readonly leaseMs?: number
  /** Is told what happens, line by line. */
  log(line: string): void
}

const WAITING = 'Another process migrates this store, or was killed while it did. Waiting for it to end.'

/** Carries a plan out. Values without a field go last, so that fills and migrations see them. */
export async function applyPlan(job: MigrateJob, { migrations, steps }: MigrationPlan): Promise<void> {
  const { engine, signal, dryRun, log, leaseMs } = job
  const { model, store } = engine
  const isLosing = steps.some(isLossy)
  // The results of fills and migrations exist only after a run.
  if (isLosing && migrations.length === 0)
    await requireKept(store.read, model, ({ field }) => field.options.fill === undefined)
  await store.prepare(model, storedContentOf(model))
  const waiting = { onWait: () => log(WAITING), signal, ...(leaseMs === undefined ? {} : { leaseMs }) }
  const lock = await MigrationLock.take(store, waiting)
  try {
    const filled = await fillStored(engine, { transact: lock.transaction.bind(lock), signal })
    for (const { path, count } of filled) log(`      ${path} ${dryRun ? 'would be filled in' : 'filled in'} (${count})`)
    await moveStored(store, model)
    await runMigrations(migrations, { engine, lock, log, signal, dryRun })
    await requireKept(store.read, model)
    if (isLosing) await dropOrphaned(store, model)
  } finally {
    await lock.release()
  }
}
