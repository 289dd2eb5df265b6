import { findInnermostFirst, isElement, readStyle, unwrap } from './dom.ts'

/** Elements that are no content of a text, with everything in them. */
const NOISE = [
  'script,style,noscript,template,meta,link,title,base,object,embed,applet,svg,math annotation,canvas,dialog',
  'button,select,textarea,input:not([type="checkbox"]),label:empty',
  // Names with a colon are Office's own.
  'o\\:p,v\\:shape,v\\:shapetype,w\\:sdt:empty',
  // Wikipedia's links for editing, and its marks of references, whose notes are not copied.
  '.mw-editsection,sup.reference,.noprint',
  // Anchors beside headings.
  'a.anchor[aria-hidden="true"],a.headerlink,a.hash-link',
  '[hidden],[aria-hidden="true"]:not(:has(img)),br.Apple-interchange-newline',
].join(',')

/** Removes comments, hidden elements, and elements that are no content. */
export function removeNoise(body: HTMLElement): void {
  for (const element of body.querySelectorAll(NOISE)) element.remove()
  for (const element of body.querySelectorAll('[data-style]')) if (isHidden(element)) element.remove()
  const { ownerDocument } = body
  const comments = ownerDocument.createTreeWalker(body, NodeFilter.SHOW_COMMENT)
  const nodes: Node[] = []
  for (let node = comments.nextNode(); node; node = comments.nextNode()) nodes.push(node)
  for (const comment of nodes) comment.parentNode?.removeChild(comment)
  // Custom elements, such as those of Google Sheets, only wrap.
  for (const element of findInnermostFirst(body, '*')) if (/[-:]/.test(element.localName)) unwrap(element)
  replaceSpaces(body)
}

function isHidden(element: Element): boolean {
  const style = readStyle(element)
  const hides =
    style.get('display') === 'none' || style.get('visibility') === 'hidden' || style.get('mso-hide') === 'all'
  return hides && isElement(element)
}

/**
 * Replaces no-break spaces next to other spaces or at the end of a text, which programs insert to keep runs of spaces.
 * One between words stays: somebody has written it.
 */
function replaceSpaces(body: HTMLElement): void {
  for (const element of body.querySelectorAll('.Apple-converted-space, [data-style*="mso-spacerun"]')) {
    element.replaceWith(' ')
  }
  const texts = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.nodeValue ?? ''
    if (/[\u00a0\u200b\ufeff\u00ad]/.test(text)) {
      node.nodeValue = text
        .replace(/[\u200b\ufeff\u00ad]/g, '')
        .replace(/^\u00a0|\u00a0$|\u00a0(?=\s)|(?<=\s)\u00a0/g, ' ')
    }
  }
}
