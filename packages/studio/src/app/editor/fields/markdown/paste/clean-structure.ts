import { findInnermostFirst, getText, hasBlocks, isBlock, isElement, rename, unwrap } from './dom.ts'

/** Repairs lists, line breaks, headings and tables for Markdown. */
export function repairStructure(body: HTMLElement): void {
  for (const list of body.querySelectorAll('ul, ol')) nestList(list)
  for (const lineBreak of [...body.querySelectorAll('br')]) repairLineBreak(lineBreak)
  // The title of the entry is the heading of level 1.
  for (const heading of body.querySelectorAll('h1')) rename(heading, 'h2')
  for (const table of findInnermostFirst(body, 'table')) repairTable(table)
  for (const figure of body.querySelectorAll('figure')) repairFigure(figure)
  for (const element of findInnermostFirst(body, 'h1,h2,h3,h4,h5,h6,p,li,blockquote')) {
    if (getText(element) === '' && element.querySelector('img,input,table,hr') === null) element.remove()
  }
  for (const item of body.querySelectorAll('li')) unwrapOnlyParagraph(item)
}

/** Moves a list that is a child of another list into the item before it, where HTML requires it. */
function nestList(list: Element): void {
  const { parentElement: parent, previousElementSibling: before } = list
  if (!parent?.matches('ul, ol')) return
  if (before?.localName === 'li') before.append(list)
  else unwrap(list)
}

/** An item of one paragraph is written without blank lines around it. */
function unwrapOnlyParagraph(item: Element): void {
  const paragraphs = [...item.children].filter((child) => child.localName === 'p')
  const [paragraph] = paragraphs
  const otherBlocks = [...item.children].filter((child) => child !== paragraph && !child.matches('ul, ol, input'))
  if (paragraph && paragraphs.length === 1 && otherBlocks.length === 0) unwrap(paragraph)
}

/** Removes line breaks at the ends of blocks; two in a row end a paragraph. */
function repairLineBreak(lineBreak: HTMLElement): void {
  if (!lineBreak.isConnected || lineBreak.closest('pre')) return
  const next = skipSpaces(lineBreak, 'nextSibling')
  const previous = skipSpaces(lineBreak, 'previousSibling')
  const parent = lineBreak.parentElement
  const isRun = isElement(next) && next.localName === 'br'
  const isAtEnd = (sibling: Node | null): boolean =>
    sibling === null ? isBlock(parent) || parent?.localName === 'body' : isBlock(sibling)
  if (isRun && parent?.matches('p, div, body')) splitAt(lineBreak, parent)
  else if (isAtEnd(next) || isAtEnd(previous)) lineBreak.remove()
}

function skipSpaces(node: Node, direction: 'nextSibling' | 'previousSibling'): Node | null {
  let sibling = node[direction]
  while (sibling && !isElement(sibling) && (sibling.textContent ?? '').trim() === '') sibling = sibling[direction]
  return sibling
}

/** Splits a block at a run of line breaks into two paragraphs. */
function splitAt(lineBreak: HTMLElement, parent: HTMLElement): void {
  const paragraph = lineBreak.ownerDocument.createElement('p')
  for (let before = lineBreak.previousSibling; before && !isBlock(before); before = lineBreak.previousSibling) {
    paragraph.prepend(before)
  }
  for (let next = skipSpaces(lineBreak, 'nextSibling'); isElement(next) && next.localName === 'br'; ) {
    next.remove()
    next = skipSpaces(lineBreak, 'nextSibling')
  }
  if (parent.localName === 'p') parent.before(paragraph)
  else lineBreak.before(paragraph)
  lineBreak.remove()
}

/** Gives tables a head, and unwraps those that only place their content: those with one cell, and those with other tables. */
function repairTable(table: Element): void {
  const cells = [...table.querySelectorAll('td, th')].filter((cell) => cell.closest('table') === table)
  const isLayout =
    cells.length <= 1 || table.querySelector('table') !== null || table.getAttribute('role') === 'presentation'
  const isEmpty = cells.every((cell) => getText(cell) === '' && cell.querySelector('img') === null)
  if (isEmpty) table.remove()
  else if (isLayout) table.replaceWith(...cells.map((cell) => rename(cell, 'div')))
  else repairCells(table, cells)
}

function repairCells(table: Element, cells: readonly Element[]): void {
  for (const cell of cells) flattenCell(cell)
  const [firstRow] = table.querySelectorAll('tr')
  if (!table.querySelector('th')) for (const cell of firstRow?.querySelectorAll('td') ?? []) rename(cell, 'th')
}

/** A cell of Markdown is one line. */
function flattenCell(cell: Element): void {
  for (const block of findInnermostFirst(cell, 'p,div,li,ul,ol,h1,h2,h3,h4,h5,h6,blockquote,pre')) {
    if (block.nextSibling) block.after(' ')
    if (block.previousSibling) block.before(' ')
    unwrap(block)
  }
}

/** A caption becomes the title of its image. */
function repairFigure(figure: Element): void {
  const image = figure.querySelector('img')
  const caption = figure.querySelector('figcaption')
  if (!image || figure.querySelectorAll('img').length > 1 || hasBlocks(figure.querySelector('table') ?? image)) return
  const text = caption ? getText(caption).replace(/\s+/g, ' ') : ''
  if (text !== '') image.title = text
  const paragraph = figure.ownerDocument.createElement('p')
  paragraph.append(image)
  figure.replaceWith(paragraph)
}
