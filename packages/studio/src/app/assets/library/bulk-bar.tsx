import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection } from '../../model/studio-model.ts'
import { ASSETS } from '../../model/studio-model.ts'
import { errorText } from '../../talk/error-texts.ts'
import { keys } from '../../talk/keys.ts'
import { useStudio } from '../../talk/studio.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { DeleteFiles } from '../details/delete-files.tsx'
import type { Asset } from '../media/asset.ts'
import { inChunks } from '../media/many-assets.ts'
import styles from './library.module.css'
import type { Selection } from './use-selection.ts'

const MoveFiles = lazy(() => import('../moving/move-files.tsx'))

/** What a {@link BulkBar} takes. */
export interface BulkBarProps {
  readonly selection: Selection
  readonly permissions: StudioCollection['permissions']
}

/** What can be done with the files that are chosen. */
export function BulkBar({ selection, permissions }: BulkBarProps): ReactNode {
  const { t } = useTexts()
  const [open, setOpen] = useState<'delete' | 'alt' | 'move'>()
  const { assets } = selection
  const close = (): void => setOpen(undefined)
  const done = (): void => {
    close()
    selection.clear()
  }
  return (
    <>
      {assets.length > 0 && (
        <section className={styles.bulk} aria-label={t.assets.chosen(assets.length)}>
          <p role="status">{t.assets.chosen(assets.length)}</p>
          <Button variant="quiet" onPress={selection.all}>
            {t.assets.chooseAll}
          </Button>
          <Button variant="quiet" onPress={selection.clear}>
            {t.assets.chooseNone}
          </Button>
          <span className={styles.space} />
          {permissions.update !== false && (
            <>
              <Button icon="folder" onPress={() => setOpen('move')}>
                {t.assets.move}
              </Button>
              <Button onPress={() => setOpen('alt')}>{t.assets.setAlt}</Button>
            </>
          )}
          {permissions.delete !== false && (
            <Button icon="trash" onPress={() => setOpen('delete')}>
              {t.assets.delete}
            </Button>
          )}
        </section>
      )}
      {open === 'delete' && <DeleteFiles assets={assets} onClose={close} onDone={done} />}
      {open === 'move' && (
        <Suspense>
          <MoveFiles assets={assets} onClose={close} onDone={done} />
        </Suspense>
      )}
      {open === 'alt' && <SetAlt assets={assets} onClose={close} onDone={done} />}
    </>
  )
}

interface SetAltProps {
  readonly assets: readonly Asset[]
  readonly onClose: () => void
  readonly onDone: () => void
}

function SetAlt({ assets, onClose, onDone }: SetAltProps): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  const [alt, setAlt] = useState('')
  const save = useMutation({
    mutationFn: () =>
      inChunks(assets, (ids) => client.assets.updateMany({ id: { in: ids } }, { alt: alt.trim() === '' ? null : alt })),
    onSuccess: () => {
      toast({ text: t.assets.changed(assets.length) })
      onDone()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: keys.lists(ASSETS) }),
  })
  return (
    <Dialog title={t.assets.setAltTitle(assets.length)} isOpen onClose={onClose}>
      <TextField label={t.assets.alt} description={t.assets.altText} value={alt} onChange={setAlt} autoFocus />
      {save.error && <Problem>{errorText(save.error, t)}</Problem>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" onPress={() => save.mutate()} isPending={save.isPending}>
          {t.common.save}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
