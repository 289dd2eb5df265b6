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
import { type SlashItem, slashMenu } from './slash-menu.ts'

/** What the toolbar and the slash menu do, by name. */
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

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS

/** What a view is made of. */
export interface MarkdownViewOptions {
  readonly parent: HTMLElement
  readonly value: string
  /** Of the page's policy, for the styles. */
  readonly nonce: string
  /** What assistive technology is told. */
  readonly attributes: Readonly<Record<string, string>>
  readonly isReadOnly: boolean
  /** What the slash menu offers, by what a person calls it. */
  readonly slash: readonly { readonly label: string; readonly command: CommandName | 'image' }[]
  readonly slashLabel: string
  readonly onChange: (value: string) => void
  /** Called with files that are dropped or pasted. */
  readonly onFiles: (files: readonly File[], at: number) => void
  /** Asks for an image. */
  readonly onImage: () => void
}

/** A Markdown text that is being edited. */
export interface MarkdownView {
  /** Takes up a value from outside with as little change as possible; the cursor stays with its words. */
  setValue(value: string): void
  setReadOnly(isReadOnly: boolean): void
  /** What stands there in grey while there is no text. */
  setPlaceholder(text: string): void
  setAttributes(attributes: Readonly<Record<string, string>>): void
  run(command: CommandName): void
  /** Holds a place in the text open for a file. @returns puts the file in the place; without one, gives it up */
  reservePlace(text: string, at?: number): (file: FileInText | undefined) => void
  /** @param at where the caret goes. @default where it is */
  focus(at?: number): void
  destroy(): void
}

/** Longer texts are passed on when typing pauses: making one text of a large document takes its time. */
const LONG = 50_000
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

/** Opens an editor of a Markdown text. It never changes what nobody typed: line ends and blanks stay as they are. */
export function openMarkdown(options: MarkdownViewOptions): MarkdownView {
  const sync = new ValueSync(options.value, options.onChange)
  const reading = new Compartment()
  const labels = new Compartment()
  const empty = new Compartment()
  const slash = options.slash.map(({ label, command }): SlashItem => {
    const run = (view: EditorView): void => {
      if (command === 'image') options.onImage()
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
        // Other line ends stay in their lines.
        EditorState.lineSeparator.of('\n'),
        EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
        EditorView.lineWrapping,
        markdown,
        syntaxHighlighting(HIGHLIGHT),
        THEME,
        slashMenu(slash, options.slashLabel),
        shortcuts(),
        reading.of(readOnly(options.isReadOnly)),
        empty.of([]),
        labels.of(EditorView.contentAttributes.of(options.attributes)),
        EditorView.contentAttributes.of({ spellcheck: 'true', autocorrect: 'on', autocapitalize: 'on' }),
        EditorView.updateListener.of((update) => sync.note(update)),
        EditorView.domEventHandlers(fileEvents(options)),
      ],
    }),
  })
  return {
    setValue: (value) => sync.take(view, value),
    setReadOnly: (isReadOnly) => view.dispatch({ effects: reading.reconfigure(readOnly(isReadOnly)) }),
    setPlaceholder: (text) => view.dispatch({ effects: empty.reconfigure(text === '' ? [] : placeholder(text)) }),
    setAttributes: (own) => view.dispatch({ effects: labels.reconfigure(EditorView.contentAttributes.of(own)) }),
    run(command) {
      apply(view, COMMANDS[command])
      view.focus()
    },
    reservePlace: (text, at) => holdPlace(view, text, at),
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

const readOnly = (isReadOnly: boolean): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.editable.of(!isReadOnly),
]

function apply(view: EditorView, command: MarkdownCommand): boolean {
  const spec = view.state.readOnly ? null : command(view.state)
  if (spec) view.dispatch({ ...spec, userEvent: 'input.format', scrollIntoView: true })
  return spec !== null
}

const FORMATS = ['bold', 'italic', 'code', 'link', 'numbers', 'list', 'quote', 'heading', 'subheading'] as const

const lower = (letter: string): string => letter.toLowerCase()

function shortcuts(): Extension {
  const press = (key: string, command: MarkdownCommand) => ({
    key,
    run: (view: EditorView) => apply(view, command),
  })
  return keymap.of([
    ...FORMATS.map((name) =>
      press(SHORTCUTS.texts[name][0].replaceAll('+', '-').replace(/[A-Z]$/, lower), COMMANDS[name]),
    ),
    press('Enter', continueList),
    ...defaultKeymap,
  ])
}

function fileEvents({ onFiles, isReadOnly }: MarkdownViewOptions) {
  const take = (event: Event, data: DataTransfer | null, at: number): boolean => {
    const files = [...(data?.files ?? [])]
    if (files.length === 0 || isReadOnly) return false
    event.preventDefault()
    onFiles(files, at)
    return true
  }
  return {
    paste: (event: ClipboardEvent, view: EditorView) =>
      take(event, event.clipboardData, view.state.selection.main.head),
    drop: (event: DragEvent, view: EditorView) =>
      take(event, event.dataTransfer, view.posAtCoords({ x: event.clientX, y: event.clientY }, false)),
  }
}

function holdPlace(
  view: EditorView,
  text: string,
  at = view.state.selection.main.head,
): ReturnType<MarkdownView['reservePlace']> {
  view.dispatch({ changes: { from: at, insert: text }, userEvent: 'input.paste' })
  return (file) => {
    const whole = view.state.doc.toString()
    const from = whole.indexOf(text)
    const insert = file ? toFileMarkdown(file) : ''
    if (from >= 0) view.dispatch({ changes: { from, to: from + text.length, insert }, userEvent: 'input.paste' })
  }
}

/** Keeps the text of a view and the value outside the same. */
class ValueSync {
  readonly #onChange: (value: string) => void
  /** What is known outside. */
  #known: string
  /** What was passed on, and did not come back yet: it comes later than the next key. */
  #onTheWay: readonly string[] = []
  /** What was typed since. */
  #pending: ChangeSet | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #view: EditorView | undefined
  #isTaking = false

  constructor(value: string, onChange: (value: string) => void) {
    this.#known = value
    this.#onChange = onChange
  }

  /** Notes what was typed, and passes it on. */
  note({ view, docChanged, changes, state }: ViewUpdate): void {
    this.#view = view
    if (!docChanged || this.#isTaking) return
    this.#pending = this.#pending ? this.#pending.compose(changes) : changes
    clearTimeout(this.#timer)
    if (state.doc.length < LONG) this.flush()
    else this.#timer = setTimeout(() => this.flush(), PAUSE_MS)
  }

  /** Passes on what was typed. */
  flush(): void {
    clearTimeout(this.#timer)
    if (!this.#pending || !this.#view) return
    this.#pending = undefined
    this.#known = this.#view.state.doc.toString()
    this.#onTheWay = [...this.#onTheWay, this.#known]
    this.#onChange(this.#known)
  }

  /** Takes up a value from outside; what was typed and is not passed on yet stays. */
  take(view: EditorView, value: string): void {
    const own = this.#onTheWay.indexOf(value)
    this.#onTheWay = this.#onTheWay.slice(own + 1)
    const change = own < 0 ? findTextChange(this.#known, value) : undefined
    if (!change) return
    const set = ChangeSet.of(change, this.#known.length, '\n')
    this.#known = value
    this.#isTaking = true
    view.dispatch({ changes: this.#pending ? set.map(this.#pending) : set })
    this.#isTaking = false
    this.#pending = this.#pending?.map(set, true)
  }
}
