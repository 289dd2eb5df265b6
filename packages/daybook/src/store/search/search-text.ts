/** The longest word that is kept, in characters; the rest of a longer one is dropped. */
const MAX_WORD = 64
/** How much text is taken apart at a time, in characters: little, so that most slices of most texts are plain. */
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

/** The words of a text as they are kept: folded, without punctuation, separated by spaces. */
export function toSearchText(text: string): string {
  return slices(text)
    .map(keptWords)
    .filter((words) => words !== '')
    .join(' ')
}

/** A text in slices that end with a space, so that the list of all its words, many times as large, is never there at once. */
function slices(text: string): readonly string[] {
  const found: string[] = []
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start + SLICE)
    const end = space < 0 ? text.length : space
    found.push(text.slice(start, end))
    start = end
  }
  return found
}

function keptWords(text: string): string {
  if (!NOT_PLAIN.test(text)) return (text.toLowerCase().match(PLAIN_WORDS) ?? []).map(cutWord).join(' ')
  const folded = foldText(text)
  const words = folded.match(WORDS) ?? []
  return (UNSPACED.test(folded) ? words.flatMap(split) : words.map(cutWord)).join(' ')
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
