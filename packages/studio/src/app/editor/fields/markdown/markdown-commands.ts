import { type ChangeSpec, EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'

/** A change of a Markdown text; `null` if it does not apply at the cursor. */
export type MarkdownCommand = (state: EditorState) => TransactionSpec | null

export const toggleInlineMark =
  (mark: string): MarkdownCommand =>
  (state) =>
    state.changeByRange((range) => {
      const { from, to } = range
      const size = mark.length
      const selected = state.sliceDoc(from, to)
      const includesMarks = selected.length >= 2 * size && selected.startsWith(mark) && selected.endsWith(mark)
      if (includesMarks) {
        const text = selected.slice(size, -size)
        return { changes: { from, to, insert: text }, range: EditorSelection.range(from, from + text.length) }
      }
      if (state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark) {
        const changes = [
          { from: from - size, to: from },
          { from: to, to: to + size },
        ]
        return { changes, range: EditorSelection.range(from - size, to - size) }
      }
      const changes = [
        { from, insert: mark },
        { from: to, insert: mark },
      ]
      return { changes, range: EditorSelection.range(from + size, to + size) }
    })

/** Matches the mark at the beginning of a line. */
const MARKS = /^(\s*)(?:#{1,6} |> |[-*+] |\d+[.)] )?/

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

const ITEM = /^(\s*)([-*+]|\d+[.)])( +\[[ x]\])?( +)/

/** Continues a list on the next line, or ends it if the item is empty. */
export const continueList: MarkdownCommand = (state) => {
  const { from, empty } = state.selection.main
  const line = state.doc.lineAt(from)
  const [mark, indent = '', bullet = '', box = '', space = ''] = ITEM.exec(line.text) ?? []
  if (mark === undefined || !empty || from < line.from + mark.length) return null
  if (line.text === mark) return { changes: { from: line.from, to: line.to }, selection: { anchor: line.from } }
  const next = /^\d/.test(bullet) ? `${Number.parseInt(bullet, 10) + 1}${bullet.slice(-1)}` : bullet
  const insert = `\n${indent}${next}${box === '' ? '' : ' [ ]'}${space}`
  return { changes: { from, insert }, selection: { anchor: from + insert.length }, scrollIntoView: true }
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
