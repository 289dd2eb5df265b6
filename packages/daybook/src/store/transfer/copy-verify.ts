import { createHash } from 'node:crypto'
import type { Snapshot } from '../database.ts'
import { type CopyTable, readCopyPage } from './copy-tables.ts'

/** The digest of a table's content. */
interface Digest {
  readonly rows: number
  /** SHA-256 of its rows in the order of their keys, each as a JSON list of its values and a line feed; hexadecimal. */
  readonly sha256: string
}

/** A table on both sides. */
export interface TableComparison {
  readonly name: string
  readonly source: Digest
  readonly target: Digest
  readonly isSame: boolean
}

/**
 * Reads a table on both sides from its first row to its last.
 *
 * @param onRows told of rows of the source
 */
export async function compareTable(
  source: Snapshot,
  target: Snapshot,
  table: CopyTable,
  onRows: (count: number) => void,
): Promise<TableComparison> {
  const [one, other] = await Promise.all([digestTable(source, table, onRows), digestTable(target, table, () => {})])
  return { name: table.name, source: one, target: other, isSame: one.sha256 === other.sha256 }
}

async function digestTable(snapshot: Snapshot, table: CopyTable, onRows: (count: number) => void): Promise<Digest> {
  const hash = createHash('sha256')
  let rows = 0
  for (let page = await readCopyPage(snapshot, table, undefined); page.after; ) {
    for (const row of page.rows) hash.update(`${JSON.stringify(row)}\n`)
    rows += page.rows.length
    onRows(page.rows.length)
    page = await readCopyPage(snapshot, table, page.after)
  }
  return { rows, sha256: hash.digest('hex') }
}
