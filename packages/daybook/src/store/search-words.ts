import { foldText } from '../fold.ts'

/** The version of the tokenizer, to be raised with each change: search rows of another version are rebuilt at start-up. */
export const WORDS_VERSION = 2

/** The maximum length of a word, in characters; longer ones are cut. */
const MAX_WORD = 64
/** The size of the slices that a text is split into, in characters: small, so that most slices are ASCII and few words exist at once. */
const SLICE = 512
/** Scripts written without spaces: every sequence of one and two characters counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/u
const RUNS = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu')
/** A character beyond ASCII, which needs the slower expressions. */
const NOT_PLAIN = /[^\0-\x7f]/

/** Signs inside a compound; a comma only joins digits. */
const JOINER = "[-'._‐‑’·״׳]|(?<=\\p{Nd}),(?=\\p{Nd})"
/** A word, with signs that belong to a name: `c++`, `c#`. */
const PART = '[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}]*(?:[+#]+(?![+#\\p{L}]))?'
const EMOJI = '\\p{Regional_Indicator}{2}|\\p{Extended_Pictographic}'
const COMPOUNDS = new RegExp(`${PART}(?:(?:${JOINER})${PART})*|${EMOJI}`, 'gu')
/** {@link COMPOUNDS} of ASCII, several times as fast. */
const PLAIN_COMPOUNDS =
  /[a-z0-9]+(?:[+#]+(?![+#a-z]))?(?:(?:[-'._]|(?<=[0-9]),(?=[0-9]))[a-z0-9]+(?:[+#]+(?![+#a-z]))?)*/g
const JOINERS = new RegExp(JOINER, 'u')
/** A character of a compound that is not part of a word. */
const NOT_LETTERS = /[-'._,+#‐‑’·״׳]/
const SIGNS = /[+#]+$/

/** Spaces that separate the thousands of a number, which NFKD would turn into plain spaces. */
const THOUSANDS = /(?<=\p{Nd})[\u00a0\u2009\u202f](?=\p{Nd}{3}(?!\p{Nd}))/gu
/** Marks that are often omitted in writing: accents of Greek and Cyrillic, points of Hebrew, Syriac and Arabic, and the Arabic tatweel. */
const OPTIONAL_MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a]+/g
/** Korean syllables, which are stored as their letters, so that a partly typed syllable is a prefix of the whole. */
const KOREAN = /[\u3131-\u318e\uac00-\ud7a3]+/g

const NOT_LATIN = /[^\0-\u024f\u2000-\u206f]/

/** Folds a text for search: {@link foldText}, without {@link OPTIONAL_MARKS}. */
function foldForSearch(text: string): string {
  const folded = foldText(text.replace(THOUSANDS, ','))
  if (!NOT_LATIN.test(folded)) return folded
  return folded
    .normalize('NFD')
    .replace(OPTIONAL_MARKS, '')
    .normalize('NFC')
    .replace(KOREAN, (letters) => letters.normalize('NFKD'))
}

/** Splits a text into its distinct words, folded and without punctuation, in order of first occurrence. */
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

/** Adds the parts of a compound, each pair of neighbours as one word, and all parts as one word. */
function addCompound(words: Set<string>, compound: string): void {
  const parts = compound.split(JOINERS)
  for (const part of parts) addPart(words, part)
  if (parts.length === 1 || UNSPACED.test(compound)) return
  for (const [index, part] of parts.entries()) {
    if (index > 0) words.add(cutWord(`${parts[index - 1]}${part}`))
  }
  words.add(cutWord(parts.join('')))
}

/** Adds a word, and without its signs: `c` also finds `c++`. */
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
  return characters.flatMap((character, index) =>
    index === 0 ? [character] : [character, `${characters[index - 1]}${character}`],
  )
}

export interface SearchTerm {
  readonly word: string
  /** True if longer words with this prefix match, too. */
  readonly isPrefix: boolean
  /** The parts of a compound: an entry with all of them matches, too. */
  readonly parts?: readonly SearchTerm[]
}

/** Returns the terms of `q`: every word, the last one also as a prefix. */
export function toSearchTerms(q: string): readonly SearchTerm[] {
  const compounds = foldForSearch(q).match(COMPOUNDS) ?? []
  return compounds.flatMap((compound, index) => compoundTerms(compound, index === compounds.length - 1))
}

function compoundTerms(compound: string, isLast: boolean): readonly SearchTerm[] {
  const words = compound.split(JOINERS)
  const parts = words.flatMap((word, index) => partTerms(word, isLast && index === words.length - 1))
  if (words.length === 1 || UNSPACED.test(compound)) return parts
  return [{ word: cutWord(words.join('')), isPrefix: isLast, parts }]
}

function partTerms(part: string, isLast: boolean): readonly SearchTerm[] {
  if (!UNSPACED.test(part)) return [{ word: cutWord(part), isPrefix: isLast }]
  return (part.match(RUNS) ?? []).flatMap((run) => runTerms(run))
}

function runTerms(run: string): readonly SearchTerm[] {
  if (!UNSPACED.test(run)) return [{ word: cutWord(run), isPrefix: true }]
  const characters = [...run]
  const pairs = characters.slice(1).map((next, index) => `${characters[index]}${next}`)
  return (pairs.length > 0 ? pairs : characters).map((word) => ({ word, isPrefix: false }))
}
