import {
  ChangeSet,
  type ChangeSpec,
  EditorSelection,
  EditorState,
  type Extension,
  type Line,
  type Text,
} from '@codemirror/state'
import type { MarkdownCommand } from './markdown-commands.ts'

interface Item {
  readonly indent: string
  /** The bullet or number. */
  readonly mark: string
  /** The box of a task with the spaces before it, else `''`. */
  readonly box: string
  readonly space: string
  /** `undefined` for a bullet. */
  readonly number: number | undefined
  /** The length of all of these: the position of the content. */
  readonly length: number
}

function parseItem(text: string): Item | undefined {
  const [all, indent = '', mark = '', box = '', space = ''] =
    /^(\s*)([-*+]|\d{1,9}[.)])( +\[[ xX]\])?( +)/.exec(text) ?? []
  if (all === undefined) return undefined
  const number = /^\d/.test(mark) ? Number.parseInt(mark, 10) : undefined
  return { indent, mark, box, space, number, length: all.length }
}

const getIndent = (text: string): number => text.length - text.trimStart().length

/** Continues a list on the next line. An empty item moves out by a level, and leaves the list from the outermost one. */
export const continueList: MarkdownCommand = (state) => {
  const { from, empty } = state.selection.main
  const line = state.doc.lineAt(from)
  const item = parseItem(line.text)
  if (!item || !empty || from < line.from + item.length) return null
  if (line.length === item.length) return item.indent === '' ? leaveList(state, line) : outdentItems(state)
  const mark = item.number === undefined ? item.mark : `${item.number + 1}${item.mark.slice(-1)}`
  const insert = `\n${item.indent}${mark}${item.box === '' ? '' : ' [ ]'}${item.space}`
  return withNumbers(state, { from, insert }, from + insert.length)
}

/** Replaces an empty item by a blank line around the cursor. */
function leaveList(state: EditorState, line: Line) {
  const previous = line.number > 1 ? state.doc.line(line.number - 1).text.trim() : ''
  const next = line.number < state.doc.lines ? state.doc.line(line.number + 1).text.trim() : ''
  const before = previous === '' ? '' : '\n'
  const insert = next === '' ? before : `${before}\n`
  return { changes: { from: line.from, to: line.to, insert }, selection: { anchor: line.from + before.length } }
}

/** Makes the selected items children of the item before them. `null` outside of a list. */
export const indentItems: MarkdownCommand = (state) => {
  const lines = getItemLines(state)
  const [first] = lines
  if (!first) return null
  const sibling = findItemAbove(state.doc, first, (indent) => indent <= getIndent(first.text))
  // The first item of a list has no item that could hold it.
  if (!sibling || getIndent(sibling.text) < getIndent(first.text)) return {}
  const by = ' '.repeat((parseItem(sibling.text)?.length ?? 2) - getBoxLength(sibling.text) - getIndent(first.text))
  const changes = lines.filter(({ text }) => text.trim() !== '').map(({ from }): ChangeSpec => ({ from, insert: by }))
  // The first item of an inner list begins it anew.
  const item = parseItem(first.text)
  if (item?.number !== undefined && sibling.number === first.number - 1) {
    const from = first.from + item.indent.length
    changes.push({ from, to: from + item.mark.length, insert: `1${item.mark.slice(-1)}` })
  }
  return withNumbers(state, changes)
}

/** Moves the selected items to the level of the item around them. `null` outside of a list. */
export const outdentItems: MarkdownCommand = (state) => {
  const lines = getItemLines(state)
  const [first] = lines
  if (!first) return null
  const indent = getIndent(first.text)
  if (indent === 0) return {}
  const parent = findItemAbove(state.doc, first, (other) => other < indent)
  const by = indent - (parent ? getIndent(parent.text) : 0)
  const changes = lines.map(({ from, text }): ChangeSpec => ({ from, to: from + Math.min(by, getIndent(text)) }))
  return withNumbers(state, changes)
}

/** Removes the mark of an item whose content begins at the cursor, or moves it out by a level. */
export const deleteItemMark: MarkdownCommand = (state) => {
  const { from, empty } = state.selection.main
  const line = state.doc.lineAt(from)
  const item = parseItem(line.text)
  if (!item || !empty || from !== line.from + item.length) return null
  if (item.indent !== '') return outdentItems(state)
  return withNumbers(state, { from: line.from, to: line.from + item.length })
}

const getBoxLength = (text: string): number => parseItem(text)?.box.length ?? 0

/** Returns the lines of the selected items and of the items and paragraphs in them. */
function getItemLines({ doc, selection }: EditorState): readonly Line[] {
  const { from, to } = selection.main
  const first = doc.lineAt(from)
  if (!parseItem(first.text)) return []
  const indent = getIndent(first.text)
  const lines = [first]
  for (let number = first.number + 1; number <= doc.lines && lines.length < MAX_LINES; number += 1) {
    const line = doc.line(number)
    const isInside = line.from <= to || (line.text.trim() !== '' && getIndent(line.text) > indent)
    if (!isInside) break
    lines.push(line)
  }
  return lines
}

