import type { DaybookConfig, EntryKey } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf, FieldValueOf, Flattened } from './fields.ts'
import type { TargetOf } from './paths.ts'

/** How every value compares. */
export interface EqualityFilter<V> {
  readonly eq?: V
  readonly ne?: V
  /** Any of these. */
  readonly in?: readonly V[]
  /** None of these. */
  readonly nin?: readonly V[]
  /** Whether there is a value. */
  readonly exists?: boolean
}

/** How values with an order compare. */
export interface OrderFilter<V> extends EqualityFilter<V> {
  readonly lt?: V
  readonly lte?: V
  readonly gt?: V
  readonly gte?: V
}

/** How texts compare. */
export interface TextFilter extends OrderFilter<string> {
  readonly startsWith?: string
  readonly contains?: string
  /** Equal, ignoring case and accents. */
  readonly ieq?: string
  /** As `startsWith`, ignoring case and accents. */
  readonly istartsWith?: string
  /** As `contains`, ignoring case and accents. */
  readonly icontains?: string
}

/** How fields compare that hold many values. */
export interface MembersFilter<V> {
  /** Any of these. */
  readonly in?: readonly V[]
  /** Every one of these. */
  readonly all?: readonly V[]
  /** None of these. */
  readonly nin?: readonly V[]
  /** Whether there is a value. */
  readonly exists?: boolean
}

/** What a field without an index is, and one that no filter can compare. */
type Unfiltered =
  | { readonly index: false }
  | { readonly fields: unknown }
  | { readonly types: unknown }
  | { readonly through: string }
  | { readonly to: readonly string[] }

type FilterOf<F> =
  FieldOptionsOf<F> extends Unfiltered
    ? never
    : Extract<keyof FieldOptionsOf<F>, '~unfiltered'> extends never
      ? Compared<FieldOptionsOf<F>, FieldValueOf<F>>
      : never

type Compared<O, V> = O extends { readonly many: true }
  ? Members<O, V>
  : O extends { readonly of: infer F }
    ? [IsScalar<F>] extends [true]
      ? Members<O, V>
      : never
    : O extends { readonly to: string }
      ? EqualityFilter<string>
      : [V] extends [boolean]
        ? EqualityFilter<boolean>
        : [V] extends [number]
          ? OrderFilter<number>
          : IsText<O, V> extends true
            ? TextFilter
            : OrderFilter<V>

type Members<O, V> = O extends { readonly localized: true }
  ? never
  : MembersFilter<V extends readonly (infer Item)[] ? Item : never>

/** Whether the items of a list are scalars, which stand in an index. */
type IsScalar<F> =
  FieldOptionsOf<F> extends
    | Unfiltered
    | { readonly of: unknown }
    | { readonly to: unknown }
    | { readonly many: true }
    | { readonly localized: true }
    ? false
    : Extract<keyof FieldOptionsOf<F>, '~unfiltered'> extends never
      ? true
      : false

/** A text of which a filter may ask for a part: not one of several options. */
type IsText<O, V> = string extends V ? (Extract<keyof O, '~whole' | 'options'> extends never ? true : false) : false

/** A relation to several collections, of which a filter compares the parts of references. */
type ToSeveral = { readonly to: readonly string[] }

type ReferencePart<O> = O extends { readonly index: false } | { readonly many: true; readonly localized: true }
  ? never
  : 'collection' | 'id'

type PartFilter<O, Part> = O extends { readonly to: readonly (infer To)[] }
  ? ComparedPart<O, Part extends 'collection' ? To : string>
  : never

type ComparedPart<O, V> = O extends { readonly many: true } ? MembersFilter<V> : EqualityFilter<V>

/** Fields that can be filtered by; those of groups by their dotted paths. */
export type FilterPath<F> = {
  [K in keyof F & string]: FieldOptionsOf<F[K]> extends { readonly fields: infer Inner }
    ? `${K}.${FilterPath<Inner>}`
    : FieldOptionsOf<F[K]> extends ToSeveral
      ? `${K}.${ReferencePart<FieldOptionsOf<F[K]>>}`
      : [FilterOf<F[K]>] extends [never]
        ? never
        : K
}[keyof F & string]

/** The filter of the field at a path. */
export type FilterAt<F, Path> = Path extends keyof F
  ? FilterOf<F[Path]>
  : Path extends `${infer K}.${infer Rest}`
    ? K extends keyof F
      ? FieldOptionsOf<F[K]> extends { readonly fields: infer Inner }
        ? FilterAt<Inner, Rest>
        : PartFilter<FieldOptionsOf<F[K]>, Rest>
      : never
    : never

/** What every entry can be filtered by. */
export interface SystemFilters {
  readonly id?: OrderFilter<string>
  readonly createdAt?: OrderFilter<string>
  readonly updatedAt?: OrderFilter<string>
  /** Of readers who may know it: without a session, as the config says. */
  readonly createdBy?: OrderFilter<string>
  readonly updatedBy?: OrderFilter<string>
}

type Filters<F> = SystemFilters & { readonly [P in FilterPath<F>]?: FilterAt<F, P> }

/** Relations that a filter may look through. */
type HopPath<F> = { [P in FilterPath<F>]: [TargetOf<F, P>] extends [never] ? never : P }[FilterPath<F>]

/** Filters of what the relation at a path refers to, by paths through it. */
type HopFilters<C extends DaybookConfig, P extends string, T> =
  T extends EntryKey<C>
    ? {
        readonly [K in keyof Filters<CollectionFieldsOf<C, T>> & string as `${P}.${K}`]?: Filters<
          CollectionFieldsOf<C, T>
        >[K]
      }
    : unknown

type Hops<C extends DaybookConfig, F> = UnionToIntersection<
  { [P in HopPath<F>]: HopFilters<C, P, TargetOf<F, P>> }[HopPath<F>]
>

type UnionToIntersection<U> = (U extends unknown ? (one: U) => void : never) extends (one: infer I) => void ? I : never

/** What entries of a collection must hold: conditions on fields, all of which must be met. */
export type Where<C extends DaybookConfig, K extends EntryKey<C>> = Flattened<
  Filters<CollectionFieldsOf<C, K>> & Hops<C, CollectionFieldsOf<C, K>> & Groups<C, K>
>

interface Groups<C extends DaybookConfig, K extends EntryKey<C>> {
  /** All of these. */
  readonly and?: readonly Where<C, K>[]
  /** Any of these. */
  readonly or?: readonly Where<C, K>[]
  /** Not this. */
  readonly not?: Where<C, K>
}

type SortPath<F> = {
  [P in FilterPath<F> | keyof SystemFilters]: P extends keyof SystemFilters
    ? P
    : FilterAt<F, P> extends { readonly eq?: unknown }
      ? P
      : never
}[FilterPath<F> | keyof SystemFilters]

/** A field to sort by; a leading `-` descends. */
export type Sort<C extends DaybookConfig, K extends EntryKey<C>> =
  SortPath<CollectionFieldsOf<C, K>> extends infer P extends string ? P | `-${P}` : never

/** The statuses of a collection; `never` without a status field. */
export type Status<C extends DaybookConfig, K extends EntryKey<C>> =
  CollectionFieldsOf<C, K> extends infer F
    ? { [P in keyof F]: '~status' extends keyof FieldOptionsOf<F[P]> ? FieldValueOf<F[P]> : never }[keyof F]
    : never
