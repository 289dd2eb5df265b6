import { type Fields, isRecord } from '../fields/field.ts'
import { ConfigError, type ConfigFault } from './check-config.ts'
import { checkPlugins, isPlainObject } from './check-plugins.ts'
import type { CollectionConfig, DaybookConfig, GlobalConfig } from './config.ts'
import type { Contributor, Plugin } from './plugin.ts'
import { orderPlugins } from './plugin-order.ts'

export interface Assembly {
  readonly config: DaybookConfig
  /** The plugins in the order of their setup. */
  readonly plugins: readonly Plugin[]
  /** The config with its own hooks and routes, and then the plugins. */
  readonly contributors: readonly Contributor[]
  /** Conflicts between plugins, or with the config. */
  readonly faults: readonly ConfigFault[]
  /** Returns a fault of the assembled config with its original path. */
  locate(fault: ConfigFault): ConfigFault
}

/**
 * Adds the collections, globals and fields of plugins to their config.
 *
 * @throws {ConfigError} if a plugin is invalid
 */
export function assembleConfig(config: DaybookConfig): Assembly {
  // Another value is rejected by the checks of the config.
  if (!isRecord(config)) return { config, plugins: [], contributors: [], faults: [], locate: (fault) => fault }
  const { collections, globals, routes } = config
  const configContributor: Contributor = { collections, globals, routes, system: true }
  if (config.plugins === undefined) {
    return { config, plugins: [], contributors: [configContributor], faults: [], locate: (fault) => fault }
  }
  const faults: ConfigFault[] = []
  const report = { add: (path: string, message: string) => void faults.push({ path, message }) }
  checkPlugins(config.plugins, report)
  if (faults.length > 0) throw new ConfigError(faults)
  const plugins = orderPlugins(config.plugins, report)
  const merge = new Merge(config, (path, message) => report.add(path, message))
  for (const plugin of plugins) merge.addDocuments(plugin)
  for (const plugin of plugins) merge.addFields(plugin)
  for (const plugin of plugins) merge.checkHooks(plugin)
  return {
    config: merge.config,
    plugins,
    contributors: [configContributor, ...plugins],
    faults,
    locate: (fault) => merge.locate(fault),
  }
}

type Kind = 'collections' | 'globals'
type DocumentConfig = CollectionConfig | GlobalConfig

const KINDS: readonly Kind[] = ['collections', 'globals']
const SINGULAR: Readonly<Record<Kind, string>> = { collections: 'collection', globals: 'global' }

/** A config to which the contributions of plugins are added. */
class Merge {
  readonly #config: DaybookConfig
  readonly #documents: Readonly<Record<Kind, Map<string, DocumentConfig>>>
  /** The original paths of documents and fields, by path in the assembled config. */
  readonly #origins = new Map<string, string>()
  readonly #add: (path: string, message: string) => void

  constructor(config: DaybookConfig, add: (path: string, message: string) => void) {
    this.#config = config
    this.#add = add
    const toMap = (documents: unknown): Map<string, DocumentConfig> =>
      new Map(Object.entries(isRecord(documents) ? documents : {}) as [string, DocumentConfig][])
    this.#documents = { collections: toMap(config.collections), globals: toMap(config.globals) }
  }

  get config(): DaybookConfig {
    const { collections, globals } = this.#documents
    // An invalid part stays unchanged, so that the checks report it.
    const isValid = (kind: Kind): boolean => this.#config[kind] === undefined || isRecord(this.#config[kind])
    return {
      ...this.#config,
      ...(isValid('collections') ? { collections: Object.fromEntries(collections) as never } : {}),
      ...(isValid('globals') && globals.size > 0 ? { globals: Object.fromEntries(globals) as never } : {}),
    }
  }

  /** Adds a plugin's collections and globals. */
  addDocuments(plugin: Plugin): void {
    for (const kind of KINDS) {
      for (const [key, document] of Object.entries(plugin[kind] ?? {})) this.#addDocument(plugin, kind, key, document)
    }
  }

