/** A range of the journal: the records after a number, up to another one. */
export interface SeqRange {
  readonly after: number
  /** `null` for an open end. */
  readonly to: number | null
}

/** The ranges that a subscription has not read, in order and disjoint; the last one has an open end. */
export type UnreadRanges = readonly [SeqRange, ...SeqRange[]]

/** Returns the range of all records after a number. */
export const rangesAfter = (seq: number): UnreadRanges => [{ after: seq, to: null }]

const endOf = ({ to }: SeqRange): number => to ?? Number.POSITIVE_INFINITY

/** Adds a range, which may overlap the others. */
export function addRange(spans: UnreadRanges, added: SeqRange): UnreadRanges {
  const [first = added, ...others] = [...spans, added].toSorted((a, b) => a.after - b.after)
  const merged: [SeqRange, ...SeqRange[]] = [first]
  for (const span of others) {
    const last = merged.at(-1) ?? first
    if (span.after > endOf(last)) merged.push(span)
    else merged[merged.length - 1] = { after: last.after, to: endOf(span) > endOf(last) ? span.to : last.to }
  }
  return merged
}

/** Returns the ranges that are left when the first one is read up to a number. */
export const advanceTo = ([first, ...others]: UnreadRanges, seq: number): UnreadRanges => [
  { ...first, after: seq },
  ...others,
]

/** Returns the ranges that are left after the first one. The last range never ends. */
export function dropFirst([first, ...others]: UnreadRanges): UnreadRanges {
  const [next, ...rest] = others
  return next ? [next, ...rest] : [first]
}

/** True if a range contains a record. */
export const isInRanges = (spans: readonly SeqRange[], seq: number): boolean =>
  spans.some((span) => seq > span.after && seq <= endOf(span))
