import { lazy, type ReactNode, Suspense } from 'react'
import type { StudioCollection } from '../../model/studio-model.ts'
import { needsToken } from '../../preview/preview-address.ts'
import { useStudio } from '../../talk/studio.ts'
import type { EditorState } from '../saving/editor-state.ts'

const PreviewButton = lazy(async () => ({ default: (await import('../../preview/preview-button.tsx')).PreviewButton }))

/** What an {@link EntryPreview} takes. */
export interface EntryPreviewProps {
  readonly collection: StudioCollection
  readonly state: EditorState
  /** True if the person may make a link that shows the draft. */
  readonly mayMakeToken: boolean
}

/** The way to the entry's page on the site, where the config says its address and the entry is stored. */
export function EntryPreview({ collection: { key }, state, mayMakeToken }: EntryPreviewProps): ReactNode {
  const { settings } = useStudio()
  const { document, tag, values } = state
  const address = Object.hasOwn(settings.preview, key) ? settings.preview[key] : undefined
  if (address === undefined || document.id === null || (needsToken(address) && !mayMakeToken)) return null
  const entry = { ...values, locale: document.locale, id: document.id }
  return (
    <Suspense>
      <PreviewButton collection={key} entry={entry} revision={tag ?? ''} address={address} />
    </Suspense>
  )
}
