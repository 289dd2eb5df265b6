import type { DaybookConfig, Entry, EntryKey } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf, Locale, RestOfPath } from './fields.ts'

/** A number of levels of relations. */
export type Depth = 0 | 1 | 2 | 3 | 4 | 5

export type OneLess<D extends Depth> = { 0: 0; 1: 0; 2: 1; 3: 2; 4: 3; 5: 4 }[D]

/** The paths of relations and reverse fields in a set of fields. Lists and blocks add no segment. */
export type RelationPath<F> = { [K in keyof F & string]: PathsIn<FieldOptionsOf<F[K]>, K> }[keyof F & string]

type PathsIn<O, K extends string> = O extends { readonly to: string | readonly string[] } | { readonly through: string }
  ? K
  : O extends { readonly fields: infer F }
    ? `${K}.${RelationPath<F>}`
    : O extends { readonly of: infer F }
      ? PathsIn<FieldOptionsOf<F>, K>
      : O extends { readonly types: infer T }
        ? { [B in keyof T]: `${K}.${RelationPath<T[B]>}` }[keyof T]
        : never

/** The collection, or the collections, of the relation at a path. */
export type TargetOf<F, Path extends string> = Path extends keyof F
  ? TargetIn<FieldOptionsOf<F[Path]>>
  : Path extends `${infer K}.${infer Rest}`
    ? K extends keyof F
      ? TargetInside<FieldOptionsOf<F[K]>, Rest>
      : never
    : never

type TargetIn<O> = O extends { readonly to: readonly (infer To)[] }
  ? To
  : O extends { readonly to: infer To } | { readonly through: `${infer To}.${string}` }
    ? To
    : O extends { readonly of: infer F }
      ? TargetIn<FieldOptionsOf<F>>
      : never

type TargetInside<O, Path extends string> = O extends { readonly fields: infer F }
  ? TargetOf<F, Path>
  : O extends { readonly of: infer F }
    ? TargetInside<FieldOptionsOf<F>, Path>
    : O extends { readonly types: infer T }
      ? { [B in keyof T]: TargetOf<T[B], Path> }[keyof T]
      : never

/** The paths of relations to include, through at most three levels; more would be too many for the compiler. */
export type IncludePath<C extends DaybookConfig, F, Levels extends Depth = 3> = Levels extends 0
  ? never
  : string extends keyof F
    ? string
    : { [P in RelationPath<F>]: P | Further<C, TargetOf<F, P>, P, OneLess<Levels>> }[RelationPath<F>]

/** The values of `include`: relations and, if the content has several locales, `alternates`, the slugs in all of them. */
export type EntryInclude<C extends DaybookConfig, F> = [Locale<C>] extends [never]
  ? IncludePath<C, F>
  : IncludePath<C, F> | 'alternates'

type Further<C extends DaybookConfig, T, P extends string, Levels extends Depth> = Levels extends 0
  ? never
  : T extends EntryKey<C>
    ? `${P}.${IncludePath<C, CollectionFieldsOf<C, T>, Levels>}`
    : never

/** The paths of keys inside included relations. */
export type InnerPath<C extends DaybookConfig, F, Included extends string> = {
  [P in RelationPath<F>]: [Extract<Included, P | `${P}.${string}`>] extends [never]
    ? never
    : InnerKeys<C, TargetOf<F, P>, P, RestOfPath<Included, P>>
}[RelationPath<F>]

type InnerKeys<C extends DaybookConfig, T, P extends string, Included extends string> =
  T extends EntryKey<C>
    ?
        | `${P}.${keyof Entry<C, T> & string}`
        | ([Included] extends [never] ? never : `${P}.${InnerPath<C, CollectionFieldsOf<C, T>, Included>}`)
    : never

/** The paths of expanded relations. */
export type Included<C extends DaybookConfig, F, I extends readonly string[], D extends Depth> = I extends readonly []
  ? D extends 0
    ? never
    : IncludePath<C, F, D extends 4 | 5 ? 3 : D>
  : I[number]
