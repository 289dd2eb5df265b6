import { fromDom } from 'hast-util-from-dom'
import { toMdast } from 'hast-util-to-mdast'
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { gfmTaskListItemToMarkdown } from 'mdast-util-gfm-task-list-item'
import { toMarkdown } from 'mdast-util-to-markdown'
import { cleanAddresses, type PastedImage } from './clean-addresses.ts'
import { removeNoise } from './clean-html.ts'
import { repairStructure } from './clean-structure.ts'
import { applyInlineStyles, tidyInlineElements } from './inline-styles.ts'
import { convertProgramMarkup, isSourceCode } from './program-markup.ts'
import { convertWordLists } from './word-lists.ts'

export interface ConvertedHtml {
  readonly markdown: string
  /** Images that can be uploaded. The Markdown has their placeholders as addresses. */
  readonly images: readonly PastedImage[]
}

export interface ConvertOptions {
  /** The origin of the page, whose addresses become relative. */
  readonly origin: string
  /** Returns true if the browser may fetch an image of another site. */
  readonly canFetch: (address: string) => boolean
}

/** Limits that keep the conversion below about a second; no article that people write exceeds them. */
const MAX_HTML_LENGTH = 32_000_000
const MAX_NODES = 60_000
const MAX_TEXT_LENGTH = 1_000_000
/** Parsing takes the square of the depth. */
const MAX_PARSED_DEPTH = 2000
/** The depth below which only the text is kept. */
const MAX_DEPTH = 120

/**
 * Converts HTML from a clipboard to GitHub-flavoured Markdown.
 *
 * @returns `undefined` if the HTML is too large, is code of a program, or has no content; its plain text is better then
 */
export function convertHtml(html: string, options: ConvertOptions): ConvertedHtml | undefined {
  if (html.length > MAX_HTML_LENGTH || isTooDeep(html)) return undefined
  const { content, styleSheet } = takeStyles(html)
  const { body, head } = new DOMParser().parseFromString(content, 'text/html')
  if (!isWithinLimits(body) || isSourceCode(body)) return undefined
  flattenBelow(body, MAX_DEPTH)
  convertWordLists(body)
  convertProgramMarkup(body, head, styleSheet)
  removeNoise(body)
  applyInlineStyles(body)
  const images = cleanAddresses(body, options)
  repairStructure(body)
  tidyInlineElements(body)
  const markdown = formatMarkdown(body)
  return markdown === '' ? undefined : { markdown, images }
}

/** Elements that have no end tag, or may leave it out. */
const WITHOUT_END = /^(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|td|th|tr|track|wbr)$/i

/** Estimates the depth from the tags, before anything is parsed. */
function isTooDeep(html: string): boolean {
  let depth = 0
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][\w:-]*)/gi)) {
    if (WITHOUT_END.test(name)) continue
    depth = Math.max(0, depth + (slash === '/' ? -1 : 1))
    if (depth > MAX_PARSED_DEPTH) return true
  }
  return false
}

interface ParsedStyles {
  readonly content: string
  readonly styleSheet: string
}

/** Takes style sheets out, and renames `style` to `data-style`: browsers would report both to the policy of the page. */
function takeStyles(html: string): ParsedStyles {
  const parts: string[] = []
  const sheets: string[] = []
  let at = 0
  for (const { index, 0: start } of html.matchAll(/<style\b[^>]*>/gi)) {
    if (index < at) continue
    const end = html.slice(index).search(/<\/style/i)
    parts.push(html.slice(at, index))
    at = end < 0 ? html.length : index + end
    sheets.push(html.slice(index + start.length, at))
  }
  const content = [...parts, html.slice(at)].join('')
  return {
    content: content.replace(/(<[a-z][^<>]*?[\s"'])style(?=\s*=)/gi, '$1data-style'),
    styleSheet: sheets.join('\n'),
  }
}

function isWithinLimits(body: HTMLElement): boolean {
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
  let nodes = 0
  let length = 0
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes += 1
    length += node instanceof Text ? node.length : 0
    if (nodes > MAX_NODES || length > MAX_TEXT_LENGTH) return false
  }
  return true
}

/** Replaces the content of the elements at a depth by its text. */
function flattenBelow(root: Element, maxDepth: number): void {
  let level: readonly Element[] = [root]
  for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
    level = level.flatMap((element) => [...element.children])
  }
  for (const element of level) element.replaceChildren(element.textContent)
}

function formatMarkdown(body: HTMLElement): string {
  const tree = toMdast(fromDom(body) as Parameters<typeof toMdast>[0], {
    handlers: {
      // Markdown has no syntax for these, and the service keeps their HTML.
      sup: (state, node) => keepElement('sup', state.all(node)),
      sub: (state, node) => keepElement('sub', state.all(node)),
      kbd: (state, node) => keepElement('kbd', state.all(node)),
    },
  })
  closeLists(tree as TreeNode)
  const markdown = toMarkdown(tree as Parameters<typeof toMarkdown>[0], {
    bullet: '-',
    emphasis: '*',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    extensions: [
      gfmTableToMarkdown({ tablePipeAlign: false }),
      gfmStrikethroughToMarkdown(),
      gfmTaskListItemToMarkdown(),
    ],
  })
  return markdown.trim()
}

interface TreeNode {
  readonly type: string
  spread?: boolean | null | undefined
  readonly children?: readonly TreeNode[]
}

/** Writes lists without blank lines unless an item has several paragraphs. */
function closeLists(node: TreeNode): void {
  for (const child of node.children ?? []) closeLists(child)
  if (node.type === 'listItem') node.spread = node.children?.slice(1).some(({ type }) => type !== 'list') ?? false
  if (node.type === 'list') node.spread = node.children?.some(({ spread }) => spread) ?? false
}

const keepElement = <Child>(name: string, children: readonly Child[]) => [
  { type: 'html' as const, value: `<${name}>` },
  ...children,
  { type: 'html' as const, value: `</${name}>` },
]
