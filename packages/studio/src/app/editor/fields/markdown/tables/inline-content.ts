import type { SyntaxNode } from '@lezer/common'
import { markdownParser } from '../markdown-language.ts'

const ELEMENTS: Readonly<Record<string, string>> = {
  StrongEmphasis: 'strong',
  Emphasis: 'em',
  Strikethrough: 's',
  InlineCode: 'code',
}

const MARKS = new Set(['EmphasisMark', 'StrikethroughMark', 'CodeMark', 'LinkMark', 'LinkTitle', 'LinkLabel'])

/** Renders Markdown of a single line as elements without its marks. */
export function renderInline(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const paragraph = markdownParser.parse(text).topNode.firstChild
  // Such as "# 1" or "- 1", which are plain text in a cell.
  if (paragraph?.name !== 'Paragraph' || paragraph.nextSibling) fragment.append(text)
  else appendChildren(fragment, paragraph, text)
  return fragment
}

function appendChildren(parent: Node, node: SyntaxNode, text: string): void {
  let at = node.from
  for (let child = node.firstChild; child; child = child.nextSibling) {
    parent.appendChild(document.createTextNode(text.slice(at, child.from)))
    appendNode(parent, child, text)
    at = child.to
  }
  parent.appendChild(document.createTextNode(text.slice(at, node.to)))
}

function appendNode(parent: Node, node: SyntaxNode, text: string): void {
  const { name, from, to } = node
  const isAddress = name === 'URL' && (node.parent?.name === 'Link' || node.parent?.name === 'Image')
  if (MARKS.has(name) || isAddress) return
  if (name === 'Escape') {
    parent.appendChild(document.createTextNode(text.slice(from + 1, to)))
  } else if (name === 'Image') {
    parent.appendChild(renderImage(node, text))
  } else if (name === 'Link' || name === 'Autolink' || ELEMENTS[name] !== undefined) {
    const element = document.createElement(ELEMENTS[name] ?? 'span')
    if (ELEMENTS[name] === undefined) element.className = 'cm-link'
    appendChildren(element, node, text)
    parent.appendChild(element)
  } else {
    parent.appendChild(document.createTextNode(text.slice(from, to)))
  }
}

function renderImage(node: SyntaxNode, text: string): HTMLElement {
  const [open, close] = node.getChildren('LinkMark')
  const url = node.getChild('URL')
  const image = document.createElement('img')
  image.alt = text.slice(open?.to ?? node.from, close?.from ?? node.to)
  if (url) image.src = text.slice(url.from, url.to)
  return image
}
