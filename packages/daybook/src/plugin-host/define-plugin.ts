import type { CollectionConfig, DaybookConfig, GlobalConfig, OpenConfig } from '../config/config.ts'
import type { FieldsByDocument, Plugin } from '../config/plugin.ts'
import type { CallerContent } from '../content/caller-content.ts'
import type { AsSystem, Awaitable, PluginHooks, PluginLog } from './hooks.ts'
import type { PluginJournal } from './journal-subscription.ts'
import type { PluginStorage } from './plugin-storage.ts'
import type { PluginRoute } from './route.ts'

/** A plugin that another one names in `requires` or `after`. */
export interface RelatedPlugin {
  readonly version: string
  readonly options: Readonly<Record<string, unknown>>
}

/** The context of `setup`. */
export interface PluginContext<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly options: O
  /** Content with the rights of a caller without a session. */
  readonly content: CallerContent<C>
  readonly asSystem: AsSystem<C>
  readonly log: PluginLog
  /** The plugin's storage of bytes. */
  readonly storage: PluginStorage
  /** Delivers stored changes. */
  readonly journal: PluginJournal
  /** The plugins of the config that this one names in `requires` and `after`, by name. */
  readonly plugins: Readonly<Record<string, RelatedPlugin>>
  /** The keys of all entries by the key of the collection, including those from plugins. */
  readonly collections: Readonly<Record<string, readonly string[]>>
  /** Returns headers that name the documents of a public response, such as `['posts:ID']`, if the config has a CDN. */
  cacheTags(documents: readonly string[]): Readonly<Record<string, string>>
  /** Adds a route. Only `setup` may call it. */
  route(route: PluginRoute<O, C>): void
}

/** The result of `setup`: functions that check and close the plugin. */
export interface PluginRuntime {
  /** Called for `/api/ready`; an error means that the plugin cannot work. */
  readonly check?: () => Awaitable<void>
  /** Releases resources; called once, in the reverse order of `setup`. */
  readonly close?: () => Awaitable<void>
}

/** The parts of a plugin. */
export interface PluginDefinition<
  O extends object,
  C extends Readonly<Record<string, CollectionConfig>>,
  G extends Readonly<Record<string, GlobalConfig>>,
  F extends FieldsByDocument,
> {
  /** Small letters, digits and `-`; unique in a config. */
  readonly name: string
  /** Semantic version, such as `1.0.0`. */
  readonly version: string
  /** Required plugins, and `daybook`, with ranges of versions; these plugins are set up before. */
  readonly requires?: Readonly<Record<string, string>>
  /** Plugins that are set up before if the config has them. */
  readonly after?: readonly string[]
  /** Plain data, which all functions of the plugin receive. */
  readonly options?: O
  /** Allows the plugin to call `asSystem`; `daybook plugins` lists it. @default false */
  readonly system?: boolean
  readonly collections?: C
  readonly globals?: G
  /** Fields for collections and globals of the config or of other plugins, by their keys. */
  readonly fields?: F
  readonly hooks?: PluginHooks<NoInfer<O>, OpenConfig<NoInfer<C>, NoInfer<G>>>
  readonly routes?: readonly PluginRoute<NoInfer<O>, OpenConfig<NoInfer<C>, NoInfer<G>>>[]
  /**
   * The path of a page to which browsers are redirected from `/`, unless a route has that path. It has priority over the docs page; of
   * several plugins, the first one decides. @default none
   */
  readonly startPage?: string
  /**
   * Options that need a secret and have none, by path, each with advice: `{ secret: 'openssl rand -hex 32 generates one' }`. If there is
   * one, the service listens only on its own machine, and does not start with `NODE_ENV=production`. @default none
   */
  readonly missingSecrets?: Readonly<Record<string, string>>
  /** Plain data for an editor's interface. */
  readonly studio?: object
  /** Runs once, before the service is ready. */
  readonly setup?: (
    context: PluginContext<NoInfer<O>, OpenConfig<NoInfer<C>, NoInfer<G>>>,
  ) => Awaitable<PluginRuntime | undefined> | Awaitable<void>
}

/**
 * Defines a plugin from plain data and functions.
 *
 * @example
 * ```ts
 * export const hello = (options: { greeting: string }) =>
 *   definePlugin({
 *     name: 'hello',
 *     version: '1.0.0',
 *     options,
 *     routes: [
 *       {
 *         method: 'GET',
 *         path: '/hello',
 *         summary: 'Greets.',
 *         protection: 'public',
 *         responses: { 200: { description: 'A greeting.', mediaType: 'text/plain', schema: { type: 'string' } } },
 *         run: ({ options }) => new Response(options.greeting),
 *       },
 *     ],
 *   })
 * ```
 */
export function definePlugin<
  const O extends object = Record<never, never>,
  const C extends Readonly<Record<string, CollectionConfig>> = Record<never, never>,
  const G extends Readonly<Record<string, GlobalConfig>> = Record<never, never>,
  const F extends FieldsByDocument = Record<never, never>,
>(plugin: PluginDefinition<O, C, G, F>): Plugin<C, G, F> {
  return plugin
}
