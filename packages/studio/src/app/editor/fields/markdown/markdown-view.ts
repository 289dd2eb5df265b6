import { defaultKeymap } from '@codemirror/commands'
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language'
import { ChangeSet, Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, placeholder, type ViewUpdate } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { GFM, parser } from '@lezer/markdown'
import { SHORTCUTS } from '../../../ui/shortcuts.ts'
import {
  continueList,
  type FileInText,
  findTextChange,
  insertLink,
  type MarkdownCommand,
  toFileMarkdown,
  toggleCode,
  toggleInlineMark,
  toggleLinePrefix,
  wrapSelection,
} from './markdown-commands.ts'
import { createSlashMenu, type SlashItem } from './slash-menu.ts'
import { findLinkAt, type TextLink } from './text-links.ts'

/** The commands of the toolbar and the slash menu. */
export const COMMANDS = {
  bold: toggleInlineMark('**'),
  italic: toggleInlineMark('*'),
  heading: toggleLinePrefix('## '),
  subheading: toggleLinePrefix('### '),
  link: insertLink,
  list: toggleLinePrefix('- '),
  numbers: toggleLinePrefix('1. '),
  quote: toggleLinePrefix('> '),
  code: toggleCode,
  codeBlock: wrapSelection('```\n', '\n```'),
  table: wrapSelection('| ', ' |  |\n| --- | --- |\n|  |  |'),
  rule: wrapSelection('\n---\n\n', ''),
} as const satisfies Readonly<Record<string, MarkdownCommand>>

export type CommandName = keyof typeof COMMANDS

export interface MarkdownViewOptions {
  readonly parent: HTMLElement
  readonly value: string
  /** The nonce of the page's Content-Security-Policy, for styles. */
  readonly nonce: string
  /** ARIA attributes. */
  readonly attributes: Readonly<Record<string, string>>
  readonly isReadOnly: boolean
  /** The items of the slash menu. */
  readonly slash: readonly { readonly label: string; readonly command: CommandName | 'image' }[]
  readonly slashLabel: string
  readonly onChange: (value: string) => void
  /** Receives dropped or pasted files. */
  readonly onFiles: (files: readonly File[], at: number) => void
  /** Opens the file picker for an image. */
  readonly onImage: () => void
  /**
   * Edits a link in a dialog: the one at the cursor, or a new one, whose `text` is the selection and whose `url` is empty.
   *
   * @default puts the cursor to the address, in the text
   */
  readonly onEditLink?: (link: TextLink) => void
  /**
   * Edits an image in a dialog, as `onEditLink`.
   *
   * @default puts the cursor to the address, in the text, and opens the file picker for a new image
   */
  readonly onEditImage?: (image: TextLink) => void
  /** More extensions of CodeMirror. They precede the editor's own. */
  readonly extensions?: readonly Extension[]
}

export interface MarkdownView {
  /** Applies a value from outside by the smallest change, so that the cursor stays with its words. */
  setValue(value: string): void
  setReadOnly(isReadOnly: boolean): void
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

/** Texts longer than this are passed on only when typing pauses, since serializing a large document is slow. */
const LONG_TEXT = 50_000
const PAUSE_MS = 300

const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown')

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.monospace, fontFamily: 'var(--font-mono)', fontSize: '0.9em' },
  { tag: [tags.processingInstruction, tags.quote, tags.meta], color: 'var(--text-muted)' },
])

const THEME = EditorView.theme({
  '&': { font: 'inherit', backgroundColor: 'transparent', maxBlockSize: '70vh' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: 'var(--space-3)', minBlockSize: '8rem', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--text-muted)', whiteSpace: 'pre-wrap' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-large)',
    background: 'var(--bg-raised)',
    boxShadow: 'var(--shadow)',
    zIndex: '5',
  },
  '.cm-slash': { padding: 'var(--space-1)', minInlineSize: '12rem' },
  '.cm-slash > div': { padding: 'var(--space-2) var(--space-3)', borderRadius: 'var(--radius)', cursor: 'pointer' },
  '.cm-slash > [aria-selected="true"]': { background: 'var(--bg-selected)' },
})

