import makeParser, { type MarkdownIt } from 'markdown-it'
import footnote from 'markdown-it-footnote'

/** Creates a parser of GitHub-flavoured Markdown with raw HTML and footnotes. */
export function createMarkdownParser(): MarkdownIt {
  const parser = makeParser({ html: true, linkify: true }).use(footnote).disable('footnote_inline')
  // Unsafe addresses are removed later, by the sanitizer.
  parser.validateLink = (): boolean => true
  return parser
}
