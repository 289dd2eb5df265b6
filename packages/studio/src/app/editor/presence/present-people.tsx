import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { usePersonName } from '../../session/use-person-name.ts'
import { Banner } from '../status/banner.tsx'

/** Says who else has a document open. */
export function PresentPeople({ subjects }: { readonly subjects: readonly string[] }): ReactNode {
  const { t } = useTexts()
  const personName = usePersonName(subjects)
  return (
    <div role="status">
      {subjects.length > 0 && <Banner tone="told" text={t.people.present(subjects.map(personName).join(', '))} />}
    </div>
  )
}
