import { ANONYMOUS } from '../auth/adapter.ts'
import { ConfigError } from '../config/check-config.ts'
import type { Contributor, Plugin } from '../config/plugin.ts'
import { ServiceContent } from '../content/caller-content.ts'
import { StartupError } from '../errors.ts'
import type { Route } from '../http/contract.ts'
import { buildCacheTagHeaders, type CachePolicy } from '../http/response.ts'
import type { Model } from '../model/model.ts'
import { withTimeout } from '../with-timeout.ts'
import { createContributorContext } from './contributor-context.ts'
import { getErrorMessage, type PluginRouteParts, toRoute } from './convert-route.ts'
import type { PluginContext, PluginRuntime, RelatedPlugin } from './define-plugin.ts'
import type { JournalSubscription, SubscribedJournal } from './journal-subscription.ts'
import { createPluginStorage } from './plugin-storage.ts'
import { type CheckedSubscription, checkSubscription, createSubscribedJournal } from './plugin-subscription.ts'
import type { PluginRoute } from './route.ts'
import { findRouteClashes, findRouteFaults, type PlacedRoute } from './route-checks.ts'

/** The default timeout of a plugin's functions, in milliseconds. */
export const DEFAULT_PLUGIN_MS = 10_000
/** The default timeout of `setup`, in milliseconds. */
export const DEFAULT_PLUGIN_START_MS = 60_000

/** The parts of the service that plugins need. */
export interface PluginHostParts extends PluginRouteParts {
  /** The timeout of `setup`, in milliseconds. */
  readonly startMs: number
  /** Headers of public responses that name their documents. */
  readonly cacheTags: CachePolicy['cacheTags']
}

/** A plugin whose setup has ended. */
interface RunningPlugin {
  readonly plugin: Plugin
  readonly runtime: PluginRuntime
  /** The pending check. A plugin that hangs is not checked again. */
  checking?: Promise<CheckResult> | undefined
}

type CheckResult = 'ok' | 'failed'

/**
 * Checks the routes of plugins and of the config that are declared outside `setup`, before anything is opened.
 *
 * @throws {ConfigError} with every fault
 */
export function checkStaticRoutes(contributors: readonly Contributor[]): void {
  const faults = contributors.flatMap((contributor) =>
    (contributor.routes ?? []).flatMap((route, index) =>
      findRouteFaults(route, toConfigPath(contributor, `routes.${index}`)),
    ),
  )
  if (faults.length > 0) throw new ConfigError(faults)
}

/** Returns the path of a part of a contributor in the config. */
const toConfigPath = ({ name }: Pick<Contributor, 'name'>, part: string): string =>
  name === undefined ? part : `plugins.${name}.${part}`

/** Runs the plugins of a service, and the routes of its config. */
export class PluginHost {
  readonly #parts: PluginHostParts
  readonly #running: RunningPlugin[] = []
  readonly #routes: PlacedRoute[] = []
  readonly #subscriptions: CheckedSubscription[] = []

  private constructor(parts: PluginHostParts) {
    this.#parts = parts
  }

  /**
   * Adds the routes of the config, and sets plugins up in order. If one fails, those before it are closed.
   *
   * @throws {StartupError} if a `setup` fails; {ConfigError} if it adds an invalid route
   */
  static async start({ contributors }: Model, parts: PluginHostParts): Promise<PluginHost> {
    const host = new PluginHost(parts)
    try {
      for (const contributor of contributors) {
        host.#addStaticRoutes(contributor)
        if (isPlugin(contributor)) await host.#setUp(contributor)
      }
      return host
    } catch (error) {
      await host.close()
      throw error
    }
  }

