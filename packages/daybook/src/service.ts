import type { AuthGuard } from './auth/guard.ts'
import { Closers } from './closers.ts'
import type { DaybookConfig } from './config/config.ts'
import { getDocsPath } from './config/docs.ts'
import { FileCheck } from './content/assets/file-check.ts'
import { ServiceContent } from './content/caller-content.ts'
import { Sweeper } from './content/sweep.ts'
import { ExportStreams } from './content/transfer/index.ts'
import { createApp } from './http/app.ts'
import { DEFAULT_BODY_BYTES } from './http/body.ts'
import { DEFAULT_RESPONSE_CACHE_BYTES, ResponseCache } from './http/cache.ts'
import type { Route } from './http/contract.ts'
import { type Fetch, toFetch } from './http/fetch.ts'
import { DEFAULT_PENDING, DEFAULT_QUEUE_MS } from './http/overload.ts'
import type { RequestHandler } from './http/request.ts'
import type { ServiceSettings } from './http/routes/administration-rights.ts'
import { allRoutes } from './http/routes/index.ts'
import { ChangesFeed } from './journal/feed/changes-feed.ts'
import { LiveFeed } from './journal/live/live-feed.ts'
import { Presence } from './journal/live/presence.ts'
import { Retention } from './journal/retention.ts'
import { Scheduler } from './journal/scheduler.ts'
import { DeliveryThrottle } from './journal/throttle.ts'
import { type Log, SILENT } from './log.ts'
import type { MetricsSnapshot } from './metrics/metrics.ts'
import { compileModel } from './model/compile.ts'
import type { Model } from './model/model.ts'
import { Deliveries } from './plugin-host/deliveries.ts'
import { checkStaticRoutes, DEFAULT_PLUGIN_MS, DEFAULT_PLUGIN_START_MS, PluginHost } from './plugin-host/plugin-host.ts'
import { openAuth } from './service/open-auth.ts'
import { openContent, openImages } from './service/open-content.ts'
import { createObserver, openMetrics, recentMetricsFor, requireMetrics } from './service/service-metrics.ts'
import { checkExposure, logStoreWarnings } from './service/startup-checks.ts'
import { digestConfig, processName } from './store/serving-process.ts'
import { getDaybookVersion } from './version.ts'

/** The options of running a service. */
export interface ServiceOptions {
  /** The folder of the database file, created if it does not exist. @default '.daybook' */
  readonly data?: string
  /** The token of the service principal. @default the variable DAYBOOK_SERVICE_TOKEN */
  readonly serviceToken?: string
  /** @default no log */
  readonly log?: Log
  /** True to count and time requests for `metrics()` and `GET /api/cms/metrics`. @default false */
  readonly metrics?: boolean
  /** True to serve `GET /api/export`. @default true if the variable ENABLE_CMS_EXPORT is `true` */
  readonly export?: boolean
  /** The prefix of cookie names, unless the config has one. @default 'better-auth' */
  readonly cookiePrefix?: string
  /**
   * True if other machines reach the service, for example through `fetch` in another server. A service with `exposureFaults` then does
   * not start. @default true if the variable NODE_ENV is `production`
   */
  readonly exposed?: boolean
  /**
   * True to replace a response that its route does not declare with 500, and log it. For tests. @default false
   */
  readonly strict?: boolean
}

/** A running service. */
export interface Service<C extends DaybookConfig = DaybookConfig> {
  /** Handles a web-standard request from Node, Next, SvelteKit, Bun or a test. Never rejects. */
  readonly fetch: Fetch
  /** The handler behind `fetch` and `serve`. Internal: it may change at any time. */
  readonly handle: RequestHandler
  /** The content API in the process. Its caller is `SYSTEM`, to which access rules apply, too; `content.as(caller)` changes the caller. */
  readonly content: ServiceContent<C>
  readonly model: Model
  /** All routes with their contracts. Internal: they may change at any time. */
  readonly routes: readonly Route[]
  /** The largest JSON body, in bytes. */
  readonly bodyLimit: number
  /** The reasons why no other machine may reach this service, each with advice. If there are any, `serve` listens only on loopback. */
  readonly exposureFaults: readonly string[]
  /**
   * Calls `listener` with the last number of the journal soon after any process has changed the store. Several changes may share a
   * call. Returns a function that removes the listener.
   */
  onChange(listener: (seq: number) => void): () => void
  /**
   * Accepts a secret with which the action `setup` creates the first administrator. Returns false if there are accounts on any node, or the
   * auth adapter creates none. Internal: it may change at any time.
   */
  openSetup(secret: string): Promise<boolean>
  /** Returns the number of SQL statements since the start. */
  statements(): number
  /**
   * Returns the metrics since the start as text for Prometheus. The reference lists their names under Metrics.
   *
   * @throws {Error} unless the service was created with `metrics: true`
   */
  metrics(): Promise<string>
  /** Returns the metrics in a form that can be merged with those of other processes. Internal: it may change at any time. */
  metricsSnapshot(): Promise<MetricsSnapshot>
  /** Makes `/api/ready` respond with 503, so that load balancers send no new requests. */
  drain(): void
  /** Closes the service. All acknowledged writes are stored. */
  close(): Promise<void>
}

const DEFAULT_DATA_FOLDER = '.daybook'
const DEFAULT_LISTENERS = 10_000
const DEFAULT_HEARTBEAT_MS = 15_000
const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate'

