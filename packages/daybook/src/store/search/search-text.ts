/** The longest word that is kept, in characters; the rest of a longer one is dropped. */
const MAX_WORD = 64
/** How much text is taken apart at a time, in characters: little, so that most slices are plain, and all words are never there at once. */
const SLICE = 512
/** Scripts written without spaces: every sequence of one and two characters counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/u
const WORDS = /[\p{L}\p{N}]+/gu
/** A character that takes more to fold and to tell from others than those of ASCII. */
const NOT_PLAIN = /[^\0-\x7f]/
const PLAIN_WORDS = /[a-z0-9]+/g
const RUNS = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}])+`, 'gu')

/** Marks, and signs that were marks in the Unicode that FTS5 knows: it would part words there. */
const MARKS = /[\p{M}\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3]/gu

/** Takes case, accents and width away: `Ｃafé` and `cafe` are one word, and a sigma is one wherever it stands, as in FTS5. */
function foldText(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().replaceAll('ς', 'σ')
}

/** The words of a text as they are kept: folded, without punctuation, once each, in the order in which they come first. */
export function searchWords(text: string): ReadonlySet<string> {
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
  if (!NOT_PLAIN.test(slice)) {
    for (const word of slice.toLowerCase().match(PLAIN_WORDS) ?? []) words.add(cutWord(word))
    return
  }
  const folded = foldText(slice)
  const found = folded.match(WORDS) ?? []
  for (const word of UNSPACED.test(folded) ? found.flatMap(split) : found) words.add(cutWord(word))
}

const cutWord = (word: string): string => (word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word)

/** A word that is looked for. */
export interface SearchTerm {
  readonly word: string
  /** Whether words that only begin so count, too. */
  readonly prefix: boolean
  /** The stored words that count, where they are known. */
  readonly stored?: readonly string[]
}

/** The terms of `q`: every word, the last one also as a beginning. */
export function toSearchTerms(q: string): readonly SearchTerm[] {
  const words = foldText(q).match(WORDS) ?? []
  return words.flatMap((word, index) => {
    const isLast = index === words.length - 1
    if (!UNSPACED.test(word)) return [{ word: word.slice(0, MAX_WORD), prefix: isLast }]
    return (word.match(RUNS) ?? []).flatMap((run) => runTerms(run))
  })
}

function runTerms(run: string): readonly SearchTerm[] {
  if (!UNSPACED.test(run)) return [{ word: run.slice(0, MAX_WORD), prefix: true }]
  const characters = [...run]
  const pairs = characters.slice(1).map((next, index) => `${characters[index]}${next}`)
  return (pairs.length > 0 ? pairs : characters).map((word) => ({ word, prefix: false }))
}

/** A word with unspaced parts, as the words it is found by. */
function split(word: string): readonly string[] {
  return (word.match(RUNS) ?? []).flatMap((run) => {
    if (!UNSPACED.test(run)) return [run.slice(0, MAX_WORD)]
    const characters = [...run]
    return characters.flatMap((one, index) => (index === 0 ? [one] : [one, `${characters[index - 1]}${one}`]))
  })
}
