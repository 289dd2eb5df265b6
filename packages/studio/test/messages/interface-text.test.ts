import { expect, test } from 'vitest'
import { getText } from '../../src/app/model/interface-text.ts'

test.each([
  ['one text for everybody', 'Title', 'de-CH', 'Title'],
  ['the text of the locale', { de: 'Strasse', 'de-CH': 'Gasse' }, 'de-CH', 'Gasse'],
  ['whatever the case of its tag', { 'de-ch': 'Gasse' }, 'de-CH', 'Gasse'],
  ['that of its language', { en: 'Title', de: 'Titel' }, 'de-CH', 'Titel'],
  ['that of its language and script', { zh: '1', 'zh-Hant': '2' }, 'zh-Hant-TW', '2'],
  ['the English one', { fr: 'Titre', en: 'Title' }, 'de', 'Title'],
  ['the first one', { fr: 'Titre', es: 'Título' }, 'de', 'Titre'],
])('a label is %s', (_what, label, locale, text) => {
  expect(getText(label, locale)).toBe(text)
})

test('no label is no text', () => {
  expect(getText(undefined, 'de')).toBeUndefined()
})
