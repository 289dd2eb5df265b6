import { resolve } from 'node:path'
import type { Engine } from '../../content/engine.ts'
import { storedContentOf } from '../../content/stored-content.ts'
import { isLossy } from '../../content/transfer/migration.ts'
import { findMisfits } from '../../content/transfer/misfits.ts'
import { compileModel } from '../../model/compile.ts'
import { openUnprepared, refuseUnfinished } from '../../service.ts'
import { digestConfig } from '../../store/serving-process.ts'
import { findConfig, loadConfig } from '../config-file.ts'
import { openCopy } from '../import/open-copy.ts'
import { applyPlan, type MigrateJob } from '../migrate/apply-plan.ts'
import { noteAsRun } from '../migrate/at-start.ts'
import { describePlan, isSettled, makePlan } from '../migrate/describe-plan.ts'
import { type FoundMigration, findMigrations } from '../migrate/find-migrations.ts'
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
  /** Notes that a migration of that name need not run on this store. */
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
    const warning = await outdatedServicesWarning(engine)
    return await untilSignal(async (signal) => {
      const job = { files, warning, signal, dryRun }
      if (!dryRun) return planAndApply({ engine, ...job }, options)
      const copy = await openCopy(model, config, data, UNSERVED, openUnprepared)
      return planAndApply({ engine: copy.engine, ...job }, options).finally(() => copy.close())
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

const POOLER_WARNING =
  'A pooler hides the processes that serve this store. Before you apply the migration, stop those with another config.'
const OUTDATED_WARNING =
  'Stop them before you apply the migration, or restart them with this config right after it: until then they do not find what it moves, and ' +
  'values that they store may be hidden.'

/** Returns a warning of processes that serve the store with another config; `undefined`: there are none. */
async function outdatedServicesWarning({ store, model }: Engine): Promise<string | undefined> {
  const services = await store.listServices()
  if (!services) return POOLER_WARNING
  const config = digestConfig(model)
  const outdated = services.filter((service) => service.config !== config).map(({ name }) => name)
  if (outdated.length === 0) return undefined
  return `These processes serve the store with another config: ${outdated.toSorted().join(', ')}. ${OUTDATED_WARNING}`
}

/** A run that may change the store, or a copy of it. */
interface PlannedRun extends Omit<MigrateJob, 'log'> {
  readonly files: readonly FoundMigration[]
  /** See {@link outdatedServicesWarning}. */
  readonly warning: string | undefined
}

async function planAndApply({ files, warning, ...job }: PlannedRun, options: CommandLine): Promise<number> {
  const { dryRun } = job
  const plan = await makePlan(job.engine, files)
  process.stdout.write(describePlan(plan))
  if (isSettled(plan)) return 0
  if (warning !== undefined) process.stderr.write(`${warning}\n`)
  if (!dryRun && !options.flag('apply')) return print('Nothing was changed. Do it with: daybook migrate --apply', 0)
  if (!dryRun && plan.steps.some(isLossy) && !options.flag('allow-loss')) {
    return print('Refused: this loses stored values. Bring the fields back, or add --allow-loss.', 1)
  }
  await applyPlan({ ...job, log }, plan)
  return print(dryRun ? 'Nothing was changed. Do it with: daybook migrate --apply' : 'Done.', 0)
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
  await store.prepare(model, storedContentOf(model))
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
