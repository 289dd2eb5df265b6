import type { Fields } from '../fields/field.ts'

/** The typed part of a plugin's collection or global. The rest is checked at start. */
interface ContributedConfig {
  readonly fields: Fields
}

/** Documents that a plugin adds, by key. */
export type ContributedDocuments = Readonly<Record<string, ContributedConfig>>

/** Options without the secret that they need, such as of an unset variable, by path, with advice. */
export type MissingSecrets = Readonly<Record<string, string>>

/** Fields that a plugin adds to other collections and globals, by the key of the document. */
export type FieldsByDocument = Readonly<Record<string, Fields>>

/**
 * A plugin in a config: plain data, with functions only in `hooks`, `routes` and `setup`. Create it with `definePlugin`, which documents its
 * parts.
 */
export interface Plugin<
  C extends ContributedDocuments = ContributedDocuments,
  G extends ContributedDocuments = ContributedDocuments,
  F extends FieldsByDocument = FieldsByDocument,
> {
  readonly name: string
  readonly version: string
  readonly requires?: Readonly<Record<string, string>> | undefined
  readonly after?: readonly string[] | undefined
  readonly options?: object | undefined
  readonly system?: boolean | undefined
  readonly collections?: C | undefined
  readonly globals?: G | undefined
  readonly fields?: F | undefined
  readonly hooks?: object | undefined
  readonly routes?: readonly object[] | undefined
  readonly startPage?: string | undefined
  readonly missingSecrets?: MissingSecrets | undefined
  readonly studio?: object | undefined
  readonly setup?: ((context: never) => unknown) | undefined
}

/** A source of hooks and routes: a plugin, or the config itself, which has no name. */
export type Contributor = Omit<Plugin, 'name' | 'version'> & { readonly name?: string }

export const describeContributor = ({ name }: Pick<Contributor, 'name'>): string =>
  name === undefined ? 'the config' : `the plugin "${name}"`

/** Returns the name of a contributor in the log. */
export const contributorTitle = ({ name }: Pick<Contributor, 'name'>): string =>
  name === undefined ? 'config' : `plugin ${name}`

/** The plugins of a config as a union; `never` if it has none. */
type PluginOf<C> = C extends { readonly plugins: readonly (infer P)[] } ? P : never

/** One part of each plugin, as a union. */
type Part<P, Name extends 'collections' | 'globals' | 'fields'> = P extends { readonly [_ in Name]?: infer D }
  ? Exclude<D, undefined>
  : never

type KeysOfEach<D> = D extends unknown ? keyof D : never
type ValueOfEach<D, K> = D extends unknown ? (K extends keyof D ? D[K] : never) : never
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void ? I : never

/** The keys of the documents that plugins add. */
export type ContributedKey<C, Kind extends 'collections' | 'globals'> = KeysOfEach<Part<PluginOf<C>, Kind>>

/** The fields of a document that a plugin adds; any fields if it is unknown. */
export type ContributedDocument<C, Kind extends 'collections' | 'globals', K> =
  ValueOfEach<Part<PluginOf<C>, Kind>, K> extends { readonly fields: infer F extends Fields } ? F : Fields

/** The fields that plugins add to a document, as a union; `never` if there are none. */
export type ContributedFields<C, K> = ValueOfEach<Part<PluginOf<C>, 'fields'>, K>

/** Fields with added ones. */
export type WithFields<Own extends Fields, Added> = [Added] extends [never]
  ? Own
  : Own & Intersection<Added> extends infer All extends Fields
    ? { readonly [K in keyof All]: All[K] }
    : never
