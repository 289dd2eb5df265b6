import type { Field, Fields } from './field.ts'

type OptionsOf<F> = F extends Field<infer _Value, infer Options, infer _Write, infer _Generated> ? Options : never
type ValueOf<F> = F extends Field<infer Value, infer _Options, infer _Write, infer _Generated> ? Value : never
type WriteOf<F> = F extends Field<infer _Value, infer _Options, infer Write, infer _Generated> ? Write : never
type GeneratedOf<F> = F extends Field<infer _Value, infer _Options, infer _Write, infer Generated> ? Generated : never

/** True for a field that is required in every document. One with a condition may be empty. */
type IsRequired<F> =
  OptionsOf<F> extends { readonly required: true } ? ('showIf' extends keyof OptionsOf<F> ? false : true) : false

/** True for a field that is never `null` in reads: required, always filled, or a list. */
type IsFilled<F> =
  IsRequired<F> extends true
    ? true
    : '~filled' extends keyof OptionsOf<F>
      ? true
      : '~slug' extends keyof OptionsOf<F>
        ? true
        : OptionsOf<F> extends { readonly many: true }
          ? true
          : false

/** True for a field that a new document must have. */
type IsDemanded<F> =
  IsRequired<F> extends true
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

/** A generated value: its key, its type and its field. */
interface GeneratedMember<Key extends string, Value, F> {
  readonly key: Key
  readonly value: Value
  readonly field: F
}

/** The union of the generated values of fields. */
type GeneratedMembers<F extends Fields> = {
  [K in keyof F & string]: {
    [End in keyof GeneratedOf<F[K]> & string]: GeneratedMember<`${K}${End}`, GeneratedOf<F[K]>[End], F[K]>
  }[keyof GeneratedOf<F[K]> & string]
}[keyof F & string]

/** Flattens a type, so that editors show its members. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The values of a set of fields in reads. */
export type FieldValues<F extends Fields> = Flat<
  { readonly [K in keyof F]: IsFilled<F[K]> extends true ? ValueOf<F[K]> : ValueOf<F[K]> | null } & {
    readonly [M in GeneratedMembers<F> as M['key']]: IsFilled<M['field']> extends true ? M['value'] : M['value'] | null
  }
>

/**
 * True if a field with a value may appear empty for a reason: the caller may not read it, the locale has no value, or a draft is unfinished.
 */
type EmptyFor<F, Why> =
  | ('guarded' extends Why
      ? OptionsOf<F> extends { readonly access: { readonly read: unknown } }
        ? true
        : never
      : never)
  | ('unfinished' extends Why ? true : never)
  | ('localized' extends Why ? (OptionsOf<F> extends { readonly localized: true } ? true : never) : never)

/** True for a field whose empty value is not `null`, such as a list. */
type IsNeverNull<F> = '~filled' extends keyof OptionsOf<F>
  ? true
  : OptionsOf<F> extends { readonly many: true }
    ? true
    : false

type IsSeen<F, Why> = [EmptyFor<F, Why>] extends [never] ? IsFilled<F> : IsNeverNull<F>

/** The values of a set of fields in reads, some of which may appear empty for these reasons. */
export type SparseValues<F extends Fields, Why extends 'guarded' | 'localized' | 'unfinished'> = Flat<
  { readonly [K in keyof F]: IsSeen<F[K], Why> extends true ? ValueOf<F[K]> : ValueOf<F[K]> | null } & {
    readonly [M in GeneratedMembers<F> as M['key']]: IsSeen<M['field'], Why> extends true
      ? M['value']
      : M['value'] | null
  }
>

/** The values inside a container in reads. With a condition, required ones may be missing. */
export type InnerValues<F extends Fields, Options> = Options extends { readonly showIf: unknown }
  ? SparseValues<F, 'unfinished'>
  : FieldValues<F>

/** The items of a list in reads. With a condition, required values of groups may be missing. */
export type InnerItem<Item, ItemOptions, Options> = Options extends { readonly showIf: unknown }
  ? ItemOptions extends { readonly fields: infer F extends Fields }
    ? SparseValues<F, 'unfinished'>
    : Item
  : Item

type Ignored<F extends Fields> = {
  readonly [K in keyof F as `${K & string}${keyof GeneratedOf<F[K]> & string}`]?: unknown
}

/** The value of a field in writes. `null` empties a field that is not required. */
type Emptiable<F> = IsRequired<F> extends true ? WriteOf<F> : WriteOf<F> | null

export type WriteValues<F extends Fields> = Flat<
  { readonly [K in keyof F as IsDemanded<F[K]> extends true ? K : never]: WriteOf<F[K]> } & {
    readonly [K in keyof F as IsDemanded<F[K]> extends true ? never : K]?: Emptiable<F[K]>
  } & Ignored<F>
>

/** The values of an update: any fields, `null` to empty one. */
export type PatchValues<F extends Fields> = Flat<
  {
    readonly [K in keyof F]?: Emptiable<F[K]>
  } & Ignored<F>
>

/** The values of an update of a draft: any fields, `null` to empty one, even if it is required. */
export type DraftPatchValues<F extends Fields> = Flat<
  {
    readonly [K in keyof F]?: WriteOf<F[K]> | null
  } & Ignored<F>
>

/** True if a set of fields has a status, or its fields are unknown. */
export type HasStatus<F> = string extends keyof F
  ? true
  : true extends { readonly [K in keyof F]: '~status' extends keyof OptionsOf<F[K]> ? true : false }[keyof F]
    ? true
    : false

/** An item of a list in reads: an object with a key, or another value unchanged. */
export type KeyedItem<Item, ItemOptions> =
  IsKeyed<ItemOptions> extends true ? (Item extends object ? Flat<{ readonly _key: string } & Item> : Item) : Item

/** An item of a list in writes: an object with an optional key, or another value unchanged. */
export type WrittenItem<Item, ItemOptions> =
  IsKeyed<ItemOptions> extends true ? (Item extends object ? Flat<{ readonly _key?: string } & Item> : Item) : Item

/** True if the items of a list have keys: objects, except in a localized list. */
type IsKeyed<O> = O extends { readonly fields: Fields }
  ? O extends { readonly localized: true }
    ? false
    : true
  : false
