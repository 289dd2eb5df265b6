import { ChangeSet } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import type { EditOptions } from '../field-editor.ts'
import { findTextChange } from './markdown-commands.ts'
import { completion } from './paste/complete-text.ts'

/** Texts longer than this are passed on only when typing pauses, since serializing a large document is slow. */
const LONG_TEXT = 50_000
const PAUSE_MS = 300

/** Passes the text of the editor on, and applies changes from outside to it. */
export class ValueSync {
  readonly #onChange: (value: string, options: EditOptions) => void
  /** The value that both sides know. */
  #syncedValue: string
  /** Values that were passed on and have not come back yet, which may happen after further keystrokes. */
  #sentValues: readonly string[] = []
  /** Changes since the last value was passed on. */
  #pending: ChangeSet | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #view: EditorView | undefined
  #isApplying = false

  constructor(value: string, onChange: (value: string, options: EditOptions) => void) {
    this.#syncedValue = value
    this.#onChange = onChange
  }

  handleUpdate({ view, docChanged, changes, state, transactions }: ViewUpdate): void {
    this.#view = view
    if (!docChanged || this.#isApplying) return
    const isTyping = !transactions.some((transaction) => transaction.isUserEvent('input.paste'))
    const completes = transactions.map((transaction) => transaction.annotation(completion)).find(Boolean)
    this.#pending = this.#pending ? this.#pending.compose(changes) : changes
    clearTimeout(this.#timer)
    if (completes) this.flush({ completes })
    else if (!isTyping || state.doc.length < LONG_TEXT) this.flush({ isTyping })
    else this.#timer = setTimeout(() => this.flush(), PAUSE_MS)
  }

  /** Passes pending changes on. Returns false, so that a key that calls it is handled further. */
  flush(options: EditOptions = { isTyping: true }): false {
    clearTimeout(this.#timer)
    if (!this.#pending || !this.#view) return false
    this.#pending = undefined
    this.#syncedValue = this.#view.state.doc.toString()
    this.#sentValues = [...this.#sentValues, this.#syncedValue]
    this.#onChange(this.#syncedValue, options)
    return false
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
