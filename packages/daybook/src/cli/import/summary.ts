import type { CollectionModel } from '../../model/model.ts'
import { nearest } from '../../nearest.ts'
import { printable } from '../output.ts'
import type { ImportedImages } from './images.ts'
import type { ImportPlan } from './plan.ts'
import type { Relations } from './relations.ts'
import type { ImportTally } from './tally.ts'

/** The most keys without a field that are named. */
const MAX_NAMED_KEYS = 20

/** What a run has made beside the entries. */
interface MadeBeside {
  readonly relations: Relations
  readonly images: ImportedImages
}

/** The summary at the end of a run. */
export function summarizeImport(
  plan: ImportPlan,
  tally: ImportTally,
  { relations, images }: MadeBeside,
  isDry: boolean,
): string {
  const { collection } = plan
  const { created, updated, translated, unchanged, failed } = tally.outcomes
  const lines = [
    ...(isDry ? ['dry run: nothing is stored'] : []),
    `${collection.key}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
    ...(translated > 0
      ? [`${collection.key}: ${translated} ${translated === 1 ? 'translation' : 'translations'} stored`]
      : []),
    ...statusLines(tally),
    ...createdLines(collection.key, relations),
    ...imageLines(images),
    ...severalLines(plan, tally),
    ...unusedLines(collection, tally),
  ]
  return `${lines.join('\n')}\n`
}

function statusLines({ statuses }: ImportTally): readonly string[] {
  if (statuses.size === 0) return []
  const counts = [...statuses].sort(([, one], [, other]) => other - one).map(([status, count]) => `${count} ${status}`)
  return [`status: ${counts.join(', ')}`]
}

function imageLines({ counts: { uploaded, there, left } }: ImportedImages): readonly string[] {
  if (uploaded + there + left === 0) return []
  const leftOut = left > 0 ? `, ${left} ${left === 1 ? 'reference' : 'references'} left as written` : ''
  return [`assets: ${uploaded} uploaded, ${there} there already${leftOut}`]
}

function createdLines(collection: string, { created }: Relations): readonly string[] {
  return [...created].map(([key, { count, names }]) => {
    const more = count > names.length ? ` and ${count - names.length} more` : ''
    return printable(
      `${key}: ${count} created, named by ${collection}: ${names.map((name) => `"${name}"`).join(', ')}${more}`,
    )
  })
}

function severalLines({ fields }: ImportPlan, { several }: ImportTally): readonly string[] {
  return [...several].flatMap(([key, count]) => {
    const to = fields.get(key)?.refersTo?.key
    const advice = `to bring in each, make it f.relation('${to}', { many: true })`
    return [`${key}: ${countFiles(count)} with several names in one, which became one entry of ${to}`, advice]
  })
}

function unusedLines({ key: collection, fields }: CollectionModel, { unused }: ImportTally): readonly string[] {
  if (unused.size === 0) return []
  const sorted = [...unused].sort(([, one], [, other]) => other - one)
  const named = sorted.slice(0, MAX_NAMED_KEYS).map(([key, count]) => `${key} (${countFiles(count)})`)
  const more = sorted.length > MAX_NAMED_KEYS ? ` and ${sorted.length - MAX_NAMED_KEYS} more` : ''
  const line = `left out, because ${collection} has no such field: ${named.join(', ')}${more}`
  const known = fields.map(({ key }) => key)
  const keys = sorted.map(([key]) => key)
  const similar = keys.map((key) => ({ key, field: nearest(key, known) })).find(({ field }) => field !== undefined)
  const { key, field = 'FIELD' } = similar ?? { key: keys[0] }
  return [printable(line), printable(`to bring one in: --map ${key}=${field}`)]
}

const countFiles = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`
