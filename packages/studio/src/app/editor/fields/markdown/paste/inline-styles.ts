import {
  findInnermostFirst,
  getText,
  hasBlocks,
  isBlock,
  isElement,
  readStyle,
  rename,
  unwrap,
  wrapContent,
} from './dom.ts'

/** Elements that show text in another way, which Markdown has marks for. */
const MARKED = 'strong,em,del,code,sup,sub'

const HTML_NAMES: Readonly<Record<string, string>> = {
  b: 'strong',
  i: 'em',
  s: 'del',
  strike: 'del',
  tt: 'code',
  samp: 'code',
}

const MONOSPACED =
  /^["']?(?:andale mono|cascadia|consolas|courier|dejavu sans mono|fira code|fira mono|ibm plex mono|inconsolata|jetbrains mono|liberation mono|lucida console|menlo|monaco|monospace|roboto mono|sf mono|sfmono|source code pro|ubuntu mono)/

/** Puts elements in the place of styles, as word processors write them. */
export function applyInlineStyles(body: HTMLElement): void {
  for (const [name, replacement] of Object.entries(HTML_NAMES)) renameAll(body, name, replacement)
  for (const element of findInnermostFirst(body, 'strong[data-style],em[data-style],del[data-style]')) {
    if (isCancelled(element)) unwrap(element)
  }
  for (const element of findInnermostFirst(
    body,
    'span[data-style],font[data-style],a[data-style],u[data-style],ins[data-style],mark[data-style]',
  )) {
    for (const name of getStyledNames(element)) if (!element.closest(name)) wrapContent(element, name)
  }
  const unmarked = 'span,font,u,ins,mark,big,small,abbr,cite,dfn,time,var,bdi,bdo,center'
  for (const element of findInnermostFirst(body, unmarked)) unwrap(element)
}

function renameAll(body: HTMLElement, name: string, replacement: string): void {
  for (const element of findInnermostFirst(body, name)) {
    const style = element.getAttribute('data-style')
    const renamed = rename(element, replacement)
    if (style !== null) renamed.setAttribute('data-style', style)
  }
}

/** Google Docs wraps everything in a bold element whose style is not bold. */
function isCancelled(element: HTMLElement): boolean {
  const style = readStyle(element)
  if (element.localName === 'strong') return /^(?:normal|lighter|[1-4]00)$/.test(style.get('font-weight') ?? '')
  if (element.localName === 'em') return style.get('font-style') === 'normal'
  return (style.get('text-decoration') ?? style.get('text-decoration-line') ?? '').startsWith('none')
}

function getStyledNames(element: HTMLElement): readonly string[] {
  const style = readStyle(element)
  const weight = style.get('font-weight') ?? ''
  const decoration = `${style.get('text-decoration') ?? ''} ${style.get('text-decoration-line') ?? ''}`
  const align = style.get('vertical-align')
  const names: string[] = []
  if (MONOSPACED.test(style.get('font-family') ?? '')) names.push('code')
  if (/^(?:super|sub)$/.test(align ?? '') && element.querySelector('a') === null)
    names.push(align === 'super' ? 'sup' : 'sub')
  if (style.get('font-style') === 'italic') names.push('em')
  if (/^(?:bold|bolder|[6-9]00)$/.test(weight)) names.push('strong')
  if (decoration.includes('line-through')) names.push('del')
  return names
}

/** Joins, trims and removes marked elements so that Markdown can write them without escapes. */
export function tidyInlineElements(body: HTMLElement): void {
  for (const element of body.querySelectorAll('h1,h2,h3,h4,h5,h6,th')) removeWholeMarks(element)
  for (const element of findInnermostFirst(body, `${MARKED},a`)) {
    const isNested = element.parentElement?.closest(element.localName) ?? null
    if (hasBlocks(element) && element.localName !== 'a') unwrap(element)
    else if (isNested !== null) unwrap(element)
  }
  body.normalize()
  for (const element of [...body.querySelectorAll(MARKED)]) joinNext(element)
  for (const element of findInnermostFirst(body, `${MARKED},a`)) moveSpacesOut(element)
  body.normalize()
}

/** A heading and the head of a table are bold by themselves. */
function removeWholeMarks(element: Element): void {
  for (const mark of element.querySelectorAll('strong')) if (getText(mark) === getText(element)) unwrap(mark)
}

/** Appends the following elements with the same mark, which word processors split at every change of spelling or language. */
function joinNext(element: Element): void {
  for (
    let next = element.nextSibling;
    isElement(next) && next.localName === element.localName;
    next = element.nextSibling
  ) {
    element.append(...next.childNodes)
    next.remove()
  }
}

/** Moves spaces at the ends of an element out of it; before a letter, also punctuation, because the mark would not end there. */
function moveSpacesOut(element: HTMLElement): void {
  const text = element.textContent ?? ''
  if (text.trim() === '' && element.querySelector('img') === null) {
    unwrap(element)
    return
  }
  const first = getEdgeText(element, 'firstChild')
  const start = first && /^\s+/.exec(first.data)?.[0]
  if (first && start) {
    first.deleteData(0, start.length)
    element.before(start)
  }
  const last = getEdgeText(element, 'lastChild')
  const isBeforeWord = /^[\p{L}\p{N}]/u.test(element.nextSibling?.textContent ?? '') && !isBlock(element.nextSibling)
  const pattern = isBeforeWord && element.matches('strong,em,del') ? /[\s\p{P}]*\p{P}$|\s+$/u : /\s+$/
  const end = last && pattern.exec(last.data)?.[0]
  if (last && end && (end.length < last.length || element.childNodes.length > 1)) {
    last.deleteData(last.length - end.length, end.length)
    element.after(end)
  }
}

function getEdgeText(element: Node, edge: 'firstChild' | 'lastChild'): Text | undefined {
  let node: Node | null = element[edge]
  while (node && isElement(node)) node = node[edge]
  return node instanceof Text ? node : undefined
}
