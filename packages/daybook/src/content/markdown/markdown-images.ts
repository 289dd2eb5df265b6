import type { Env, StateCore, StateInline, Token } from 'markdown-it'
import { createMarkdownParser } from './markdown-parser.ts'

/** An image that a Markdown text shows. */
export interface ImageReference {
  /** As it is written, without its escapes. */
  readonly address: string
  readonly alt: string
  /** The line of the text, from 1. */
  readonly line: number
  /** The part of the text that gives way to another address. */
  readonly start: number
  readonly end: number
  /** Writes another address, of characters that need no escapes. */
  readonly write: (address: string) => string
}

/** A part of the text that is parsed by itself. */
interface Block {
  readonly content: string
  /** Its first line in the text, from 0. */
  readonly line: number
  /** Where in that line it begins at the earliest. */
  readonly column: number
}

/** What is noted while a text is parsed. */
interface Notes extends Env {
  readonly lines: readonly Line[]
  readonly places: ImageReference[]
  block: Block
  /** How many labels of images are being parsed, which show as text alone. */
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

/** What every image begins with, and some texts without one have, too. */
const MAY_HAVE_IMAGES = /!\[|<img/i

/** The images of a Markdown text, in order: inline, by reference, and in raw HTML; not those in code. */
export function findImages(source: string): readonly ImageReference[] {
  // Most texts show none, and to parse one takes as long as to render it.
  if (!MAY_HAVE_IMAGES.test(source)) return []
  const notes: Notes = { lines: toLines(source), places: [], block: { content: '', line: 0, column: 0 }, labels: 0 }
  PARSER.parse(source, notes)
  return notes.places.toSorted((one, other) => one.start - other.start)
}

/** A Markdown text with other addresses of images, by place; images without one stay. */
export function rewriteImages(source: string, addresses: ReadonlyMap<ImageReference, string>): string {
  let text = source
  for (const [place, address] of [...addresses].sort(([one], [other]) => other.start - one.start)) {
    text = text.slice(0, place.start) + place.write(address) + text.slice(place.end)
  }
  return text
}

/** As markdown-it takes a text apart, with the places in the text itself. */
function toLines(source: string): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  for (const { 0: end, index } of source.matchAll(/\r\n?|\n|$/g)) {
    lines.push({ start, text: source.slice(start, index) })
    start = index + end.length
  }
  return lines
}

// The parts of a text that hold images are parsed one after the other.
core.ruler.at('inline', ({ tokens, env, md }: StateCore) => {
  const notes = env as Notes
  const cells = cellLines(tokens)
  for (const token of tokens) {
    notes.block = blockOf(token, cells.get(token), notes.block)
    if (token.type === 'html_block') noteHtml(notes, token.content, 0)
    if (token.type === 'inline') md.inline.parse(token.content, md, env, token.children ?? [])
  }
})

/** The lines of the cells of tables; other parts say their lines themselves. */
function cellLines(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  const found = new Map<Token, number>()
  let line = 0
  let rows = 0
  for (const token of tokens) {
    if (token.type === 'table_open') [line, rows] = [token.map?.[0] ?? 0, 0]
    // Below the first row stands a line of dashes.
    if (token.type === 'tr_open') [line, rows] = [line + Math.min(rows, 2), rows === 0 ? 2 : 1]
    if (token.type === 'inline' && !token.map) found.set(token, line)
  }
  return found
}

/** A part of the text; a cell stands behind that before it in its row. */
function blockOf({ content, map }: Token, cellLine: number | undefined, before: Block): Block {
  if (cellLine === undefined) return content === '' ? before : { content, line: map?.[0] ?? 0, column: 0 }
  const column = cellLine === before.line ? before.column + before.content.length : 0
  return { content, line: cellLine, column }
}

follow('image', (state, start, token) => {
  const notes = state.env as Notes
  const labelEnd = helpers.parseLinkLabel(state, start + 1, false)
  const alt = renderer.renderInlineAsText(token.children ?? [], PARSER.options, {})
  const address = String(token.attrGet('src') ?? '')
  if (token.meta?.label === undefined) {
    const from = labelEnd + 2 + (/^\s*/.exec(state.src.slice(labelEnd + 2, state.posMax))?.[0].length ?? 0)
    const { pos } = helpers.parseLinkDestination(state.src, from, state.posMax)
    note(notes, { address, alt, start: from, end: pos, write: (other) => other })
  } else {
    const title = token.attrGet('title')
    const shown = title === null ? '' : ` "${String(title).replaceAll(/["\\]/g, '\\$&')}"`
    note(notes, { address, alt, start: labelEnd + 1, end: state.pos, write: (other) => `(${other}${shown})` })
  }
})

follow('html_inline', (state, start) => noteHtml(state.env as Notes, state.src.slice(start, state.pos), start))

/** Has a rule noted when it has made a token of a part of the text that is shown. */
function follow(name: string, noted: (state: StateInline, start: number, token: Token) => void): void {
  const rule = inline.ruler.__rules__.find((one) => one.name === name)?.fn
  if (!rule) throw new Error(`markdown-it has no rule ${name}`)
  inline.ruler.at(name, (state, isSilent) => {
    const notes = state.env as Notes
    const start = state.pos
    notes.labels += 1
    const isMade = rule(state, isSilent)
    notes.labels -= 1
    const token = state.tokens.at(-1)
    if (isMade && !isSilent && notes.labels === 0 && token) noted(state, start, token)
    return isMade
  })
}

function noteHtml(notes: Notes, html: string, at: number): void {
  for (const { start, end, ...image } of findHtmlImages(html)) {
    note(notes, { ...image, start: at + start, end: at + end, write: (other) => other })
  }
}

/** Notes an image whose place in its block is known. */
function note(notes: Notes, image: Omit<ImageReference, 'line'>): void {
  const last = locate(notes, image.end - 1)
  const first = image.start === image.end ? last && { ...last, at: last.at + 1 } : locate(notes, image.start)
  if (first && last) notes.places.push({ ...image, line: first.line + 1, start: first.at, end: last.at + 1 })
}

/** Where in the text a character of a block stands; `undefined`: the text has it in another form. */
function locate({ lines, block }: Notes, offset: number): { readonly line: number; readonly at: number } | undefined {
  const from = block.content.lastIndexOf('\n', offset - 1) + 1
  const index = block.content.slice(0, from).split('\n').length - 1
  const [indented = ''] = block.content.slice(from).split('\n', 1)
  const content = indented.trimStart()
  const before = block.content.slice(from + indented.length - content.length, offset)
  const line = lines[block.line + index]
  for (const mark of ['|', '\\|']) {
    // In a cell, the mark of its end is escaped.
    const column = line?.text.indexOf(content.replaceAll('|', mark), index === 0 ? block.column : 0) ?? -1
    if (line && column >= 0)
      return { line: block.line + index, at: line.start + column + before.replaceAll('|', mark).length }
  }
  return undefined
}

/** An image in a piece of HTML. */
interface HtmlImage {
  readonly address: string
  readonly alt: string
  /** Where the address stands, without its quotes. */
  readonly start: number
  readonly end: number
}

/** Comments, elements whose content is text, and tags (HTML, section 13.1); the attributes of images are captured. */
const PIECE =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[\s\S]*?(?:<\/\1\s*>|$)|<img(?=[\s/])(?<attributes>(?:[^>"']|"[^"]*"|'[^']*')*)>|<\/?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/dgi
const ATTRIBUTE = /(?<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'=<>`]+)))?/dg

/** The images with an address in a piece of HTML, in order. */
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

/** The value of an attribute, and its place. */
interface AttributeValue {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** The attributes of a tag that have a value; of several with one name, the first one counts. */
function readAttributes(text: string): ReadonlyMap<string, AttributeValue> {
  const found = new Map<string, AttributeValue>()
  for (const { groups = {}, indices } of text.matchAll(ATTRIBUTE)) {
    const name = groups.name?.toLowerCase() ?? ''
    const kind = ['double', 'single', 'bare'].find((one) => groups[one] !== undefined)
    const [start, end] = indices?.groups?.[kind ?? ''] ?? []
    if (kind === undefined || start === undefined || end === undefined || found.has(name)) continue
    found.set(name, { value: groups[kind]?.replaceAll('&amp;', '&') ?? '', start, end })
  }
  return found
}
