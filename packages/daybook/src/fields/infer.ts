import type { Field, Fields } from './field.ts'

type OptionsOf<F> = F extends Field<infer _Value, infer Options, infer _Write, infer _Generated> ? Options : never
type ValueOf<F> = F extends Field<infer Value, infer _Options, infer _Write, infer _Generated> ? Value : never
type WriteOf<F> = F extends Field<infer _Value, infer _Options, infer Write, infer _Generated> ? Write : never
type GeneratedOf<F> = F extends Field<infer _Value, infer _Options, infer _Write, infer Generated> ? Generated : never

/** Fields that are never `null` to a reader: required, always filled, or a list. */
type IsFilled<F> =
  OptionsOf<F> extends { readonly required: true }
    ? true
    : '~filled' extends keyof OptionsOf<F>
      ? true
      : '~slug' extends keyof OptionsOf<F>
        ? true
        : OptionsOf<F> extends { readonly many: true }
          ? true
          : false

/** Fields that a new document must name. */
type IsDemanded<F> =
  OptionsOf<F> extends { readonly required: true }
    ? 'default' extends keyof OptionsOf<F>
      ? false
      : OptionsOf<F> extends { readonly from: string }
        ? false
        : true
    : '~slug' extends keyof OptionsOf<F>
      ? OptionsOf<F> extends { readonly from: string }
        ? false
        : true
      : false

/** A value that is generated beside a field: its key, its type, and the field. */
interface GeneratedMember<Key extends string, Value, F> {
  readonly key: Key
  readonly value: Value
  readonly field: F
}

/** The union of the values that are generated beside fields. */
type GeneratedMembers<F extends Fields> = {
  [K in keyof F & string]: {
    [End in keyof GeneratedOf<F[K]> & string]: GeneratedMember<`${K}${End}`, GeneratedOf<F[K]>[End], F[K]>
  }[keyof GeneratedOf<F[K]> & string]
}[keyof F & string]

/** Written out, so that editors show what it comes to. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The values of a set of fields, as they are read. */
export type FieldValues<F extends Fields> = Flat<
  { readonly [K in keyof F]: IsFilled<F[K]> extends true ? ValueOf<F[K]> : ValueOf<F[K]> | null } & {
    readonly [M in GeneratedMembers<F> as M['key']]: IsFilled<M['field']> extends true ? M['value'] : M['value'] | null
  }
>

/**
 * Why a field that holds something may be seen empty: some may not read it, a language has no value of its own, or a working copy is
 * unfinished.
 */
type EmptyFor<F, Why> =
  | ('guarded' extends Why
      ? OptionsOf<F> extends { readonly access: { readonly read: unknown } }
        ? true
        : never
      : never)
  | ('unfinished' extends Why ? true : never)
  | ('localized' extends Why ? (OptionsOf<F> extends { readonly localized: true } ? true : never) : never)

/** Fields whose empty value is a value, such as a list. */
type IsNeverNull<F> = '~filled' extends keyof OptionsOf<F>
  ? true
  : OptionsOf<F> extends { readonly many: true }
    ? true
    : false

type IsSeen<F, Why> = [EmptyFor<F, Why>] extends [never] ? IsFilled<F> : IsNeverNull<F>

/** The values of a set of fields, where some may be seen empty for these reasons. */
export type SparseValues<F extends Fields, Why extends 'guarded' | 'localized' | 'unfinished'> = Flat<
  { readonly [K in keyof F]: IsSeen<F[K], Why> extends true ? ValueOf<F[K]> : ValueOf<F[K]> | null } & {
    readonly [M in GeneratedMembers<F> as M['key']]: IsSeen<M['field'], Why> extends true
      ? M['value']
      : M['value'] | null
  }
>

type Ignored<F extends Fields> = {
  readonly [K in keyof F as `${K & string}${keyof GeneratedOf<F[K]> & string}`]?: unknown
}

/** The values that may be written: `null` empties a field that is not required. */
type Emptiable<F> = OptionsOf<F> extends { readonly required: true } ? WriteOf<F> : WriteOf<F> | null

/** The values of a new set of fields, as they are written. */
export type WriteValues<F extends Fields> = Flat<
  { readonly [K in keyof F as IsDemanded<F[K]> extends true ? K : never]: WriteOf<F[K]> } & {
    readonly [K in keyof F as IsDemanded<F[K]> extends true ? never : K]?: Emptiable<F[K]>
  } & Ignored<F>
>

/** The values that change a set of fields: any of them, `null` to empty one. */
export type PatchValues<F extends Fields> = Flat<
  {
    readonly [K in keyof F]?: Emptiable<F[K]>
  } & Ignored<F>
>

/** The values that change a working copy: any of them, `null` to empty one, also where it is required. */
export type DraftPatchValues<F extends Fields> = Flat<
  {
    readonly [K in keyof F]?: WriteOf<F[K]> | null
  } & Ignored<F>
>

/** Whether a set of fields has a status; of fields that are not known, it may. */
export type HasStatus<F> = string extends keyof F
  ? true
  : true extends { readonly [K in keyof F]: '~status' extends keyof OptionsOf<F[K]> ? true : false }[keyof F]
    ? true
    : false

/** An object as an item of a list: the service gives it a key. A value of another kind stays as it is. */
export type KeyedItem<Item, ItemOptions> =
  IsKeyed<ItemOptions> extends true ? (Item extends object ? Flat<{ readonly _key: string } & Item> : Item) : Item

/** An object as an item of a list that is written: what was read is written back with its key. */
export type WrittenItem<Item, ItemOptions> =
  IsKeyed<ItemOptions> extends true ? (Item extends object ? Flat<{ readonly _key?: string } & Item> : Item) : Item

/** True if the items of a list of these have keys: objects do, except in a localized list. */
type IsKeyed<O> = O extends { readonly fields: Fields }
  ? O extends { readonly localized: true }
    ? false
    : true
  : false
