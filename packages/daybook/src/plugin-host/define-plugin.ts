import type { CollectionConfig, DaybookConfig, GlobalConfig, OpenConfig } from '../config/config.ts'
import type { FieldsByDocument, Plugin } from '../config/plugin.ts'
import type { CallerContent } from '../content/caller-content.ts'
import type { AsSystem, Awaitable, PluginHooks, PluginLog } from './hooks.ts'
import type { PluginJournal } from './journal-reader.ts'
import type { PluginStorage } from './plugin-storage.ts'
import type { PluginRoute } from './route.ts'

/** Another plugin of the config, as a plugin that names it in `requires` or `after` sees it. */
export interface RelatedPlugin {
  readonly version: string
  readonly options: Readonly<Record<string, unknown>>
}

/** What `setup` is given. */
export interface PluginContext<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly options: O
  /** Content as a reader without a session sees it. */
  readonly content: CallerContent<C>
  readonly asSystem: AsSystem<C>
  readonly log: PluginLog
  /** Bytes of the plugin's own, beside the files of the assets. */
  readonly storage: PluginStorage
  /** Every change that is stored, once it is. */
  readonly journal: PluginJournal
  /** By name, the plugins that this one names in `requires` and `after`, where they are there. */
  readonly plugins: Readonly<Record<string, RelatedPlugin>>
  /** The keys of the collections, and those that their entries have, also from plugins. */
  readonly collections: Readonly<Record<string, readonly string[]>>
  /** Headers that name what an answer to everyone is made of, such as `['posts:ID']`, where the config has a CDN; else none. */
  cacheTags(madeOf: readonly string[]): Readonly<Record<string, string>>
  /** Adds a route; until `setup` has ended. */
  route(route: PluginRoute<O, C>): void
}

/** What `setup` answers: how a plugin at work is asked and ended. */
export interface PluginRuntime {
  /** Asked by `/api/ready`; an error means that the plugin cannot do its work. */
  readonly check?: () => Awaitable<void>
  /** Lets go of what it holds; called once, in the reverse order of `setup`. */
  readonly close?: () => Awaitable<void>
}

/** What a plugin is made of. */
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
  /** Plugins, and `daybook`, that must be there, with ranges of versions; these plugins are set up before. */
  readonly requires?: Readonly<Record<string, string>>
  /** Plugins that are set up before, where they are there. */
  readonly after?: readonly string[]
  /** Plain data, handed to all of the plugin's functions. */
  readonly options?: O
  /** Whether the plugin may call `asSystem`; `daybook plugins` lists it. @default false */
  readonly system?: boolean
  readonly collections?: C
  readonly globals?: G
  /** Fields for collections and globals of the config or of other plugins, by their keys. */
  readonly fields?: F
  readonly hooks?: PluginHooks<NoInfer<O>, OpenConfig<NoInfer<C>, NoInfer<G>>>
  readonly routes?: readonly PluginRoute<NoInfer<O>, OpenConfig<NoInfer<C>, NoInfer<G>>>[]
  /**
   * The path of a page of the plugin that browsers which open `/` are sent to, where nothing else answers that. It goes before the docs
   * page; of several plugins, the first one decides. @default none
   */
  readonly startPage?: string
  /**
   * Options that need a secret and have none, by path; each with how to get the secret: `{ secret: 'openssl rand -hex 32 generates one' }`.
   * While there is one, the service listens on its own machine alone, and does not start with `NODE_ENV=production`. @default none
   */
  readonly missingSecrets?: Readonly<Record<string, string>>
  /** Plain data for an editor's interface. */
  readonly studio?: object
  /** Runs once, before the service answers. */
  readonly setup?: (
    context: PluginContext<NoInfer<O>, OpenConfig<NoInfer<C>, NoInfer<G>>>,
  ) => Awaitable<PluginRuntime | undefined> | Awaitable<void>
}

/**
 * Describes a plugin: what it adds to a service, as plain data and functions in named places.
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
 *         answers: { 200: { description: 'A greeting.', mediaType: 'text/plain', schema: { type: 'string' } } },
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
