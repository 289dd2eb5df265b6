import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { parseInParts } from './markdown-parts.ts'

// Raw HTML in the source is dropped by remark-rehype; what remains is still passed through the allow-list.
const pipeline = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype)
  .use(rehypeSanitize)
  .use(rehypeStringify)
  .freeze()

/** GitHub-flavoured Markdown to HTML that is safe to print. Takes time; see MarkdownRenderer. */
export function renderMarkdown(source: string): string {
  const tree = parseInParts(source, (text) => pipeline.parse(text))
  return pipeline.stringify(pipeline.runSync(tree))
}