/**
 * Creates a service: opens the store, and migrates it to the config.
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
  const closers = new Closers()
  try {
    return await openService(config, options, closers)
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** Opens the parts of a service, and registers each in `closers`. */
async function openService<const C extends DaybookConfig>(
  config: C,
  options: ServiceOptions,
  closers: Closers,
): Promise<Service<C>> {
  const {
    data = DEFAULT_DATA_FOLDER,
    serviceToken = process.env.DAYBOOK_SERVICE_TOKEN,
    cookiePrefix,
    log = SILENT,
    export: isExported = process.env.ENABLE_CMS_EXPORT === 'true',
    exposed: isExposed = process.env.NODE_ENV === 'production',
    strict: isStrict = false,
  } = options

  const model = compileModel(config)
  const exposureFaults = checkExposure(config, model, { isExposed, log })
  checkStaticRoutes(model.contributors)
  const { limits = {}, trustProxy = 0, publicCacheControl = DEFAULT_CACHE_CONTROL, cdn } = config
  const { pluginMs = DEFAULT_PLUGIN_MS, bodyBytes: bodyLimit = DEFAULT_BODY_BYTES } = limits
  const cacheTags = cdn?.tags ?? []
  const readPolicy = { publicCacheControl, cacheTags }

  const { context, files, intake, close } = await openContent(model, config, data, {
    log,
    service: { name: processName(), config: digestConfig(model) },
  })
  closers.defer(close)
  const { store } = context
  await logStoreWarnings(config, data, context, log)

  const { auth, administration, signIns } = openAuth(config, context, { serviceToken, cookiePrefix, log })
  closers.defer(() => auth.close())
  context.refreshCaller = (stored) => auth.findCurrentCaller(stored)

  const plugins = await PluginHost.start(model, {
    context,
    log,
    trustProxy,
    limitMs: pluginMs,
    startMs: limits.pluginStartMs ?? DEFAULT_PLUGIN_START_MS,
    cacheTags,
  })
  closers.defer(() => plugins.close())

  const streams = isExported ? new ExportStreams(context, log) : undefined
  closers.defer(async () => streams?.close())
  const feed = new ChangesFeed(context)
  const live = new LiveFeed({ feed, journal: store.journal, sessions: auth }, log, {
    listeners: limits.listeners ?? DEFAULT_LISTENERS,
    heartbeatMs: limits.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
  })
  closers.defer(async () => live.close())
  const presence = new Presence(context, live)
  closers.defer(async () => presence.close())
  const fileCheck = new FileCheck(context, files, log)
  closers.defer(() => fileCheck.close())
  const metrics = options.metrics ? await openMetrics(store, fileCheck) : undefined
  closers.defer(() => metrics?.close())

  let isDraining = false
  const routes = allRoutes({
    context,
    feed,
    live,
    presence,
    model,
    files,
    intake,
    images: openImages(files, config, log, closers),
    auth,
    administration,
    settings: describeSettings(config, auth),
    signIns,
    trustProxy,
    ...readPolicy,
    isReady: async () =>
      !isDraining &&
      (await store.read.journal.head().then(
        () => true,
        () => false,
      )),
    checkPlugins: () => plugins.check(),
    hasMissingFiles: () => fileCheck.hasMissing(),
    streams,
    pluginRoutes: (routesBefore) => plugins.routes(routesBefore),
    docs: config.docs ?? {},
    recentMetrics: metrics && ((caller) => recentMetricsFor(caller, metrics)),
  })
  const { responseCacheBytes: maxBytes = DEFAULT_RESPONSE_CACHE_BYTES } = limits
  const responseCache = maxBytes > 0 ? new ResponseCache(maxBytes, store.read.counters) : undefined
  const throttle = new DeliveryThrottle()
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
    readPolicy,
    responseCache,
    // Browsers are redirected from `/` to the first start page of a plugin, or to the docs page.
    startPage: config.plugins?.find(({ startPage }) => startPage !== undefined)?.startPage ?? getDocsPath(config),
    isStrict,
    observe: createObserver(metrics, plugins.subscriptions.length > 0 ? throttle : undefined),
  })

  const deliveries = await Deliveries.start(context, log, {
    limitMs: pluginMs,
    pluginSubscriptions: plugins.subscriptions,
    throttle,
  })
  closers.defer(() => deliveries.close())
  const scheduler = new Scheduler(context, log)
  closers.defer(() => scheduler.close())
  const retention = new Retention(store, config.history ?? {}, log)
  closers.defer(() => retention.close())
  const sweeper = new Sweeper(context, files, fileCheck, log)
  closers.defer(() => sweeper.close())

  return {
    fetch: toFetch(handle),
    handle,
    model,
    routes,
    bodyLimit,
    exposureFaults,
    content: new ServiceContent<C>(context),
    onChange: (listener) => store.journal.onGrowth(listener),
    openSetup: (secret) => auth.openSetup(secret),
    statements: () => store.database.statementCount,
    metrics: async () => requireMetrics(metrics).text(),
    metricsSnapshot: async () => requireMetrics(metrics).snapshot(),
    drain: () => {
      isDraining = true
      live.close()
    },
    close: () => closers.close(),
  }
}

/** Describes a config for operators. */
const describeSettings = (
  { database, assets, locales, plugins = [], history = {} }: DaybookConfig,
  auth: AuthGuard,
): ServiceSettings => ({
  version: getDaybookVersion(),
  database: database ? 'other' : 'sqlite',
  storage: assets?.store ? 'other' : 'folder',
  locales: locales?.available ?? [],
  plugins: plugins.map(({ name }) => name),
  provider: auth.capabilities.provider,
  actions: Object.keys(auth.actions),
  retention: { versions: history.versions ?? null, days: history.days ?? null },
})
