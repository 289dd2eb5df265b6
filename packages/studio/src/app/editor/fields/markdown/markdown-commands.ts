import { type ChangeSpec, EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'

/** What changes a Markdown text; `null`: nothing to do here. */
export type MarkdownCommand = (state: EditorState) => TransactionSpec | null

/** Puts a mark around what is selected, or takes it away. */
export const toggleInlineMark =
  (mark: string): MarkdownCommand =>
  (state) =>
    state.changeByRange((range) => {
      const { from, to } = range
      const size = mark.length
      const inside = state.sliceDoc(from, to)
      const isInside = inside.length >= 2 * size && inside.startsWith(mark) && inside.endsWith(mark)
      if (isInside) {
        const bare = inside.slice(size, -size)
        return { changes: { from, to, insert: bare }, range: EditorSelection.range(from, from + bare.length) }
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

/** What a line may begin with, and what replaces it. */
const MARKS = /^(\s*)(?:#{1,6} |> |[-*+] |\d+[.)] )?/

/** Begins the lines that are selected with a mark such as `## `, in place of another one; or takes it away. */
export const toggleLinePrefix =
  (mark: string): MarkdownCommand =>
  (state) => {
    const lines = selectedLines(state)
    const isOn = lines.every(({ text }) => text.trimStart().startsWith(mark))
    const changes = state.changes(
      lines.map(({ from, text }, index): ChangeSpec => {
        const [own = '', indent = ''] = MARKS.exec(text) ?? []
        const next = mark === '1. ' ? `${index + 1}. ` : mark
        return { from, to: from + own.length, insert: isOn ? indent : indent + next }
      }),
    )
    // What is typed next goes behind the mark.
    return { changes, selection: state.selection.map(changes, 1) }
  }

function selectedLines({ doc, selection }: EditorState) {
  const { from, to } = selection.main
  const first = doc.lineAt(from).number
  return Array.from({ length: doc.lineAt(to).number - first + 1 }, (_, index) => doc.line(first + index))
}

/** Makes a link of what is selected, whose address is typed next. */
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

/** Marks what is selected as code: words in their line, lines as a block. */
export const toggleCode: MarkdownCommand = (state) => {
  const { from, to } = state.selection.main
  return state.sliceDoc(from, to).includes('\n') ? wrapSelection('```\n', '\n```')(state) : toggleInlineMark('`')(state)
}

/** Puts texts before and after what is selected. */
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

/** Goes on with a list in the next line, or ends it where its item is empty. */
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

/** A file that was stored, as a text refers to it. */
export interface FileInText {
  readonly isImage: boolean
  /** What an image shows, or what the link to another file says. */
  readonly text: string
  readonly url: string
}

/** An image, or a link to another file. */
export const toFileMarkdown = ({ isImage, text, url }: FileInText): string =>
  `${isImage ? '!' : ''}[${text.replace(/[[\]\\\n]/g, ' ').trim()}](${url.replace(/[\s()<>]/g, percentEncoded)})`

const percentEncoded = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`

/** One replacement within a text. */
interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** The smallest replacement that makes one text of another; `undefined`: they are the same. */
export function findTextChange(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}
