import { lazy, type ReactNode, Suspense } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import type { FieldEditorProps } from './field-editor.ts'

const AssetField = lazy(async () => ({ default: (await import('../../assets/picker/asset-field.tsx')).AssetField }))

/** The editor of files, one or several; it is loaded when a form has such a field. */
export function AssetEditor(props: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  return (
    <Suspense fallback={<Waiting label={t.common.loading} lines={2} />}>
      <AssetField {...props} />
    </Suspense>
  )
}
