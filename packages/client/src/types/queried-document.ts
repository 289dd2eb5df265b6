import type { DaybookConfig, Entry, EntryKey, ListResult } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf, FirstKey, Flattened, Locale, RestOfPath, SourceOf } from './fields.ts'
import type { Depth, OneLess } from './paths.ts'

/** What is asked of a document. */
interface Question {
  /** Paths of relations to expand. */
  readonly paths: string
  /** How many levels are expanded below what is named. */
  readonly depth: Depth
  /** How many levels are expanded whatever is named. */
  readonly all: Depth
  /** Keys to answer with, and paths into expanded relations; `never`: all. */
  readonly select: string
  /** The locales that are all answered; `never`: one is, whichever. */
  readonly locales: string
}

/**
 * A document as it is answered.
 *
 * @typeParam Own the key that always comes along
 */
export type SelectedDocument<C extends DaybookConfig, F, Document, Own, Q extends Question> = Flattened<
  Expanded<C, F, Selected<Document, Own, Q['select']>, Q>
>

type Selected<Document, Own, Select extends string> = [Select] extends [never]
  ? Document
  : { readonly [K in keyof Document as K extends Own | FirstKey<Select> ? K : never]: Document[K] }

type Expanded<C extends DaybookConfig, F, Document, Q extends Question> = {
  readonly [K in keyof Document]: K extends keyof F & string
    ? IsTouched<K, Q> extends true
      ? InLocales<
          FieldOptionsOf<F[K]>,
          Value<C, FieldOptionsOf<F[K]>, Document[K], Inside<Q, K>, K extends Q['paths'] ? true : false>,
          Q['locales']
        >
      : Document[K]
    : [SourceOf<F, K>] extends [never]
      ? Document[K]
      : InLocales<FieldOptionsOf<F[SourceOf<F, K>]>, Document[K], Q['locales']>
}

/** Whether anything is asked about a key, so that all others need no thought. */
type IsTouched<K extends string, Q extends Question> = [Q['all'], Q['locales']] extends [0, never]
  ? K extends FirstKey<Q['paths']>
    ? true
    : false
  : true

/** What every locale says of a field that has a value for each; those that say nothing are absent. */
type InLocales<O, V, L extends string> = [L] extends [never]
  ? V
  : O extends { readonly localized: true }
    ? { readonly [One in L]?: V }
    : V

/** What is asked of what lies below a key. */
interface Inside<Q extends Question, K extends string> {
  readonly paths: RestOfPath<Q['paths'], K>
  readonly depth: Q['depth']
  readonly all: Q['all']
  readonly select: RestOfPath<Q['select'], K>
  readonly locales: Q['locales']
}

type Value<C extends DaybookConfig, O, V, In extends Question, Named> = O extends {
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

/** A page of the entries that refer to the document, where it is included. */
type ReverseList<C extends DaybookConfig, From extends EntryKey<C>, V, In extends Question, Named> = [
  Named,
  In['paths'],
  In['all'],
] extends [false, never, 0]
  ? V
  : ListResult<Target<C, From, NextLevel<In, Named>>>

/** A related document that is gone or hidden is `null`, or left out of a list. */
type RelatedDocument<V, Document> = V extends readonly unknown[] ? readonly Document[] : Document | null

interface NextLevel<Q extends Question, Named> {
  readonly paths: Q['paths']
  readonly depth: OneLess<Q['depth']>
  readonly all: Q['all'] extends 0 ? (Named extends true ? OneLess<Q['depth']> : 0) : OneLess<Q['all']>
  readonly select: Q['select']
  readonly locales: Q['locales']
}

type Target<C extends DaybookConfig, K extends EntryKey<C>, Q extends Question> = [
  Q['paths'],
  Q['all'],
  Q['select'],
  Q['locales'],
] extends [never, 0, never, never]
  ? Entry<C, K>
  : SelectedDocument<C, CollectionFieldsOf<C, K>, Entry<C, K>, 'id', Q>

/** A document of one of several collections, which its `collection` tells apart. */
type TaggedTarget<C extends DaybookConfig, K extends EntryKey<C>, Q extends Question> =
  K extends EntryKey<C> ? Flattened<{ readonly collection: K } & Target<C, K, Q>> : never

type Group<C extends DaybookConfig, F, V, Q extends Question> = V extends null ? V : Flattened<Expanded<C, F, V, Q>>

type BlockOf<C extends DaybookConfig, T, Block, Q extends Question> = Block extends {
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

/** The type of a document that a query answers. */
export type QueriedDocument<
  C extends DaybookConfig,
  F,
  Document,
  Own,
  I extends readonly string[],
  S extends readonly string[],
  D extends Depth,
  L extends string,
> = D extends Depth // for each depth that it may be
  ? [I, S, D, AllLocales<C, L>] extends [readonly [], readonly [], 0, never]
    ? Document
    : OnlyIf<
        I,
        Document,
        WithAlternates<I, SelectedDocument<C, F, Document, Own, QuestionOf<I, S, D, AllLocales<C, L>>>>
      >
  : never

type AllLocales<C extends DaybookConfig, L> = 'all' extends L ? Locale<C> : never

interface QuestionOf<
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

/** Of a list whose items only the run knows, any may be named or not. */
type OnlyIf<I extends readonly string[], Plain, Expanded> = number extends I['length'] ? Plain | Expanded : Expanded
