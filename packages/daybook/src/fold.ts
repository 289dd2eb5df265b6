/** Latin letters that Unicode does not decompose, each with its replacement; `ʻ` and `ʼ` are apostrophes. Source: CLDR, Latin-ASCII. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map(
  [
    'ßss æae œoe þth øo ðd đd ħh ıi ȷj ĸq łl ŋn ŧt ⱥa ƀb ɓb ƈc ȼc ɖd ɗd ǝe əe ɇe ɛe ƒf ǥg ɠg ɣg ɨi ɩi ɉj',
    'ƙk ⱪk ƚl ⱡl ɲn ƞn ɔo ɵo ƥp ɍr ʃs ƭt ʈt ʉu ʊu ʋv ⱳw ƴy ɏy ƶz ȥz ʒz ʻ ʼ',
  ].flatMap((line) => line.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)] as const)),
)
const LATIN_LETTER = new RegExp(`[${[...PLAIN_LETTERS.keys()].join('')}]`, 'gu')

/** All characters except those whose NFKD form nobody writes: Armenian, Arabic, Thai, Lao, Tibetan, and single Korean letters. */
const COMPATIBLE = /[^\u0587\u0675-\u0678\u0e33\u0eb3\u0edc\u0edd\u0f77\u0f79\u3131-\u318e]+/gu
/** Marks after Latin letters, which are ASCII at this point; `\p{Script=Latin}` takes five times as long. */
const LATIN_ACCENTS = /(?<=[a-z])\p{M}+/gu
/** Soft hyphens, joiners, variation selectors and similar characters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu
const NOT_ASCII = /[^\0-\x7f]/

/**
 * Returns the text in lower case, with plain Latin letters: `Crème BRÛLÉE` gives `creme brulee`, `Łódź` gives `lodz`.
 * Other scripts keep their letters and marks. Forms of width and style are folded, as in `Ａ` and `ﬁ`; the result is in NFC.
 */
export function toPlainLetters(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  return text
    .replace(INVISIBLE, '')
    .replace(COMPATIBLE, (part) => part.normalize('NFKD'))
    .toLowerCase()
    .replace(LATIN_LETTER, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .replace(LATIN_ACCENTS, '')
    .normalize('NFC')
}

/**
 * Returns the form in which texts are equal if they differ only in case, Latin accents or invisible characters: {@link toPlainLetters}, with
 * the same Greek sigma everywhere in a word.
 */
export function foldText(text: string): string {
  return toPlainLetters(text).replaceAll('ς', 'σ')
}
