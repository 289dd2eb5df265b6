import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ask } from './check.ts'
import { median } from './measure.ts'

/** How often a start is timed. */
const STARTS = 5

/** From starting the process to the first answer, in milliseconds. */
async function startOnce(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] })
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

/**
 * The median time from spawn to the first answer, in milliseconds.
 *
 * @param argsFor what Node runs on a data folder
 * @param data a store; `undefined`: a new folder for each start
 */
export async function startTime(
  argsFor: (data: string) => readonly string[],
  scratch: string,
  data?: string,
): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n++) {
    const folder = data ?? (await mkdtemp(join(scratch, 'empty-')))
    times.push(await startOnce(argsFor(folder)))
    if (data === undefined) await rm(folder, { recursive: true, force: true })
  }
  return median(times)
}
