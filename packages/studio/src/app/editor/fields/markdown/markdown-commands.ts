import { syntaxTree } from '@codemirror/language'
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type SelectionRange,
  type TransactionSpec,
} from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

/** A change of a Markdown text; `null` if it does not apply at the cursor. */
export type MarkdownCommand = (state: EditorState) => TransactionSpec | null

/** Marks the selection or the word at the cursor, or removes the marks around it. */
export const toggleInlineMark =
  (mark: string): MarkdownCommand =>
  (state) =>
    state.changeByRange((range) => {
      const marks = findMarks(state, range, mark)
      if (marks) {
        const set = state.changes(marks.map(({ from }) => ({ from, to: from + mark.length })))
        return { changes: set, range: EditorSelection.range(set.mapPos(range.anchor), set.mapPos(range.head)) }
      }
      const { from, to } = (range.empty && state.wordAt(range.head)) || range
      const set = state.changes([
        { from, insert: mark },
        { from: to, insert: mark },
      ])
      if (range.empty) return { changes: set, range: EditorSelection.cursor(range.head + mark.length) }
      return { changes: set, range: EditorSelection.range(from + mark.length, to + mark.length) }
    })

/** Finds the two marks around a range or at its ends. */
function findMarks(state: EditorState, range: SelectionRange, mark: string): readonly { from: number }[] | undefined {
  const construct = findConstruct(state, range, mark)
  const size = mark.length
  if (construct) return [{ from: construct.from }, { from: construct.to - size }]
  const { from, to } = range
  const selected = state.sliceDoc(from, to)
  if (selected.length > 2 * size && selected.startsWith(mark) && selected.endsWith(mark)) {
    return [{ from }, { from: to - size }]
  }
  // The second star of ** is no mark of its own.
  const isLonger = mark === '*' && state.sliceDoc(from - 2, from) === '**' && state.sliceDoc(from - 3, from) !== '***'
  const isAround = state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark
  return isAround && !isLonger ? [{ from: from - size }, { from: to }] : undefined
}

const CONSTRUCTS: Readonly<Record<string, string>> = {
  '**': 'StrongEmphasis',
  '*': 'Emphasis',
  '~~': 'Strikethrough',
  '`': 'InlineCode',
}

/** Finds the construct around a range that has the same marks. */
function findConstruct(state: EditorState, { from, to }: SelectionRange, mark: string): SyntaxNode | undefined {
  for (const side of [1, -1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, side)
    for (; node; node = node.parent) {
      if (node.name === CONSTRUCTS[mark] && node.from <= from && node.to >= to) return node
    }
  }
  return undefined
}

/** Matches the mark at the beginning of a line. */
const MARKS = /^(\s*)(?:#{1,6} |> |[-*+] (?:\[[ xX]\] )?|\d+[.)] )?/

/** Sets the mark of the selected lines, such as `## `, in place of another; or removes it. */
export const toggleLinePrefix =
  (mark: string): MarkdownCommand =>
  (state) => {
    const lines = getSelectedLines(state)
    const isOn = lines.every(({ text }) => text.trimStart().startsWith(mark))
    const changes = state.changes(
      lines.map(({ from, text }, index): ChangeSpec => {
        const [currentMark = '', indent = ''] = MARKS.exec(text) ?? []
        const next = mark === '1. ' ? `${index + 1}. ` : mark
        return { from, to: from + currentMark.length, insert: isOn ? indent : indent + next }
      }),
    )
    // The cursor goes behind the mark.
    return { changes, selection: state.selection.map(changes, 1) }
  }

/** Makes headings of the selected lines; level 0 makes paragraphs. */
export const setHeading =
  (level: number): MarkdownCommand =>
  (state) => {
    const mark = level === 0 ? '' : `${'#'.repeat(level)} `
    const lines = getSelectedLines(state)
    const changes = state.changes(
      lines.map(
        ({ from, text }): ChangeSpec => ({ from, to: from + (/^#{1,6} +/.exec(text)?.[0].length ?? 0), insert: mark }),
      ),
    )
    return { changes, selection: state.selection.map(changes, 1) }
  }

function getSelectedLines({ doc, selection }: EditorState) {
  const { from, to } = selection.main
  const first = doc.lineAt(from).number
  return Array.from({ length: doc.lineAt(to).number - first + 1 }, (_, index) => doc.line(first + index))
}

/** Turns the selection into a link, and moves the cursor to the missing part. */
export const insertLink: MarkdownCommand = (state) =>
  state.changeByRange((range) => {
    const text = state.sliceDoc(range.from, range.to)
    const isAddress = /^https?:\/\/\S+$/.test(text)
    const insert = isAddress ? `[](${text})` : `[${text}](https://)`
    const at = isAddress ? range.from + 1 : range.from + text.length + 3
    return {
      changes: { from: range.from, to: range.to, insert },
      range: isAddress ? EditorSelection.cursor(at) : EditorSelection.range(at, at + 'https://'.length),
    }
  })

/** Marks the selection as code: inline, or as a block for several lines. */
export const toggleCode: MarkdownCommand = (state) => {
  const { from, to } = state.selection.main
  return state.sliceDoc(from, to).includes('\n') ? wrapSelection('```\n', '\n```')(state) : toggleInlineMark('`')(state)
}

export const wrapSelection =
  (before: string, after: string): MarkdownCommand =>
  (state) =>
    state.changeByRange(({ from, to }) => ({
      changes: [
        { from, insert: before },
        { from: to, insert: after },
      ],
      range: EditorSelection.range(from + before.length, to + before.length),
    }))

/** Inserts a table as a block of its own. The cursor goes to its beginning. */
export const insertTable: MarkdownCommand = ({ doc, selection }) => {
  const { from, to } = selection.main
  const line = doc.lineAt(from)
  const previous = line.number > 1 ? doc.line(line.number - 1).text.trim() : ''
  const next = line.number < doc.lines ? doc.line(line.number + 1).text.trim() : ''
  const isEmpty = line.text.trim() === ''
  const selected = doc
    .sliceString(from, to)
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
  const before = isEmpty ? (previous === '' ? '' : '\n') : '\n\n'
  const table = `| ${selected} |  |\n| --- | --- |\n|  |  |`
  const at = isEmpty ? line.from : from
  const isAtEnd = to === line.to
  const insert = `${before}${table}${isAtEnd ? (next === '' ? '' : '\n') : '\n\n'}`
  return { changes: { from: at, to, insert }, selection: { anchor: at + before.length } }
}

/** A stored file, as a text refers to it. */
export interface FileInText {
  readonly isImage: boolean
  /** The alternative text of an image, or the text of a link. */
  readonly text: string
  readonly url: string
}

/** Formats an image, or a link to another file. */
export const toFileMarkdown = ({ isImage, text, url }: FileInText): string =>
  `${isImage ? '!' : ''}[${text.replace(/[[\]\\\n]/g, ' ').trim()}](${url.replace(/[\s()<>]/g, percentEncode)})`

const percentEncode = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`

interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Finds the smallest replacement that turns one text into another; `undefined` if they are equal. */
export function findTextChange(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined
  const maxLength = Math.min(before.length, after.length)
  let start = 0
  while (start < maxLength && before[start] === after[start]) start += 1
  let end = 0
  while (end < maxLength - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}
