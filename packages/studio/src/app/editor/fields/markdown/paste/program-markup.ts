import { findInnermostFirst, getText, parseDeclarations, readStyle, rename, unwrap, wrapContent } from './dom.ts'

/** Chrome writes these into the style of everything that is copied from a web page; editors of code do not. */
const WEB_PAGE_STYLE = /-webkit-text-stroke-width|orphans/

/** Returns true if the only element is one of VS Code or JetBrains: colours of code, which its text has not. */
export function isSourceCode(body: HTMLElement): boolean {
  const root = body.firstElementChild
  if (!root || body.childElementCount > 1 || !/^(?:div|pre)$/.test(root.localName)) return false
  const style = readStyle(root)
  const isMonospaced = /mono|menlo|consolas|courier/.test(style.get('font-family') ?? '')
  const keepsSpaces = root.localName === 'pre' || (style.get('white-space') ?? '').startsWith('pre')
  return isMonospaced && keepsSpaces && !WEB_PAGE_STYLE.test(root.getAttribute('data-style') ?? '')
}

/** Turns the markup of word processors and other programs into ordinary elements. */
export function convertProgramMarkup(body: HTMLElement, head: HTMLElement, styleSheet: string): void {
  applyCocoaStyles(body, head, styleSheet)
  convertAriaHeadings(body)
  convertWordStyles(body)
  convertCheckboxes(body)
  for (const aside of body.querySelectorAll('aside')) rename(aside, 'blockquote')
  for (const box of body.querySelectorAll('.highlight[class*="highlight-source-"]')) {
    const language = /highlight-source-(\w+)/.exec(box.className)?.[1]
    for (const pre of box.querySelectorAll('pre')) {
      wrapContent(pre, 'code')
      pre.firstElementChild?.setAttribute('class', `language-${language}`)
    }
  }
}

/** Word for the web marks headings with roles alone. */
function convertAriaHeadings(body: HTMLElement): void {
  for (const element of body.querySelectorAll('[role="heading"]')) {
    const level = Math.min(6, Math.max(1, Number(element.getAttribute('aria-level')) || 2))
    if (!/^h[1-6]$/.test(element.localName)) rename(element, `h${level}`)
  }
}

/** Word's paragraph styles that have no element of their own. */
const WORD_STYLES: Readonly<Record<string, string>> = {
  MsoTitle: 'h1',
  MsoSubtitle: 'p',
  MsoQuote: 'blockquote',
  MsoIntenseQuote: 'blockquote',
}

function convertWordStyles(body: HTMLElement): void {
  for (const [name, element] of Object.entries(WORD_STYLES)) {
    for (const paragraph of body.querySelectorAll(`p.${name}`)) rename(paragraph, element)
  }
}

/** Turns the boxes of Google Docs and Notion into checkboxes. */
function convertCheckboxes(body: HTMLElement): void {
  for (const item of body.querySelectorAll('li')) {
    const isChecked = readCheckbox(item)
    if (isChecked === undefined || item.querySelector(':scope > input, :scope > p > input')) continue
    const box = item.ownerDocument.createElement('input')
    box.type = 'checkbox'
    box.toggleAttribute('checked', isChecked)
    const [paragraph] = item.children
    ;(paragraph?.localName === 'p' ? paragraph : item).prepend(box, ' ')
  }
}

/** Reads whether an item is checked, and removes its mark; `undefined` if it has no box. */
function readCheckbox(item: HTMLElement): boolean | undefined {
  if (item.getAttribute('role') === 'checkbox') {
    for (const image of item.querySelectorAll('img')) if (image.closest('li') === item) image.remove()
    return item.getAttribute('aria-checked') === 'true'
  }
  const box = item.querySelector(':scope > .checkbox')
  if (box) {
    box.remove()
    return box.classList.contains('checkbox-on')
  }
  const text = findFirstText(item)
  const [mark, sign] = /^\s*\[([ xX])\]\s+/.exec(text?.data ?? '') ?? []
  if (text === undefined || mark === undefined) return undefined
  text.deleteData(0, mark.length)
  return sign !== ' '
}

function findFirstText(item: HTMLElement): Text | undefined {
  let node: Node | null = item.firstChild
  while (node && !(node instanceof Text && node.data.trim() !== '')) node = node.firstChild ?? node.nextSibling
  return node ?? undefined
}

/** A paragraph whose letters are this much larger than those of most others is a heading. */
const HEADING_RATIO = 1.15
const MAX_HEADING_LENGTH = 160

/**
 * Applies the style sheet of Apple's programs (Pages, TextEdit, Notes), which name styles `p1`, `s1`. Headings have a larger font
 * alone, so they are ranked by size.
 */
function applyCocoaStyles(body: HTMLElement, head: HTMLElement, styleSheet: string): void {
  const generator = head.querySelector('meta[name="Generator" i]')?.getAttribute('content') ?? ''
  if (!/cocoa/i.test(generator)) return
  const sizes = new Map<HTMLElement, number>()
  for (const [, element = '', name = '', declarations = ''] of styleSheet.matchAll(
    /(p|span|li)\.(\w+)\s*\{([^}]*)\}/g,
  )) {
    const style = parseDeclarations(declarations)
    const font = style.get('font') ?? ''
    for (const styled of body.querySelectorAll<HTMLElement>(`${element}.${name}`)) {
      if (element === 'span') styled.setAttribute('data-style', `${toInlineFont(font)};${declarations}`)
      else if (element === 'p') sizes.set(styled, Number.parseFloat(/([\d.]+)px/.exec(font)?.[1] ?? '0'))
    }
  }
  rankHeadings(sizes)
  for (const span of findInnermostFirst(body, 'span.Apple-tab-span')) unwrap(span)
}

const toInlineFont = (font: string): string =>
  [/\bbold\b/.test(font) ? 'font-weight:bold' : '', /\bitalic\b/.test(font) ? 'font-style:italic' : ''].join(';')

function rankHeadings(sizes: ReadonlyMap<HTMLElement, number>): void {
  const lengths = new Map<number, number>()
  for (const [element, size] of sizes) lengths.set(size, (lengths.get(size) ?? 0) + getText(element).length)
  const [bodySize = 0] = [...lengths].toSorted((a, b) => b[1] - a[1])[0] ?? []
  const isHeading = (element: HTMLElement, size: number): boolean =>
    size >= bodySize * HEADING_RATIO && getText(element) !== '' && getText(element).length <= MAX_HEADING_LENGTH
  const headings = [...sizes].filter(([element, size]) => isHeading(element, size))
  const ranks = [...new Set(headings.map(([, size]) => size))].toSorted((a, b) => b - a)
  for (const [element, size] of headings) {
    if (element.isConnected) rename(element, `h${Math.min(6, ranks.indexOf(size) + 1)}`)
  }
}
