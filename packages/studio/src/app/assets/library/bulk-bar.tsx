import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, type StudioCollection } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { DeleteFilesDialog } from '../details/delete-files.tsx'
import { type Asset, forEachChunk } from '../media/asset.ts'
import styles from './library.module.css'

const MoveFiles = lazy(() => import('../details/move-files.tsx'))

export interface BulkBarProps {
  readonly selection: AssetSelection
  readonly permissions: StudioCollection['permissions']
}

export function BulkBar({ selection, permissions }: BulkBarProps): ReactNode {
  const { t } = useTexts()
  const [open, setOpen] = useState<'delete' | 'alt' | 'move'>()
  const { assets } = selection
  const close = (): void => setOpen(undefined)
  const finish = (): void => {
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
      {open === 'delete' && <DeleteFilesDialog assets={assets} onClose={close} onDone={finish} />}
      {open === 'move' && (
        <Suspense>
          <MoveFiles assets={assets} onClose={close} onDone={finish} />
        </Suspense>
      )}
      {open === 'alt' && <SetAlt assets={assets} onClose={close} onDone={finish} />}
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
      forEachChunk(assets, (ids) =>
        client.assets.updateMany({ id: { in: ids } }, { alt: alt.trim() === '' ? null : alt }),
      ),
    onSuccess: () => {
      toast({ text: t.assets.changed(assets.length) })
      onDone()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) }),
  })
  return (
    <Dialog title={t.assets.setAltTitle(assets.length)} isOpen onClose={onClose}>
      <TextField label={t.assets.alt} description={t.assets.altText} value={alt} onChange={setAlt} autoFocus />
      {save.error && <FormError>{getErrorText(save.error, t)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" onPress={() => save.mutate()} isPending={save.isPending}>
          {t.common.save}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

export interface AssetSelection {
  /** The selected files that are still in the list. */
  readonly assets: readonly Asset[]
  has(id: string): boolean
  /** Selects or deselects a file, as a range with all files since the last one. */
  tick(index: number, isTicked: boolean, isRange: boolean): void
  /** Selects all loaded files. */
  all(): void
  clear(): void
}

const NONE: ReadonlySet<string> = new Set()

export function useSelection(items: readonly Asset[]): AssetSelection {
  const [selected, setSelected] = useState(NONE)
  const [last, setLast] = useState<number>()
  return useMemo(
    () => ({
      assets: selected.size === 0 ? [] : items.filter(({ id }) => selected.has(id)),
      has: (id) => selected.has(id),
      tick(index, isTicked, isRange) {
        const from = isRange && last !== undefined ? last : index
        const range = items.slice(Math.min(from, index), Math.max(from, index) + 1)
        const next = new Set(selected)
        for (const { id } of range) isTicked ? next.add(id) : next.delete(id)
        setSelected(next)
        setLast(index)
      },
      all: () => setSelected(new Set(items.map(({ id }) => id))),
      clear: () => setSelected(NONE),
    }),
    [items, selected, last],
  )
}
