import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { parseInParts } from './markdown-parts.ts'

const commonMark = unified().use(remarkParse).freeze()
const gitHub = unified().use(remarkParse).use(remarkGfm).freeze()

// Raw HTML in the source is dropped by remark-rehype; what remains is still passed through the allow-list.
const toHtml = unified().use(remarkRehype).use(rehypeSanitize).use(rehypeStringify).freeze()

/**
 * Without any of these, GitHub's flavour reads a text as CommonMark does: tables, strikethrough, notes, tasks, and bare
 * links, which may also be written with escapes and entities.
 */
const GITHUB_ONLY = /[|~@]|:-|-:|\[\^|\[[ \t\r\nxX]\]|www\\?\.|https?\\?:|&#|&(?:commat|period|colon);/i

/** GitHub-flavoured Markdown to HTML that is safe to print. Takes time; see MarkdownRenderer. */
export function renderMarkdown(source: string): string {
  const tree = parseInParts(source, (text) => (GITHUB_ONLY.test(text) ? gitHub : commonMark).parse(text))
  return toHtml.stringify(toHtml.runSync(tree))
}