/** Opens an editor of a Markdown text. It changes nothing by itself: line ends and whitespace stay as they are. */
export function openMarkdown(options: MarkdownViewOptions): MarkdownView {
  const sync = new ValueSync(options.value, options.onChange)
  const editability = new Compartment()
  const ariaAttributes = new Compartment()
  const placeholderText = new Compartment()
  const slash = options.slash.map(({ label, command }): SlashItem => {
    const run = (view: EditorView): void => {
      if (command === 'image') editImage(view, options)
      else apply(view, COMMANDS[command])
    }
    return { label, run }
  })
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.value,
      extensions: [
        EditorView.cspNonce.of(options.nonce),
        options.extensions ?? [],
        // Carriage returns remain part of their lines.
        EditorState.lineSeparator.of('\n'),
        EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
        EditorView.lineWrapping,
        markdown,
        syntaxHighlighting(HIGHLIGHT),
        THEME,
        createSlashMenu(slash, options.slashLabel),
        createShortcuts(options),
        editability.of(createEditability(options.isReadOnly)),
        placeholderText.of([]),
        ariaAttributes.of(EditorView.contentAttributes.of(options.attributes)),
        EditorView.contentAttributes.of({ spellcheck: 'true', autocorrect: 'on', autocapitalize: 'on' }),
        EditorView.updateListener.of((update) => sync.handleUpdate(update)),
        EditorView.domEventHandlers(createFileHandlers(options)),
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
    run(command) {
      apply(view, COMMANDS[command])
      view.focus()
    },
    editLink: () => editLink(view, options),
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

function editLink(view: EditorView, { onEditLink }: MarkdownViewOptions): void {
  if (view.state.readOnly) return
  const link = findLinkAt(view.state, 'Link')
  if (onEditLink) onEditLink(link ?? getSelectedText(view.state))
  else if (link) selectAddress(view, link)
  else apply(view, COMMANDS.link)
}

function editImage(view: EditorView, { onEditImage, onImage }: MarkdownViewOptions): void {
  if (view.state.readOnly) return
  const image = findLinkAt(view.state, 'Image')
  if (onEditImage) onEditImage(image ?? getSelectedText(view.state))
  else if (image) selectAddress(view, image)
  else onImage()
}

function getSelectedText(state: EditorState): TextLink {
  const { from, to } = state.selection.main
  return { from, to, text: state.sliceDoc(from, to), url: '', title: '' }
}

/** Selects the address of a link in the text. */
function selectAddress(view: EditorView, { from, to, url }: TextLink): void {
  const at = from + Math.max(0, view.state.sliceDoc(from, to).lastIndexOf(url))
  view.dispatch({ selection: { anchor: at, head: at + url.length }, scrollIntoView: true })
  view.focus()
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
    ...defaultKeymap,
  ])
}

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
  return (file) => {
    const from = view.state.doc.toString().indexOf(text)
    const insert = file ? toFileMarkdown(file) : ''
    if (from >= 0) view.dispatch({ changes: { from, to: from + text.length, insert }, userEvent: 'input.paste' })
  }
}

class ValueSync {
  readonly #onChange: (value: string) => void
  /** The value that both sides know. */
  #syncedValue: string
  /** Values that were passed on and have not come back yet, which may happen after further keystrokes. */
  #sentValues: readonly string[] = []
  /** Changes since the last value was passed on. */
  #pending: ChangeSet | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #view: EditorView | undefined
  #isApplying = false

  constructor(value: string, onChange: (value: string) => void) {
    this.#syncedValue = value
    this.#onChange = onChange
  }

  handleUpdate({ view, docChanged, changes, state }: ViewUpdate): void {
    this.#view = view
    if (!docChanged || this.#isApplying) return
    this.#pending = this.#pending ? this.#pending.compose(changes) : changes
    clearTimeout(this.#timer)
    if (state.doc.length < LONG_TEXT) this.flush()
    else this.#timer = setTimeout(() => this.flush(), PAUSE_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    if (!this.#pending || !this.#view) return
    this.#pending = undefined
    this.#syncedValue = this.#view.state.doc.toString()
    this.#sentValues = [...this.#sentValues, this.#syncedValue]
    this.#onChange(this.#syncedValue)
  }

  /** Applies a value from outside. Pending changes stay. */
  setValue(view: EditorView, value: string): void {
    const sentIndex = this.#sentValues.indexOf(value)
    this.#sentValues = this.#sentValues.slice(sentIndex + 1)
    const change = sentIndex < 0 ? findTextChange(this.#syncedValue, value) : undefined
    if (!change) return
    const changes = ChangeSet.of(change, this.#syncedValue.length, '\n')
    this.#syncedValue = value
    this.#isApplying = true
    view.dispatch({ changes: this.#pending ? changes.map(this.#pending) : changes })
    this.#isApplying = false
    this.#pending = this.#pending?.map(changes, true)
  }
}
