import { printable } from '../progress.ts'
import type { ImportPlan } from './plan.ts'
import type { Relations } from './relations.ts'
import type { ImportTally } from './tally.ts'

/** The most keys without a field that are named. */
const MAX_NAMED_FILES = 20

/** The summary at the end of a run. */
export function summarizeImport(
  { collection }: ImportPlan,
  tally: ImportTally,
  relations: Relations,
  isDry: boolean,
): string {
  const { created, updated, translated, unchanged, failed } = tally.outcomes
  const lines = [
    ...(isDry ? ['dry run: nothing is stored'] : []),
    `${collection.key}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
    ...(translated > 0
      ? [`${collection.key}: ${translated} ${translated === 1 ? 'translation' : 'translations'} stored`]
      : []),
    ...[...relations.created].map(([key, count]) => `${key}: ${count} created, named by ${collection.key}`),
    ...unusedLines(collection.key, tally),
  ]
  return `${lines.join('\n')}\n`
}

function unusedLines(collection: string, { unused }: ImportTally): readonly string[] {
  if (unused.size === 0) return []
  const sorted = [...unused].sort(([, one], [, other]) => other - one)
  const named = sorted
    .slice(0, MAX_NAMED_FILES)
    .map(([key, count]) => `${key} (${count} ${count === 1 ? 'file' : 'files'})`)
  const more = sorted.length > MAX_NAMED_FILES ? ` and ${sorted.length - MAX_NAMED_FILES} more` : ''
  const [first] = sorted[0] ?? ['']
  const line = `left out, because ${collection} has no such field: ${named.join(', ')}${more}`
  return [printable(line), printable(`to bring one in: --map ${first}=FIELD`)]
}
