import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { CAN_PIN } from './load/cores.ts'

export interface ReportLine {
  readonly work: string
  readonly [figure: string]: number | string
}

export interface RowReport {
  readonly date: string
  readonly commit: string
  readonly machine: string
  readonly lines: readonly ReportLine[]
}

/** The content of a result file. */
interface Results {
  readonly store: string
  readonly entries: number
  readonly rows: Readonly<Record<string, RowReport>>
}

export function describeRun(rounds: string): Omit<RowReport, 'lines'> {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  const memory = Math.round(totalmem() / 2 ** 30)
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit.trim(),
    machine:
      `${cpus()[0]?.model}, ${availableParallelism()} cores, ${memory} GiB, ${process.platform} ${process.arch}, ` +
      `Node ${process.version}, ${CAN_PIN ? 'pinned' : 'not pinned'}, ${rounds}`,
  }
}

/** Rounds a figure to four digits, which is more than measurements are good for. */
export const roundFigure = (figure: number): number => Number(figure.toPrecision(4))

export function printLines(lines: readonly ReportLine[]): string {
  const columns = [...new Set(lines.flatMap(Object.keys))]
  const rows = [columns, ...lines.map((line) => columns.map((column) => printFigure(line[column])))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const printCells = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join('  ')
  return rows.map(printCells).join('\n')
}

function printFigure(figure: number | string | undefined): string {
  if (typeof figure !== 'number') return figure ?? ''
  return figure.toLocaleString('en', { maximumFractionDigits: figure < 10 ? 2 : 0 })
}

export async function saveRow(
  file: string,
  store: Omit<Results, 'rows'>,
  row: string,
  report: RowReport,
): Promise<void> {
  const saved = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Results,
    () => undefined,
  )
  await writeFile(file, formatResults({ ...store, rows: { ...saved?.rows, [row]: report } }))
}

/** Formats results as JSON with one line for each measurement, so that people can read it, too. */
function formatResults({ rows, ...store }: Results): string {
  const formattedRows = Object.entries(rows).map(([name, { lines, ...row }]) => {
    const head = JSON.stringify(row).slice(0, -1)
    const body = lines.map((line) => `        ${JSON.stringify(line)}`).join(',\n')
    return `    ${JSON.stringify(name)}: ${head}, "lines": [\n${body}\n    ]}`
  })
  return `${JSON.stringify(store).slice(0, -1)}, "rows": {\n${formattedRows.join(',\n')}\n}}\n`
}
