import type {
  CollectionConfig,
  DaybookConfig,
  EntryValidator,
  GlobalConfig,
  GlobalValidator,
  HookedEntry,
  HookedGlobal,
} from '../config/config.ts'
import type { Exactly, Fields } from '../fields/field.ts'
import type { CollectionHooks, GlobalHooks } from './hooks.ts'
import type { PluginRoute } from './route.ts'

/** The parts of a collection. */
export interface CollectionDefinition<F extends Fields> extends Omit<CollectionConfig<F>, 'validate' | 'hooks'> {
  readonly validate?: EntryValidator<NoInfer<F>>
  readonly hooks?: CollectionHooks<NoOptions, DaybookConfig, HookedEntry<NoInfer<F>>>
}

/** The parts of a global. */
export interface GlobalDefinition<F extends Fields> extends Omit<GlobalConfig<F>, 'validate' | 'hooks'> {
  readonly validate?: GlobalValidator<NoInfer<F>>
  readonly hooks?: GlobalHooks<NoOptions, DaybookConfig, HookedGlobal<NoInfer<F>>>
}

/** Only plugins have options. */
type NoOptions = Readonly<Record<never, never>>

/** The functions of a config, with the types of their arguments. */
interface ConfigFunctions {
  readonly collections?: Readonly<Record<string, { readonly hooks?: CollectionHooks<NoOptions> }>>
  readonly globals?: Readonly<Record<string, { readonly hooks?: GlobalHooks<NoOptions> }>>
  readonly routes?: readonly PluginRoute<NoOptions>[]
}

/**
 * Describes the content of a service.
 *
 * @example
 * ```ts
 * export default defineConfig({
 *   collections: {
 *     posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) } }),
 *   },
 * })
 * ```
 */
export function defineConfig<const C extends DaybookConfig>(config: Exactly<C, DaybookConfig> & ConfigFunctions): C {
  return config
}

/**
 * Describes a collection. Its hooks and its `validate` know its fields.
 *
 * @example
 * ```ts
 * const events = defineCollection({
 *   fields: { startsAt: f.datetime({ required: true }), endsAt: f.datetime({ required: true }) },
 *   validate: ({ startsAt, endsAt }) => (endsAt > startsAt ? [] : [{ path: '/endsAt', message: 'must be after startsAt' }]),
 * })
 * ```
 */
export function defineCollection<const F extends Fields>(collection: CollectionDefinition<F>): CollectionConfig<F> {
  // NoInfer keeps validators from deciding what the fields are; it changes no type.
  return collection as unknown as CollectionConfig<F>
}

/** Describes a global. Its hooks and its `validate` know its fields. */
export function defineGlobal<const F extends Fields>(global: GlobalDefinition<F>): GlobalConfig<F> {
  return global as unknown as GlobalConfig<F>
}
