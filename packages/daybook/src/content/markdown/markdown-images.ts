import type { Env, StateCore, StateInline, Token } from 'markdown-it'
import { createMarkdownParser } from './markdown-parser.ts'

export interface ImageReference {
  /** The address as written, without escapes. */
  readonly address: string
  readonly alt: string
  /** The line of the text, from 1. */
  readonly line: number
  /** The range of the text that another address replaces. */
  readonly start: number
  readonly end: number
  /** Formats another address, whose characters must not need escapes. */
  readonly write: (address: string) => string
}

/** A part of the text that is parsed by itself. */
interface Block {
  readonly content: string
  /** The first line in the text, from 0. */
  readonly line: number
  /** The earliest column of that line at which the block may begin. */
  readonly column: number
}

interface ParseState extends Env {
  readonly lines: readonly Line[]
  readonly places: ImageReference[]
  block: Block
  /** The number of image labels being parsed, in which nested images count as text. */
  labels: number
}

/** A line of the text, without its end. */
interface Line {
  readonly start: number
  readonly text: string
}

const PARSER = createMarkdownParser()
PARSER.normalizeLink = (address: string): string => address
const { core, helpers, inline, renderer } = PARSER

/** Matches the beginning of every image, and some texts without images. */
const MAY_HAVE_IMAGES = /!\[|<img/i

/** Finds the images of a Markdown text in order: inline, by reference, and in raw HTML, but not in code. */
export function findImages(source: string): readonly ImageReference[] {
  // Most texts have no images, and parsing takes as long as rendering.
  if (!MAY_HAVE_IMAGES.test(source)) return []
  const state: ParseState = {
    lines: splitLines(source),
    places: [],
    block: { content: '', line: 0, column: 0 },
    labels: 0,
  }
  PARSER.parse(source, state)
  return state.places.toSorted((a, b) => a.start - b.start)
}

export function rewriteImages(source: string, addresses: ReadonlyMap<ImageReference, string>): string {
  let text = source
  for (const [image, address] of [...addresses].sort(([a], [b]) => b.start - a.start)) {
    text = text.slice(0, image.start) + image.write(address) + text.slice(image.end)
  }
  return text
}

/** Splits a text into lines as markdown-it does, with their positions. */
function splitLines(source: string): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  for (const { 0: end, index } of source.matchAll(/\r\n?|\n|$/g)) {
    lines.push({ start, text: source.slice(start, index) })
    start = index + end.length
  }
  return lines
}

// Blocks are parsed one after another, so that the state knows the current one.
core.ruler.at('inline', ({ tokens, env, md }: StateCore) => {
  const parseState = env as ParseState
  const cells = findCellLines(tokens)
  for (const token of tokens) {
    parseState.block = getBlock(token, cells.get(token), parseState.block)
    if (token.type === 'html_block') recordHtmlImages(parseState, token.content, 0)
    if (token.type === 'inline') md.inline.parse(token.content, md, env, token.children ?? [])
  }
})

/** Returns the lines of table cells, which their tokens lack. */
function findCellLines(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  const linesByCell = new Map<Token, number>()
  let line = 0
  let rows = 0
  for (const token of tokens) {
    if (token.type === 'table_open') [line, rows] = [token.map?.[0] ?? 0, 0]
    // A line of dashes follows the first row.
    if (token.type === 'tr_open') [line, rows] = [line + Math.min(rows, 2), rows === 0 ? 2 : 1]
    if (token.type === 'inline' && !token.map) linesByCell.set(token, line)
  }
  return linesByCell
}

/** Returns the block of a token. A cell begins after the previous cell of its row. */
function getBlock({ content, map }: Token, cellLine: number | undefined, before: Block): Block {
  if (cellLine === undefined) return content === '' ? before : { content, line: map?.[0] ?? 0, column: 0 }
  const column = cellLine === before.line ? before.column + before.content.length : 0
  return { content, line: cellLine, column }
}

afterRule('image', (state, start, token) => {
  const parseState = state.env as ParseState
  const labelEnd = helpers.parseLinkLabel(state, start + 1, false)
  const alt = renderer.renderInlineAsText(token.children ?? [], PARSER.options, {})
  const address = String(token.attrGet('src') ?? '')
  if (token.meta?.label === undefined) {
    const from = labelEnd + 2 + (/^\s*/.exec(state.src.slice(labelEnd + 2, state.posMax))?.[0].length ?? 0)
    const { pos } = helpers.parseLinkDestination(state.src, from, state.posMax)
    recordImage(parseState, { address, alt, start: from, end: pos, write: (newAddress) => newAddress })
  } else {
    const title = token.attrGet('title')
    const titleText = title === null ? '' : ` "${String(title).replaceAll(/["\\]/g, '\\$&')}"`
    recordImage(parseState, {
      address,
      alt,
      start: labelEnd + 1,
      end: state.pos,
      write: (newAddress) => `(${newAddress}${titleText})`,
    })
  }
})

