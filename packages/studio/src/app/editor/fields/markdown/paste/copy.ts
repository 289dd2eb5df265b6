import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { MARKDOWN_TYPE } from './paste-handler.ts'
import { renderHtml } from './render-html.ts'

/** Texts longer than this are copied as Markdown alone, since rendering them would block the page. */
const MAX_LENGTH = 300_000

/** Copies Markdown as a plain text, and its HTML, which other programs paste with its formats. */
export function createCopy(): Extension {
  const write = (event: ClipboardEvent, view: EditorView): string | undefined => {
    const { from, to } = view.state.selection.main
    // Without a selection, the editor copies the whole line.
    if (from === to || event.clipboardData === null || view.state.selection.ranges.length > 1) return undefined
    const text = view.state.sliceDoc(from, to)
    event.preventDefault()
    event.clipboardData.setData('text/plain', text)
    event.clipboardData.setData(MARKDOWN_TYPE, text)
    if (text.length <= MAX_LENGTH) event.clipboardData.setData('text/html', renderHtml(text, location.origin))
    return text
  }
  return EditorView.domEventHandlers({
    copy: (event, view) => write(event, view) !== undefined,
    cut: (event, view) => {
      if (view.state.readOnly || write(event, view) === undefined) return false
      view.dispatch(view.state.replaceSelection(''), { userEvent: 'delete.cut', scrollIntoView: true })
      return true
    },
  })
}
