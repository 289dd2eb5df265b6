import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { writeContext } from '../../content/writes/context.ts'
import { undo } from '../../journal/undo/undo.ts'
import type { BlockedUndo, UndoRange } from '../../journal/undo/undo-plan.ts'
import { compileModel } from '../../model/compile.ts'
import { openEngine } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { type CommandLine, dataFolder, readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** The number of the first change. @default needed */
  from: { type: 'string' },
  /** The number of the last change. @default the last one that there is */
  to: { type: 'string' },
  /** The subject of an actor, whose changes alone are undone. @default any */
  actor: { type: 'string' },
  /** Reports the outcome, and stores nothing. */
  'dry-run': { type: 'boolean' },
} as const

/**
 * `daybook undo --from SEQ`: undoes the changes of a range of the journal by new ones. Answers 0 when all are undone, 1 when
 * documents stay as they are.
 *
 * @throws {UsageError} when the command line is wrong; VALIDATION_ERROR when the range is none, or too long
 */
export async function undoChanges(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const range = readRange(options)
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const { engine, close } = await openEngine(model, config, dataFolder(options), { isServing: false })
  try {
    const isDry = options.flag('dry-run')
    const context = await writeContext(engine, new Access(model, SYSTEM), { isDry })
    const { undone, blocked } = (await undo(context, range)).report
    for (const one of blocked) process.stderr.write(`${describeBlocked(one)}\n`)
    const left = blocked.length === 0 ? '' : `; ${blocked.length} stay as they are`
    process.stdout.write(`${undone.length} documents ${isDry ? 'would become' : 'are'} what they were${left}\n`)
    return blocked.length === 0 ? 0 : 1
  } finally {
    await close()
  }
}

const describeBlocked = ({ collection, id, reason, changes }: BlockedUndo): string =>
  `${collection} ${id}: ${reason}, see ${changes.length === 1 ? 'change' : 'changes'} ${changes.join(', ')}`

function readRange(options: CommandLine): UndoRange {
  const from = numberOf(options, 'from')
  if (from === undefined || options.positionals.length > 0)
    throw new UsageError('Say which changes: daybook undo --from SEQ, and --to SEQ or --actor SUBJECT.')
  const [to, actor] = [numberOf(options, 'to'), options.text('actor')]
  return { from, ...(to === undefined ? {} : { to }), ...(actor === undefined ? {} : { actor }) }
}

function numberOf(options: CommandLine, name: 'from' | 'to'): number | undefined {
  const text = options.text(name)
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new UsageError(`--${name} ${text}: write the number of a change, such as Daybook-Seq gave.`)
}
