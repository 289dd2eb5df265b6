import { resolve } from 'node:path'
import { disk } from './assets/disk.ts'
import { DEFAULT_IMAGE_RULES } from './assets/images/image-request.ts'
import { openImageProcessor } from './assets/images/processor/image-processor.ts'
import { ImageVariants } from './assets/images/variants.ts'
import { Intake } from './assets/intake.ts'
import { openAccountsAdapter } from './auth/accounts/stored-accounts.ts'
import type { AuthAdapter, AuthHost, Caller } from './auth/adapter.ts'
import { Administration, type AdministrationParts } from './auth/administration/administration.ts'
import { requireOperator } from './auth/administration/administrator.ts'
import { AuthGuard } from './auth/guard.ts'
import { type AttemptLimits, SignInLimiter } from './auth/sign-in-limiter.ts'
import { ApiTokens } from './auth/tokens/api-tokens.ts'
import { DEFAULT_FILE_BYTES, DEFAULT_IMAGE_MS, DEFAULT_IMAGE_PIXELS } from './config/assets.ts'
import type { DaybookConfig, LimitsConfig } from './config/config.ts'
import { docsPath } from './config/docs.ts'
import { exposureFaults, missingSecretFaults, refuseExposure } from './content/access/exposure.ts'
import { FileCheck } from './content/assets/file-check.ts'
import { Files } from './content/assets/files.ts'
import { Engine } from './content/engine.ts'
import { MarkdownRenderer, type RendererOptions } from './content/markdown/markdown-renderer.ts'
import { ServiceContent } from './content/service-content.ts'
import { hiddenFields, storedContentOf } from './content/stored-content.ts'
import { Sweeper } from './content/sweep.ts'
import { ExportStreams } from './content/transfer/export-streams.ts'
import { unfilledFields } from './content/transfer/fill.ts'
import { pendingRenames } from './content/transfer/migration.ts'
import { DaybookError, StartupError } from './errors.ts'
import type { DeriveTools } from './fields/field.ts'
import { type AppOptions, createApp } from './http/app.ts'
import { DEFAULT_BODY_BYTES } from './http/body.ts'
import { DEFAULT_ANSWER_CACHE_BYTES, ResponseCache } from './http/cache.ts'
import type { Route } from './http/contract.ts'
import { DEFAULT_PENDING, DEFAULT_QUEUE_MS } from './http/overload.ts'
import type { Handle } from './http/request.ts'
import type { ReadPolicy } from './http/respond.ts'
import type { RecentMetrics } from './http/routes/administration/metrics.ts'
import { allRoutes } from './http/routes/index.ts'
import { type Fetch, toFetch } from './http/web.ts'
import { ChangesFeed } from './journal/feed/changes-feed.ts'
import { LiveFeed } from './journal/live/live-feed.ts'
import { Presence } from './journal/live/presence.ts'
import { Pace } from './journal/pace.ts'
import { Retention } from './journal/retention.ts'
import { Scheduler } from './journal/scheduler.ts'
import { type Log, SILENT } from './log.ts'
import type { Metrics, MetricsSnapshot } from './metrics/metrics.ts'
import { compileModel } from './model/compile.ts'
import type { Model } from './model/model.ts'
import { Opened } from './opened.ts'
import { Deliveries } from './plugin-host/deliveries.ts'
import { checkStaticRoutes, DEFAULT_PLUGIN_MS, DEFAULT_PLUGIN_START_MS, PluginHost } from './plugin-host/plugin-host.ts'
import { writeHooks } from './plugin-host/write-hooks.ts'
import type { StoreOptions } from './store/database.ts'
import { SEED_NOTE } from './store/notes.ts'
import type { Reader } from './store/reads/read.ts'
import { digestConfig, processName } from './store/serving-process.ts'
import { openFilesWarning } from './store/sqlite/file-modes.ts'
import { MemoryDatabase } from './store/sqlite/memory-database.ts'
import { openSqlite } from './store/sqlite/sqlite.ts'
import { fileFault } from './store/sqlite/sqlite-file.ts'
import { Store } from './store/store.ts'
import { unfinishedRestore } from './store/transfer/copy-source.ts'

