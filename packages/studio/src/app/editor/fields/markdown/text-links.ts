import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

/** A link or an image in a text, with its parts. */
export interface TextLink {
  /** The position of the link's source in the text. */
  readonly from: number
  readonly to: number
  /** The Markdown of the link's text, or the alternative text of an image. */
  readonly text: string
  readonly url: string
  readonly title: string
}

/** Finds the link or image at the selection. */
export function findLinkAt(state: EditorState, kind: 'Link' | 'Image'): TextLink | undefined {
  const { from, to } = state.selection.main
  for (const side of [1, -1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, side)
    for (; node; node = node.parent) {
      if (node.name === kind && node.from <= from && node.to >= to) return parseLink(state, node)
    }
  }
  return undefined
}

/** Returns the parts of a `Link` or `Image`; those of a reference without an address have the URL `''`. */
export function parseLink(state: EditorState, { node }: { readonly node: SyntaxNode }): TextLink {
  const [open, close] = node.getChildren('LinkMark')
  const url = node.getChild('URL')
  const title = node.getChild('LinkTitle')
  return {
    from: node.from,
    to: node.to,
    text: state.sliceDoc(open?.to ?? node.from, close?.from ?? node.to),
    url: url ? state.sliceDoc(url.from, url.to).replace(/^<(.*)>$/s, '$1') : '',
    title: title ? state.sliceDoc(title.from + 1, title.to - 1) : '',
  }
}
