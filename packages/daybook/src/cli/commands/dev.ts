import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseFileError } from '../../errors.ts'
import { CliCommand } from '../command.ts'
import { findEnvFile } from '../config-file.ts'
import { DevSession } from '../dev-session.ts'
import { requireServable, SERVE_OPTIONS, type ServeOptions, serveHere } from './start.ts'

/** A variable of the process that serves: the folder of the session. The process that the user started only watches. */
const SERVING = 'DAYBOOK_DEV_SERVING'

// Copied before .env is read, so that a restart reads its changed values.
const env = { ...process.env }

/** `daybook dev`: serves with a readable log, and restarts when the config, a file that it imports or its `.env` changes. */
export const dev: CliCommand = new CliCommand('dev').takes(...SERVE_OPTIONS).runs(async (options: ServeOptions) => {
  const servingFolder = process.env[SERVING]
  if (servingFolder !== undefined) {
    await serveHere(options, true, await DevSession.open(servingFolder)).catch(endWatching)
    return undefined
  }
  requireServable(options)
  const envFile = findEnvFile(options.config)
  const watch = ['--watch', '--watch-preserve-output', ...(envFile === undefined ? [] : [`--env-file=${envFile}`])]
  const program = process.argv.slice(1)
  const session = await DevSession.create()
  const child = spawn(process.execPath, [...process.execArgv, ...watch, ...program], {
    stdio: 'inherit',
    env: { ...env, [SERVING]: session.folder },
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  await session.remove()
  return code ?? 0
})

/** The timeout for the watching process to forward the signal, in milliseconds. */
const FORWARDING_MS = 5000

/** Ends `daybook dev` after a fault that a change of a file cannot fix. */
async function endWatching(error: unknown): Promise<never> {
  const isListening = error instanceof Error && 'syscall' in error && error.syscall === 'listen'
  if (error instanceof DatabaseFileError || isListening) {
    // The watching process forwards the signal, and exits with the status of this one.
    const waiting = new AbortController()
    const forwarded = once(process, 'SIGTERM')
    process.kill(process.ppid, 'SIGTERM')
    await Promise.race([forwarded, sleep(FORWARDING_MS, undefined, waiting)])
    waiting.abort()
  }
  throw error
}