/** How a service is run, as opposed to what it serves. */
export interface ServiceOptions {
  /** The folder that holds the database file; made when it is not there. @default '.daybook' */
  readonly data?: string
  /** @default DAYBOOK_SERVICE_TOKEN of the environment */
  readonly serviceToken?: string
  /** @default writes nothing */
  readonly log?: Log
  /** Whether requests are counted and timed, for `metrics()` and `GET /api/cms/metrics`. @default false */
  readonly metrics?: boolean
  /** Whether `GET /api/export` is there. @default whether ENABLE_CMS_EXPORT of the environment is `true` */
  readonly export?: boolean
  /** The start of the names of cookies where the config names none. @default 'better-auth' */
  readonly cookiePrefix?: string
  /**
   * True if other machines reach the service, whatever address it listens on, such as through `fetch` in another server: a service with
   * `exposureFaults` then does not start. @default true if `NODE_ENV` of the environment is `production`
   */
  readonly exposed?: boolean
  /**
   * Whether an answer that its route does not declare is a failure: 500, and the log says what it was. For tests.
   * @default false
   */
  readonly strict?: boolean
}

/** A running service. */
export interface Service<C extends DaybookConfig = DaybookConfig> {
  /** Answers a web-standard request, wherever it comes from: Node, Next, SvelteKit, Bun, a test. Never rejects. */
  readonly fetch: Fetch
  /** The handler behind `fetch` and `serve`. Not for use outside Daybook: it may change at any time. */
  readonly handle: Handle
  /** Content inside the process: with all rights, and with those of a caller by `content.as(caller)`. */
  readonly content: ServiceContent<C>
  readonly model: Model
  /** Every route, with what it takes and answers. Not for use outside Daybook: it may change at any time. */
  readonly routes: readonly Route[]
  /** The largest JSON body, in bytes. */
  readonly bodyLimit: number
  /** The reasons why no other machine may reach this service, each with what to write instead: `serve` then listens on loopback alone. */
  readonly exposureFaults: readonly string[]
  /**
   * Calls `listener` soon after something was stored, by this process or by another one on the same store, with the last
   * number of the journal; several changes may be told as one. The function that comes back ends that.
   */
  onChange(listener: (seq: number) => void): () => void
  /** How many SQL statements have run since the start. */
  statements(): number
  /**
   * The metrics since the start, as text for Prometheus; names are in the reference, under Metrics.
   *
   * @throws {Error} when the service was not made with `metrics: true`
   */
  metrics(): Promise<string>
  /** The same for putting it together with that of other processes. Not for use outside Daybook: it may change at any time. */
  metricsSnapshot(): Promise<MetricsSnapshot>
  /** Makes `/api/ready` answer 503, so that no new requests are sent here. */
  drain(): void
  /** Ends the service; what was acknowledged is stored. */
  close(): Promise<void>
}

/** The database file of a data folder. */
export function databaseFile(data: string): string {
  return resolve(data, 'daybook.db')
}

const DEFAULT_SIGN_INS = 10
const DEFAULT_ACCOUNT_MESSAGES = 10
const DEFAULT_LISTENERS = 10_000
const DEFAULT_HEARTBEAT_MS = 15_000
const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate'

/**
 * Opens the store, brings it into the form of the config, and answers.
 *
 * @throws {ConfigError} with every fault of the config; {StartupError} if the store cannot be used as it is, or if it is `exposed` and
 *   has `exposureFaults`
 *
 * @example
 * ```ts
 * const service = await createService(config, { data: './data' })
 * const response = await service.fetch(new Request('http://localhost/api/posts'))
 * ```
 */
