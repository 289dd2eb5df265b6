import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { mayBeGitHub, needsGitHub } from './markdown-flavour.ts'
import { parseInParts } from './markdown-parts.ts'

const commonMark = unified().use(remarkParse).freeze()
const gitHub = unified().use(remarkParse).use(remarkGfm).freeze()

// Raw HTML in the source is dropped by remark-rehype; what remains is still passed through the allow-list.
const toHtml = unified().use(remarkRehype).use(rehypeSanitize).use(rehypeStringify).freeze()

type Root = ReturnType<typeof commonMark.parse>

/** GitHub-flavoured Markdown to HTML that is safe to print. Takes time; see MarkdownRenderer. */
export function renderMarkdown(source: string): string {
  return toHtml.stringify(toHtml.runSync(parseInParts(source, parse)))
}

/** Where both flavours read a text alike, CommonMark's parser takes less than half the time. */
function parse(text: string): Root {
  if (text.includes('|')) return gitHub.parse(text)
  const tree = commonMark.parse(text)
  return mayBeGitHub(text) && needsGitHub(tree) ? gitHub.parse(text) : tree
}