  #addStaticRoutes(contributor: Contributor): void {
    const routes = contributor.routes ?? []
    this.#routes.push(...routes.map((route, index) => this.#place(contributor, route, `routes.${index}`)))
  }

  async #setUp(plugin: Plugin): Promise<void> {
    const { startMs } = this.#parts
    let isOpen = true
    let count = 0
    const addRoute = (route: PluginRoute): void => {
      if (!isOpen) throw new Error(`The plugin "${plugin.name}" adds a route after its setup has ended.`)
      this.#routes.push(this.#place(plugin, route, `setup.routes.${count}`))
      count += 1
    }
    const subscribe = async (subscription: JournalSubscription): Promise<SubscribedJournal> => {
      if (!isOpen) throw new Error(`The plugin "${plugin.name}" subscribes after its setup has ended.`)
      return this.#subscribe(plugin, subscription)
    }
    const pluginContext = this.#createContext(plugin, { route: addRoute, journal: Object.freeze({ subscribe }) })
    try {
      const runtime: unknown = await withTimeout(startMs, () => plugin.setup?.(pluginContext as never))
      this.#running.push({ plugin, runtime: requireRuntime(runtime) })
    } catch (error) {
      if (error instanceof ConfigError) throw error
      this.#parts.log.error({ err: error, plugin: plugin.name }, 'plugin: setup failed')
      throw new StartupError(`The plugin "${plugin.name}" could not be set up: ${getErrorMessage(error)}`, {
        cause: error,
      })
    } finally {
      isOpen = false
    }
  }

  async #subscribe(plugin: Plugin, subscription: JournalSubscription): Promise<SubscribedJournal> {
    const { context } = this.#parts
    const checked = await checkSubscription(plugin, context, subscription)
    const { name } = checked.subscriber
    if (this.#subscriptions.some(({ subscriber }) => subscriber.name === name))
      throw new Error(`The plugin "${plugin.name}" has two subscriptions "${subscription.name}". Rename one.`)
    this.#subscriptions.push(checked)
    return createSubscribedJournal(context.store, name)
  }

  #createContext(plugin: Plugin, setup: Pick<PluginContext, 'route' | 'journal'>): PluginContext {
    const { context, log } = this.#parts
    return Object.freeze({
      ...createContributorContext(plugin, context, log),
      content: new ServiceContent(context).as(ANONYMOUS),
      storage: createPluginStorage(plugin, context),
      plugins: selectRelatedPlugins(plugin, context.model.plugins),
      collections: listKeysByCollection(context.model),
      cacheTags: (documents: readonly string[]) => buildCacheTagHeaders(this.#parts, documents),
      ...setup,
    })
  }

  /** @throws {ConfigError} for an invalid route */
  #place(contributor: Contributor, route: object, where: string): PlacedRoute {
    const place = toConfigPath(contributor, where)
    const faults = findRouteFaults(route, place)
    if (faults.length > 0) throw new ConfigError(faults)
    return { route: toRoute(contributor, route as PluginRoute, this.#parts), place }
  }

  /**
   * Returns the routes of the config and of all plugins.
   *
   * @param builtIn the routes of Daybook
   * @throws {ConfigError} if two routes clash
   */
  routes(builtIn: readonly Route[]): readonly Route[] {
    const faults = findRouteClashes(builtIn, this.#routes)
    if (faults.length > 0) throw new ConfigError(faults)
    return this.#routes.map(({ route }) => route)
  }

  /** The subscriptions of all plugins, which begin when the service is ready. */
  get subscriptions(): readonly CheckedSubscription[] {
    return this.#subscriptions
  }

  /** Checks the plugins that have a check, and returns the results by name. */
  async check(): Promise<Readonly<Record<string, CheckResult>>> {
    const checked = this.#running.filter(({ runtime }) => runtime.check)
    const results = await Promise.all(
      checked.map(async (running) => [running.plugin.name, await this.#checkOne(running)] as const),
    )
    return Object.fromEntries(results)
  }

  async #checkOne(running: RunningPlugin): Promise<CheckResult> {
    running.checking ??= this.#runCheck(running).finally(() => {
      running.checking = undefined
    })
    return running.checking
  }

  async #runCheck({ plugin, runtime }: RunningPlugin): Promise<CheckResult> {
    try {
      await withTimeout(this.#parts.limitMs, async () => runtime.check?.())
      return 'ok'
    } catch (error) {
      this.#parts.log.error({ err: error, plugin: plugin.name }, 'plugin: check failed')
      return 'failed'
    }
  }

  /** Closes plugins in the reverse order of their setup, even if one fails or hangs. */
  async close(): Promise<void> {
    for (let last = this.#running.pop(); last; last = this.#running.pop()) {
      const { plugin, runtime } = last
      try {
        await withTimeout(this.#parts.limitMs, async () => runtime.close?.())
      } catch (error) {
        this.#parts.log.error({ err: error, plugin: plugin.name }, 'plugin: close failed')
      }
    }
  }
}

const isPlugin = (contributor: Contributor): contributor is Plugin => contributor.name !== undefined

function selectRelatedPlugins(
  { requires = {}, after = [] }: Plugin,
  all: readonly Plugin[],
): Readonly<Record<string, RelatedPlugin>> {
  const named = new Set([...Object.keys(requires), ...after])
  const related = all.filter(({ name }) => named.has(name))
  return Object.freeze(
    Object.fromEntries(
      related.map(({ name, version, options = {} }) => [name, { version, options: { ...options } } as const]),
    ),
  )
}

/** @throws {TypeError} for any other result of `setup` */
function requireRuntime(result: unknown): PluginRuntime {
  if (result === undefined) return {}
  const isRuntime =
    typeof result === 'object' &&
    result !== null &&
    Object.entries(result).every(([key, part]) => (key === 'check' || key === 'close') && typeof part === 'function')
  if (!isRuntime) throw new TypeError('setup must return nothing, or { check, close }, both functions')
  return result
}

const listKeysByCollection = ({ collections }: Model): PluginContext['collections'] =>
  Object.fromEntries([...collections].map(([key, { storedKeys }]) => [key, storedKeys]))
