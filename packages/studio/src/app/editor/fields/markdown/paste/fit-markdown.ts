import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

/** Matches a block that must begin on a line of its own. */
const BLOCK_START = /^(?:#{1,6} |[-*+] |\d+[.)] |> |\||```|---|<\w)/
const LIST_START = /^(?:[-*+]|\d+[.)]) /

/** Fits Markdown into the place of the selection: into its list, quote, table or heading, or between its paragraphs. */
export function fitIntoText(state: EditorState, markdown: string): string {
  const { from, to } = state.selection.main
  const line = state.doc.lineAt(from)
  const before = state.sliceDoc(line.from, from)
  const after = state.sliceDoc(to, state.doc.lineAt(to).to)
  if (isInTable(state, from)) return markdown.replace(/\s*\n+\s*/g, ' ').replace(/(?<!\\)\|/g, '\\|')
  const [container = '', quotes = '', mark = ''] = /^([\s>]*)((?:[-*+]|\d+[.)]) +(?:\[[ xX]\] )?)?/.exec(before) ?? []
  const isAtStart = before.length === container.length
  const isInItem = !(isAtStart && LIST_START.test(markdown))
  const prefix = quotes + (isInItem ? ' '.repeat(/^(?:[-*+]|\d+[.)]) +/.exec(mark)?.[0].length ?? 0) : '')
  const text = dropRepeatedMark(markdown, before, isAtStart)
  const lines = text.split('\n').map((content, index) => (index === 0 || content === '' ? content : prefix + content))
  const isBlock = BLOCK_START.test(text) && text === markdown
  const lead =
    isBlock && before.trim() !== '' && !isAtStart ? `\n\n${prefix}` : needsBlankLine(state, line.number, isBlock)
  const lastBlock = text.slice(text.lastIndexOf('\n\n') + 1).trimStart()
  const trail = BLOCK_START.test(lastBlock) && after.trim() !== '' ? `\n\n${prefix}` : ''
  return lead + lines.join('\n') + trail
}

/** In an empty item of a list, or a heading, the mark is there already. */
function dropRepeatedMark(markdown: string, before: string, isAtStart: boolean): string {
  if (isAtStart && LIST_START.test(before.trimStart())) return markdown.replace(LIST_START, '')
  return /^#{1,6} $/.test(before) ? markdown.replace(/^#{1,6} /, '') : markdown
}

/** A block directly below a paragraph would belong to it. */
function needsBlankLine(state: EditorState, lineNumber: number, isBlock: boolean): string {
  const isBelowText = lineNumber > 1 && state.doc.line(lineNumber - 1).text.trim() !== ''
  const isEmptyLine = state.doc.line(lineNumber).text.trim() === ''
  return isBlock && isBelowText && isEmptyLine ? '\n' : ''
}

function isInTable(state: EditorState, position: number): boolean {
  for (let node = syntaxTree(state).resolveInner(position, -1); node.parent; node = node.parent) {
    if (node.name === 'Table') return true
  }
  return false
}
