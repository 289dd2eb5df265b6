import { defaultKeymap } from '@codemirror/commands'
import { syntaxHighlighting } from '@codemirror/language'
import { openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, type KeyBinding, keymap, placeholder } from '@codemirror/view'
import { SHORTCUTS } from '../../../ui/shortcuts.ts'
import type { EditOptions } from '../field-editor.ts'
import { type ActiveFormats, getActiveFormats, isSameFormats, NO_FORMATS } from './active-formats.ts'
import { formatText } from './formatted/format-text.ts'
import { toggleTaskAt } from './formatted/format-widgets.ts'
import { showLinks } from './link-tooltip.ts'
import { continueList, deleteItemMark, indentItems, numberAfterDeletion, outdentItems } from './list-commands.ts'
import {
  type FileInText,
  insertLink,
  insertTable,
  type MarkdownCommand,
  setHeading,
  toFileMarkdown,
  toggleCode,
  toggleInlineMark,
  toggleLinePrefix,
  wrapSelection,
} from './markdown-commands.ts'
import { markdownLanguage } from './markdown-language.ts'
import { SOURCE_HIGHLIGHT, THEME } from './markdown-theme.ts'
import { completeText } from './paste/complete-text.ts'
import { createCopy } from './paste/copy.ts'
import { createPaste, type PasteOptions } from './paste/paste-handler.ts'
import { createSlashMenu, type SlashItem } from './slash-menu.ts'
import { focusCell, formatCell, menuHost, type OpenMenu } from './tables/cell-events.ts'
import { separateFromTable, TABLE_KEYS } from './tables/table-keys.ts'
import { drawTables } from './tables/table-ranges.ts'
import { findLinkAt, type TextLink } from './text-links.ts'
import { ValueSync } from './value-sync.ts'

/** The commands of the toolbar and the slash menu. */
export const COMMANDS = {
  bold: toggleInlineMark('**'),
  italic: toggleInlineMark('*'),
  strikethrough: toggleInlineMark('~~'),
  paragraph: setHeading(0),
  heading2: setHeading(2),
  heading3: setHeading(3),
  heading4: setHeading(4),
  heading: toggleLinePrefix('## '),
  subheading: toggleLinePrefix('### '),
  link: insertLink,
  list: toggleLinePrefix('- '),
  numbers: toggleLinePrefix('1. '),
  tasks: toggleLinePrefix('- [ ] '),
  quote: toggleLinePrefix('> '),
  code: toggleCode,
  codeBlock: wrapSelection('```\n', '\n```'),
  table: insertTable,
  rule: wrapSelection('\n---\n\n', ''),
} as const satisfies Readonly<Record<string, MarkdownCommand>>

export type CommandName = keyof typeof COMMANDS

/** The commands that also apply to the cell of a table. */
const CELL_COMMANDS: readonly CommandName[] = ['bold', 'italic', 'strikethrough', 'code', 'link']

export interface MarkdownViewOptions {
  readonly parent: HTMLElement
  readonly value: string
  /** The nonce of the page's Content-Security-Policy, for styles. */
  readonly nonce: string
  /** ARIA attributes. */
  readonly attributes: Readonly<Record<string, string>>
  readonly isReadOnly: boolean
  /** True for formatted text, false for its source. */
  readonly isFormatted: boolean
  /** Translations of the English texts in the editor, such as those of its search. */
  readonly phrases: Readonly<Record<string, string>>
  /** The items of the slash menu. */
  readonly slash: readonly { readonly label: string; readonly command: CommandName | 'image' }[]
  readonly slashLabel: string
  readonly onChange: (value: string, options: EditOptions) => void
  readonly paste: PasteOptions
  /** Receives the formats at the cursor when they change. */
  readonly onFormats: (formats: ActiveFormats) => void
  readonly openMenu: OpenMenu
  /** Receives dropped or pasted files. */
  readonly onFiles: (files: readonly File[], at: number) => void
  /** Edits a link in a dialog: the one at the cursor, or a new one, whose `text` is the selection and whose `url` is empty. */
  readonly onEditLink: (link: TextLink) => void
  /** Edits an image in a dialog, as `onEditLink`. */
  readonly onEditImage: (image: TextLink) => void
}

