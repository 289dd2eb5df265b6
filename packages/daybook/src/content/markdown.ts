import MarkdownIt, { type RendererRule, type Token } from 'markdown-it'
import footnote from 'markdown-it-footnote'
import { dropUnsafe } from './markdown-safety.ts'
import { markTasks } from './markdown-tasks.ts'

const markdown = new MarkdownIt({ html: true, linkify: true }).use(footnote)
const { core, linkify, renderer } = markdown

// Raw HTML is read as such, and dropped.
renderer.rules.html_block = (): string => ''
renderer.rules.html_inline = (): string => ''

// Any address makes a link or an image; one that is not safe is dropped with the other attributes.
markdown.validateLink = (): boolean => true
core.ruler.push('tasks', markTasks)
core.ruler.push('safety', dropUnsafe)

// A bare link begins with a scheme or `www.`: `README.md` is a name, not an address in Moldova.
linkify.add('ftp:', null)
linkify.add('//', null)
linkify.add('www.', {
  validate: (text, position, { re }) => {
    const host = re.get_relative_proto_validator()
    host.lastIndex = position
    return host.exec(text)?.[0].length ?? 0
  },
  normalize: (match) => {
    match.url = `http://${match.url}`
  },
})

markdown.disable('footnote_inline')
Object.assign(renderer.rules, {
  footnote_ref: (tokens, index) => {
    const { note, reference } = noteIds(tokens[index])
    return `<sup><a href="#${note}" id="${reference}" data-footnote-ref aria-describedby="footnote-label">${noteNumber(tokens[index])}</a></sup>`
  },
  footnote_block_open: () =>
    '<section data-footnotes class="footnotes"><h2 class="sr-only" id="footnote-label">Footnotes</h2>\n<ol>\n',
  footnote_open: (tokens, index) => `<li id="${noteIds(tokens[index]).note}">\n`,
  footnote_anchor: (tokens, index) =>
    ` <a href="#${noteIds(tokens[index]).reference}" data-footnote-backref aria-label="Back to reference ${noteNumber(tokens[index])}" class="data-footnote-backref">↩</a>`,
} satisfies Record<string, RendererRule>)

const noteNumber = (token: Token | undefined): number => Number(token?.meta?.id ?? 0) + 1

/** The ids of a footnote and of one of the places that refer to it, set apart from the ids of the page that shows them. */
function noteIds(token: Token | undefined): { readonly note: string; readonly reference: string } {
  const number = noteNumber(token)
  const again = Number(token?.meta?.subId ?? 0)
  return {
    note: `user-content-fn-${number}`,
    reference: `user-content-fnref-${number}${again > 0 ? `-${again + 1}` : ''}`,
  }
}

/** GitHub-flavoured Markdown to HTML that is safe to print. A long text takes time; see MarkdownRenderer. */
export function renderMarkdown(source: string): string {
  return markdown.render(source).trimEnd()
}
