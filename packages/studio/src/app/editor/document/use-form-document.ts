import { useMemo } from 'react'
import type { FormDocument } from '../form-document.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'

/** What editors of fields share of a document that is open: the same object for as long as it is. */
export function useOwnFormDocument(editor: DocumentEditor, prefix: string): FormDocument {
  return useMemo(
    () => ({
      name: editor.getState().document,
      prefix,
      edit: (path, value, options) => editor.edit(path, value, options),
      unfinishedAt: (place) => editor.unfinishedAt(place),
      keepUnfinished: (place, unfinished) => editor.keepUnfinished(place, unfinished),
    }),
    [editor, prefix],
  )
}
