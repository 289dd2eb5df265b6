import type { CollectionModel } from '../../model/model.ts'
import { findNearest } from '../../nearest.ts'
import { formatCount, toPrintable } from '../output.ts'
import type { ImportedImages } from './images.ts'
import type { ImportPlan } from './plan.ts'
import type { Relations } from './relations.ts'

export type ImportOutcome = 'created' | 'updated' | 'translated' | 'unchanged' | 'failed'

/** The largest number of front-matter keys without a field that are counted. */
const MAX_KEYS = 1000

export class ImportCounts {
  readonly outcomes: Record<ImportOutcome, number> = {
    created: 0,
    updated: 0,
    translated: 0,
    unchanged: 0,
    failed: 0,
  }
  /** The number of files by front-matter key without a field. */
  readonly unusedKeys: Map<string, number> = new Map()
  /** The number of files by single relation whose text seems to name several entries. */
  readonly ambiguous: Map<string, number> = new Map()
  /** The number of entries by status, in a dry run. */
  readonly statuses: Map<string, number> = new Map()

  get done(): number {
    return Object.values(this.outcomes).reduce((sum, count) => sum + count, 0)
  }

  addUnusedKeys(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.unusedKeys.has(key) || this.unusedKeys.size < MAX_KEYS) addOne(this.unusedKeys, key)
    }
  }

  addAmbiguous(fields: readonly string[]): void {
    for (const field of fields) addOne(this.ambiguous, field)
  }

  addStatus(status: string): void {
    addOne(this.statuses, status)
  }
}

const addOne = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** The largest number of keys without a field that are printed. */
const MAX_NAMED_KEYS = 20

/** The entries and assets that a run creates besides the imported entries. */
interface SideEffects {
  readonly relations: Relations
  readonly images: ImportedImages
}

/** Returns the summary of a run. */
export function summarizeImport(
  plan: ImportPlan,
  counts: ImportCounts,
  { relations, images }: SideEffects,
  isDry: boolean,
): string {
  const { collection } = plan
  const { created, updated, translated, unchanged, failed } = counts.outcomes
  const lines = [
    ...(isDry ? ['dry run: nothing was stored'] : []),
    `${collection.key}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
    ...(translated > 0 ? [`${collection.key}: ${formatCount(translated, 'translation')} stored`] : []),
    ...formatStatuses(counts),
    ...formatCreated(collection.key, relations),
    ...formatImages(images),
    ...formatAmbiguous(plan, counts),
    ...formatUnusedKeys(collection, counts),
  ]
  return `${lines.join('\n')}\n`
}

function formatStatuses({ statuses }: ImportCounts): readonly string[] {
  if (statuses.size === 0) return []
  const counts = [...statuses].sort(([, a], [, b]) => b - a).map(([status, count]) => `${count} ${status}`)
  return [`status: ${counts.join(', ')}`]
}

function formatImages({ counts: { uploaded, existing, failed } }: ImportedImages): readonly string[] {
  if (uploaded + existing + failed === 0) return []
  const failedText = failed > 0 ? `, ${formatCount(failed, 'reference')} left as written` : ''
  return [`assets: ${uploaded} uploaded, ${existing} already there${failedText}`]
}

function formatCreated(collection: string, { created }: Relations): readonly string[] {
  return [...created].map(([key, { count, names }]) => {
    const more = count > names.length ? ` and ${count - names.length} more` : ''
    return toPrintable(
      `${key}: ${count} created, which ${collection} refer to: ${names.map((name) => `"${name}"`).join(', ')}${more}`,
    )
  })
}

function formatAmbiguous({ fields }: ImportPlan, { ambiguous }: ImportCounts): readonly string[] {
  return [...ambiguous].flatMap(([key, count]) => {
    const to = fields.get(key)?.refersTo?.key
    const advice = `to import each as an entry, define the field as f.relation('${to}', { many: true })`
    return [
      `${key}: ${formatCount(count, 'file')} with several names in one value, which became one entry of ${to}`,
      advice,
    ]
  })
}

function formatUnusedKeys(
  { key: collection, fields }: CollectionModel,
  { unusedKeys }: ImportCounts,
): readonly string[] {
  if (unusedKeys.size === 0) return []
  const sorted = [...unusedKeys].sort(([, a], [, b]) => b - a)
  const keyTexts = sorted.slice(0, MAX_NAMED_KEYS).map(([key, count]) => `${key} (${formatCount(count, 'file')})`)
  const more = sorted.length > MAX_NAMED_KEYS ? ` and ${sorted.length - MAX_NAMED_KEYS} more` : ''
  const line = `left out, because ${collection} does not have these fields: ${keyTexts.join(', ')}${more}`
  const fieldKeys = fields.map(({ key }) => key)
  const keys = sorted.map(([key]) => key)
  const similar = keys
    .map((key) => ({ key, field: findNearest(key, fieldKeys) }))
    .find(({ field }) => field !== undefined)
  const { key, field = 'FIELD' } = similar ?? { key: keys[0] }
  return [toPrintable(line), toPrintable(`to import one: --map ${key}=${field}`)]
}
