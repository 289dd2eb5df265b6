import type { CollectionFields, DaybookConfig, EntryKey, GlobalFields, GlobalKey } from 'daybook'

export type CollectionFieldsOf<C extends DaybookConfig, K extends EntryKey<C>> = CollectionFields<C, K>

export type GlobalFieldsOf<C extends DaybookConfig, K extends GlobalKey<C>> = GlobalFields<C, K>

export type FieldOptionsOf<F> = F extends { readonly options: infer O } ? O : never

/** The suffixes of the keys of derived values. */
type GeneratedEnd<F> = F extends { readonly '~generated'?: infer G } ? keyof Exclude<G, undefined> & string : never

/** The field of a derived value's key. */
export type SourceOf<F, Key> = {
  [K in keyof F & string]: Key extends `${K}${GeneratedEnd<F[K]>}` ? K : never
}[keyof F & string]

export type FieldValueOf<F> = F extends { readonly '~value'?: infer V } ? Exclude<V, undefined> : never

/** The locales of a config. */
export type Locale<C extends DaybookConfig> = C extends {
  readonly locales: { readonly available: readonly (infer L extends string)[] }
}
  ? L
  : never

/** Expands a type, so that editors show its members. */
export type Flattened<T> = { [K in keyof T]: T[K] } & {}

/** The rest of a dotted path after a key. */
export type RestOfPath<Path extends string, Key extends string> = Path extends `${Key}.${infer Rest}` ? Rest : never

/** The first key of a dotted path. */
export type FirstKey<Path extends string> = Path extends `${infer Key}.${string}` ? Key : Path
