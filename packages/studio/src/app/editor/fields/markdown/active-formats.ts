import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

const FORMATS = {
  StrongEmphasis: 'bold',
  Emphasis: 'italic',
  Strikethrough: 'strikethrough',
  InlineCode: 'code',
  FencedCode: 'code',
  Link: 'link',
  BulletList: 'list',
  OrderedList: 'numbers',
  Blockquote: 'quote',
} as const satisfies Readonly<Record<string, string>>

export interface ActiveFormats {
  readonly names: ReadonlySet<string>
  /** The level of the heading, or 0. */
  readonly heading: number
}

export const NO_FORMATS: ActiveFormats = { names: new Set(), heading: 0 }

/** Returns the formats of the text at the cursor. */
export function getActiveFormats(state: EditorState): ActiveFormats {
  const names = new Set<string>()
  let heading = 0
  const { head, empty } = state.selection.main
  const side = empty || state.selection.main.anchor < head ? -1 : 1
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, side)
  for (; node; node = node.parent) {
    const name = FORMATS[node.name as keyof typeof FORMATS]
    // Only the innermost list counts.
    const isOuterList = (name === 'list' || name === 'numbers') && (names.has('list') || names.has('numbers'))
    if (name !== undefined && !isOuterList) names.add(name)
    if (node.name === 'ListItem' && node.getChild('Task')) names.add('tasks').add('list')
    heading = Number(/^(?:ATX|Setext)Heading(\d)$/.exec(node.name)?.[1] ?? heading)
  }
  if (names.has('tasks')) names.delete('list')
  return { names, heading }
}

export const isSameFormats = (a: ActiveFormats, b: ActiveFormats): boolean =>
  a.heading === b.heading && a.names.size === b.names.size && [...a.names].every((name) => b.names.has(name))
