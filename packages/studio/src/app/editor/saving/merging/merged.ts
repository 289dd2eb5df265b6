/** A value that two versions came to without a decision. */
export interface Merged {
  readonly value: unknown
}

/** Merges two versions of one item; `undefined` in conflict. */
export type MergeItem = (base: unknown, mine: unknown, theirs: unknown) => Merged | undefined
