import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { createWriteContext } from '../../content/writes/index.ts'
import { undo as undoRange } from '../../journal/undo/undo.ts'
import type { BlockedUndo } from '../../journal/undo/undo-plan.ts'
import { CliCommand, type CommonOptions, defineOption, UsageError } from '../command.ts'
import { openCommandStore } from '../open-store.ts'

interface UndoOptions extends CommonOptions {
  readonly from: string
  readonly to?: string
  readonly actor?: string
  readonly dryRun?: boolean
}

/**
 * `daybook undo`: undoes the changes of a range of the journal by new ones. The status is 1 if documents stay as they are.
 */
export const undo: CliCommand = new CliCommand('undo')
  .takes(
    defineOption('--from <SEQ>', 'The number of the first change.', 'needed').makeOptionMandatory(),
    defineOption('--to <SEQ>', 'The number of the last change.', 'the last one'),
    defineOption('--actor <SUBJECT>', 'The subject of an actor: only their changes are undone.', 'any'),
    defineOption('--dry-run', 'Reports the outcome, and stores nothing.'),
  )
  .runs(async ({ from, to, actor, dryRun: isDry = false, ...options }: UndoOptions) => {
    const range = {
      from: readSeq('--from', from),
      ...(to === undefined ? {} : { to: readSeq('--to', to) }),
      ...(actor === undefined ? {} : { actor }),
    }
    await using store = await openCommandStore(options)
    const writeContext = await createWriteContext(store.context, new Access(store.model, SYSTEM), { isDry })
    const { undone, blocked } = (await undoRange(writeContext, range)).report
    for (const document of blocked) process.stderr.write(`${describeBlocked(document)}\n`)
    const rest = blocked.length === 0 ? '' : `; ${blocked.length} stay unchanged`
    process.stdout.write(
      `${undone.length} documents ${isDry ? 'would be' : 'were'} restored to their former content${rest}\n`,
    )
    return blocked.length === 0 ? 0 : 1
  })

function readSeq(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError(`${flag} must be the number of a change, such as a Daybook-Seq header contains, not "${text}".`)
}

const describeBlocked = ({ collection, id, reason, changes }: BlockedUndo): string =>
  `${collection} ${id}: ${reason}, see ${changes.length === 1 ? 'change' : 'changes'} ${changes.join(', ')}`
