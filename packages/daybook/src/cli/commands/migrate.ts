import { resolve } from 'node:path'
import type { ContentContext } from '../../content/context.ts'
import { createContentAlignment, findInvalidValues, isLossy } from '../../content/transfer/index.ts'
import { compileModel } from '../../model/compile.ts'
import { openUnprepared } from '../../service/open-content.ts'
import { requireNoUnfinishedRestore } from '../../service/startup-checks.ts'
import { digestConfig } from '../../store/serving-process.ts'
import {
  CliCommand,
  type CommonOptions,
  defineOption,
  defineRepeatedOption,
  INTERRUPTED,
  UsageError,
  withSignal,
} from '../command.ts'
import { dataFolder, findConfig, loadConfig } from '../config-file.ts'
import { findMigrations, type LocatedMigration, recordAsRun } from '../migration-files.ts'
import { applyPlan, describePlan, isUpToDate, type MigrateJob, makeMigrationPlan } from '../migration-plan.ts'
import { openCopy } from '../open-store.ts'
import { printLine, printNotice } from '../output.ts'

interface MigrateOptions extends CommonOptions {
  readonly apply?: boolean
  readonly allowLoss?: boolean
  readonly dryRun?: boolean
  readonly list?: string
  readonly skip?: readonly string[]
}

/** No client waits for a response. */
const UNSERVED = { isServing: false, renderMs: 60_000 }

/** `daybook migrate`: reports the effect of a changed config on stored content, and applies it with `--apply`. */
export const migrate: CliCommand = new CliCommand('migrate')
  .takes(
    defineOption(
      '--apply',
      'Applies the changes: moves renamed fields, fills in values, runs migrations.',
      'only reports them',
    ),
    defineOption('--allow-loss', 'With `--apply`, also applies changes that lose stored values.'),
    defineOption(
      '--dry-run',
      'Applies the changes to a copy of the store, in the folder for temporary files, and reports the outcome.',
    ),
    defineOption(
      '--list <FIELD>',
      'Lists the entries with an invalid value in a field, such as `posts.summary`: an id and the reason in each line.',
    ),
    defineRepeatedOption('--skip <NAME>', 'Records a migration as run on this store, without running it.'),
  )
  .runs(async (options: MigrateOptions) => {
    rejectExclusive(options)
    const configFile = findConfig(options.config)
    const files = findMigrations(configFile)
    const config = await loadConfig(configFile)
    const model = compileModel(config)
    const data = resolve(dataFolder(options))
    const { context, close } = await openUnprepared(model, config, data, UNSERVED)
    try {
      if (await context.store.isBlank()) return print('The stored content fits the config.', 0)
      await requireNoUnfinishedRestore(context.store.read)
      if (options.list !== undefined) return await listInvalidValues(context, options.list)
      if (options.skip !== undefined) return await skip(context, files, options.skip)
      const warning = await describeOutdatedServices(context)
      return await runInterruptibly(async (signal) => {
        const run = { files, warning, signal, dryRun: options.dryRun ?? false }
        if (!run.dryRun) return planAndApply({ context, ...run }, options)
        const copy = await openCopy(model, config, data, UNSERVED, openUnprepared)
        return planAndApply({ context: copy.context, ...run }, options).finally(() => copy.close())
      })
    } finally {
      await close()
    }
  })

/** Rejects options that exclude each other. */
function rejectExclusive({ apply, dryRun, list, skip }: MigrateOptions): void {
  const flags = Object.entries({ '--apply': apply, '--dry-run': dryRun, '--list': list, '--skip': skip })
  const present = flags.filter(([, value]) => value !== undefined).map(([flag]) => flag)
  if (present.length > 1) throw new UsageError(`${present.join(' and ')} exclude each other. Write only one of them.`)
}

/** Returns the exit status of the work, or that of an interrupted command. */
function runInterruptibly(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  return withSignal(async (signal) => {
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted) throw error
      return print(
        'Stopped. Changes that were already stored are kept. Run the command again to continue.',
        INTERRUPTED,
      )
    }
  })
}

const POOLER_WARNING =
  'A pooler hides the processes that serve this store. Before you apply the migration, stop those with another config.'
const OUTDATED_WARNING =
  'Stop them before you apply the migration, or restart them with this config right after it: until then they do not find moved values, and ' +
  'values that they store may be hidden.'

/** Returns a warning about processes that serve the store with another config; `undefined` if there are none. */
async function describeOutdatedServices({ store, model }: ContentContext): Promise<string | undefined> {
  const services = await store.database.listServices?.()
  if (!services) return POOLER_WARNING
  const config = digestConfig(model)
  const outdated = services.filter((service) => service.config !== config).map(({ name }) => name)
  if (outdated.length === 0) return undefined
  return `These processes serve the store with another config: ${outdated.toSorted().join(', ')}. ${OUTDATED_WARNING}`
}

/** A run that may change the store, or a copy of it. */
interface PlannedRun extends Omit<MigrateJob, 'log'> {
  readonly files: readonly LocatedMigration[]
  /** See {@link describeOutdatedServices}. */
  readonly warning: string | undefined
}

async function planAndApply(
  { files, warning, ...job }: PlannedRun,
  { apply, allowLoss }: MigrateOptions,
): Promise<number> {
  const { dryRun } = job
  const plan = await makeMigrationPlan(job.context, files)
  process.stdout.write(describePlan(plan))
  if (isUpToDate(plan)) return 0
  if (warning !== undefined) printNotice(warning)
  if (!dryRun && !apply) return print('Nothing was changed. To apply it, run: daybook migrate --apply', 0)
  if (!dryRun && plan.steps.some(isLossy) && !allowLoss) {
    return print(
      'Nothing was changed, because this would lose stored values. Restore the fields, or add --allow-loss.',
      1,
    )
  }
  await applyPlan({ ...job, log: printLine }, plan)
  return print(dryRun ? 'Nothing was changed. To apply it, run: daybook migrate --apply' : 'Done.', 0)
}

async function listInvalidValues({ store, model }: ContentContext, path: string): Promise<number> {
  const [key = '', field = '', ...rest] = path.split('.')
  const document = model.collections.get(key) ?? model.globals.get(key)
  if (rest.length > 0 || !document || !Object.hasOwn(document.fieldMap, field))
    throw new UsageError(
      `--list must be a collection or global and one of its fields, such as posts.summary, not "${path}".`,
    )
  for await (const invalidValue of findInvalidValues(store.read, model))
    if (invalidValue.path === path) printLine(`${invalidValue.id} ${invalidValue.message}`)
  return 0
}

async function skip(
  { store, model }: ContentContext,
  files: readonly LocatedMigration[],
  names: readonly string[],
): Promise<number> {
  const unknown = names.find((name) => files.every((file) => file.name !== name))
  if (unknown !== undefined)
    throw new UsageError(
      `The migration migrations/${unknown} does not exist. Use one of: ${files.map(({ name }) => name).join(', ')}`,
    )
  await store.prepare(model, createContentAlignment(model))
  await recordAsRun(
    store,
    files.filter(({ name }) => names.includes(name)),
  )
  return print('Recorded. They will not run on this store.', 0)
}

function print(text: string, status: number): number {
  printLine(text)
  return status
}
