import { ANONYMOUS } from '../auth/adapter.ts'
import { bounded } from '../bounded.ts'
import { ConfigError } from '../config/check.ts'
import type { Contributor, Plugin } from '../config/plugin.ts'
import { Content } from '../content/content.ts'
import { StartupError } from '../errors.ts'
import type { Route } from '../http/contract.ts'
import { cacheTagHeaders, type ReadPolicy } from '../http/respond.ts'
import type { Model } from '../model/model.ts'
import type { PluginContext, PluginRuntime, RelatedPlugin } from './define-plugin.ts'
import type { JournalSubscription, SubscribedJournal } from './journal-reader.ts'
import { type CheckedSubscription, checkSubscription, subscribedJournal } from './plugin-journal.ts'
import { pluginLog } from './plugin-log.ts'
import { pluginStorage } from './plugin-storage.ts'
import type { PluginRoute } from './route.ts'
import { type PlacedRoute, routeClashes } from './route-clashes.ts'
import { routeFaults } from './route-faults.ts'
import { systemContent } from './system-content.ts'
import { messageOf, type PluginRouteParts, toRoute } from './to-route.ts'

/** How long a plugin may take where the config does not say, in milliseconds. */
export const DEFAULT_PLUGIN_MS = 10_000
/** How long `setup` may take where the config does not say, in milliseconds. */
export const DEFAULT_PLUGIN_START_MS = 60_000

/** The parts of the service that plugins need. */
export interface PluginHostParts extends PluginRouteParts {
  /** How long `setup` may take, in milliseconds. */
  readonly startMs: number
  /** Headers in which answers to everyone name what they are made of. */
  readonly cacheTags: ReadPolicy['cacheTags']
}

/** A plugin at work. */
interface RunningPlugin {
  readonly plugin: Plugin
  readonly runtime: PluginRuntime
  /** Its last check, while it has not answered: a plugin that hangs is not asked again. */
  checking?: Promise<CheckResult> | undefined
}

type CheckResult = 'ok' | 'failed'

/**
 * Refuses routes of plugins and of the config that are wrong by themselves, before anything is opened.
 *
 * @throws {ConfigError} with every fault
 */
export function checkStaticRoutes(contributors: readonly Contributor[]): void {
  const faults = contributors.flatMap((contributor) =>
    (contributor.routes ?? []).flatMap((route, index) => routeFaults(route, placeIn(contributor, `routes.${index}`))),
  )
  if (faults.length > 0) throw new ConfigError(faults)
}

/** Where a part of a contributor was written. */
const placeIn = ({ name }: Pick<Contributor, 'name'>, part: string): string =>
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
   * Adds the routes of the config, and sets plugins up, one after the other. When one fails, those before it are closed.
   *
   * @throws {StartupError} when a `setup` fails; {ConfigError} when it adds a route that is wrong
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
    const given = { route: addRoute, journal: Object.freeze({ subscribe }) }
    try {
      const runtime: unknown = await bounded(startMs, () => plugin.setup?.(this.#context(plugin, given) as never))
      this.#running.push({ plugin, runtime: requireRuntime(runtime) })
    } catch (error) {
      if (error instanceof ConfigError) throw error
      this.#parts.log.error({ err: error, plugin: plugin.name }, 'plugin: setup failed')
      throw new StartupError(`The plugin "${plugin.name}" could not be set up: ${messageOf(error)}`, { cause: error })
    } finally {
      isOpen = false
    }
  }

  async #subscribe(plugin: Plugin, subscription: JournalSubscription): Promise<SubscribedJournal> {
    const { engine } = this.#parts
    const checked = await checkSubscription(plugin, engine, subscription)
    const { name } = checked.subscriber
    if (this.#subscriptions.some(({ subscriber }) => subscriber.name === name))
      throw new Error(`The plugin "${plugin.name}" has two subscriptions "${subscription.name}"; rename one.`)
    this.#subscriptions.push(checked)
    return subscribedJournal(engine.store, name)
  }

  #context(plugin: Plugin, given: Pick<PluginContext, 'route' | 'journal'>): PluginContext {
    const { engine, log } = this.#parts
    return Object.freeze({
      options: plugin.options ?? Object.freeze({}),
      content: new Content(engine).as(ANONYMOUS),
      asSystem: systemContent(plugin, engine),
      log: pluginLog(log, plugin),
      storage: pluginStorage(plugin, engine),
      plugins: relatedPlugins(plugin, engine.model.plugins),
      collections: keysByCollection(engine.model),
      cacheTags: (madeOf: readonly string[]) => cacheTagHeaders(this.#parts, madeOf),
      ...given,
    })
  }

  /** @throws {ConfigError} when the route is wrong by itself */
  #place(contributor: Contributor, route: object, where: string): PlacedRoute {
    const place = placeIn(contributor, where)
    const faults = routeFaults(route, place)
    if (faults.length > 0) throw new ConfigError(faults)
    return { route: toRoute(contributor, route as PluginRoute, this.#parts), place }
  }

  /**
   * The routes of the config and of all plugins.
   *
   * @param own the routes of the service
   * @throws {ConfigError} when two routes clash
   */
  routes(own: readonly Route[]): readonly Route[] {
    const faults = routeClashes(own, this.#routes)
    if (faults.length > 0) throw new ConfigError(faults)
    return this.#routes.map(({ route }) => route)
  }

  /** The subscriptions of all plugins, which begin when the service answers. */
  get subscriptions(): readonly CheckedSubscription[] {
    return this.#subscriptions
  }

  /** How each plugin does that can say so, by name. */
  async check(): Promise<Readonly<Record<string, CheckResult>>> {
    const checked = this.#running.filter(({ runtime }) => runtime.check)
    const results = await Promise.all(
      checked.map(async (running) => [running.plugin.name, await this.#checkOne(running)] as const),
    )
    return Object.fromEntries(results)
  }

  async #checkOne(running: RunningPlugin): Promise<CheckResult> {
    running.checking ??= this.#askOne(running).finally(() => {
      running.checking = undefined
    })
    return running.checking
  }

  async #askOne({ plugin, runtime }: RunningPlugin): Promise<CheckResult> {
    try {
      await bounded(this.#parts.limitMs, async () => runtime.check?.())
      return 'ok'
    } catch (error) {
      this.#parts.log.error({ err: error, plugin: plugin.name }, 'plugin: check failed')
      return 'failed'
    }
  }

  /** Closes plugins in the reverse order of their setup. One that fails or hangs keeps no other from it. */
  async close(): Promise<void> {
    for (let last = this.#running.pop(); last; last = this.#running.pop()) {
      const { plugin, runtime } = last
      try {
        await bounded(this.#parts.limitMs, async () => runtime.close?.())
      } catch (error) {
        this.#parts.log.error({ err: error, plugin: plugin.name }, 'plugin: close failed')
      }
    }
  }
}

const isPlugin = (contributor: Contributor): contributor is Plugin => contributor.name !== undefined

/** The plugins that a plugin names, of those that are there. */
function relatedPlugins(
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

/** @throws {TypeError} when `setup` answered something else */
function requireRuntime(answer: unknown): PluginRuntime {
  if (answer === undefined) return {}
  const isRuntime =
    typeof answer === 'object' &&
    answer !== null &&
    Object.entries(answer).every(([key, part]) => (key === 'check' || key === 'close') && typeof part === 'function')
  if (!isRuntime) throw new TypeError('setup must answer nothing, or { check, close }, both functions')
  return answer
}

const keysByCollection = ({ collections }: Model): PluginContext['collections'] =>
  Object.fromEntries([...collections].map(([key, { storedKeys }]) => [key, storedKeys]))
