import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ExportFile } from '../../../packages/daybook/src/cli/restore/export-file.ts'
import { type Bench, CONFIG, SOURCES } from '../../bench.ts'
import type { BenchStore } from '../../databases/databases.ts'
import { here } from '../../load/child.ts'
import { median } from '../../load/measure.ts'
import { type RestoreCost, restoreResult } from '../../report.ts'

/** How often a restore is measured. */
const RESTORE_RUNS = 3

/** What one run of a command took. */
interface RestoreRun {
  readonly seconds: number
  /** The most memory that the process held, in bytes. */
  readonly peak: number
}

async function runCommand({ options, env }: BenchStore, ...command: readonly string[]): Promise<RestoreRun> {
  const args = ['--import', here('peak.ts'), SOURCES, ...command, '--config', CONFIG, ...options]
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
  const [said, peak, [status]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stdio[3] as NodeJS.ReadableStream),
    once(child, 'close'),
  ])
  if (status !== 0) throw new Error(`daybook ${command.join(' ')} failed: ${said}`)
  return { seconds: (performance.now() - startedAt) / 1000, peak: Number(peak) * 1024 }
}

/** Restores a file into new stores: the median time, in seconds, and the most memory of all runs, in bytes. */
async function restore({ databases }: Bench, file: string): Promise<Pick<RestoreRun, 'seconds' | 'peak'>> {
  const runs: RestoreRun[] = []
  for (let n = 0; n < RESTORE_RUNS; n++) runs.push(await runCommand(await databases.blank(), 'import', file))
  return { seconds: median(runs.map((one) => one.seconds)), peak: Math.max(...runs.map(({ peak }) => peak)) }
}

/** Collections whose entries are stored once; a page is stored once for each of its languages. */
const PLAIN = ['authors', 'posts', 'tags'] as const

/** Writes the lines of some collections of an export to a file of their own; answers how many there are. */
async function writePart(from: string, to: string, keys: readonly string[]): Promise<number> {
  const counts: Record<string, number> = Object.fromEntries(keys.map((key) => [key, 0]))
  const out = createWriteStream(to)
  const write = async (line: string): Promise<void> => {
    if (!out.write(`${line}\n`)) await once(out, 'drain')
  }
  for await (const { number, text: line } of new ExportFile(from).lines()) {
    const key = /^\{"collection":"(\w+)"/.exec(line)?.[1]
    if (number === 1) await write(line)
    if (key === undefined || counts[key] === undefined) continue
    counts[key] += 1
    await write(line)
  }
  await write(JSON.stringify({ counts: { collections: counts, globals: 0 } }))
  out.end()
  await once(out, 'finish')
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Restores the posts of the seeded store; what a restore of nothing takes is not counted. */
export async function measureRestore(bench: Bench): Promise<readonly RestoreCost[]> {
  if (!bench.isAsked('restore')) return []
  bench.say('restore …')
  const [whole, posts, nothing] = ['whole', 'posts', 'nothing'].map((name) => join(bench.scratch, `${name}.ndjson`))
  await runCommand(bench.store, 'export', String(whole))
  const entries = await writePart(String(whole), String(posts), PLAIN)
  await writePart(String(whole), String(nothing), [])
  const start = await restore(bench, String(nothing))
  const { seconds, peak } = await restore(bench, String(posts))
  return [restoreResult(entries, seconds - start.seconds, peak)]
}
