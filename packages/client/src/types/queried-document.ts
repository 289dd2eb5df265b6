import type { DaybookConfig, Entry, EntryKey, ListResult } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf, FirstKey, Flattened, Locale, RestOfPath, SourceOf } from './fields.ts'
import type { Depth, OneLess } from './paths.ts'

/** The parts of a query that decide the type of a document. */
interface TypeQuery {
  /** Paths of relations to expand. */
  readonly paths: string
  /** The number of levels to expand below named relations. */
  readonly depth: Depth
  /** The number of levels to expand for all relations. */
  readonly all: Depth
  /** Selected keys, and paths into expanded relations; `never` for all. */
  readonly select: string
  /** The locales of `locale: 'all'`; `never` for a single locale. */
  readonly locales: string
}

/**
 * A document with selected fields and expanded relations.
 *
 * @typeParam Required the keys that are always present
 */
export type SelectedDocument<C extends DaybookConfig, F, Document, Required, Q extends TypeQuery> = Flattened<
  Expanded<C, F, Selected<Document, Required, Q['select']>, Q>
>

type Selected<Document, Required, Select extends string> = [Select] extends [never]
  ? Document
  : { readonly [K in keyof Document as K extends Required | FirstKey<Select> ? K : never]: Document[K] }

type Expanded<C extends DaybookConfig, F, Document, Q extends TypeQuery> = {
  readonly [K in keyof Document]: K extends keyof F & string
    ? IsAffected<K, Q> extends true
      ? ByLocale<
          FieldOptionsOf<F[K]>,
          Value<C, FieldOptionsOf<F[K]>, Document[K], InnerQuery<Q, K>, K extends Q['paths'] ? true : false>,
          Q['locales']
        >
      : Document[K]
    : [SourceOf<F, K>] extends [never]
      ? Document[K]
      : ByLocale<FieldOptionsOf<F[SourceOf<F, K>]>, Document[K], Q['locales']>
}

/** True if the query affects a key; the other keys keep their types. */
type IsAffected<K extends string, Q extends TypeQuery> = [Q['all'], Q['locales']] extends [0, never]
  ? K extends FirstKey<Q['paths']>
    ? true
    : false
  : true

/** The values of a localized field by locale; locales without a value are absent. */
type ByLocale<O, V, L extends string> = [L] extends [never]
  ? V
  : O extends { readonly localized: true }
    ? { readonly [K in L]?: V }
    : V

/** The query of the documents below a key. */
interface InnerQuery<Q extends TypeQuery, K extends string> {
  readonly paths: RestOfPath<Q['paths'], K>
  readonly depth: Q['depth']
  readonly all: Q['all']
  readonly select: RestOfPath<Q['select'], K>
  readonly locales: Q['locales']
}

type Value<C extends DaybookConfig, O, V, In extends TypeQuery, Named> = O extends {
  readonly to: infer To extends EntryKey<C>
}
  ? [Named, In['paths'], In['all']] extends [false, never, 0]
    ? V
    : RelatedDocument<V, Target<C, To, NextLevel<In, Named>>>
  : O extends { readonly to: readonly (infer To extends EntryKey<C>)[] }
    ? [Named, In['paths'], In['all']] extends [false, never, 0]
      ? V
      : RelatedDocument<V, TaggedTarget<C, To, NextLevel<In, Named>>>
    : O extends { readonly through: `${infer From extends EntryKey<C>}.${string}` }
      ? ReverseList<C, From, V, In, Named>
      : O extends { readonly fields: infer F }
        ? Group<C, F, V, In>
        : O extends { readonly of: infer F }
          ? FieldOptionsOf<F> extends { readonly to: string | readonly string[] }
            ? Value<C, FieldOptionsOf<F>, V, In, Named>
            : V extends readonly (infer Item)[]
              ? readonly Value<C, FieldOptionsOf<F>, Item, In, Named>[]
              : V
          : O extends { readonly types: infer T }
            ? V extends readonly (infer Block)[]
              ? readonly BlockOf<C, T, Block, In>[]
              : V
            : V

/** An included reverse field: a page of the entries that refer to the document. */
type ReverseList<C extends DaybookConfig, From extends EntryKey<C>, V, In extends TypeQuery, Named> = [
  Named,
  In['paths'],
  In['all'],
] extends [false, never, 0]
  ? V
  : ListResult<Target<C, From, NextLevel<In, Named>>>

/** A missing or hidden related document is `null`, or left out of a list. */
type RelatedDocument<V, Document> = V extends readonly unknown[] ? readonly Document[] : Document | null

interface NextLevel<Q extends TypeQuery, Named> {
  readonly paths: Q['paths']
  readonly depth: OneLess<Q['depth']>
  readonly all: Q['all'] extends 0 ? (Named extends true ? OneLess<Q['depth']> : 0) : OneLess<Q['all']>
  readonly select: Q['select']
  readonly locales: Q['locales']
}

type Target<C extends DaybookConfig, K extends EntryKey<C>, Q extends TypeQuery> = [
  Q['paths'],
  Q['all'],
  Q['select'],
  Q['locales'],
] extends [never, 0, never, never]
  ? Entry<C, K>
  : SelectedDocument<C, CollectionFieldsOf<C, K>, Entry<C, K>, 'id', Q>

/** A document of one of several collections, distinguished by `collection`. */
type TaggedTarget<C extends DaybookConfig, K extends EntryKey<C>, Q extends TypeQuery> =
  K extends EntryKey<C> ? Flattened<{ readonly collection: K } & Target<C, K, Q>> : never

type Group<C extends DaybookConfig, F, V, Q extends TypeQuery> = V extends null ? V : Flattened<Expanded<C, F, V, Q>>

type BlockOf<C extends DaybookConfig, T, Block, Q extends TypeQuery> = Block extends {
  readonly _type: infer K extends keyof T
}
  ? Flattened<Expanded<C, T[K], Block, Q>>
  : Block

/** The slug of an entry in a locale. */
export interface Alternate {
  readonly locale: string
  readonly slug: string
}

type WithAlternates<I extends readonly string[], Document> = 'alternates' extends I[number]
  ? Flattened<Document & { readonly alternates: readonly Alternate[] }>
  : Document

/** The type of a document in the result of a query. */
export type QueriedDocument<
  C extends DaybookConfig,
  F,
  Document,
  Required,
  I extends readonly string[],
  S extends readonly string[],
  D extends Depth,
  L extends string,
> = D extends Depth // distributes over the possible depths
  ? [I, S, D, AllLocales<C, L>] extends [readonly [], readonly [], 0, never]
    ? Document
    : OnlyIf<
        I,
        Document,
        WithAlternates<I, SelectedDocument<C, F, Document, Required, TypeQueryFrom<I, S, D, AllLocales<C, L>>>>
      >
  : never

type AllLocales<C extends DaybookConfig, L> = 'all' extends L ? Locale<C> : never

interface TypeQueryFrom<
  I extends readonly string[],
  S extends readonly string[],
  D extends Depth,
  Locales extends string,
> {
  readonly paths: I[number]
  readonly depth: D
  readonly all: I extends readonly [] ? D : 0
  readonly select: S[number]
  readonly locales: Locales
}

/** For a list of paths that is not known at compile time, both types are possible. */
type OnlyIf<I extends readonly string[], Plain, Expanded> = number extends I['length'] ? Plain | Expanded : Expanded