export async function createService<const C extends DaybookConfig>(
  config: C,
  options: ServiceOptions = {},
): Promise<Service<C>> {
  const opened = new Opened()
  try {
    return await openService(config, options, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Opens the parts of a service one by one, and notes each in `opened`. */
async function openService<const C extends DaybookConfig>(
  config: C,
  options: ServiceOptions,
  opened: Opened,
): Promise<Service<C>> {
  const { log = SILENT, export: isExported = process.env.ENABLE_CMS_EXPORT === 'true' } = options
  const model = compileModel(config)
  const faults = checkExposure(config, options, model)
  const { limits = {}, trustProxy = 0 } = config
  checkStaticRoutes(model.contributors)
  const { engine, files, intake, close } = await openEngine(model, config, options.data ?? '.daybook', {
    log,
    service: { name: processName(), config: digestConfig(model) },
  })
  opened.defer(close)
  warnAboutModes(config, options, log)
  await warnHidden(engine, log)
  await warnUnfilled(engine, log)
  const { auth, administration } = openAuth(config, options, engine)
  opened.defer(() => auth.close())
  engine.findPresent = (stored) => auth.findPresent(stored)
  const plugins = await startPlugins(engine, config, log)
  opened.defer(() => plugins.close())
  const exports = isExported ? new ExportStreams(engine, log) : undefined
  opened.defer(async () => exports?.close())
  let isDraining = false
  const bodyLimit = limits.bodyBytes ?? DEFAULT_BODY_BYTES
  const feed = new ChangesFeed(engine)
  const live = new LiveFeed({ feed, journal: engine.store.journal, sessions: auth }, log, {
    listeners: limits.listeners ?? DEFAULT_LISTENERS,
    heartbeatMs: limits.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
  })
  opened.defer(async () => live.close())
  const presence = new Presence(engine, live)
  opened.defer(async () => presence.close())
  const fileCheck = new FileCheck(engine, files, log)
  opened.defer(() => fileCheck.close())
  const metrics = options.metrics ? await openServiceMetrics(engine.store, fileCheck) : undefined
  opened.defer(() => metrics?.close())
  const routes = allRoutes({
    engine,
    feed,
    live,
    presence,
    model,
    files,
    intake,
    images: openImages(files, config, log, opened),
    auth,
    administration,
    signIns: new SignInLimiter(
      (attempt) => engine.store.transaction((writer) => writer.rateLimits.take(attempt)),
      attemptLimits(limits),
    ),
    trustProxy,
    ...readPolicy(config),
    isReady: async () => !isDraining && (await canRead(engine.store)),
    checkPlugins: () => plugins.check(),
    hasMissingFiles: () => fileCheck.hasMissing(),
    streams: exports,
    pluginRoutes: (own) => plugins.routes(own),
    docs: config.docs ?? {},
    recentMetrics: metrics && ((caller) => recentMetricsFor(caller, metrics)),
  })
  const pace = new Pace()
  const handle = createApp({
    model,
    routes,
    auth,
    trustProxy,
    log,
    cors: config.cors,
    bodyLimit,
    queueLimits: {
      pendingRequests: limits.pendingRequests ?? DEFAULT_PENDING,
      queueMs: limits.queueMs ?? DEFAULT_QUEUE_MS,
    },
    readPolicy: readPolicy(config),
    responseCache: openResponseCache(engine, config),
    startPage: startPageOf(config),
    isStrict: options.strict ?? false,
    observe: observerOf(metrics, plugins.subscriptions.length > 0 ? pace : undefined),
  })
  const deliveries = await Deliveries.start(engine, log, {
    limitMs: limits.pluginMs ?? DEFAULT_PLUGIN_MS,
    pluginSubscriptions: plugins.subscriptions,
    pace,
  })
  opened.defer(() => deliveries.close())
  const scheduler = new Scheduler(engine, log)
  opened.defer(() => scheduler.close())
  const retention = new Retention(engine.store, config.history ?? {}, log)
  opened.defer(() => retention.close())
  const sweeper = new Sweeper(engine, files, fileCheck, log)
  opened.defer(() => sweeper.close())
  return {
    fetch: toFetch(handle),
    handle,
    model,
    routes,
    bodyLimit,
    exposureFaults: faults,
    content: new ServiceContent<C>(engine),
    onChange: (listener) => engine.store.journal.onGrowth(listener),
    statements: () => engine.store.database.executed,
    metrics: async () => requireMetrics(metrics).text(),
    metricsSnapshot: async () => requireMetrics(metrics).snapshot(),
    drain: () => {
      isDraining = true
      live.close()
    },
    close: () => opened.close(),
  }
}

/**
 * Warns of missing secrets, and returns all reasons why no other machine may reach the service.
 *
 * @throws {StartupError} if there are such reasons, and other machines reach the service
 */
function checkExposure(config: DaybookConfig, options: ServiceOptions, model: Model): readonly string[] {
  const { exposed = process.env.NODE_ENV === 'production', log = SILENT } = options
  const faults = exposureFaults(config, model)
  if (exposed) refuseExposure(faults, 'where other machines reach it (NODE_ENV=production, or exposed: true)')
  for (const fault of missingSecretFaults(config))
    log.warn({}, `${fault} Until it is set, only this machine may reach the service.`)
  return faults
}

/** The page that browsers at `/` are sent to: the first that a plugin names, or the docs page. */
const startPageOf = (config: DaybookConfig): string | undefined =>
  config.plugins?.find(({ startPage }) => startPage !== undefined)?.startPage ?? docsPath(config)

/** What a reader without a session may do with answers. */
const readPolicy = ({ publicCacheControl = DEFAULT_CACHE_CONTROL, cdn }: DaybookConfig): ReadPolicy => ({
  publicCacheControl,
  cacheTags: cdn?.tags ?? [],
})

/** The cache of responses; `undefined` if the config turns it off. */
function openResponseCache({ store }: Engine, { limits = {} }: DaybookConfig): ResponseCache | undefined {
  const { answerCacheBytes: maxBytes = DEFAULT_ANSWER_CACHE_BYTES } = limits
  return maxBytes > 0 ? new ResponseCache(maxBytes, store.read.counters) : undefined
}

/** Takes uploaded files in as the config says. */
function openIntake(files: Files, { assets = {} }: DaybookConfig): Intake {
  const { maxBytes = DEFAULT_FILE_BYTES, accept, keepPosition = false, images = {} } = assets
  return new Intake({
    keepsPosition: keepPosition,
    maxBytes,
    maxPixels: images.maxPixels ?? DEFAULT_IMAGE_PIXELS,
    accept,
    blobs: () => files.blobs(),
    newName: () => files.newName(),
  })
}

/** Makes pictures as the config says, with `sharp` where that is installed. */
export function openImages(files: Files, { assets = {} }: DaybookConfig, log: Log, opened: Opened): ImageVariants {
  const { maxPixels = DEFAULT_IMAGE_PIXELS, atOnce, timeMs = DEFAULT_IMAGE_MS, ...own } = assets.images ?? {}
  const processor = openImageProcessor({ maxPixels, timeMs, ...(atOnce === undefined ? {} : { atOnce }), log })
  opened.defer(async () => processor?.close())
  const rules = { ...DEFAULT_IMAGE_RULES, ...own }
  const images = new ImageVariants({ blobs: () => files.blobs(), processor, describeMs: timeMs, rules, log })
  files.keepImages(images)
  return images
}

function startPlugins(
  engine: Engine,
  { limits = {}, trustProxy = 0, cdn }: DaybookConfig,
  log: Log,
): Promise<PluginHost> {
  const { pluginMs = DEFAULT_PLUGIN_MS, pluginStartMs = DEFAULT_PLUGIN_START_MS } = limits
  const parts = { engine, log, trustProxy, limitMs: pluginMs, startMs: pluginStartMs, cacheTags: cdn?.tags ?? [] }
  return PluginHost.start(engine.model, parts)
}

const ACCOUNTS_WARNING =
  'Accounts live in memory: a restart forgets them, and each process has its own. Anyone may register, and write. ' +
  "To close registration, add to the config: auth: { registration: 'closed' }"

/** Who calls, and who may say so. */
interface Auth {
  /** Identifies callers: by the adapter of the config or the default one, and by tokens. */
  readonly auth: AuthGuard
  /** Where accounts are in the service's own database. */
  readonly administration: Administration | undefined
}

/** How often clients may try to sign in, and have messages sent. */
function attemptLimits({
  signInsPerMinute = DEFAULT_SIGN_INS,
  accountSignInsPerMinute = 2 * signInsPerMinute,
  accountMessagesPerHour = DEFAULT_ACCOUNT_MESSAGES,
}: LimitsConfig): AttemptLimits {
  return {
    perClient: signInsPerMinute,
    perAccount: accountSignInsPerMinute,
    messagesPerAccount: accountMessagesPerHour,
  }
}

function openAuth(config: DaybookConfig, options: ServiceOptions, { model, store }: Engine): Auth {
  const { serviceToken = process.env.DAYBOOK_SERVICE_TOKEN, log = SILENT } = options
  const host: AuthHost = { records: store.records, log, cookiePrefix: options.cookiePrefix }
  const tokens = new ApiTokens(host.records, (err) => log.warn({ err }, 'auth: the use of a token could not be noted'))
  const documents = [...model.collections.values(), ...model.globals.values()]
  return {
    auth: new AuthGuard(adapterOf(config, host), serviceToken, tokens, config.limits?.authMs),
    administration: openAdministration(config, host, { tokens, documents }),
  }
}

function openAdministration(
  { auth = {} }: DaybookConfig,
  host: AuthHost,
  parts: Omit<AdministrationParts, 'manage'>,
): Administration | undefined {
  if (!('open' in auth)) return undefined
  const manage = auth.manage?.bind(auth)
  return manage && new Administration({ ...parts, manage: () => manage(host) })
}

function adapterOf({ auth = {} }: DaybookConfig, host: AuthHost): AuthAdapter {
  if ('getCapabilities' in auth) return auth
  if ('open' in auth) return auth.open(host)
  // With registration closed there are no accounts to lose.
  if (auth.registration !== 'closed') host.log.warn({}, ACCOUNTS_WARNING)
  const store = new Store(new MemoryDatabase())
  const { registration = 'open', cookiePrefix } = auth
  const adapter = openAccountsAdapter({ ...host, records: store.records }, { registration, cookiePrefix })
  return Object.assign(adapter, { close: () => store.close() })
}

/** What is told of each request; `undefined`: nothing listens. */
function observerOf(metrics: Metrics | undefined, pace: Pace | undefined): AppOptions['observe'] {
  if (!pace) return metrics?.observe.bind(metrics)
  return (...request) => {
    pace.noteRequest()
    metrics?.observe(...request)
  }
}

/** Without metrics, their library is not loaded. */
async function openServiceMetrics(store: Store, fileCheck: FileCheck): Promise<Metrics> {
  const { Metrics } = await import('./metrics/metrics.ts')
  return new Metrics({
    statements: () => store.database.executed,
    journalSeq: () => store.read.journal.head(),
    poolState: () => store.database.poolState,
    readers: () => store.database.readers ?? [],
    missingFiles: () => fileCheck.missing,
  })
}

/** What this process alone has counted: of several, each tells its own. */
function recentMetricsFor(caller: Caller, { recent }: Metrics): RecentMetrics {
  requireOperator(caller)
  return {
    node: processName(),
    since: new Date(recent.since).toISOString(),
    points: recent.points(),
  }
}

function requireMetrics(metrics: Metrics | undefined): Metrics {
  if (!metrics) throw new Error('Nothing is measured. Make the service with createService(config, { metrics: true }).')
  return metrics
}

function warnAboutModes({ database }: DaybookConfig, { data = '.daybook' }: ServiceOptions, log: Log): void {
  const warning = database ? undefined : openFilesWarning(databaseFile(data))
  if (warning) log.warn({}, warning)
}

/** Values that a changed field does not take are neither read nor found, and seem to be lost. */
async function warnHidden({ store, model }: Engine, log: Log): Promise<void> {
  const fields = await hiddenFields(store.read, model)
  if (fields.length > 0)
    log.warn({ fields }, 'Fields no longer take some stored values, which are hidden. Name them with: daybook migrate')
}

/** Entries that lack what the config requires are served as they are. */
async function warnUnfilled({ store, model }: Engine, log: Log): Promise<void> {
  const fields = await unfilledFields(store, model)
  if (fields.length > 0)
    log.warn(
      { fields },
      'Entries hold nothing in required fields that the config can fill. Run: daybook migrate --apply',
    )
}

/**
 * Serving renamed fields under their new keys before their values are there would show them empty, and lose them on a write.
 *
 * @throws {StartupError} when a rename is to be applied first
 */
export async function refusePending(read: Reader, model: Model): Promise<void> {
  const renames = await pendingRenames(read, model)
  if (renames.length === 0) return
  const lines = renames.map(({ path, message, count }) => `  ${path} ${message} (${count})`)
  throw new StartupError(
    `The config renames fields of stored content:\n${lines.join('\n')}\nRun: daybook migrate --apply`,
  )
}

/** Opens the store that a config names, or the one of the data folder, as it is. */
export async function openStore(
  { database }: Pick<DaybookConfig, 'database'>,
  data: string,
  options: StoreOptions = {},
): Promise<Store> {
  return new Store(database ? await database.open(options) : openSqlite(databaseFile(data), options))
}

/** How an engine works, where it is not for a service. */
export interface EngineOptions extends StoreOptions, RendererOptions {
  /** Whether it is to be restored: it is not filled by the config, and may hold an unfinished restore. @default false */
  readonly isRestored?: boolean
  /** Where hooks write what happens. @default writes nothing */
  readonly log?: Log
}

/** Content without a door: what a service answers from. */
export interface OpenEngine {
  readonly engine: Engine
  /** The files of its assets; their store is opened when it is first needed. */
  readonly files: Files
  readonly intake: Intake
  close(): Promise<void>
}

/**
 * Opens the store of a folder, brings it into the form of the config, and fills it when it is new.
 *
 * @throws {StartupError} when the store cannot be used as it is
 */
export async function openEngine(
  model: Model,
  config: DaybookConfig,
  data: string,
  { isRestored = false, log = SILENT, ...options }: EngineOptions = {},
): Promise<OpenEngine> {
  const opened = await openUnprepared(model, config, data, { log, ...options })
  const { engine, close } = opened
  const { store } = engine
  try {
    await store.prepare(model, storedContentOf(model), (read) => refusePending(read, model))
    if (!isRestored) {
      await refuseUnfinished(store.read)
      await seed(engine, config, opened.seedTools)
    }
    return opened
  } catch (error) {
    await close()
    throw config.database ? error : fileFault(databaseFile(data), error)
  }
}

/** Content whose store may not have the form of the config yet. */
interface UnpreparedEngine extends OpenEngine {
  /** How the seed derives values: starting a thread for a single text would be most of a first start. */
  readonly seedTools: DeriveTools
}

/** Opens the store of a folder as it is, for what brings it into the form of the config. */
export async function openUnprepared(
  model: Model,
  config: DaybookConfig,
  data: string,
  { log = SILENT, ...options }: EngineOptions = {},
): Promise<UnpreparedEngine> {
  const store = await openStore(config, data, options)
  const renderer = new MarkdownRenderer(config.markdown, { renderMs: config.limits?.renderMs, ...options })
  const tools = { renderMarkdown: (source: string) => renderer.render(source) }
  const seedTools = { renderMarkdown: (source: string) => renderer.renderHere(source) }
  const hooks = writeHooks({ model, log, limitMs: config.limits?.pluginMs ?? DEFAULT_PLUGIN_MS, engine: () => engine })
  const { store: blobs = disk(), quota } = config.assets ?? {}
  const files = new Files({ model, store, log, quota, openBlobs: () => blobs.open({ data: resolve(data) }) })
  const intake = openIntake(files, config)
  const engine: Engine = new Engine({ model, store, tools, files, intake, hooks })
  const close = async (): Promise<void> => {
    await renderer.close()
    await files.close()
    await store.close()
  }
  return { engine, files, intake, seedTools, close }
}

/** @throws {StartupError} when a restore has not come to its end: writes of others would keep it from going on */
export async function refuseUnfinished(read: Reader): Promise<void> {
  const note = await read.system.restoreNote()
  if (note?.isDone === false) throw new StartupError(unfinishedRestore('This database'))
}

async function canRead(store: Store): Promise<boolean> {
  try {
    await store.read.journal.head()
    return true
  } catch {
    return false
  }
}

/** Fills an empty store, once; one that holds anything already is left alone. */
async function seed(engine: Engine, { seed: fill }: DaybookConfig, tools: DeriveTools): Promise<void> {
  if (!fill || (await engine.store.read.journal.head()) > 0) return
  await engine.store.once(SEED_NOTE, async (writer) => {
    // Writes that are asked for at once take turns, as those of requests do.
    let last: Promise<unknown> = Promise.resolve()
    const own = engine.on(engine.store.within(writer.lend()), tools)
    const content = new ServiceContent(own, (work) => {
      const turn = last.then(() => work(writer))
      last = turn
      return turn
    })
    let entries = 0
    await fill({
      create: async (collection, data) => {
        entries += 1
        const what = `entry ${entries}, of ${collection}`
        return writeSeedDocument(what, () => content.create(collection, data))
      },
      update: (collection, id, data, options) =>
        writeSeedDocument(`a change of ${collection}`, () => content.update(collection, id, data, options)),
      writeGlobal: (key, data, options) =>
        writeSeedDocument(`the global ${key}`, () => content.writeGlobal(key as never, data as never, options)),
    })
  })
}

/** Says at which of its documents a seed was refused. */
async function writeSeedDocument<T>(what: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    const { code, message, details } = error
    const reason = details.issues ? '' : ` ${message}`
    throw new DaybookError(code, `The seed of the config is refused at ${what}:${reason}`, details, error)
  }
}
