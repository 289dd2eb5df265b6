import { resolve } from 'node:path'
import type { Engine } from '../../content/engine.ts'
import { MigrationLock, pendingMigrations, runMigrations } from '../../content/migrations/run-migrations.ts'
import { type FilledField, fillStored } from '../../content/transfer/fill.ts'
import { dropOrphaned, isLossy, moveStored, planMigration } from '../../content/transfer/migration.ts'
import { findMisfits } from '../../content/transfer/misfits.ts'
import { fillLocaleTables } from '../../content/writes/row.ts'
import { compileModel } from '../../model/compile.ts'
import { openUnprepared, refuseUnfinished } from '../../service.ts'
import { findConfig, loadConfig } from '../config-file.ts'
import { openCopy } from '../import/open-copy.ts'
import { noteAsRun } from '../migrate/at-start.ts'
import { countMisfits, describePlan, isSettled, type MigrationPlan } from '../migrate/describe-plan.ts'
import { type FoundMigration, findMigrations, loadMigrations } from '../migrate/find-migrations.ts'
import { untilSignal } from '../migrate/until-signal.ts'
import { type CommandLine, dataFolder, readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** Carries the changes out: moves renamed fields, fills, runs migrations. @default only says what they are */
  apply: { type: 'boolean' },
  /** Also what loses stored values. */
  'allow-loss': { type: 'boolean' },
  /** Does everything to a copy of the store, in the folder for temporary files, and says what came of it. */
  'dry-run': { type: 'boolean' },
  /** Lists the entries whose value in a field, such as `posts.summary`, the config refuses: an id and the reason in each line. */
  list: { type: 'string' },
  /** Notes that a migration of that name need not run on this store. May stand more than once. */
  skip: { type: 'string', multiple: true },
} as const

/** No client waits for an answer. */
const UNSERVED = { isServing: false, renderMs: 60_000 }

/** `daybook migrate`: says what a changed config does to stored content, and with `--apply` does it. */
export async function migrate(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  refuseTogether(options)
  const configFile = findConfig(options.text('config'))
  const files = findMigrations(configFile)
  const config = await loadConfig(configFile)
  const model = compileModel(config)
  const data = resolve(dataFolder(options))
  const { engine, close } = await openUnprepared(model, config, data, UNSERVED)
  try {
    if (await engine.store.isBlank()) return print('The stored content fits the config.', 0)
    await refuseUnfinished(engine.store.read)
    const named = options.text('list')
    if (named !== undefined) return await listMisfits(engine, named)
    if (options.has('skip')) return await skip(engine, files, options.texts('skip'))
    const dryRun = options.flag('dry-run')
    return await untilSignal(async (signal) => {
      if (!dryRun) return planAndApply({ engine, files, signal, dryRun }, options)
      const copy = await openCopy(model, config, data, UNSERVED, openUnprepared)
      return planAndApply({ engine: copy.engine, files, signal, dryRun }, options).finally(() => copy.close())
    })
  } finally {
    await close()
  }
}

/** Options that ask for different things. */
const EXCLUSIVE = ['apply', 'dry-run', 'list', 'skip']

function refuseTogether(options: CommandLine): void {
  const given = EXCLUSIVE.filter((name) => options.has(name)).map((name) => `--${name}`)
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} exclude each other. Give one of them.`)
}

/** What a run of the command works on. */
interface MigrateJob {
  readonly engine: Engine
  readonly files: readonly FoundMigration[]
  readonly signal: AbortSignal
  /** Whether it works on a copy, which is deleted afterwards. */
  readonly dryRun: boolean
}

async function planAndApply(job: MigrateJob, options: CommandLine): Promise<number> {
  const { engine, files, dryRun } = job
  const { model, store } = engine
  const pending = pendingMigrations(files, await store.read.system.migrations())
  const plan: MigrationPlan = {
    steps: await planMigration(store.read, model),
    misfits: await countMisfits(store.read, model),
    migrations: await loadMigrations(pending),
  }
  process.stdout.write(describePlan(plan))
  if (isSettled(plan)) return 0
  if (!dryRun && !options.flag('apply')) return print('Nothing was changed. Do it with: daybook migrate --apply', 0)
  if (!dryRun && plan.steps.some(isLossy) && !options.flag('allow-loss')) {
    return print('Refused: this loses stored values. Bring the fields back, or add --allow-loss.', 1)
  }
  await apply(job, plan)
  return print(dryRun ? 'Nothing was changed. Do it with: daybook migrate --apply' : 'Done.', 0)
}

/** Carries a plan out. Values without a field go last, so that fills and migrations see them. */
async function apply(
  { engine, files, signal, dryRun }: MigrateJob,
  { migrations, steps }: MigrationPlan,
): Promise<void> {
  const { model, store } = engine
  await store.prepare(model, (writer, collection) => fillLocaleTables(model, writer, collection))
  const onWait = (): void =>
    log('Another process migrates this store, or was killed while it did. Waiting for it to end.')
  const lock = await MigrationLock.take(store, { onWait, signal })
  try {
    const transact = lock.transaction.bind(lock)
    printFilled(await fillStored(engine, { transact, signal }), dryRun ? 'would be filled in' : 'filled in')
    await moveStored(store, model)
    // Another process may have run some of them meanwhile.
    const pending = new Set(pendingMigrations(files, await store.read.system.migrations()).map(({ name }) => name))
    const left = migrations.filter(({ name }) => pending.has(name))
    await runMigrations(left, { engine, lock, log, signal, dryRun })
    if (steps.some(isLossy)) await dropOrphaned(store, model)
  } finally {
    await lock.release()
  }
}

function printFilled(filled: readonly FilledField[], done: string): void {
  for (const { path, count } of filled) log(`      ${path} ${done} (${count})`)
}

async function listMisfits({ store, model }: Engine, path: string): Promise<number> {
  const [key = '', field = '', ...rest] = path.split('.')
  const document = model.collections.get(key) ?? model.globals.get(key)
  if (rest.length > 0 || !document || !Object.hasOwn(document.fieldMap, field))
    throw new UsageError(
      `--list takes a collection or global and one of its fields, such as posts.summary, not "${path}".`,
    )
  for await (const one of findMisfits(store.read, model)) if (one.path === path) log(`${one.id} ${one.message}`)
  return 0
}

async function skip(
  { store, model }: Engine,
  files: readonly FoundMigration[],
  names: readonly string[],
): Promise<number> {
  const unknown = names.find((name) => files.every((file) => file.name !== name))
  if (unknown !== undefined)
    throw new UsageError(`There is no migrations/${unknown}. Write one of: ${files.map(({ name }) => name).join(', ')}`)
  await store.prepare(model, (writer, collection) => fillLocaleTables(model, writer, collection))
  await noteAsRun(
    store,
    files.filter(({ name }) => names.includes(name)),
  )
  return print('Noted. They will not run on this store.', 0)
}

function log(line: string): void {
  process.stdout.write(`${line}\n`)
}

function print(text: string, status: number): number {
  log(text)
  return status
}
