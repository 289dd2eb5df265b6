import { toPlainLetters } from './fold.ts'

/** The value of the option `collation` for the language of the requested locale. */
export const LOCALE_COLLATION = 'locale'

/** The alphabets that languages order differently: Latin, Greek and Cyrillic, as code points of lower-case letters in NFC. */
const ALPHABETS: readonly (readonly [first: number, last: number])[] = [
  [0x61, 0x7a],
  [0xdf, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
]
const LATIN_LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
/** Second letters of pairs that some languages treat as one letter, such as `ch` in Czech and `dž` in Croatian. */
const SECOND_LETTERS = [...LATIN_LETTERS, 'ž']
/** The weight of the first letter. ASCII digits and signs sort before it, other scripts after the last letter. */
const FIRST_WEIGHT = 0x100
/** The character with the greatest primary weight (UTS #35, part 5, section 1.7.1). */
const LAST_CHARACTER = '\uffff'

const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu
/** Characters outside ASCII. */
const SIGN = /[^\0-\x7f]/u
const NO_LETTER = /[^\p{L}\p{M}\p{N}]/u

/**
 * The order of words in one language, by its alphabet: in Swedish `å` sorts after `z`, in German `ä` is equal to `a`, in Czech `ch` sorts
 * after `h`. Case is ignored, and so are accents that do not form a separate letter.
 */
export class Collation {
  readonly #locale: string
  readonly #collator: Intl.Collator
  readonly #weights: ReadonlyMap<string, string>

  /** @param locale a language tag (BCP 47); an unknown one gets the order of the root locale */
  constructor(locale: string) {
    this.#locale = Collation.isSupported(locale) ? locale : 'und'
    this.#collator = new Intl.Collator(this.#locale, { sensitivity: 'base' })
    this.#weights = this.#weighLetters()
  }

  /** Returns true if the runtime knows the order of a language. */
  static isSupported(locale: string): boolean {
    try {
      return Intl.Collator.supportedLocalesOf(locale).length > 0
    } catch {
      return false
    }
  }

  /** Returns a text whose order by code point is the order of the words. */
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

  /** Returns true for a letter that sorts as several, such as `ß` as `ss`. */
  #isWrittenOut(letter: string): boolean {
    const plain = toPlainLetters(letter)
    return plain.length > 1 && this.#collator.compare(letter, plain) === 0
  }
}

/** Signs sort first, letters of other scripts by code point. */
const weighOther = (character: string): string => (SIGN.test(character) && NO_LETTER.test(character) ? '!' : character)
