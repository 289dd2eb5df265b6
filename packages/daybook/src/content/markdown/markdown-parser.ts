import makeParser, { type MarkdownIt } from 'markdown-it'
import footnote from 'markdown-it-footnote'

/** The parser of GitHub-flavoured Markdown with raw HTML and footnotes. */
export function createMarkdownParser(): MarkdownIt {
  const parser = makeParser({ html: true, linkify: true }).use(footnote).disable('footnote_inline')
  // Any address makes a link or an image; one that is not safe is dropped with what else is not.
  parser.validateLink = (): boolean => true
  return parser
}
