import { Annotation } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { CompletedText } from '../../../saving/undo-steps.ts'

/** Marks the transaction that completes a text. */
export const completion = Annotation.define<CompletedText>()

/** Replaces a placeholder, unless the user has deleted it. */
export function completeText(view: EditorView, completed: CompletedText): void {
  const { placeholder, text } = completed
  const from = view.state.doc.toString().indexOf(placeholder)
  const changes = from < 0 ? [] : { from, to: from + placeholder.length, insert: text }
  view.dispatch({ changes, annotations: completion.of(completed) })
}
