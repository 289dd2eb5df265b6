import { syntaxTree } from '@codemirror/language'
import { type EditorView, WidgetType } from '@codemirror/view'

export class BulletWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  toDOM(): HTMLElement {
    return createSpan('cm-bullet', '•')
  }
}

export class RuleWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  toDOM(): HTMLElement {
    const rule = createSpan('cm-rule', '')
    rule.setAttribute('role', 'separator')
    return rule
  }
}

/** The name of a callout, in place of its marker. */
export class CalloutWidget extends WidgetType {
  readonly #label: string

  constructor(label: string) {
    super()
    this.#label = label
  }

  override eq(other: CalloutWidget): boolean {
    return this.#label === other.#label
  }

  toDOM(): HTMLElement {
    return createSpan('cm-callout-label', this.#label)
  }
}

/** The box of a task. */
export class CheckboxWidget extends WidgetType {
  readonly #isChecked: boolean

  constructor(isChecked: boolean) {
    super()
    this.#isChecked = isChecked
  }

  override eq(other: CheckboxWidget): boolean {
    return this.#isChecked === other.#isChecked
  }

  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.checked = this.#isChecked
    box.className = 'cm-checkbox'
    // The text has one stop of the Tab key; a shortcut toggles the task at the cursor.
    box.tabIndex = -1
    box.setAttribute('aria-label', view.state.phrase('Done'))
    box.disabled = view.state.readOnly
    box.addEventListener('mousedown', (event) => event.preventDefault())
    box.addEventListener('click', (event) => {
      event.preventDefault()
      toggleTaskAt(view, view.posAtDOM(box))
    })
    return box
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/** Toggles the task in the line at a position. @returns false if there is none */
export function toggleTaskAt(view: EditorView, at: number): boolean {
  const line = view.state.doc.lineAt(at)
  const [head, mark = ''] = /^(.*?(?:[-*+]|\d+[.)])\s+\[)[ xX]\]/.exec(line.text) ?? []
  if (head === undefined || view.state.readOnly) return false
  const from = line.from + mark.length
  const insert = view.state.sliceDoc(from, from + 1) === ' ' ? 'x' : ' '
  view.dispatch({ changes: { from, to: from + 1, insert }, userEvent: 'input.format' })
  return true
}

/** An image of a text, or its alternative text and address if it cannot be loaded. */
export class ImageWidget extends WidgetType {
  readonly #url: string
  readonly #alt: string
  readonly #isSelected: boolean

  constructor(url: string, alt: string, isSelected: boolean) {
    super()
    this.#url = url
    this.#alt = alt
    this.#isSelected = isSelected
  }

  override eq(other: ImageWidget): boolean {
    return this.#url === other.#url && this.#alt === other.#alt && this.#isSelected === other.#isSelected
  }

  toDOM(view: EditorView): HTMLElement {
    const frame = createSpan('cm-image', '')
    if (LOADABLE.test(this.#url)) {
      const image = document.createElement('img')
      image.src = this.#url
      image.alt = this.#alt
      image.draggable = false
      image.addEventListener('load', () => view.requestMeasure())
      image.addEventListener('error', () => {
        image.replaceWith(...this.#describe())
        view.requestMeasure()
      })
      frame.append(image)
    } else {
      frame.append(...this.#describe())
    }
    this.#update(frame)
    frame.addEventListener('mousedown', (event) => {
      event.preventDefault()
      selectImageAt(view, view.posAtDOM(frame))
    })
    return frame
  }

  override updateDOM(frame: HTMLElement, _: EditorView, from: this): boolean {
    if (from.#url !== this.#url || from.#alt !== this.#alt) return false
    this.#update(frame)
    return true
  }

  override ignoreEvent(): boolean {
    return true
  }

  #update(frame: HTMLElement): void {
    frame.classList.toggle('cm-image-selected', this.#isSelected)
  }

  #describe(): readonly HTMLElement[] {
    return [createSpan('cm-image-alt', this.#alt), createSpan('cm-image-url', this.#url)]
  }
}

/** Addresses that mean the same on this page as on the page of the text. */
const LOADABLE = /^(?:https?:\/\/|\/(?!\/)|data:image\/)/i

function selectImageAt(view: EditorView, at: number): void {
  const tree = syntaxTree(view.state)
  const node = [tree.resolveInner(at, 1), tree.resolveInner(at, -1)]
    .flatMap((inner) => [inner, inner.parent, inner.parent?.parent])
    .find((candidate) => candidate?.name === 'Image')
  if (node) view.dispatch({ selection: { anchor: node.from, head: node.to } })
  view.focus()
}

function createSpan(name: string, text: string): HTMLElement {
  const span = document.createElement('span')
  span.className = name
  span.textContent = text
  return span
}
