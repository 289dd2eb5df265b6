import type { Fields } from '../fields/field.ts'

/** The parts of a collection or a global that the types of a plugin need; the rest is checked at start. */
interface ContributedConfig {
  readonly fields: Fields
}

/** Documents that a plugin adds, by key. */
export type ContributedDocuments = Readonly<Record<string, ContributedConfig>>

/** Options that need a secret and have none, such as a variable that is not set, by path; each with how to get the secret. */
export type MissingSecrets = Readonly<Record<string, string>>

/** Fields that a plugin adds to collections and globals of others, by the key of the document. */
export type FieldsByDocument = Readonly<Record<string, Fields>>

/**
 * A plugin as a config lists it: plain data, with functions in `hooks`, `routes` and `setup` alone. `definePlugin` makes one, and
 * says what its parts are.
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

/** What brings code into a service: a plugin, or the config itself, which has no name. */
export type Contributor = Omit<Plugin, 'name' | 'version'> & { readonly name?: string }

/** A contributor in a sentence. */
export const describeContributor = ({ name }: Pick<Contributor, 'name'>): string =>
  name === undefined ? 'the config' : `the plugin "${name}"`

/** A contributor, as the log names it. */
export const contributorTitle = ({ name }: Pick<Contributor, 'name'>): string =>
  name === undefined ? 'config' : `plugin ${name}`

/** The plugins of a config, as a union; `never` where it has none. */
type PluginOf<C> = C extends { readonly plugins: readonly (infer P)[] } ? P : never

/** One part of each plugin, as a union. */
type Part<P, Name extends 'collections' | 'globals' | 'fields'> = P extends { readonly [_ in Name]?: infer D }
  ? Exclude<D, undefined>
  : never

type KeysOfEach<D> = D extends unknown ? keyof D : never
type ValueOfEach<D, K> = D extends unknown ? (K extends keyof D ? D[K] : never) : never
type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never

/** Keys of the documents that plugins add. */
export type ContributedKey<C, Kind extends 'collections' | 'globals'> = KeysOfEach<Part<PluginOf<C>, Kind>>

/** The fields of a document that a plugin adds; any where nothing is known of it. */
export type ContributedDocument<C, Kind extends 'collections' | 'globals', K> =
  ValueOfEach<Part<PluginOf<C>, Kind>, K> extends { readonly fields: infer F extends Fields } ? F : Fields

/** Fields that plugins add to a document, as a union; `never`: none. */
export type ContributedFields<C, K> = ValueOfEach<Part<PluginOf<C>, 'fields'>, K>

/** Fields with those that are added. */
export type WithFields<Own extends Fields, Added> = [Added] extends [never]
  ? Own
  : Own & Intersection<Added> extends infer All extends Fields
    ? { readonly [K in keyof All]: All[K] }
    : never
