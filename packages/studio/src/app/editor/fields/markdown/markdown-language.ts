import { defineLanguageFacet, Language } from '@codemirror/language'
import { GFM, parser } from '@lezer/markdown'

export const markdownParser = parser.configure(GFM)

export const markdownLanguage = new Language(defineLanguageFacet(), markdownParser, [], 'markdown')
