import type { RendererRule, StateCore, Token } from 'markdown-it'
import type { MarkdownConfig } from '../../config/config.ts'
import { addHeadingIds } from '../../fields/markdown-headings.ts'
import { markCallouts } from './callouts.ts'
import { createHtmlSanitizer } from './html-sanitizer.ts'
import { areInert } from './inert-tokens.ts'
import { createMarkdownParser } from './markdown-parser.ts'

const PARSER = createMarkdownParser()
const { core, linkify, renderer, utils } = PARSER

core.ruler.before('inline', 'callouts', markCallouts)
core.ruler.push('tasks', markTasks)
core.ruler.push('figures', markFigures)

const CHECKBOX = /^\[([ xX])\](?=\s)/

/** Turns `[ ]` and `[x]` at the start of list items into checkboxes (GitHub Flavored Markdown, task list items). */
function markTasks({ tokens, Token: NewToken }: StateCore): void {
  const lists: Token[] = []
  tokens.forEach((token, index) => {
    if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token)
    if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop()
    const item = tokens[index - 2]
    const text = token.type === 'inline' ? token.children?.[0] : undefined
    const box = text?.type === 'text' ? CHECKBOX.exec(text.content) : null
    if (item?.type !== 'list_item_open' || !text || !box) return
    text.content = text.content.slice(box[0].length)
    token.children?.unshift(toCheckbox(new NewToken('checkbox', 'input', 0), box[1] !== ' '))
    item.attrSet('class', 'task-list-item')
    lists.at(-1)?.attrSet('class', 'contains-task-list')
  })
}

function toCheckbox(token: Token, isChecked: boolean): Token {
  token.attrs = [['type', 'checkbox'], ...(isChecked ? [['checked', ''] as [string, string]] : []), ['disabled', '']]
  return token
}

