import { foldText } from '../fold.ts'

/** Grows with each change of the words that a text has: search rows of another version are made anew at start. */
export const WORDS_VERSION = 2

/** The longest word that is kept, in characters; the rest of a longer one is dropped. */
const MAX_WORD = 64
/** How much text is taken apart at a time, in characters: little, so that most slices are plain, and all words are never there at once. */
const SLICE = 512
/** Scripts written without spaces: every sequence of one and two characters counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/u
const RUNS = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu')
/** A character that takes more to fold and to tell from others than those of ASCII. */
const NOT_PLAIN = /[^\0-\x7f]/

/** Signs inside a compound; a comma joins digits alone. */
const JOINER = "[-'._‐‑’·״׳]|(?<=\\p{Nd}),(?=\\p{Nd})"
/** A word, and signs that belong to its name: `c++`, `c#`. */
const PART = '[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}]*(?:[+#]+(?![+#\\p{L}]))?'
const EMOJI = '\\p{Regional_Indicator}{2}|\\p{Extended_Pictographic}'
const COMPOUNDS = new RegExp(`${PART}(?:(?:${JOINER})${PART})*|${EMOJI}`, 'gu')
/** {@link COMPOUNDS} of ASCII, several times as fast. */
const PLAIN_COMPOUNDS =
  /[a-z0-9]+(?:[+#]+(?![+#a-z]))?(?:(?:[-'._]|(?<=[0-9]),(?=[0-9]))[a-z0-9]+(?:[+#]+(?![+#a-z]))?)*/g
const JOINERS = new RegExp(JOINER, 'u')
/** A character of a compound that is no part of a word. */
const NOT_LETTERS = /[-'._,+#‐‑’·״׳]/
const SIGNS = /[+#]+$/

/** Spaces that part the thousands of a number; NFKD makes plain ones of them. */
const THOUSANDS = /(?<=\p{Nd})[\u00a0\u2009\u202f](?=\p{Nd}{3}(?!\p{Nd}))/gu
/** Marks that are often left out in writing: accents of Greek and Cyrillic, points of Hebrew, Syriac and Arabic with its lengthening stroke. */
const OPTIONAL_MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a]+/g
/** Korean syllables are kept as their letters, so that one that is typed in part begins the whole. */
const KOREAN = /[\u3131-\u318e\uac00-\ud7a3]+/g

const NOT_LATIN = /[^\0-\u024f\u2000-\u206f]/

/** Returns a text as search compares it: {@link foldText}, without marks that are often left out. */
function foldForSearch(text: string): string {
  const folded = foldText(text.replace(THOUSANDS, ','))
  if (!NOT_LATIN.test(folded)) return folded
  return folded
    .normalize('NFD')
    .replace(OPTIONAL_MARKS, '')
    .normalize('NFC')
    .replace(KOREAN, (letters) => letters.normalize('NFKD'))
}

/** The words of a text as they are kept: folded, without punctuation, once each, in the order in which they come first. */
export function splitWords(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start + SLICE)
    const end = space < 0 ? text.length : space
    addWords(words, text.slice(start, end))
    start = end
  }
  return words
}

function addWords(words: Set<string>, slice: string): void {
  const isPlain = !NOT_PLAIN.test(slice)
  const folded = isPlain ? slice.toLowerCase() : foldForSearch(slice)
  const hasRuns = !isPlain && UNSPACED.test(folded)
  for (const compound of folded.match(isPlain ? PLAIN_COMPOUNDS : COMPOUNDS) ?? []) {
    if (hasRuns || NOT_LETTERS.test(compound)) addCompound(words, compound)
    else words.add(cutWord(compound))
  }
}

/** Adds the parts of a compound, each two neighbours as one word, and all of them as one. */
function addCompound(words: Set<string>, compound: string): void {
  const parts = compound.split(JOINERS)
  for (const part of parts) addPart(words, part)
  if (parts.length === 1 || UNSPACED.test(compound)) return
  for (const [index, part] of parts.entries()) {
    if (index > 0) words.add(cutWord(`${parts[index - 1]}${part}`))
  }
  words.add(cutWord(parts.join('')))
}

/** Adds a word, which `c` finds in `c++`, too. */
function addPart(words: Set<string>, part: string): void {
  const letters = part.replace(SIGNS, '')
  if (letters !== part) words.add(cutWord(part))
  if (!UNSPACED.test(letters)) {
    words.add(cutWord(letters))
    return
  }
  for (const run of letters.match(RUNS) ?? []) {
    if (!UNSPACED.test(run)) words.add(cutWord(run))
    else for (const word of charactersAndPairs(run)) words.add(word)
  }
}

const cutWord = (word: string): string => (word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word)

function charactersAndPairs(run: string): readonly string[] {
  const characters = [...run]
  return characters.flatMap((one, index) => (index === 0 ? [one] : [one, `${characters[index - 1]}${one}`]))
}

/** A word that is looked for. */
export interface SearchTerm {
  readonly word: string
  /** Whether words that only begin so count, too. */
  readonly prefix: boolean
  /** The parts of a compound: an entry with all of them counts as one with the word. */
  readonly parts?: readonly SearchTerm[]
}

/** The terms of `q`: every word, the last one also as a beginning. */
export function toSearchTerms(q: string): readonly SearchTerm[] {
  const compounds = foldForSearch(q).match(COMPOUNDS) ?? []
  return compounds.flatMap((compound, index) => compoundTerms(compound, index === compounds.length - 1))
}

function compoundTerms(compound: string, isLast: boolean): readonly SearchTerm[] {
  const words = compound.split(JOINERS)
  const parts = words.flatMap((word, index) => partTerms(word, isLast && index === words.length - 1))
  if (words.length === 1 || UNSPACED.test(compound)) return parts
  return [{ word: cutWord(words.join('')), prefix: isLast, parts }]
}

function partTerms(part: string, isLast: boolean): readonly SearchTerm[] {
  if (!UNSPACED.test(part)) return [{ word: cutWord(part), prefix: isLast }]
  return (part.match(RUNS) ?? []).flatMap((run) => runTerms(run))
}

function runTerms(run: string): readonly SearchTerm[] {
  if (!UNSPACED.test(run)) return [{ word: cutWord(run), prefix: true }]
  const characters = [...run]
  const pairs = characters.slice(1).map((next, index) => `${characters[index]}${next}`)
  return (pairs.length > 0 ? pairs : characters).map((word) => ({ word, prefix: false }))
}
