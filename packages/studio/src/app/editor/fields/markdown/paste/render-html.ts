import { GFM, parser } from '@lezer/markdown'

const markdown = parser.configure(GFM)

type SyntaxNode = ReturnType<typeof markdown.parse>['topNode']

/** The element of each node that only wraps its content. */
const ELEMENTS: Readonly<Record<string, string>> = {
  Paragraph: 'p',
  Blockquote: 'blockquote',
  BulletList: 'ul',
  OrderedList: 'ol',
  ListItem: 'li',
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  Table: 'table',
  TableRow: 'tr',
  Task: 'p',
}

/** Marks, which HTML does not show. */
const MARK =
  /(?:Mark|Delimiter|LinkLabel|LinkTitle|CodeInfo|LinkReference|Comment|CommentBlock|ProcessingInstruction\w*)$/

/**
 * Renders Markdown as HTML for other programs. It is simpler than the service's HTML: raw HTML appears as text, and links by reference
 * as their words.
 *
 * @param origin of the site, to which relative addresses refer
 */
export function renderHtml(source: string, origin: string): string {
  return new HtmlRenderer(source, origin).renderContent(markdown.parse(source).topNode)
}

class HtmlRenderer {
  readonly #source: string
  readonly #origin: string

  constructor(source: string, origin: string) {
    this.#source = source
    this.#origin = origin
  }

  renderContent(node: SyntaxNode): string {
    let html = ''
    let at = node.from
    for (let child = node.firstChild; child; child = child.nextSibling) {
      html += this.#text(at, child.from, node) + this.#render(child)
      at = child.to
    }
    return html + this.#text(at, node.to, node)
  }

  /** The text between nodes; between blocks, it is white space and marks of quotes. */
  #text(from: number, to: number, { name }: SyntaxNode): string {
    if (/^(?:Document|Blockquote|BulletList|OrderedList|ListItem|Table|TableRow|TableHeader)$/.test(name)) return ''
    return escapeHtml(this.#source.slice(from, to).replace(/\n[ \t]*/g, '\n'))
  }

  #render(node: SyntaxNode): string {
    const { name } = node
    const element = ELEMENTS[name]
    if (element !== undefined) return `<${element}>${this.renderContent(node)}</${element}>`
    const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1]
    if (level !== undefined) return `<h${level}>${this.renderContent(node).trim()}</h${level}>`
    if (MARK.test(name)) return ''
    return this.#renderLeaf(node)
  }

  #renderLeaf(node: SyntaxNode): string {
    const source = this.#source.slice(node.from, node.to)
    switch (node.name) {
      case 'Link':
        return this.#renderLink(node)
      case 'Image':
        return this.#renderImage(node, source)
      case 'Autolink':
      case 'URL':
        return this.#renderAddress(source.replace(/^<|>$/g, ''))
      case 'InlineCode':
        return `<code>${escapeHtml(source.replace(/^(`+) ?(.*?) ?\1$/s, '$2'))}</code>`
      case 'FencedCode':
      case 'CodeBlock':
        return `<pre><code>${escapeHtml(this.#readCode(node, source))}</code></pre>`
      case 'TableHeader':
        return `<tr>${this.renderContent(node)}</tr>`
      case 'TableCell':
        return node.parent?.name === 'TableHeader'
          ? `<th>${this.renderContent(node)}</th>`
          : `<td>${this.renderContent(node)}</td>`
      case 'TaskMarker':
        return `<input type="checkbox"${/x/i.test(source) ? ' checked' : ''}> `
      case 'Escape':
        return escapeHtml(source.slice(1))
      case 'Entity':
        return /^&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,31});$/i.test(source) ? source : escapeHtml(source)
      case 'HardBreak':
        return '<br>'
      case 'HorizontalRule':
        return '<hr>'
      default:
        return escapeHtml(source)
    }
  }

  #readCode(node: SyntaxNode, source: string): string {
    const texts = node.getChildren('CodeText').map(({ from, to }) => this.#source.slice(from, to))
    return texts.length > 0 ? texts.join('') : node.name === 'CodeBlock' ? source : ''
  }

  #renderLink(node: SyntaxNode): string {
    const url = node.getChild('URL')
    const content = this.#renderLabel(node)
    const address = url && this.#resolve(this.#source.slice(url.from, url.to).replace(/^<|>$/g, ''))
    return address ? `<a href="${escapeHtml(address)}">${content}</a>` : content
  }

  /** Renders the content between the brackets. */
  #renderLabel(node: SyntaxNode): string {
    const [open, close] = node.getChildren('LinkMark')
    let html = ''
    let at = open?.to ?? node.from
    const end = close?.from ?? node.to
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.from < at || child.to > end) continue
      html += escapeHtml(this.#source.slice(at, child.from)) + this.#render(child)
      at = child.to
    }
    return html + escapeHtml(this.#source.slice(at, end))
  }

  #renderImage(node: SyntaxNode, source: string): string {
    const url = node.getChild('URL')
    const address = url && this.#resolve(this.#source.slice(url.from, url.to).replace(/^<|>$/g, ''))
    const alt = /^!\[((?:\\.|[^\]\\])*)\]/s.exec(source)?.[1]?.replace(/\\(.)/g, '$1') ?? ''
    return address ? `<img src="${escapeHtml(address)}" alt="${escapeHtml(alt)}">` : escapeHtml(alt)
  }

  #renderAddress(text: string): string {
    const address = this.#resolve(
      /^[\w.+-]+@[\w.-]+$/.test(text) ? `mailto:${text}` : text.replace(/^www\./i, 'http://$&'),
    )
    return address ? `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>` : escapeHtml(text)
  }

  /** Returns an address for another program; `undefined` if it could be unsafe. */
  #resolve(address: string): string | undefined {
    const url = URL.parse(address.replace(/\\(?=\p{P})/gu, ''), this.#origin)
    return url && /^(?:https?|mailto|daybook):$/.test(url.protocol) ? url.href : undefined
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
