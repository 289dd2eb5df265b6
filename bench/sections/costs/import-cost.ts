import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type Bench, CONFIG, SOURCES } from '../../bench.ts'
import { here } from '../../load/child.ts'
import { median } from '../../load/measure.ts'
import { type ImportCost, importResult } from '../../report.ts'

/** How often the import is measured; its peak depends on when V8 happens to collect. */
const IMPORT_RUNS = 5

/** What one import took. */
interface ImportRun {
  readonly files: number
  readonly seconds: number
  /** The most memory that the process held, in bytes. */
  readonly peak: number
}

async function importOnce(folder: string, { databases }: Bench): Promise<ImportRun> {
  const { options, env } = await databases.blank()
  const args = ['--import', here('peak.ts'), SOURCES, 'import', folder, '--collection', 'posts', '--config', CONFIG]
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...args, ...options], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
  const [said, peak] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stdio[3] as NodeJS.ReadableStream),
    once(child, 'close'),
  ])
  const created = /^posts: (\d+) created, 0 updated, 0 unchanged, 0 failed$/m.exec(said)?.[1]
  if (created === undefined) throw new Error(`The import of ${folder} failed: ${said}`)
  return { files: Number(created), seconds: (performance.now() - startedAt) / 1000, peak: Number(peak) * 1024 }
}

/** Imports a folder of Markdown files into new stores; nothing without a folder. */
export async function measureImport(bench: Bench, folder: string | undefined): Promise<readonly ImportCost[]> {
  if (folder === undefined || !bench.isAsked('import')) return []
  bench.say('import …')
  const runs: ImportRun[] = []
  for (let n = 0; n < IMPORT_RUNS; n++) runs.push(await importOnce(folder, bench))
  const seconds = median(runs.map((one) => one.seconds))
  return [importResult(runs[0]?.files ?? 0, seconds, Math.max(...runs.map(({ peak }) => peak)))]
}