export interface MarkdownView {
  /** Applies a value from outside by the smallest change, so that the cursor stays with its words. */
  setValue(value: string): void
  setReadOnly(isReadOnly: boolean): void
  setFormatted(isFormatted: boolean): void
  openSearch(): void
  setPlaceholder(text: string): void
  setAttributes(attributes: Readonly<Record<string, string>>): void
  run(command: CommandName): void
  /** Edits the link or image at the selection, or a new one. */
  editLink(): void
  editImage(): void
  /** Replaces a part of the text, and puts the cursor behind the new part. */
  replace(from: number, to: number, insert: string): void
  /** Inserts `text` as a placeholder for a file. @returns a function that replaces it by the file, or removes it */
  reservePlace(text: string, at?: number): (file: FileInText | undefined) => void
  /** @param at the new position of the cursor. @default the current one */
  focus(at?: number): void
  destroy(): void
}

/** Opens an editor of a Markdown text. It changes nothing by itself: line ends and whitespace stay as they are. */
export function openMarkdown(options: MarkdownViewOptions): MarkdownView {
  const sync = new ValueSync(options.value, options.onChange)
  const editability = new Compartment()
  const look = new Compartment()
  const createLook = (isFormatted: boolean): Extension =>
    isFormatted ? createFormattedLook(options) : syntaxHighlighting(SOURCE_HIGHLIGHT)
  const ariaAttributes = new Compartment()
  const placeholderText = new Compartment()
  const slash = options.slash.map(({ label, command }): SlashItem => {
    const execute = (view: EditorView): void => (command === 'image' ? editImage(view, options) : run(view, command))
    return { label, run: execute }
  })
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.value,
      extensions: [
        EditorView.cspNonce.of(options.nonce),
        // Carriage returns remain part of their lines.
        EditorState.lineSeparator.of('\n'),
        EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
        EditorView.lineWrapping,
        markdownLanguage,
        THEME,
        EditorState.phrases.of(options.phrases),
        createSlashMenu(slash, options.slashLabel),
        look.of(createLook(options.isFormatted)),
        search({ top: true }),
        numberAfterDeletion,
        createShortcuts(options),
        editability.of(createEditability(options.isReadOnly)),
        placeholderText.of([]),
        ariaAttributes.of(EditorView.contentAttributes.of(options.attributes)),
        EditorView.contentAttributes.of({ spellcheck: 'true', autocorrect: 'on', autocapitalize: 'on' }),
        EditorView.updateListener.of((update) => sync.handleUpdate(update)),
        watchFormats(options.onFormats),
        createPaste(options.paste),
        createCopy(),
        EditorView.domEventHandlers({ ...createFileHandlers(options), blur: () => sync.flush() }),
        // The page saves when it gets the key.
        keymap.of([{ key: 'Mod-s', run: () => sync.flush() }]),
      ],
    }),
  })
  return {
    setValue: (value) => sync.setValue(view, value),
    setReadOnly: (isReadOnly) => view.dispatch({ effects: editability.reconfigure(createEditability(isReadOnly)) }),
    setPlaceholder: (text) =>
      view.dispatch({ effects: placeholderText.reconfigure(text === '' ? [] : placeholder(text)) }),
    setAttributes: (attributes) =>
      view.dispatch({ effects: ariaAttributes.reconfigure(EditorView.contentAttributes.of(attributes)) }),
    setFormatted(isFormatted) {
      const hasFocus = view.dom.contains(view.root.activeElement)
      view.dispatch({ effects: look.reconfigure(createLook(isFormatted)) })
      // The cell that had the focus may be gone.
      if (hasFocus) view.focus()
    },
    openSearch: () => openSearchPanel(view),
    run: (command) => run(view, command),
    editLink: () => (isInCell(view) ? run(view, 'link') : editLink(view, options)),
    editImage: () => editImage(view, options),
    replace(from, to, insert) {
      const selection = { anchor: from + insert.length }
      view.dispatch({ changes: { from, to, insert }, selection, userEvent: 'input.format', scrollIntoView: true })
      view.focus()
    },
    reservePlace: (text, at) => reservePlace(view, text, at),
    focus(at) {
      if (at !== undefined) view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } })
      view.focus()
    },
    destroy() {
      sync.flush()
      view.destroy()
    },
  }
}

const createEditability = (isReadOnly: boolean): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.editable.of(!isReadOnly),
]

function apply(view: EditorView, command: MarkdownCommand): boolean {
  const spec = view.state.readOnly ? null : command(view.state)
  if (spec) view.dispatch({ ...spec, userEvent: 'input.format', scrollIntoView: true })
  return spec !== null
}

