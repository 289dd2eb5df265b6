/** A range of the journal: the records after a number, up to another one. */
export interface SeqRange {
  readonly after: number
  /** `null` for an open end. */
  readonly to: number | null
}

/** The ranges that a subscription has not read, in order and disjoint; the last one has an open end. */
export type UnreadRanges = readonly [SeqRange, ...SeqRange[]]

export const rangesAfter = (seq: number): UnreadRanges => [{ after: seq, to: null }]

const getEnd = ({ to }: SeqRange): number => to ?? Number.POSITIVE_INFINITY

/** Adds a range, which may overlap the others. */
export function addRange(ranges: UnreadRanges, added: SeqRange): UnreadRanges {
  const [first = added, ...later] = [...ranges, added].toSorted((a, b) => a.after - b.after)
  const merged: [SeqRange, ...SeqRange[]] = [first]
  for (const range of later) {
    const last = merged.at(-1) ?? first
    if (range.after > getEnd(last)) merged.push(range)
    else merged[merged.length - 1] = { after: last.after, to: getEnd(range) > getEnd(last) ? range.to : last.to }
  }
  return merged
}

/** Returns the ranges that are left when the first one is read up to a number. */
export const advanceTo = ([first, ...later]: UnreadRanges, seq: number): UnreadRanges => [
  { ...first, after: seq },
  ...later,
]

/** Returns the ranges that are left after the first one. The last range never ends. */
export function dropFirst([first, ...later]: UnreadRanges): UnreadRanges {
  const [next, ...rest] = later
  return next ? [next, ...rest] : [first]
}

export const isInRanges = (ranges: readonly SeqRange[], seq: number): boolean =>
  ranges.some((range) => seq > range.after && seq <= getEnd(range))
