import type { Place } from './place.ts'

/** The places whose names hold every word, those first whose name begins with the first one. */
export function matching(places: readonly Place[], text: string): readonly Place[] {
  const words = plain(text).split(/\s+/).filter(Boolean)
  const [first = ''] = words
  const found = places.filter(({ label, kind }) => words.every((word) => plain(`${label} ${kind}`).includes(word)))
  return found.toSorted((a, b) => rank(a, first) - rank(b, first))
}

const rank = ({ label }: Place, word: string): number => (plain(label).startsWith(word) ? 0 : 1)

/** A text without capitals and accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()
