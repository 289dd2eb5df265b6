import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldText, toPlainLetters } from '../../src/fold.ts'

test.each([
  ['Crème BRÛLÉE', 'creme brulee'],
  ['Straße, GROẞ', 'strasse, gross'],
  ['Iğdır, DİYARBAKIR', 'igdir, diyarbakir'],
  ['Łódź, Ørsted, Đorđe, Ħal, Þór, Æsir, œuvre', 'lodz, orsted, dorde, hal, thor, aesir, oeuvre'],
  ['Tiếng Việt, Hawaiʻi', 'tieng viet, hawaii'],
  ['ﬁn, ＡＢ１, m²', 'fin, ab1, m2'],
  ['Ёлка, ЙОД', 'ёлка, йод'],
  ['हिन्दी लेख', 'हिन्दी लेख'],
  ['ที่น้ำ, ໜັງ', 'ที่น้ำ, ໜັງ'],
  ['がぎ ﾊﾟ, 한글 ㅋㅋ', 'がぎ パ, 한글 ㅋㅋ'],
  ['فَتْحَة', 'فَتْحَة'],
  ['co\u00adoperate, می\u200cخواهم', 'cooperate, میخواهم'],
])('%j in plain letters is %j', (text, plain) => expect(toPlainLetters(text)).toBe(plain.normalize('NFC')))

test('folded texts are equal whatever their case, also at the end of a Greek word', () => {
  expect(foldText('ΛΌΓΟΣ')).toBe(foldText('λόγος'))
  expect(foldText('λόγους').startsWith(foldText('ΛΌΓΟ'))).toBe(true)
  expect(foldText('ΛΌΓΟΣΟΦΊΑ').startsWith(foldText('ΛΌΓΟΣ'))).toBe(true)
})

test('a folded text folds to itself, in NFC', () => {
  const foldsToItself = (text: string): boolean => {
    const folded = foldText(text)
    return foldText(folded) === folded && folded.normalize('NFC') === folded
  }
  const unit = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code))
  fc.assert(fc.property(fc.string({ unit }), foldsToItself))
})
