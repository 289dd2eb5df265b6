import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Bench, SOURCES, startArgs } from '../bench.ts'
import type { BenchStore } from '../databases/databases.ts'
import { ask } from '../load/check.ts'
import { here } from '../load/child.ts'
import { median } from '../load/measure.ts'
import { type Start, startResult } from '../report.ts'

const BUILT = here('../../packages/daybook/dist/cli/bin.js')
/** How often a start is timed. */
const STARTS = 5

/** From starting the process to the first answer, in milliseconds. */
async function startOnce(cli: string, store: BenchStore): Promise<number> {
  const env = { ...process.env, ...store.env }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...startArgs(store, { cli: cli })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /^listening on (\S+)/.exec(line)?.[1]
      if (!url) continue
      const { status } = await ask(`${url}/api/health`)
      if (status !== 200) throw new Error(`/api/health answered ${status}`)
      return performance.now() - startedAt
    }
    throw new Error('The server ended before it listened; its message stands above.')
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** The median time from spawn to the first answer, in milliseconds. */
async function startTime(cli: string, storeFor: () => Promise<BenchStore>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n++) times.push(await startOnce(cli, await storeFor()))
  return median(times)
}

/** Starts on new stores and on the seeded one; from the sources, and as built where that was done. */
export async function timeStarts({ databases, store, entries, isAsked, say }: Bench): Promise<readonly Start[]> {
  if (!isAsked('start')) return []
  say('start to first answer …')
  const found: Start[] = []
  for (const [how, cli] of Object.entries({ sources: SOURCES, built: BUILT })) {
    // The config brings its database from the sources, which do not work together with what was built of them.
    if (!existsSync(cli) || (cli === BUILT && !databases.version.startsWith('SQLite'))) continue
    found.push(startResult(`${how}, new store`, await startTime(cli, () => databases.blank())))
    found.push(startResult(`${how}, ${entries.toLocaleString('en')} entries`, await startTime(cli, async () => store)))
  }
  return found
}
