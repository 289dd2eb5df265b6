import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { type EditorView, ViewPlugin } from '@codemirror/view'

const setFocused = StateEffect.define<boolean>()

const focusField = StateField.define<boolean>({
  create: () => false,
  update: (isFocused, { effects }) => effects.findLast((effect) => effect.is(setFocused))?.value ?? isFocused,
})

/** True while the focus is in the text, a cell of a table, a tooltip or a panel of the editor. */
export const hasFocusWithin = (state: EditorState): boolean => state.field(focusField, false) ?? false

/** Records in the state if the editor has the focus. */
export const trackFocus: Extension = [
  focusField,
  ViewPlugin.define((view) => {
    const { dom } = view
    const update = (): void => queueMicrotask(() => setFocus(view))
    dom.addEventListener('focusin', update)
    dom.addEventListener('focusout', update)
    return {
      destroy() {
        dom.removeEventListener('focusin', update)
        dom.removeEventListener('focusout', update)
      },
    }
  }),
]

function setFocus(view: EditorView): void {
  const { dom, root, state } = view
  const isFocused = dom.isConnected && dom.contains(root.activeElement)
  if (isFocused !== hasFocusWithin(state)) view.dispatch({ effects: setFocused.of(isFocused) })
}