afterRule('html_inline', (state, start) =>
  recordHtmlImages(state.env as ParseState, state.src.slice(start, state.pos), start),
)

/** Calls back after an inline rule has created a token outside of image labels. */
function afterRule(name: string, onToken: (state: StateInline, start: number, token: Token) => void): void {
  const rule = inline.ruler.__rules__.find((candidate) => candidate.name === name)?.fn
  if (!rule) throw new Error(`markdown-it has no rule ${name}`)
  inline.ruler.at(name, (state, isSilent) => {
    const parseState = state.env as ParseState
    const start = state.pos
    parseState.labels += 1
    const hasToken = rule(state, isSilent)
    parseState.labels -= 1
    const token = state.tokens.at(-1)
    if (hasToken && !isSilent && parseState.labels === 0 && token) onToken(state, start, token)
    return hasToken
  })
}

function recordHtmlImages(state: ParseState, html: string, at: number): void {
  for (const { start, end, ...image } of findHtmlImages(html)) {
    recordImage(state, { ...image, start: at + start, end: at + end, write: (newAddress) => newAddress })
  }
}

/** Records an image by its range in the current block. */
function recordImage(state: ParseState, image: Omit<ImageReference, 'line'>): void {
  const last = locateInText(state, image.end - 1)
  const first = image.start === image.end ? last && { ...last, at: last.at + 1 } : locateInText(state, image.start)
  if (first && last) state.places.push({ ...image, line: first.line + 1, start: first.at, end: last.at + 1 })
}

/** Finds the position of a block's character in the text; `undefined` if the text has it in another form. */
function locateInText(
  { lines, block }: ParseState,
  offset: number,
): { readonly line: number; readonly at: number } | undefined {
  const from = block.content.lastIndexOf('\n', offset - 1) + 1
  const index = block.content.slice(0, from).split('\n').length - 1
  const [indented = ''] = block.content.slice(from).split('\n', 1)
  const content = indented.trimStart()
  const before = block.content.slice(from + indented.length - content.length, offset)
  const line = lines[block.line + index]
  for (const mark of ['|', '\\|']) {
    // Pipes are escaped inside cells.
    const column = line?.text.indexOf(content.replaceAll('|', mark), index === 0 ? block.column : 0) ?? -1
    if (line && column >= 0)
      return { line: block.line + index, at: line.start + column + before.replaceAll('|', mark).length }
  }
  return undefined
}

interface HtmlImage {
  readonly address: string
  readonly alt: string
  /** The range of the address, without its quotes. */
  readonly start: number
  readonly end: number
}

/** Matches comments, elements with text content, and tags (HTML, section 13.1); captures the attributes of images. */
const PIECE =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[\s\S]*?(?:<\/\1\s*>|$)|<img(?=[\s/])(?<attributes>(?:[^>"']|"[^"]*"|'[^']*')*)>|<\/?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/dgi
const ATTRIBUTE = /(?<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'=<>`]+)))?/dg

/** Finds the images with an address in HTML, in order. */
function findHtmlImages(html: string): readonly HtmlImage[] {
  return [...html.matchAll(PIECE)].flatMap(({ groups, indices }) => {
    const [from] = indices?.groups?.attributes ?? []
    if (from === undefined) return []
    const attributes = readAttributes(groups?.attributes ?? '')
    const source = attributes.get('src')
    if (!source) return []
    const alt = attributes.get('alt')?.value ?? ''
    return [{ address: source.value, alt, start: from + source.start, end: from + source.end }]
  })
}

interface AttributeValue {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Parses the attributes of a tag that have a value. The first of several attributes with one name counts. */
function readAttributes(text: string): ReadonlyMap<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>()
  for (const { groups = {}, indices } of text.matchAll(ATTRIBUTE)) {
    const name = groups.name?.toLowerCase() ?? ''
    const kind = ['double', 'single', 'bare'].find((quoting) => groups[quoting] !== undefined)
    const [start, end] = indices?.groups?.[kind ?? ''] ?? []
    if (kind === undefined || start === undefined || end === undefined || attributes.has(name)) continue
    attributes.set(name, { value: groups[kind]?.replaceAll('&amp;', '&') ?? '', start, end })
  }
  return attributes
}
