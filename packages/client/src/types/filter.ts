import type { DaybookConfig, EntryKey } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf, FieldValueOf, Flattened } from './fields.ts'
import type { TargetOf } from './paths.ts'

/** The operators of every value. */
export interface EqualityFilter<V> {
  readonly eq?: V
  readonly ne?: V
  /** Any of these. */
  readonly in?: readonly V[]
  /** None of these. */
  readonly nin?: readonly V[]
  /** True for fields with a value, false for empty ones. */
  readonly exists?: boolean
}

/** The operators of ordered values. */
export interface OrderFilter<V> extends EqualityFilter<V> {
  readonly lt?: V
  readonly lte?: V
  readonly gt?: V
  readonly gte?: V
}

/** The operators of texts. */
export interface TextFilter extends OrderFilter<string> {
  readonly startsWith?: string
  readonly contains?: string
  /** Equal, ignoring case and accents. */
  readonly ieq?: string
  /** `startsWith`, ignoring case and accents. */
  readonly istartsWith?: string
  /** `contains`, ignoring case and accents. */
  readonly icontains?: string
}

/** The operators of fields with several values. */
export interface MembersFilter<V> {
  /** Any of these. */
  readonly in?: readonly V[]
  /** Every one of these. */
  readonly all?: readonly V[]
  /** None of these. */
  readonly nin?: readonly V[]
  /** True for fields with a value, false for empty ones. */
  readonly exists?: boolean
}

/** The options of fields without an index, and of fields that no filter can compare. */
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

/** True for lists of scalars, which have an index. */
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

/** True for a text that can be matched in part; false for an option of a select field. */
type IsText<O, V> = string extends V ? (Extract<keyof O, '~whole' | 'options'> extends never ? true : false) : false

/** A relation to several collections; filters compare the parts of its references. */
type ToSeveral = { readonly to: readonly string[] }

type ReferencePart<O> = O extends { readonly index: false } | { readonly many: true; readonly localized: true }
  ? never
  : 'collection' | 'id'

type PartFilter<O, Part> = O extends { readonly to: readonly (infer To)[] }
  ? ComparedPart<O, Part extends 'collection' ? To : string>
  : never

type ComparedPart<O, V> = O extends { readonly many: true } ? MembersFilter<V> : EqualityFilter<V>

/** The paths of fields that can be filtered, dotted inside groups. */
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

/** The filters of every entry. */
export interface SystemFilters {
  readonly id?: OrderFilter<string>
  readonly createdAt?: OrderFilter<string>
  readonly updatedAt?: OrderFilter<string>
  /** Only if the session may see authors; without a session, the config decides. */
  readonly createdBy?: OrderFilter<string>
  readonly updatedBy?: OrderFilter<string>
}

type Filters<F> = SystemFilters & { readonly [P in FilterPath<F>]?: FilterAt<F, P> }

/** The paths of relations that a filter may reach through. */
type HopPath<F> = { [P in FilterPath<F>]: [TargetOf<F, P>] extends [never] ? never : P }[FilterPath<F>]

/** The filters of related entries, by paths through the relation. */
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

type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void
  ? I
  : never

/** The filter of entries of a collection. All its conditions must be met. */
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
