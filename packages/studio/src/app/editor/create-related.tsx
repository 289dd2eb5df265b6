import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { type CreateTarget, CreateTargetContext } from './fields/field-editor.ts'

const CreateForm = lazy(async () => ({ default: (await import('./create-form.tsx')).CreateForm }))

/** What {@link CreateRelated} takes. */
export interface CreateRelatedProps {
  /** The language of the content; empty: it has one. */
  readonly locale: string
  readonly children: ReactNode
}

/** What is being created, and for whom. */
interface Creating {
  readonly collection: string
  readonly onCreated: (id: string) => void
}

/** Lets the relations of a form create what they refer to, in a window over the page. */
export function CreateRelated({ locale, children }: CreateRelatedProps): ReactNode {
  const { t } = useTexts()
  const { collections } = useModel()
  const [creating, setCreating] = useState<Creating>()
  const open = useCallback<CreateTarget>((collection, onCreated) => setCreating({ collection, onCreated }), [])
  const close = (): void => setCreating(undefined)
  const collection = creating && collections.get(creating.collection)
  return (
    <CreateTargetContext value={open}>
      {children}
      <Dialog
        title={collection ? t.editor.createIn(collection.label) : t.editor.create}
        isOpen={collection !== undefined}
        onClose={close}
        isWide
      >
        {collection && (
          // What is created may refer to what is not there yet, too.
          <CreateRelated locale={locale}>
            <Suspense fallback={<LoadingPlaceholder label={t.common.loading} />}>
              <CreateForm
                collection={collection}
                locale={locale}
                onCreated={(id) => {
                  close()
                  creating.onCreated(id)
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
