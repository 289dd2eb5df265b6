import { diff3MergeRegions } from 'node-diff3'

/** The most lines, or words of lines in conflict, that are compared: comparing takes their square in the worst case. */
const MOST_PARTS = 20_000
const MOST_WORDS = 2000

/** A word, or another sign, with the blanks before it; or blanks at the end. */
const WORDS = /\s*(?:[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}])|\s+/gu
const LINES = /[^\n]*\n|[^\n]+$/g

/**
 * Merges two versions of a text: first by lines, and by words within lines that both changed. Changes that touch each other do not merge.
 *
 * @returns `undefined` where both changed the same words, or the texts are too long to compare
 */
export function mergeWords(base: string, mine: string, theirs: string): string | undefined {
  return mergeParts(base, mine, theirs, LINES, MOST_PARTS, (o, a, b) =>
    mergeParts(o, a, b, WORDS, MOST_WORDS, () => undefined),
  )
}

type Merge = (base: string, mine: string, theirs: string) => string | undefined

function mergeParts(
  base: string,
  mine: string,
  theirs: string,
  part: RegExp,
  most: number,
  inConflict: Merge,
): string | undefined {
  const partsOf = (text: string): string[] => text.match(part) ?? []
  const [o, a, b] = [partsOf(base), partsOf(mine), partsOf(theirs)]
  if (Math.max(o.length, a.length, b.length) > most) return undefined
  const merged: string[] = []
  for (const region of diff3MergeRegions(a, o, b)) {
    const text = region.stable
      ? region.bufferContent.join('')
      : agreed(region.oContent.join(''), region.aContent.join(''), region.bContent.join(''), inConflict)
    if (text === undefined) return undefined
    merged.push(text)
  }
  return merged.join('')
}

function agreed(o: string, a: string, b: string, inConflict: Merge): string | undefined {
  return a === b ? a : inConflict(o, a, b)
}
