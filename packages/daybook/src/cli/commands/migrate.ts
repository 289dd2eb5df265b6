import { applyMigration, isLossy, type MigrationStep, planMigration } from '../../content/transfer/migration.ts'
import { compileModel } from '../../model/compile.ts'
import { openStore, refuseUnfinished } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { dataFolder, readCommandOptions } from '../options.ts'

const OPTIONS = {
  /** Carries the changes out. @default only says what they are */
  apply: { type: 'boolean' },
  /** Also what loses stored values. */
  'allow-loss': { type: 'boolean' },
} as const

/** `daybook migrate`: says what a changed config does to stored content, and with `--apply` does it. */
export async function migrate(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const store = await openStore(config, dataFolder(options))
  try {
    const isBlank = await store.isBlank()
    if (!isBlank) await refuseUnfinished(store.read)
    const steps = isBlank ? [] : await planMigration(store.read, model)
    process.stdout.write(describeSteps(steps))
    if (steps.length === 0) return 0
    if (!options.flag('apply')) return printResult('Nothing was changed. Do it with: daybook migrate --apply', 0)
    if (steps.some(isLossy) && !options.flag('allow-loss')) {
      return printResult('Refused: this loses stored values. Bring the fields back, or add --allow-loss.', 1)
    }
    await applyMigration(store, model)
    return printResult('Done.', 0)
  } finally {
    await store.close()
  }
}

function describeSteps(steps: readonly MigrationStep[]): string {
  if (steps.length === 0) return 'The stored content fits the config.\n'
  return steps
    .map((step) => `${isLossy(step) ? 'LOSS  ' : '      '}${step.path} ${step.message} (${step.count})\n`)
    .join('')
}

function printResult(text: string, status: number): number {
  process.stdout.write(`${text}\n`)
  return status
}
