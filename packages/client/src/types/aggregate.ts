import type { DaybookConfig, EntryKey, ListResult, ValueCount } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf, FieldValueOf } from './fields.ts'
import type { FilterAt, FilterPath, SystemFilters } from './filter.ts'
import type { TargetOf } from './paths.ts'

type NumberAggregate = 'count' | 'min' | 'max' | 'sum' | 'avg'
type DateAggregate = 'count' | 'count:day' | 'count:month' | 'count:year' | 'min' | 'max'

type OptionsAt<F, P> = P extends keyof F
  ? FieldOptionsOf<F[P]>
  : P extends `${infer K}.${infer Rest}`
    ? K extends keyof F
      ? FieldOptionsOf<F[K]> extends { readonly fields: infer Inner }
        ? OptionsAt<Inner, Rest>
        : never
      : never
    : never

type KindAt<F, P extends string> = P extends 'createdAt' | 'updatedAt'
  ? DateAggregate
  : P extends 'id'
    ? 'count'
    : FilterAt<F, P> extends { readonly all?: unknown }
      ? [TargetOf<F, P>] extends [never]
        ? 'count'
        : never
      : FilterAt<F, P> extends { readonly lt?: number }
        ? NumberAggregate
        : '~whole' extends keyof OptionsAt<F, P>
          ? DateAggregate
          : 'count'

type AggregatePath<F> = FilterPath<F> | keyof SystemFilters

type ToAggregateName<P extends string, Kind> = Kind extends `${infer Operation}:${infer Period}`
  ? `${Operation}:${P}:${Period}`
  : `${Kind & string}:${P}`

/** Aggregates over all matching entries: kinds by field, or names such as `count:category`. */
export type AggregateQuery<C extends DaybookConfig, K extends EntryKey<C>> =
  CollectionFieldsOf<C, K> extends infer F
    ? string extends keyof F
      ? string | readonly string[] | { readonly [field: string]: string | readonly string[] }
      :
          | { readonly [P in AggregatePath<F>]?: KindAt<F, P> | readonly KindAt<F, P>[] }
          | AggregateName<F>
          | readonly AggregateName<F>[]
    : never

type AggregateName<F> = { [P in AggregatePath<F>]: ToAggregateName<P, KindAt<F, P>> }[AggregatePath<F>]

type AggregateNames<A> = A extends string
  ? A
  : A extends readonly (infer Name)[]
    ? Name & string
    : { [P in keyof A & string]: ToAggregateName<P, A[P] extends readonly (infer Kind)[] ? Kind : A[P]> }[keyof A &
        string]

/** The value of the field at a path, or one of its members. */
type ValueAt<F, P extends string> = P extends keyof F
  ? FieldValueOf<F[P]> extends readonly (infer Item)[]
    ? Item
    : FieldValueOf<F[P]> | (FieldOptionsOf<F[P]> extends Filled ? never : null)
  : P extends keyof SystemFilters
    ? string
    : P extends `${infer K}.${infer Rest}`
      ? K extends keyof F
        ? FieldOptionsOf<F[K]> extends { readonly fields: infer Inner }
          ? ValueAt<Inner, Rest>
          : never
        : never
      : never

type Filled = { readonly required: true } | { readonly '~status'?: true; readonly '~filled'?: true }

type AggregateResultFor<F, Name extends string> = Name extends `count:${string}:${string}`
  ? readonly ValueCount<string | null>[]
  : Name extends `count:${infer P}`
    ? readonly ValueCount<ValueAt<F, P>>[]
    : Name extends `sum:${string}`
      ? number
      : Name extends `avg:${string}`
        ? number | null
        : Name extends `${'min' | 'max'}:${infer P}`
          ? ValueAt<F, P> | null
          : never

/** A page of a list with aggregates over all matching entries. */
export type AggregatedList<C extends DaybookConfig, K extends EntryKey<C>, Item, A> = [A] extends [never]
  ? ListResult<Item>
  : Omit<ListResult<Item>, 'aggregates'> & {
      readonly aggregates: { readonly [Name in AggregateNames<A>]: AggregateResultFor<CollectionFieldsOf<C, K>, Name> }
    }
