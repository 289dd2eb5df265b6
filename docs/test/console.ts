import type { Block } from '../../scripts/markdown.ts'
import { type Bindings, bind, difference } from './match.ts'
import type { Outcome } from './site.ts'

/** A command of a console block, and the output below it. */
export interface Step {
  readonly command: string
  readonly shown: string
}

/** True if a command ends here: without an open quote or a continued line. */
const isWhole = (command: string): boolean => !command.endsWith('\\') && command.split("'").length % 2 === 1

export function stepsOf({ code }: Block): readonly Step[] {
  return `\n${code}`
    .split('\n$ ')
    .slice(1)
    .map((step) => {
      const lines = step.split('\n')
      const end = lines.findIndex((_line, index) => isWhole(lines.slice(0, index + 1).join('\n'))) + 1
      return { command: lines.slice(0, end).join('\n'), shown: lines.slice(end).join('\n') }
    })
}

/**
 * Runs the command of a step, and compares its output with that on the page.
 *
 * @throws an error that shows both
 */
export async function runStep(
  { command, shown }: Step,
  shell: (command: string) => Promise<Pick<Outcome, 'stdout' | 'stderr'>>,
  bindings: Bindings,
  place: string,
): Promise<void> {
  const { stdout, stderr } = await shell(bind(command, bindings))
  const differs = difference(shown, stdout, bindings)
  if (differs !== undefined) throw new Error(`${place}\n$ ${command}\n${differs}\n${stderr}`)
}
