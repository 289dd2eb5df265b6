import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { parseInParts } from './markdown-parts.ts'

const commonMark = unified().use(remarkParse)
const gitHub = unified().use(remarkParse).use(remarkGfm)

// Raw HTML in the source is dropped by remark-rehype; what remains is still passed through the allow-list.
const toHtml = unified().use(remarkRehype).use(rehypeSanitize).use(rehypeStringify).freeze()

/** Links in brackets, and in angle brackets: no others are found inside of them. */
const WRITTEN_LINK = /(?<!\\)\[[^\][\\\n]*\]\([^()\s]*\)|(?<!\\)<https?:[^<>\s]*>/g
/** Without any of these, GitHub's flavour reads a text as CommonMark does: tables, strikethrough, notes, tasks, bare links. */
const GITHUB_ONLY = /[|~@]|\[\^|\[[ \txX]\]|www\.|https?:/i

/** Whether a text needs the parser for GitHub's flavour, which takes more than twice as long. */
function isGitHub(source: string): boolean {
  return GITHUB_ONLY.test(source) && GITHUB_ONLY.test(source.replace(WRITTEN_LINK, ' '))
}

/** GitHub-flavoured Markdown to HTML that is safe to print. Takes time; see MarkdownRenderer. */
export function renderMarkdown(source: string): string {
  const parser = isGitHub(source) ? gitHub : commonMark
  const tree = parseInParts(source, (text) => parser.parse(text))
  return toHtml.stringify(toHtml.runSync(tree))
}