/** Matches addresses of ordinary length that need no normalization. */
const PLAIN_ADDRESS = /^https?:\/\/[a-z0-9-]{1,30}(?:\.[a-z0-9-]{1,30}){0,6}(?:\/[\w;/?:@&=+$,.!~*'()#-]*)?$/i
const normalizeLink = PARSER.normalizeLink.bind(PARSER)
// markdown-it parses each address, which takes a tenth of its time.
PARSER.normalizeLink = (address: string): string => (PLAIN_ADDRESS.test(address) ? address : normalizeLink(address))

// A bare link needs a scheme or `www.`, since `README.md` is a file name, not an address in Moldova.
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

Object.assign(renderer.rules, {
  s_open: () => '<del>',
  s_close: () => '</del>',
  th_open: formatCellStart,
  td_open: formatCellStart,
  footnote_ref: (tokens, index) => {
    const { note, reference } = getFootnoteIds(tokens[index])
    return `<sup><a href="#${note}" id="${reference}" data-footnote-ref aria-describedby="user-content-footnote-label">${getFootnoteNumber(tokens[index])}</a></sup>`
  },
  footnote_block_open: () =>
    '<section data-footnotes class="footnotes"><h2 class="sr-only" id="user-content-footnote-label">Footnotes</h2>\n<ol>\n',
  footnote_open: (tokens, index) => `<li id="${getFootnoteIds(tokens[index]).note}">\n`,
  footnote_anchor: (tokens, index) =>
    ` <a href="#${getFootnoteIds(tokens[index]).reference}" data-footnote-backref aria-label="Back to reference ${getFootnoteNumber(tokens[index])}" class="data-footnote-backref">↩</a>`,
  // Texts and code are printed like the sanitizer prints them, so that the HTML of inert tokens can skip it.
  text: (tokens, index) => escapeText(tokens[index]),
  code_inline: (tokens, index) => `<code>${escapeText(tokens[index])}</code>`,
  code_block: (tokens, index) => `<pre><code>${escapeText(tokens[index])}</code></pre>\n`,
  fence: (tokens, index) =>
    `<pre><code${formatLanguageClass(tokens[index])}>${escapeText(tokens[index])}</code></pre>\n`,
} satisfies Record<string, RendererRule>)

/** Escapes a text outside of attributes, where quotes need no escapes. */
function escapeText(token: Token | undefined): string {
  const text = token?.content ?? ''
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Returns the class attribute of a code block, from the first word of its info string. */
function formatLanguageClass(token: Token | undefined): string {
  const [language = ''] = utils
    .unescapeAll(token?.info ?? '')
    .trim()
    .split(/\s/)
  return language === '' ? '' : ` class="language-${utils.escapeHtml(language)}"`
}

/** Aligns a cell by an attribute, like GitHub, instead of by a style, like markdown-it. */
function formatCellStart(tokens: readonly Token[], index: number): string {
  const side = /^text-align:(\w+)$/.exec(String(tokens[index]?.attrGet('style')))?.[1]
  return side === undefined ? `<${tokens[index]?.tag}>` : `<${tokens[index]?.tag} align="${side}">`
}

const getFootnoteNumber = (token: Token | undefined): number => Number(token?.meta?.id ?? 0) + 1

/** Returns the ids of a footnote and of a reference to it, with a prefix that separates them from ids of the page. */
function getFootnoteIds(token: Token | undefined): { readonly note: string; readonly reference: string } {
  const number = getFootnoteNumber(token)
  const again = Number(token?.meta?.subId ?? 0)
  return {
    note: `user-content-fn-${number}`,
    reference: `user-content-fnref-${number}${again > 0 ? `-${again + 1}` : ''}`,
  }
}

/** Renders GitHub-flavoured Markdown as safe HTML. Long texts take time; see `MarkdownRenderer`. */
export type RenderMarkdown = (source: string) => string

/** Creates a render function, which keeps the raw HTML that GitHub and the config allow. */
export function createRenderMarkdown(config?: MarkdownConfig): RenderMarkdown {
  const sanitize = createHtmlSanitizer(config)
  return (source) => {
    const env = {}
    const tokens = PARSER.parse(source, env)
    const html = renderer.render(tokens, PARSER.options, env)
    return addHeadingIds(areInert(tokens) ? html : sanitize(html)).trimEnd()
  }
}

/** Matches the width at which an image is shown, in pixels, at the end of its address. */
const WIDTH = /#width=([1-9]\d{0,4})$/

/** Gives images their widths, and turns a paragraph of one image with a title into a figure with a caption. */
function markFigures(state: StateCore): void {
  state.tokens.forEach((token, index) => {
    for (const image of token.children ?? []) if (image.type === 'image') applyWidth(image)
    const [image, ...rest] = token.children ?? []
    const [opening, closing] = [state.tokens[index - 1], state.tokens[index + 1]]
    const isAlone = image?.type === 'image' && rest.length === 0
    if (!isAlone || opening?.type !== 'paragraph_open' || opening.hidden || !closing) return
    const caption = String(image.attrGet('title') ?? '').trim()
    if (caption === '') return
    image.attrs = image.attrs?.filter(([name]) => name !== 'title') ?? null
    Object.assign(opening, { type: 'figure_open', tag: 'figure' })
    Object.assign(closing, { type: 'figure_close', tag: 'figure' })
    token.children?.push(...createCaption(state, caption))
  })
}

function applyWidth(image: Token): void {
  const address = String(image.attrGet('src') ?? '')
  const width = WIDTH.exec(address)?.[1]
  if (width === undefined) return
  image.attrSet('src', address.replace(WIDTH, ''))
  image.attrSet('width', width)
}

function createCaption({ Token: NewToken }: StateCore, caption: string): readonly Token[] {
  const text = new NewToken('text', '', 0)
  text.content = caption
  return [new NewToken('figcaption_open', 'figcaption', 1), text, new NewToken('figcaption_close', 'figcaption', -1)]
}
