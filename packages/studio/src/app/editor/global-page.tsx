import { etagOf } from '@daybook/client'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import type { StudioGlobal } from '../model/studio-model.ts'
import { useGlobal } from '../model/use-model.ts'
import { MissingPage } from '../shell/missing-page.tsx'
import { issuesByPath } from '../talk/error-texts.ts'
import { keys } from '../talk/keys.ts'
import { useStudio } from '../talk/studio.ts'
import { useToast } from '../ui/toasts.tsx'
import { EditorFrame } from './editor-frame.tsx'
import { FieldList } from './field-list.tsx'
import type { Values } from './saving/saved-field.ts'
import { useDocumentForm } from './use-document-form.ts'

const route = getRouteApi('/g/$global')

/** One global: `/g/:global`. */
export function GlobalPage(): ReactNode {
  const { global: key } = route.useParams()
  const global = useGlobal(key)
  return global ? <GlobalEditor key={key} global={global} /> : <MissingPage />
}

function GlobalEditor({ global }: { readonly global: StudioGlobal }): ReactNode {
  const { key, label, permissions, fields } = global
  const { client } = useStudio()
  const { t } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  const { data: stored } = useSuspenseQuery({
    queryKey: keys.global(key),
    queryFn: async ({ signal }) => ((await client.globals[key]?.get({}, { signal })) ?? {}) as Values,
    structuralSharing: false,
  })
  const form = useDocumentForm({ collection: 'globals', id: key }, stored)
  const save = useMutation({
    mutationFn: async (changes: Values) =>
      (await client.globals[key]?.update(changes, { ifMatch: etagOf(stored) })) as Values,
    onSuccess: (answer, changes) => {
      queries.setQueryData(keys.global(key), answer)
      form.settle(changes)
      toast({ text: t.editor.saved })
    },
  })
  const mayWrite = permissions.update !== false
  return (
    <EditorFrame
      title={label}
      isChanged={form.isChanged}
      isSaving={save.isPending}
      error={save.error}
      onSave={mayWrite ? () => save.mutate(form.changes) : undefined}
    >
      <FieldList fields={fields} form={form} issues={issuesByPath(save.error)} isReadOnly={!mayWrite} />
    </EditorFrame>
  )
}
