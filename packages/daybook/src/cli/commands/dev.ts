import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findEnvFile } from '../env-file.ts'
import { readOptions } from '../options.ts'
import { OPTIONS, serveHere } from './start.ts'

/** Set in the process that serves; the one that the user started only watches. */
const SERVING = 'DAYBOOK_DEV_SERVING'

/** `daybook dev`: serves with a readable log, and again whenever the config, a file that it imports or its `.env` changes. */
export async function dev(args: readonly string[], entry: string): Promise<number | undefined> {
  // Before .env is read: what it says now must not outlive the next change of it.
  const env = { ...process.env, [SERVING]: '1' }
  const options = readOptions(args, OPTIONS)
  if (process.env[SERVING]) {
    await serveHere(options, true)
    return undefined
  }
  const envFile = findEnvFile(options.text('config'))
  const watch = ['--watch', '--watch-preserve-output', ...(envFile === undefined ? [] : [`--env-file=${envFile}`])]
  const child = spawn(process.execPath, [...process.execArgv, ...watch, entry, 'dev', ...args], {
    stdio: 'inherit',
    env,
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 0
}
