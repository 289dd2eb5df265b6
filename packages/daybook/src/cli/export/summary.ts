import type { ExportCounts } from '../../content/transfer/export-lines.ts'

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** How much an export holds, in words. */
export function describeCounts({ collections, globals, deleted }: ExportCounts): string {
  const entries = Object.values(collections).reduce((sum, count) => sum + count, 0)
  const parts = [plural(entries, 'entry', 'entries'), plural(globals, 'global', 'globals')]
  if (deleted !== undefined) parts.push(plural(deleted, 'deletion', 'deletions'))
  return parts.join(', ')
}
