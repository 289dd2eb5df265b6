import { isSame } from './merging/same-value.ts'

/** A text that says no value yet, such as JSON in the middle of a line. It is not saved; this browser keeps it. */
export interface UnfinishedText {
  readonly text: string
  /** What it is to take the place of. */
  readonly value: unknown
}

/** Texts by their places, with dots between: `parts.0.data`. */
export type UnfinishedTexts = ReadonlyMap<string, UnfinishedText>

/** The texts with another one at a place; the same ones where nothing is new. */
export function withUnfinished(
  texts: UnfinishedTexts,
  place: string,
  unfinished: UnfinishedText | undefined,
): UnfinishedTexts {
  if (isSame(texts.get(place), unfinished)) return texts
  const next = new Map(texts)
  if (unfinished) next.set(place, unfinished)
  else next.delete(place)
  return next
}
