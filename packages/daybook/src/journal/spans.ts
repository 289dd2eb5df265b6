/** A part of the journal: the records after a number, up to another one. */
export interface Span {
  readonly after: number
  /** `null`: it has no end. */
  readonly to: number | null
}

/** What a reader of the journal still has to read: parts in order, apart from each other, the last without an end. */
export type Spans = readonly [Span, ...Span[]]

/** All that comes after a number. */
export const spanAfter = (seq: number): Spans => [{ after: seq, to: null }]

const endOf = ({ to }: Span): number => to ?? Number.POSITIVE_INFINITY

/** The parts with one more, which may overlap them. */
export function withSpan(spans: Spans, added: Span): Spans {
  const [first = added, ...others] = [...spans, added].toSorted((a, b) => a.after - b.after)
  const merged: [Span, ...Span[]] = [first]
  for (const span of others) {
    const last = merged.at(-1) ?? first
    if (span.after > endOf(last)) merged.push(span)
    else merged[merged.length - 1] = { after: last.after, to: endOf(span) > endOf(last) ? span.to : last.to }
  }
  return merged
}

/** What is left once the first part is read up to a number. */
export const readUpTo = ([first, ...others]: Spans, seq: number): Spans => [{ ...first, after: seq }, ...others]

/** What is left once the first part is done. The last part has no end. */
export function withoutFirst([first, ...others]: Spans): Spans {
  const [next, ...rest] = others
  return next ? [next, ...rest] : [first]
}

/** Whether one of the parts has a record. */
export const isInSpans = (spans: readonly Span[], seq: number): boolean =>
  spans.some((span) => seq > span.after && seq <= endOf(span))
