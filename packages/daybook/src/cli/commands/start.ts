import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ANONYMOUS } from '../../auth/adapter.ts'
import { cookiePrefixForPort } from '../../auth/cookie-prefix.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { holdsValidator } from '../../fields/field.ts'
import type { Log } from '../../log.ts'
import type { MetricsAddress, MetricsServer } from '../../node/metrics-server.ts'
import type { Listening } from '../../node/serve.ts'
import { readWorkerIdentity, serveAsWorker, type WorkerIdentity, type WorkerProcess } from '../../node/worker.ts'
import type { Service } from '../../service.ts'
import { CliCommand, type CommonOptions, defineOption, type Option, UsageError } from '../command.ts'
import { dataFolder, findConfig, loadConfig } from '../config-file.ts'
import type { DevSession } from '../dev-session.ts'
import { deferWarnings, makeLog } from '../logger.ts'

/** The options of {@link start} and of `daybook dev`. */
export interface ServeOptions extends CommonOptions {
  readonly port?: string
  readonly host?: string
  readonly log?: string
  readonly metricsPort?: string
  readonly metricsHost?: string
}

/** Describes {@link ServeOptions}. */
export const SERVE_OPTIONS: readonly Option[] = [
  defineOption('--port <N>', 'The port to listen on; 0 picks a free one.', '`PORT`, else 3000'),
  defineOption('--host <HOST>', 'The address to listen on.', '`HOST`, else 127.0.0.1'),
  defineOption(
    '--log <LEVEL>',
    '`silent`, `error`, `warn`, or `info`, which writes a line for each request.',
    '`DAYBOOK_LOG`, else `info`',
  ),
  defineOption(
    '--metrics-port <N>',
    'Serves metrics for Prometheus at `/metrics` of this port; 0 picks a free one.',
    'no metrics',
  ),
  defineOption('--metrics-host <HOST>', 'The address for metrics.', '127.0.0.1'),
]

const MAX_WORKERS = 128

/** `daybook start`: serves until SIGTERM or SIGINT, and completes pending requests. */
export const start: CliCommand = new CliCommand('start')
  .takes(
    ...SERVE_OPTIONS,
    defineOption(
      '--workers <N>',
      `Serves in N processes, from 1 to ${MAX_WORKERS}, on one port; \`auto\` starts one for each core.`,
      '`DAYBOOK_WORKERS`, else this process serves itself',
    ),
  )
  .runs(async (options: ServeOptions & { readonly workers?: string }) => {
    const worker = readWorkerIdentity()
    if (worker) {
      const { service, listening } = await listen(options, openLog(options, false, worker.number), { worker })
      serveAsWorker(listening, service.metricsSnapshot)
      return undefined
    }
    const count = readWorkers(options.workers)
    return count === undefined ? serveHere(options, false) : serveInWorkers(options, count)
  })

/**
 * Checks the command line before the config is loaded.
 *
 * @throws {UsageError} if an option has no fitting value, or there is no config
 */
export function requireServable(options: ServeOptions): void {
  findConfig(options.config)
  readPort(options)
  readMetrics(options)
  openLog(options, false)
}

/** Serves in this process. @param session that of `daybook dev` */
export async function serveHere(options: ServeOptions, readable: boolean, session?: DevSession): Promise<undefined> {
  const log = openLog(options, readable)
  const warnings = isTerminal() ? deferWarnings(log) : undefined
  const { config, service, listening } = await listen(options, warnings?.log ?? log, { isDevelopment: readable })
  const metrics = await openMetricsServer(options, log, service.metrics).catch(async (error) => {
    await listening.stop(0)
    throw error
  })
  let greeting: Promise<void> | undefined
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'draining')
    // A second signal ends it at once.
    for (const nextSignal of ['SIGTERM', 'SIGINT'] as const) process.once(nextSignal, () => process.exit(1))
    // The greeting reads the store.
    void Promise.resolve(greeting)
      .then(() => listening.stop())
      .then(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
  // A process that reads this line may send a signal at once.
  announce(listening.url, metrics)
  if (warnings) {
    const greeter = { data: dataFolder(options), log, session, warnings: warnings.release() }
    greeting = greet({ config, service, listening }, greeter)
  }
  await greeting
}

/** True if the output is a terminal. */
const isTerminal = (): boolean => process.stdout.isTTY === true

interface Greeter {
  readonly data: string
  readonly log: Log
  readonly session: DevSession | undefined
  readonly warnings: readonly string[]
}

/** Prints the greeting; after a restart by `daybook dev`, only if it has changed. */
async function greet(
  { config, service, listening: { url } }: Started,
  { data, log, session, warnings }: Greeter,
): Promise<void> {
  const { greetingText } = await import('../greeting.ts')
  const collection = await findPublicCollection(config, service)
  const setup = await openSetup(service, log, session?.setupSecret ?? randomBytes(32).toString('base64url'))
  const text = greetingText({ url, config, data, collection, setup, warnings })
  if (session === undefined || (await session.isNewGreeting(text))) process.stdout.write(text)
}

/** Returns the secret if the service accepts it for the first account. */
async function openSetup(service: Service, log: Log, secret: string): Promise<string | undefined> {
  try {
    return (await service.openSetup(secret)) ? secret : undefined
  } catch (err) {
    log.warn({ err }, 'The link that creates the first account could not be made.')
    return undefined
  }
}

