/** Elements that are laid out as blocks. */
const BLOCKS =
  'address,article,aside,blockquote,center,dd,details,div,dl,dt,figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,main,nav,ol,p,pre,section,table,tbody,td,tfoot,th,thead,tr,ul'

const BLOCK_NAMES: ReadonlySet<string> = new Set(BLOCKS.split(','))

export const isElement = (node: Node | null): node is HTMLElement => node?.nodeType === Node.ELEMENT_NODE

export const isBlock = (node: Node | null): boolean => isElement(node) && BLOCK_NAMES.has(node.localName)

export const hasBlocks = (element: Element): boolean => element.querySelector(BLOCKS) !== null

/** Returns the elements that match, the innermost first, so that replacing one keeps the others valid. */
export const findInnermostFirst = (root: Element, selector: string): readonly HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(selector)].reverse()

/** Replaces an element by its content. */
export const unwrap = (element: Element): void => element.replaceWith(...element.childNodes)

/** Replaces an element by another with the same content. */
export function rename(element: Element, name: string): HTMLElement {
  const replacement = element.ownerDocument.createElement(name)
  replacement.append(...element.childNodes)
  element.replaceWith(replacement)
  return replacement
}

/** Puts the content of an element into a new element inside it. */
export function wrapContent(element: Element, name: string): void {
  const wrapper = element.ownerDocument.createElement(name)
  wrapper.append(...element.childNodes)
  element.append(wrapper)
}

/** Returns the text of an element without white space at its ends, nor no-break spaces. */
export const getText = (element: Node): string => (element.textContent ?? '').trim()

/** Parses the style of an element. It has another name, since browsers report `style` to the page's policy. */
export function readStyle(element: Element): ReadonlyMap<string, string> {
  return parseDeclarations(element.getAttribute('data-style') ?? '')
}

export function parseDeclarations(text: string): ReadonlyMap<string, string> {
  const declarations = new Map<string, string>()
  for (const declaration of text.split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 0) continue
    declarations.set(
      declaration.slice(0, colon).trim().toLowerCase(),
      declaration
        .slice(colon + 1)
        .trim()
        .toLowerCase(),
    )
  }
  return declarations
}
