import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Bench, SOURCES, startArgs } from '../../bench.ts'
import type { BenchStore } from '../../databases/databases.ts'
import { ask } from '../../load/check.ts'
import { median } from '../../load/measure.ts'
import { type Start, startResult } from '../../report.ts'

/** How often a start is timed. */
const STARTS = 5

/** What is started: a command, and a config other than that of the reference example. */
interface Started {
  readonly cli: string
  readonly config?: string
}

/** From starting the process to the first answer, in milliseconds. */
async function startOnce(started: Started, store: BenchStore): Promise<number> {
  const env = { ...process.env, ...store.env }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...startArgs(store, started)], {
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
export async function startTime(started: Started, storeFor: () => Promise<BenchStore>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n++) times.push(await startOnce(started, await storeFor()))
  return median(times)
}

/** Starts on new stores and on the seeded one, from the sources; `published.ts` times the package. */
export async function timeStarts({ databases, store, entries, isAsked, say }: Bench): Promise<readonly Start[]> {
  if (!isAsked('start')) return []
  say('start to first answer …')
  const sources = { cli: SOURCES }
  return [
    startResult('sources, new store', await startTime(sources, () => databases.blank())),
    startResult(`sources, ${entries.toLocaleString('en')} entries`, await startTime(sources, async () => store)),
  ]
}