  #addDocument({ name }: Plugin, kind: Kind, key: string, document: object): void {
    const [place, path] = [`${kind}.${key}`, `plugins.${name}.${kind}.${key}`]
    if (this.#documents[kind].has(key)) {
      const fault = `is already a ${SINGULAR[kind]} of ${this.#describeOrigin(place)}`
      return void this.#add(path, `${fault}. Rename one, or add fields to it with fields: { ${key}: { … } }`)
    }
    this.#documents[kind].set(key, document as DocumentConfig)
    this.#origins.set(place, path)
  }

  /** Adds a plugin's fields to collections and globals, of the config or of any plugin. */
  addFields({ name, fields = {} }: Plugin): void {
    for (const [key, added] of Object.entries(fields)) {
      const kind = KINDS.find((candidate) => this.#documents[candidate].has(key))
      const path = `plugins.${name}.fields.${key}`
      if (kind) this.#addFieldsTo(kind, key, added, path)
      else this.#add(path, `is not a collection or global of the config. Use one of: ${this.#keys}`)
    }
  }

  #addFieldsTo(kind: Kind, key: string, added: Fields, path: string): void {
    const document = this.#documents[kind].get(key) as DocumentConfig
    const fields: Record<string, unknown> = { ...document.fields }
    for (const [field, value] of Object.entries(added)) {
      const place = `${kind}.${key}.fields.${field}`
      if (Object.hasOwn(fields, field)) {
        this.#add(`${path}.${field}`, `is already a field of ${key} in ${this.#describeOrigin(place)}. Rename one`)
      } else {
        fields[field] = value
        this.#origins.set(place, `${path}.${field}`)
      }
    }
    this.#documents[kind].set(key, { ...document, fields: fields as Fields })
  }

  /** Reports hooks that can never run. */
  checkHooks({ name, hooks = {} }: Plugin): void {
    for (const kind of KINDS) {
      const hooked = Object.keys((hooks as Partial<Record<Kind, object>>)[kind] ?? {})
      for (const key of hooked) this.#checkHooked(kind, key, `plugins.${name}.hooks.${kind}.${key}`)
    }
  }

  #checkHooked(kind: Kind, key: string, path: string): void {
    const documents = this.#documents[kind]
    if (key === '*' ? documents.size > 0 : documents.has(key)) return
    const what = key === '*' ? SINGULAR[kind] : `${SINGULAR[kind]} "${key}"`
    const keys = [...documents.keys()]
    const advice = keys.length > 0 ? `Use * or one of: ${keys.join(', ')}` : 'Remove the hook'
    this.#add(path, `can never run, because the config has no ${what}. ${advice}`)
  }

  locate(fault: ConfigFault): ConfigFault {
    const segments = fault.path.split('.')
    // The path of a field has four segments, that of a document two.
    for (const length of [4, 2]) {
      const origin = this.#origins.get(segments.slice(0, length).join('.'))
      if (origin !== undefined) return { ...fault, path: [origin, ...segments.slice(length)].join('.') }
    }
    return fault
  }

  get #keys(): string {
    return KINDS.flatMap((kind) => [...this.#documents[kind].keys()]).join(', ')
  }

  /** Describes the origin of a document or field. */
  #describeOrigin(place: string): string {
    const origin = this.#origins.get(place) ?? this.#origins.get(place.split('.').slice(0, 2).join('.'))
    return origin === undefined ? 'the config' : `the plugin "${origin.split('.')[1]}"`
  }
}

/** Parts of a config that may be mutable objects of a class. */
const MUTABLE_PARTS: readonly string[] = ['auth', 'database', 'plugins']

/** Freezes an assembled config and its plugins. */
export function freezeConfig(config: DaybookConfig, plugins: readonly Plugin[]): void {
  const seen = new WeakSet<object>()
  for (const [key, part] of Object.entries(config)) if (!MUTABLE_PARTS.includes(key)) freezeDeeply(part, seen)
  Object.freeze(config)
  freezeDeeply(plugins, seen)
}

function freezeDeeply(value: unknown, seen: WeakSet<object>): void {
  const canFreeze = Array.isArray(value) || isPlainObject(value)
  if (!canFreeze || seen.has(value as object)) return
  seen.add(value as object)
  Object.freeze(value)
  // The type of a field is code, which may have mutable state.
  const parts = isField(value) ? [value.options] : Object.values(value as object)
  for (const part of parts) freezeDeeply(part, seen)
}

const isField = (value: unknown): value is { readonly options: unknown } =>
  isRecord(value) && isRecord(value.type) && isRecord(value.options)
