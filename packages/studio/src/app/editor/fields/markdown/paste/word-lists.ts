import { getText, isElement, readStyle } from './dom.ts'

/** An item of a list that has its level and mark in attributes, not in its place in the document. */
interface FlatItem {
  /** From 1. */
  readonly level: number
  readonly isOrdered: boolean
  readonly start: number
}

/**
 * Builds lists from the paragraphs that Word writes: `<p style="mso-list:l0 level2 lfo1">`, with the mark as text in a span. Word for the
 * web and Google Docs have list elements, with the level in an attribute.
 */
export function convertWordLists(body: HTMLElement): void {
  for (const paragraph of [...body.querySelectorAll<HTMLElement>('[data-style*="mso-list"]')]) {
    if (paragraph.parentElement?.closest('[data-style*="mso-list"]') || !paragraph.isConnected) continue
    const item = readWordItem(paragraph)
    if (item) buildList(paragraph, readWordItem)
  }
  for (const item of [...body.querySelectorAll<HTMLElement>('li[data-aria-level]')]) {
    const wrapper = getWrapper(item)
    if (wrapper.isConnected && item.isConnected && item.hasAttribute('data-aria-level')) flattenWrappers(wrapper)
  }
}

function readWordItem(paragraph: HTMLElement): FlatItem | undefined {
  const level = /level(\d)/.exec(readStyle(paragraph).get('mso-list') ?? '')?.[1]
  if (level === undefined) return undefined
  const mark = getText(findMark(paragraph) ?? document.createElement('span'))
  const [, number] = /^\(?([\da-z]{1,4})[.)]/i.exec(mark) ?? []
  return { level: Number(level), isOrdered: number !== undefined, start: Number.parseInt(number ?? '', 10) || 1 }
}

const findMark = (paragraph: HTMLElement): HTMLElement | null =>
  [...paragraph.querySelectorAll<HTMLElement>('[data-style*="mso-list"]')].find(
    (span) => readStyle(span).get('mso-list') === 'ignore',
  ) ?? null

/** Replaces a run of paragraphs that are items by one list. */
function buildList(first: HTMLElement, read: (paragraph: HTMLElement) => FlatItem | undefined): void {
  const { ownerDocument } = first
  const builder = new ListBuilder(ownerDocument)
  first.before(builder.root)
  for (let next: Element | null = first; isElement(next); ) {
    const following: Element | null = next.nextElementSibling
    const item = read(next)
    if (!item || (next !== first && !builder.accepts(item))) break
    findMark(next)?.remove()
    builder.add(item, [...next.childNodes])
    next.remove()
    next = following
  }
  builder.root.replaceWith(...builder.root.childNodes)
}

/** Nests items by their levels. */
class ListBuilder {
  /** Holds the list until it replaces its paragraphs. */
  readonly root: HTMLElement
  /** The open lists, the outermost first. */
  #open: { readonly level: number; readonly list: HTMLElement }[] = []

  constructor(ownerDocument: Document) {
    this.root = ownerDocument.createElement('div')
  }

  /** Returns false for the first item of another list. */
  accepts({ level, isOrdered }: FlatItem): boolean {
    const [outermost] = this.#open
    return !outermost || level > outermost.level || (outermost.list.localName === 'ol') === isOrdered
  }

  add(item: FlatItem, content: readonly Node[]): void {
    const { ownerDocument } = this.root
    while (this.#open.length > 1 && (this.#open.at(-1)?.level ?? 0) > item.level) this.#open.pop()
    let current = this.#open.at(-1)
    const name = item.isOrdered ? 'ol' : 'ul'
    const isSibling = current && current.level >= item.level
    if (!isSibling || current?.list.localName !== name) {
      if (isSibling) this.#open.pop()
      const list = ownerDocument.createElement(name)
      if (item.isOrdered && item.start !== 1) list.setAttribute('start', String(item.start))
      const parent = this.#open.at(-1)?.list.lastElementChild ?? this.root
      parent.append(list)
      current = { level: item.level, list }
      this.#open.push(current)
    }
    const element = ownerDocument.createElement('li')
    element.append(...content)
    current?.list.append(element)
  }
}

/** Word for the web wraps each item in a list and a division of its own. */
const getWrapper = (item: HTMLElement): HTMLElement => item.closest<HTMLElement>('.ListContainerWrapper') ?? item

function flattenWrappers(first: HTMLElement): void {
  const builder = new ListBuilder(first.ownerDocument)
  const isWrapped = first.matches('.ListContainerWrapper')
  if (!isWrapped) return
  first.before(builder.root)
  for (let next: Element | null = first; isElement(next) && next.matches('.ListContainerWrapper'); ) {
    const following: Element | null = next.nextElementSibling
    for (const item of [...next.querySelectorAll<HTMLElement>('li[data-aria-level]')]) {
      const list = item.parentElement
      builder.add(
        {
          level: Number(item.dataset.ariaLevel) || 1,
          isOrdered: list?.localName === 'ol',
          start: Number(list?.getAttribute('start')) || 1,
        },
        [...item.childNodes],
      )
    }
    next.remove()
    next = following
  }
  builder.root.replaceWith(...builder.root.childNodes)
}
