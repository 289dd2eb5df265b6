import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { getCreateText } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { type CreateTarget, CreateTargetContext } from './fields/field-editor.ts'

const CreateForm = lazy(async () => ({ default: (await import('./create-form.tsx')).CreateForm }))

export interface CreateRelatedProps {
  /** The language of the content; empty if it has only one. */
  readonly locale: string
  readonly children: ReactNode
}

/** The entry being created, and the relation that waits for it. */
interface CreateRequest {
  readonly collection: string
  readonly title: string
  readonly onCreated: (id: string) => void
}

/** Lets the relations of a form create their targets in a dialog. */
export function CreateRelated({ locale, children }: CreateRelatedProps): ReactNode {
  const { t } = useTexts()
  const { collections } = useModel()
  const [request, setRequest] = useState<CreateRequest>()
  const open = useCallback<CreateTarget>(
    (collection, title, onCreated) => setRequest({ collection, title, onCreated }),
    [],
  )
  const close = (): void => setRequest(undefined)
  const collection = request && collections.get(request.collection)
  return (
    <CreateTargetContext value={open}>
      {children}
      <Dialog
        title={collection ? getCreateText(collection, t) : t.editor.create}
        isOpen={collection !== undefined}
        onClose={close}
        isWide
      >
        {collection && (
          // The new entry may need new targets itself.
          <CreateRelated locale={locale}>
            <Suspense fallback={<LoadingPlaceholder label={t.common.loading} />}>
              <CreateForm
                collection={collection}
                title={request.title}
                locale={locale}
                onCreated={(id) => {
                  close()
                  request.onCreated(id)
                }}
                onCancel={close}
              />
            </Suspense>
          </CreateRelated>
        )}
      </Dialog>
    </CreateTargetContext>
  )
}
