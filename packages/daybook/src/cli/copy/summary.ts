import type { TableComparison } from '../../store/transfer/copy-verify.ts'

/** How much of a digest is shown, in characters. */
const SHOWN_DIGEST = 16

/** The counts on both sides, a line for each table. */
export function summarizeCopy(comparisons: readonly TableComparison[]): string {
  const rows = comparisons.map(({ name, source, target, isSame }) => [
    name,
    isSame ? `${source.rows}` : `${source.rows} / ${target.rows}`,
    isSame ? 'same' : 'DIFFERS',
    isSame ? short(source.sha256) : `${short(source.sha256)} / ${short(target.sha256)}`,
  ])
  const table = [['table', 'rows', '', 'sha-256'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) => `${row.map((cell, column) => pad(cell, column, widths)).join('  ')}\n`).join('')
}

const short = (digest: string): string => digest.slice(0, SHOWN_DIGEST)

function pad(cell: string, column: number, widths: readonly number[]): string {
  return column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
}
