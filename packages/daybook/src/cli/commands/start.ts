import { availableParallelism } from 'node:os'
import { portCookiePrefix } from '../../auth/cookie-prefix.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { holdsValidator } from '../../fields/field.ts'
import type { Log } from '../../log.ts'
import type { MetricsAddress, MetricsListening } from '../../node/metrics-server.ts'
import type { Listening } from '../../node/serve.ts'
import { serveAsWorker, type WorkerIdentity, type WorkerProcess, workerIdentity } from '../../node/worker.ts'
import type { Service } from '../../service.ts'
import { findConfig, loadConfig } from '../config-file.ts'
import { envFilePath, findEnvFile } from '../env-file.ts'
import type { Greeting } from '../greeting.ts'
import { holdWarnings, makeLog } from '../logger.ts'
import { type CommandLine, dataFolder, readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

/** Options of the commands that serve. */
export const OPTIONS = {
  /** The port to listen on; 0 picks a free one. @default `PORT`, else 3000 */
  port: { type: 'string' },
  /** The address to listen on. @default `HOST`, else 127.0.0.1 */
  host: { type: 'string' },
  /** `silent`, `error`, `warn`, or `info`, which writes a line for each request. @default `DAYBOOK_LOG`, else `info` */
  log: { type: 'string' },
  /** Serves metrics for Prometheus at `/metrics` of this port; 0 picks a free one. @default no metrics @see docs/reference/metrics.md */
  'metrics-port': { type: 'string' },
  /** The address for metrics. @default 127.0.0.1 */
  'metrics-host': { type: 'string' },
} as const

const START_OPTIONS = {
  ...OPTIONS,
  /**
   * Serves in N processes, from 1 to 128, on one port; `auto` starts one for each core.
   * @default `DAYBOOK_WORKERS`, else this process serves itself
   * @see docs/running.md#run-several-workers
   */
  workers: { type: 'string' },
} as const

const MAX_WORKERS = 128

/** `daybook start`: serves until SIGTERM or SIGINT, and lets requests in flight finish. */
export async function start(args: readonly string[]): Promise<number | undefined> {
  const options = readCommandOptions(args, START_OPTIONS)
  const worker = workerIdentity()
  if (worker) {
    const { service, listening } = await listen(options, logOf(options, false, worker.number), { worker })
    serveAsWorker(listening, service.metricsSnapshot)
    return undefined
  }
  const count = readWorkers(options)
  return count === undefined ? serveHere(options, false) : serveInWorkers(options, count)
}

/**
 * Checks what can be told of a command line before the config is loaded.
 *
 * @throws {UsageError}
 */
export function requireServable(options: CommandLine): void {
  findConfig(options.text('config'))
  readPort(options)
  readMetrics(options)
  logOf(options, false)
}

/** Serves in this process. */
export async function serveHere(options: CommandLine, readable: boolean): Promise<undefined> {
  const log = logOf(options, readable)
  const held = isTerminal() ? holdWarnings(log) : undefined
  const { config, service, listening } = await listen(options, held?.log ?? log, { isDevelopment: readable })
  const metrics = await openMetricsServer(options, log, service.metrics).catch(async (error) => {
    await listening.stop(0)
    throw error
  })
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'draining')
    // A second signal ends it at once.
    for (const again of ['SIGTERM', 'SIGINT'] as const) process.once(again, () => process.exit(1))
    void listening.stop().then(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
  // A process that reads this line may send a signal at once.
  announce(listening.url, metrics)
  if (held) await greet(options, { config, model: service.model, url: listening.url, warnings: held.release() })
}

/** Whether a person reads what this process says. */
const isTerminal = (): boolean => process.stdout.isTTY === true

async function greet(
  options: CommandLine,
  facts: Pick<Greeting, 'config' | 'model' | 'url' | 'warnings'>,
): Promise<void> {
  const { greetingText } = await import('../greeting.ts')
  const text = greetingText({
    ...facts,
    data: dataFolder(options),
    hasServiceToken: process.env.DAYBOOK_SERVICE_TOKEN !== undefined,
    envFile: envFilePath(options.text('config')),
    hasEnvFile: findEnvFile(options.text('config')) !== undefined,
  })
  process.stdout.write(text)
}

async function serveInWorkers(options: CommandLine, count: number): Promise<number> {
  // What the command line says wrongly is said once, before there are workers.
  readPort(options)
  const log = logOf(options, false)
  const { runWorkers } = await import('../../node/workers.ts')
  if (!readMetrics(options)) return runWorkers({ count, log, onListening: announce }).status
  const { WorkersMetrics } = await import('../../node/workers-metrics.ts')
  const figures = new WorkersMetrics()
  let alive: Iterable<WorkerProcess> = []
  const metrics = await openMetricsServer(options, log, () => figures.text(alive))
  const workers = runWorkers({
    count,
    log,
    onListening: (url) => announce(url, metrics),
    onEnded: (worker) => figures.keep(worker),
  })
  alive = workers.alive
  return workers.status.finally(() => metrics?.close())
}

/** Serves metrics where they are asked for. */
async function openMetricsServer(
  options: CommandLine,
  log: Log,
  read: () => Promise<string>,
): Promise<MetricsListening | undefined> {
  const address = readMetrics(options)
  if (!address) return undefined
  const { serveMetrics } = await import('../../node/metrics-server.ts')
  return serveMetrics(read, address, log)
}

/** A service that listens, with its config. */
interface Started {
  readonly config: DaybookConfig
  readonly service: Service
  readonly listening: Listening
}

/** The kind of a process that serves. */
interface Serving {
  readonly worker?: WorkerIdentity
  /** True in `daybook dev`. */
  readonly isDevelopment?: boolean
}

async function listen(options: CommandLine, log: Log, { worker, isDevelopment }: Serving): Promise<Started> {
  // Loaded where it is needed: a process that watches over workers, or over files, serves nothing itself.
  const [{ serve }, { createService }, { checkMigrations }] = await Promise.all([
    import('../../node/serve.ts'),
    import('../../service.ts'),
    import('../migrate/at-start.ts'),
  ])
  const port = worker?.port ?? readPort(options)
  const host = options.text('host') ?? process.env.HOST ?? '127.0.0.1'
  const configFile = findConfig(options.text('config'))
  const config = await loadConfig(configFile)
  const metrics = readMetrics(options) !== undefined
  const hasPlugins = (config.plugins ?? []).length > 0
  if (hasPlugins) surviveRejections(log)
  const data = dataFolder(options)
  // One of several workers speaks for all.
  const isFirst = worker === undefined || worker.number === 1
  const afterStart = isFirst ? await checkMigrations(configFile, config, data, log) : undefined
  // People develop several services on one host.
  const cookieOptions = isDevelopment && port > 0 ? { cookiePrefix: portCookiePrefix(port) } : {}
  const service = await createService(config, { data, log, metrics, ...cookieOptions })
  await afterStart?.()
  if (!hasPlugins && hasOwnCode(config)) surviveRejections(log)
  const listening = await serve(service, { port, host }).catch(async (error) => {
    await service.close()
    throw error
  })
  return { config, service, listening }
}

/** Whether a config has hooks, validators or routes of its own. */
function hasOwnCode({ collections, globals = {}, routes = [] }: DaybookConfig): boolean {
  const documents = [...Object.values(collections), ...Object.values(globals)]
  const isHooked = documents.some(
    ({ hooks, validate, fields }) => hooks || validate || Object.values(fields).some(holdsValidator),
  )
  return isHooked || routes.length > 0
}

/** A promise that code of a plugin or of the config left alone, and that was rejected, ends no process: it is logged. */
function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    log.error({ err: reason instanceof Error ? reason : new Error(String(reason)) }, 'unhandled rejection')
  })
}

function announce(url: string, metrics?: MetricsListening): void {
  process.stdout.write(`listening on ${url}\n${metrics ? `metrics on ${metrics.url}\n` : ''}`)
}

function logOf(options: CommandLine, readable: boolean, worker?: number): Log {
  const isReadable = readable || (isTerminal() && process.stderr.isTTY === true)
  return makeLog(options.text('log') ?? process.env.DAYBOOK_LOG ?? 'info', isReadable, worker)
}

function readPort(options: CommandLine): number {
  return toPort('--port', options.text('port') ?? process.env.PORT ?? '3000')
}

function toPort(flag: string, text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${flag} takes a number from 0 to 65535, not "${text}"`)
  return port
}

/** Where metrics are served; `undefined` when they are off. */
function readMetrics(options: CommandLine): MetricsAddress | undefined {
  const port = options.text('metrics-port')
  if (port === undefined) return undefined
  return { port: toPort('--metrics-port', port), host: options.text('metrics-host') ?? '127.0.0.1' }
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
