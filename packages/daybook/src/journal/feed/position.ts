/**
 * What decides about reads of a collection: `true`, `false`, the `where` of a rule as JSON text, or the keys of readable globals.
 * `null`: a `where` that is too long for a token.
 */
export type ViewRule = boolean | string | readonly string[] | null

/** What a reader may see of a collection, described so that a token can hold it. */
export interface View {
  /** Equal for readers who are told the same, in the same form. */
  readonly name: string
  readonly rule: ViewRule
  /** Whether the reader sees what is published, and nothing else. */
  readonly isPublicOnly: boolean
}

/** A view, and the numbers of the journal between which its holder was told under it. */
export interface ToldView extends View {
  readonly from: number
  /** `undefined`: it is the present one. */
  readonly to?: number | undefined
  /** It took the place of the view before it while a walk was under way: what is told since is seen under both. */
  readonly isNarrowing?: boolean | undefined
}

/** How far the holder of a token has come with one collection. */
export interface CollectionPosition {
  /** The views under which the holder may have been told of entries; the last one is that of the present walk and stream. */
  readonly views: readonly ToldView[]
  /** The `pk` up to which all entries are looked at for the last view; `undefined`: all of them are. */
  readonly walked?: number | undefined
  /** Once the stream has come to this number, nothing of earlier views is left. */
  readonly settledAt?: number | undefined
}

/** Entries that refer to changed ones, where a rule looks at that: told in the order of arrival. */
export interface DependentsPosition {
  /** The last record of those whose documents they refer to. */
  readonly end: number
  readonly collection: string
  readonly pk: number
}

/** How far the holder of a token has come. */
export interface FeedPosition {
  /** Every record up to this number is told. */
  readonly seq: number
  /** What was told may be as new as this number: entries are told as they are when they are read. */
  readonly told: number
  /** Records after `seq` are told up to `end`, and entries that refer to their documents up to this place. */
  readonly dependents?: DependentsPosition | undefined
  readonly collections: Readonly<Record<string, CollectionPosition>>
}

/** A position before everything: a copy begins anew there. */
export const startOf = (seq: number): FeedPosition => ({ seq, told: seq, collections: {} })

/** The record after which the journal has to be whole for a position. */
export const firstNeeded = ({ seq, collections }: FeedPosition): number =>
  Math.min(seq, ...Object.values(collections).flatMap(({ views }) => views.map(({ to = seq }) => to)))

/** The last view that a walk began with, and those that came while it was under way. */
export const viewsOfLastWalk = ({ views }: CollectionPosition): readonly ToldView[] =>
  views.slice(views.findLastIndex(({ isNarrowing }) => !isNarrowing))

/** Whether there is no earlier walk of which something may be left. */
export const isFirstWalk = (one: CollectionPosition): boolean => viewsOfLastWalk(one).length === one.views.length

/** Whether nothing of it depends on views of earlier, and no walk is under way. */
export const isSettled = ({ dependents, collections }: FeedPosition): boolean =>
  dependents === undefined &&
  Object.values(collections).every(({ views, walked }) => views.length === 1 && walked === undefined)
