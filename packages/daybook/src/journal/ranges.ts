/** A part of the journal: the records after a number, up to another one. */
export interface SeqRange {
  readonly after: number
  /** `null`: it has no end. */
  readonly to: number | null
}

/** What a reader of the journal still has to read: parts in order, apart from each other, the last without an end. */
export type UnreadRanges = readonly [SeqRange, ...SeqRange[]]

/** All that comes after a number. */
export const rangesAfter = (seq: number): UnreadRanges => [{ after: seq, to: null }]

const endOf = ({ to }: SeqRange): number => to ?? Number.POSITIVE_INFINITY

/** The parts with one more, which may overlap them. */
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

/** What is left once the first part is read up to a number. */
export const advanceTo = ([first, ...others]: UnreadRanges, seq: number): UnreadRanges => [
  { ...first, after: seq },
  ...others,
]

/** What is left once the first part is done. The last part has no end. */
export function dropFirst([first, ...others]: UnreadRanges): UnreadRanges {
  const [next, ...rest] = others
  return next ? [next, ...rest] : [first]
}

/** Whether one of the parts has a record. */
export const isInRanges = (spans: readonly SeqRange[], seq: number): boolean =>
  spans.some((span) => seq > span.after && seq <= endOf(span))