/** True if the cell of a table has the focus. */
const isInCell = (view: EditorView): boolean => !view.hasFocus && view.contentDOM.contains(view.root.activeElement)

/** Runs a command on the text, or on the cell of a table that has the focus. */
function run(view: EditorView, command: CommandName): void {
  if (isInCell(view)) {
    if (CELL_COMMANDS.includes(command)) formatCell(view, COMMANDS[command])
    return
  }
  view.focus()
  apply(view, COMMANDS[command])
  if (command === 'table') focusCell(view, view.state.selection.main.head, { row: 0, column: 0 })
}

function createFormattedLook(options: MarkdownViewOptions): Extension {
  const deleteMark = (view: EditorView): boolean => apply(view, deleteItemMark)
  return [
    formatText,
    drawTables,
    separateFromTable,
    menuHost.of(options.openMenu),
    showLinks({ editLink: (view) => editLink(view, options), editImage: (view) => editImage(view, options) }),
    Prec.high(keymap.of([...TABLE_KEYS, { key: 'Backspace', run: deleteMark }])),
  ]
}

function watchFormats(onFormats: (formats: ActiveFormats) => void): Extension {
  let formats = NO_FORMATS
  return EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    const next = docChanged || selectionSet ? getActiveFormats(state) : formats
    if (!isSameFormats(next, formats)) onFormats(next)
    formats = next
  })
}

function editLink({ state }: EditorView, { onEditLink }: MarkdownViewOptions): void {
  if (!state.readOnly) onEditLink(findLinkAt(state, 'Link') ?? getSelectedText(state))
}

function editImage({ state }: EditorView, { onEditImage }: MarkdownViewOptions): void {
  if (!state.readOnly) onEditImage(findLinkAt(state, 'Image') ?? getSelectedText(state))
}

function getSelectedText(state: EditorState): TextLink {
  const { from, to } = state.selection.main
  return { from, to, text: state.sliceDoc(from, to), url: '', title: '' }
}

const FORMATS = ['bold', 'italic', 'code', 'numbers', 'list', 'quote', 'heading', 'subheading'] as const

const toLowerCase = (letter: string): string => letter.toLowerCase()

function createShortcuts(options: MarkdownViewOptions): Extension {
  const toKey = (name: keyof typeof SHORTCUTS.texts): string =>
    SHORTCUTS.texts[name][0].replaceAll('+', '-').replace(/[A-Z]$/, toLowerCase)
  const bind = (key: string, command: MarkdownCommand) => ({
    key,
    run: (view: EditorView) => apply(view, command),
  })
  const startLink = (view: EditorView): boolean => {
    editLink(view, options)
    return true
  }
  return keymap.of([
    ...FORMATS.map((name) => bind(toKey(name), COMMANDS[name])),
    { key: toKey('link'), run: startLink },
    bind('Enter', continueList),
    bind('Tab', indentItems),
    bind('Shift-Tab', outdentItems),
    { key: 'Mod-Enter', run: (view) => toggleTaskAt(view, view.state.selection.main.head) },
    ...searchKeymap.filter(isSearchKey),
    ...defaultKeymap,
  ])
}

const isSearchKey = ({ key = '' }: KeyBinding): boolean => ['Mod-f', 'F3', 'Mod-g', 'Escape'].includes(key)

function createFileHandlers({ onFiles, isReadOnly }: MarkdownViewOptions) {
  const handleFiles = (event: Event, data: DataTransfer | null, at: number): boolean => {
    const files = [...(data?.files ?? [])]
    if (files.length === 0 || isReadOnly) return false
    event.preventDefault()
    onFiles(files, at)
    return true
  }
  return {
    paste: (event: ClipboardEvent, view: EditorView) =>
      handleFiles(event, event.clipboardData, view.state.selection.main.head),
    drop: (event: DragEvent, view: EditorView) =>
      handleFiles(event, event.dataTransfer, view.posAtCoords({ x: event.clientX, y: event.clientY }, false)),
  }
}

function reservePlace(
  view: EditorView,
  text: string,
  at = view.state.selection.main.head,
): ReturnType<MarkdownView['reservePlace']> {
  view.dispatch({ changes: { from: at, insert: text }, userEvent: 'input.paste' })
  return (file) => completeText(view, { placeholder: text, text: file ? toFileMarkdown(file) : '' })
}
