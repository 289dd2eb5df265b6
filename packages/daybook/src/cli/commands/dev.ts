import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readOptions } from '../options.ts'
import { OPTIONS, serveHere } from './start.ts'

/** Set in the process that serves; the one that the user started only watches. */
const SERVING = 'DAYBOOK_DEV_SERVING'

/** `daybook dev`: serves with a readable log, and again whenever the config or a file that it imports changes. */
export async function dev(args: readonly string[], entry: string): Promise<number | undefined> {
  const options = readOptions(args, OPTIONS)
  if (process.env[SERVING]) {
    await serveHere(options, true)
    return undefined
  }
  const watched = [...process.execArgv, '--watch', '--watch-preserve-output', entry, 'dev', ...args]
  const child = spawn(process.execPath, watched, { stdio: 'inherit', env: { ...process.env, [SERVING]: '1' } })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 0
}
