import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { MissingPage } from '../../shell/missing-page.tsx'
import { Page } from '../../shell/page.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import type { DocumentEditor } from '../saving/document-editor.ts'
import { SavingNotice } from '../status/saving-notice.tsx'
import { useEditorState } from './use-document.ts'

/** What stands in the place of a document that is not read yet, or cannot be. */
export function LoadingPage({ editor }: { readonly editor: DocumentEditor }): ReactNode {
  const { t } = useTexts()
  const state = useEditorState(editor)
  const { kind } = state.status
  if (kind === 'gone') return <MissingPage title={t.editor.missing} text={t.editor.missingText} />
  if (kind === 'loading') return <Waiting label={t.common.loading} />
  return (
    <Page title={t.editor.unread}>
      <SavingNotice editor={editor} state={state} />
    </Page>
  )
}