function findItemAbove(doc: Text, { number }: Line, matches: (indent: number) => boolean): Line | undefined {
  for (let at = number - 1; at >= Math.max(1, number - MAX_LINES); at -= 1) {
    const line = doc.line(at)
    if (parseItem(line.text) && matches(getIndent(line.text))) return line
    if (line.text.trim() !== '' && getIndent(line.text) === 0 && !parseItem(line.text)) return undefined
  }
  return undefined
}

/** Lists are followed for at most this many lines. */
const MAX_LINES = 2000

/** Adds the changes that number the list around the cursor after other changes. */
function withNumbers(state: EditorState, changes: ChangeSpec, cursor?: number): ReturnType<MarkdownCommand> {
  const edit = state.changes(changes)
  const doc = edit.apply(state.doc)
  const at = cursor ?? edit.mapPos(state.selection.main.head, 1)
  const selection = cursor === undefined ? state.selection.map(edit, 1) : EditorSelection.single(cursor)
  const numbers = numberList(doc, at)
  if (numbers.length === 0) return { changes: edit, selection, scrollIntoView: true }
  const set = ChangeSet.of(numbers, doc.length, '\n')
  return { changes: edit.compose(set), selection: selection.map(set, 1), scrollIntoView: true }
}

interface Level {
  readonly indent: number
  readonly content: number
  /** The last number, without its delimiter. */
  readonly number: number | undefined
  readonly delimiter: string
  /** The number of spaces by which its children move, since its number became longer or shorter. */
  readonly shift: number
}

interface LineChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Finds the changes after which the numbers of the list around a position follow one another. */
export function numberList(doc: Text, at: number): readonly LineChange[] {
  const changes: LineChange[] = []
  const levels: Level[] = []
  let isCode = false
  for (const { from, text } of getListLines(doc, at)) {
    if (text.trim() === '') continue
    const indent = getIndent(text)
    while (indent < (levels.at(-1)?.indent ?? 0)) levels.pop()
    const shift = levels.filter(({ content }) => content <= indent).reduce((sum, level) => sum + level.shift, 0)
    if (shift !== 0) changes.push({ from, to: from + Math.max(0, -shift), insert: ' '.repeat(Math.max(0, shift)) })
    if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode
    const item = isCode ? undefined : parseItem(text)
    if (item) changes.push(...numberItem(item, from, levels))
  }
  return changes
}

/** Numbers an item after the one before it, and puts it on top of the levels. */
function numberItem(item: Item, lineFrom: number, levels: Level[]): readonly LineChange[] {
  const indent = item.indent.length
  const sibling = indent < (levels.at(-1)?.content ?? 0) ? levels.pop() : undefined
  const delimiter = item.mark.slice(-1)
  const last = sibling?.delimiter === delimiter ? sibling.number : undefined
  const number = item.number === undefined || last === undefined ? item.number : last + 1
  const mark = number === undefined ? item.mark : `${number}${delimiter}`
  const shift = mark.length - item.mark.length
  levels.push({ indent, content: item.length - item.box.length, number, delimiter, shift })
  const from = lineFrom + indent
  return mark === item.mark ? [] : [{ from, to: from + item.mark.length, insert: mark }]
}

function getListLines(doc: Text, at: number): readonly Line[] {
  const belongs = ({ text }: Line): boolean => parseItem(text) !== undefined || getIndent(text) > 0
  const line = doc.lineAt(at)
  const isEnd = (number: number, step: 1 | -1): boolean => {
    const current = number < 1 || number > doc.lines ? undefined : doc.line(number)
    if (!current || Math.abs(number - line.number) > MAX_LINES) return true
    if (current.text.trim() !== '') return false
    const beyond = number + step
    return beyond < 1 || beyond > doc.lines || !belongs(doc.line(beyond))
  }
  let first = line.number
  while (!isEnd(first - 1, -1)) first -= 1
  let last = line.number
  while (!isEnd(last + 1, 1)) last += 1
  return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index))
}

/** Numbers a list when lines of it are deleted by the user. */
export const numberAfterDeletion: Extension = EditorState.transactionFilter.of((transaction) => {
  const { docChanged, changes, startState, newDoc } = transaction
  if (!docChanged || !transaction.isUserEvent('delete') || newDoc.lines >= startState.doc.lines) return transaction
  let at: number | undefined
  changes.iterChanges((fromA, toA, fromB) => {
    if (/^\s*\d{1,9}[.)] /m.test(startState.sliceDoc(startState.doc.lineAt(fromA).from, toA))) at ??= fromB
  })
  if (at === undefined) return transaction
  const numbers = numberList(newDoc, at)
  return numbers.length === 0 ? transaction : [transaction, { changes: numbers, sequential: true }]
})
