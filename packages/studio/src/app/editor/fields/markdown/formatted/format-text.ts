import { syntaxTree } from '@codemirror/language'
import { type Extension, StateEffect } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { hasFocusWithin, trackFocus } from './editor-focus.ts'
import { type FormattedRanges, findFormats } from './find-formats.ts'
import { FORMAT_THEME } from './format-theme.ts'

/** Sent when the pointer is released, so that syntax appears only after a selection by pointer ends. */
const released = StateEffect.define<null>()

/**
 * Shows Markdown as formatted text, without changing it. The syntax of a construct appears while the selection touches it. Only the
 * visible part of the text is inspected.
 */
export const formatText: Extension = [
  trackFocus,
  FORMAT_THEME,
  ViewPlugin.fromClass(
    class {
      ranges: FormattedRanges
      #isPointerDown = false
      readonly #release: () => void

      constructor(view: EditorView) {
        this.ranges = findFormats(view)
        this.#release = () => {
          if (!this.#isPointerDown) return
          this.#isPointerDown = false
          view.dispatch({ effects: released.of(null) })
        }
        for (const type of RELEASES) view.dom.ownerDocument.addEventListener(type, this.#release)
      }

      press(): void {
        this.#isPointerDown = true
      }

      update(update: ViewUpdate): void {
        if (isAffected(update, this.#isPointerDown)) this.ranges = findFormats(update.view)
      }

      destroy(): void {
        for (const type of RELEASES) document.removeEventListener(type, this.#release)
      }
    },
    {
      eventHandlers: {
        pointerdown() {
          this.press()
        },
      },
      provide: (plugin) => [
        EditorView.decorations.of((view) => view.plugin(plugin)?.ranges.decorations ?? Decoration.none),
        EditorView.atomicRanges.of((view) => view.plugin(plugin)?.ranges.atomic ?? Decoration.none),
      ],
    },
  ),
]

const RELEASES = ['pointerup', 'pointercancel'] as const

function isAffected(update: ViewUpdate, isPointerDown: boolean): boolean {
  const { docChanged, viewportChanged, selectionSet, startState, state, transactions } = update
  return (
    docChanged ||
    viewportChanged ||
    (selectionSet && !isPointerDown) ||
    syntaxTree(startState) !== syntaxTree(state) ||
    hasFocusWithin(startState) !== hasFocusWithin(state) ||
    startState.readOnly !== state.readOnly ||
    transactions.some(({ effects }) => effects.some((effect) => effect.is(released)))
  )
}
