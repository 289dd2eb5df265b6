import { toPlainLetters } from './fold.ts'

/** The value of the option `collation` that stands for the language of the locale that is read. */
export const LOCALE_COLLATION = 'locale'

/** The letters of the alphabets that languages put in orders of their own: Latin, Greek and Cyrillic, in NFC and in lower case. */
const ALPHABETS: readonly (readonly [first: number, last: number])[] = [
  [0x61, 0x7a],
  [0xdf, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
]
const LATIN_LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
/** Second letters of pairs that some languages take for one letter, such as `ch` in Czech and `dž` in Croatian. */
const SECOND_LETTERS = [...LATIN_LETTERS, 'ž']
/** The weight of the first letter: digits and signs of ASCII come before it, the other scripts behind the last one. */
const FIRST_WEIGHT = 0x100
/** Has the greatest primary weight of all characters (UTS #35, part 5, section 1.7.1). */
const LAST_CHARACTER = '\uffff'

const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu
/** Punctuation and symbols that are not in ASCII. */
const SIGN = /[^\0-\x7f]/u
const NO_LETTER = /[^\p{L}\p{M}\p{N}]/u

/**
 * The order of words in one language. It compares letters as the language's alphabet has them: in Swedish `å` comes after `z`, in German
 * `ä` is equal to `a`, in Czech `ch` comes after `h`. Case, and accents that make no letter of their own, do not count.
 */
export class Collation {
  readonly #locale: string
  readonly #collator: Intl.Collator
  readonly #weights: ReadonlyMap<string, string>

  /** @param locale a language tag (BCP 47); for one that the runtime does not know, the order of the root locale */
  constructor(locale: string) {
    this.#locale = Collation.isSupported(locale) ? locale : 'und'
    this.#collator = new Intl.Collator(this.#locale, { sensitivity: 'base' })
    this.#weights = this.#weighLetters()
  }

  /** True if the runtime knows the order of a language. */
  static isSupported(locale: string): boolean {
    try {
      return Intl.Collator.supportedLocalesOf(locale).length > 0
    } catch {
      return false
    }
  }

  /** Returns a text whose order by code point is that of the words. */
  sortKey(text: string): string {
    const letters = [...text.normalize('NFKC').replace(INVISIBLE, '').toLocaleLowerCase(this.#locale).normalize('NFC')]
    let key = ''
    for (let index = 0; index < letters.length; index += 1) {
      const letter = letters[index] ?? ''
      const pair = this.#weights.get(letter + (letters[index + 1] ?? ''))
      if (pair !== undefined) index += 1
      key += pair ?? this.#weights.get(letter) ?? weighOther(letter)
    }
    return key
  }

  #weighLetters(): ReadonlyMap<string, string> {
    const { compare } = this.#collator
    const singles = ALPHABETS.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
    ).filter((letter) => /^\p{Ll}$/u.test(letter) && letter.normalize('NFC') === letter)
    const pairs = LATIN_LETTERS.flatMap((first) => SECOND_LETTERS.map((second) => first + second)).filter(
      (pair) => compare(pair, pair.charAt(0) + LAST_CHARACTER) > 0,
    )
    const weights = new Map<string, string>()
    const expanded = singles.filter((letter) => this.#isWrittenOut(letter))
    let weight = FIRST_WEIGHT - 1
    let previous = ''
    for (const letter of [...singles.filter((single) => !expanded.includes(single)), ...pairs].sort(compare)) {
      if (previous === '' || compare(previous, letter) !== 0) weight += 1
      weights.set(letter, String.fromCharCode(weight))
      previous = letter
    }
    for (const letter of expanded)
      weights.set(letter, [...toPlainLetters(letter)].map((plain) => weights.get(plain) ?? plain).join(''))
    return weights
  }

  /** True if a letter counts as several, such as `ß` as `ss`. */
  #isWrittenOut(letter: string): boolean {
    const plain = toPlainLetters(letter)
    return plain.length > 1 && this.#collator.compare(letter, plain) === 0
  }
}

/** Signs come first, and letters of other scripts follow by code point. */
const weighOther = (character: string): string => (SIGN.test(character) && NO_LETTER.test(character) ? '!' : character)
