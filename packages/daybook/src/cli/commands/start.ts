import { availableParallelism } from 'node:os'
import type { Log } from '../../log.ts'
import { type Listening, serve } from '../../node/serve.ts'
import { serveAsWorker, type WorkerIdentity, workerIdentity } from '../../node/worker.ts'
import { createService } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { makeLog } from '../logger.ts'
import { type CommandLine, dataFolder, readOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

/** Options of the commands that serve. */
export const OPTIONS = { port: { type: 'string' }, host: { type: 'string' }, log: { type: 'string' } } as const

const MAX_WORKERS = 128

/** `daybook start`: serves until SIGTERM or SIGINT, and lets requests in flight finish. */
export async function start(args: readonly string[]): Promise<number | undefined> {
  const options = readOptions(args, { ...OPTIONS, workers: { type: 'string' } })
  const worker = workerIdentity()
  if (worker) {
    serveAsWorker(await listen(options, logOf(options, false, worker.number), worker))
    return undefined
  }
  const count = readWorkers(options)
  return count === undefined ? serveHere(options, false) : serveInWorkers(options, count)
}

/** Serves in this process. */
export async function serveHere(options: CommandLine, readable: boolean): Promise<undefined> {
  const log = logOf(options, readable)
  const listening = await listen(options, log)
  announce(listening.url)
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'draining')
    // A second signal ends it at once.
    for (const again of ['SIGTERM', 'SIGINT'] as const) process.once(again, () => process.exit(1))
    void listening.stop().then(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
}

async function serveInWorkers(options: CommandLine, count: number): Promise<number> {
  // What the command line says wrongly is said once, before there are workers.
  readPort(options)
  const { runWorkers } = await import('../../node/workers.ts')
  return runWorkers({ count, log: logOf(options, false), onListening: announce })
}

async function listen(options: CommandLine, log: Log, worker?: WorkerIdentity): Promise<Listening> {
  const port = worker?.port ?? readPort(options)
  const host = options.text('host') ?? process.env.HOST ?? '127.0.0.1'
  const config = await loadConfig(options.text('config'))
  const service = await createService(config, { data: dataFolder(options), log })
  return serve(service, { port, host })
}

function announce(url: string): void {
  process.stdout.write(`listening on ${url}\n`)
}

function logOf(options: CommandLine, readable: boolean, worker?: number): Log {
  return makeLog(options.text('log') ?? process.env.DAYBOOK_LOG ?? 'info', readable, worker)
}

function readPort(options: CommandLine): number {
  const text = options.text('port') ?? process.env.PORT ?? '3000'
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port takes a number from 0 to 65535, not "${text}"`)
  return port
}

/** How many workers to start; undefined when this process serves itself. */
function readWorkers(options: CommandLine): number | undefined {
  const text = options.text('workers') ?? process.env.DAYBOOK_WORKERS
  if (text === undefined) return undefined
  if (text === 'auto') return availableParallelism()
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_WORKERS) {
    throw new UsageError(`--workers takes auto or a number from 1 to ${MAX_WORKERS}, not "${text}"`)
  }
  return count
}