/** Returns the first collection of the config that callers without a session may read. */
async function findPublicCollection(config: DaybookConfig, { content }: Service): Promise<string | undefined> {
  const anyone = content.as(ANONYMOUS)
  for (const key of Object.keys(config.collections)) {
    const isReadable = await anyone.list(key, { limit: 1 }).then(
      () => true,
      () => false,
    )
    if (isReadable) return key
  }
  return undefined
}

async function serveInWorkers(options: ServeOptions, count: number): Promise<number> {
  // Checked here, since each worker would report the same fault.
  readPort(options)
  const log = openLog(options, false)
  const { runWorkers } = await import('../../node/workers.ts')
  if (!readMetrics(options)) return runWorkers({ count, log, onListening: announce }).status
  const { WorkersMetrics } = await import('../../node/metrics-server.ts')
  const workersMetrics = new WorkersMetrics()
  let alive: Iterable<WorkerProcess> = []
  const metrics = await openMetricsServer(options, log, () => workersMetrics.text(alive))
  const workers = runWorkers({
    count,
    log,
    onListening: (url) => announce(url, metrics),
    onExited: (worker) => workersMetrics.addExited(worker),
  })
  alive = workers.alive
  return workers.status.finally(() => metrics?.close())
}

/** Serves metrics, if the options name a port for them. */
async function openMetricsServer(
  options: ServeOptions,
  log: Log,
  read: () => Promise<string>,
): Promise<MetricsServer | undefined> {
  const address = readMetrics(options)
  if (!address) return undefined
  const { serveMetrics } = await import('../../node/metrics-server.ts')
  return serveMetrics(read, address, log)
}

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

async function listen(options: ServeOptions, log: Log, { worker, isDevelopment }: Serving): Promise<Started> {
  // Loaded here: a process that supervises workers, or watches files, serves nothing itself.
  const [{ serve }, { createService }, { checkMigrations }] = await Promise.all([
    import('../../node/serve.ts'),
    import('../../service.ts'),
    import('../migration-files.ts'),
  ])
  const port = worker?.port ?? readPort(options)
  const host = options.host ?? process.env.HOST ?? '127.0.0.1'
  const configFile = findConfig(options.config)
  const config = await loadConfig(configFile)
  const metrics = readMetrics(options) !== undefined
  const hasPlugins = (config.plugins ?? []).length > 0
  if (hasPlugins) logUnhandledRejections(log)
  const data = dataFolder(options)
  // The first worker reports for all.
  const isFirst = worker === undefined || worker.number === 1
  const afterStart = isFirst ? await checkMigrations(configFile, config, data, log) : undefined
  // Browsers share cookies between the ports of a host, and developers run several services on one host.
  const cookieOptions = isDevelopment && port > 0 ? { cookiePrefix: cookiePrefixForPort(port) } : {}
  const service = await createService(config, { data, log, metrics, ...cookieOptions })
  await afterStart?.()
  if (!hasPlugins && hasOwnCode(config)) logUnhandledRejections(log)
  const listening = await serve(service, { port, host }).catch(async (error) => {
    await service.close()
    throw error
  })
  return { config, service, listening }
}

function hasOwnCode({ collections, globals = {}, routes = [] }: DaybookConfig): boolean {
  const documents = [...Object.values(collections), ...Object.values(globals)]
  const isHooked = documents.some(
    ({ hooks, validate, fields }) => hooks || validate || Object.values(fields).some(holdsValidator),
  )
  return isHooked || routes.length > 0
}

/** Logs unhandled rejections in code of plugins or the config, instead of ending the process. */
function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    log.error({ err: reason instanceof Error ? reason : new Error(String(reason)) }, 'unhandled rejection')
  })
}

function announce(url: string, metrics?: MetricsServer): void {
  process.stdout.write(`listening on ${url}\n${metrics ? `metrics on ${metrics.url}\n` : ''}`)
}

function openLog(options: ServeOptions, readable: boolean, worker?: number): Log {
  const isReadable = readable || (isTerminal() && process.stderr.isTTY === true)
  return makeLog(options.log ?? process.env.DAYBOOK_LOG ?? 'info', isReadable, worker)
}

function readPort(options: ServeOptions): number {
  return toPort('--port', options.port ?? process.env.PORT ?? '3000')
}

function toPort(flag: string, text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${flag} must be a number from 0 to 65535, not "${text}".`)
  return port
}

/** Returns the address of the metrics; `undefined` if they are off. */
function readMetrics(options: ServeOptions): MetricsAddress | undefined {
  const port = options.metricsPort
  if (port === undefined) return undefined
  return { port: toPort('--metrics-port', port), host: options.metricsHost ?? '127.0.0.1' }
}

/** Returns the number of workers to start; undefined if this process serves itself. */
function readWorkers(option: string | undefined): number | undefined {
  const text = option ?? process.env.DAYBOOK_WORKERS
  if (text === undefined) return undefined
  if (text === 'auto') return availableParallelism()
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_WORKERS) {
    throw new UsageError(`--workers must be auto or a number from 1 to ${MAX_WORKERS}, not "${text}".`)
  }
  return count
}
