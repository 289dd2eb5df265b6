import { DaybookError } from '@daybook/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useCollection } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { type Asset, forEachChunk } from '../media/asset.ts'
import styles from './details.module.css'

export interface DeleteFilesDialogProps {
  readonly assets: readonly Pick<Asset, 'id' | 'originalName'>[]
  readonly onClose: () => void
  readonly onDone: () => void
}

interface DryRun {
  /** The ids of the files that cannot be deleted. */
  readonly refused: readonly string[]
  /** The error of the first one. */
  readonly reason: unknown
}

/** A dry run finds the files that cannot be deleted. */
export function DeleteFilesDialog({ assets, onClose, onDone }: DeleteFilesDialogProps): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const canBeRestored = useCollection(ASSETS)?.permissions.restore !== false
  const queries = useQueryClient()
  const toast = useToast()
  const dryRun = useQuery({
    queryKey: ['deletion', ASSETS, assets.map(({ id }) => id)],
    queryFn: ({ signal }) => tryDelete(assets, (ids) => deleteAll(ids, { dryRun: true, signal })),
    gcTime: 0,
    staleTime: 0,
  })
  const deleteAll = (ids: readonly string[], options: object = {}): Promise<unknown> =>
    client.assets.deleteMany({ id: { in: ids } }, options)
  const undeletable = assets.filter(({ id }) => dryRun.data?.refused.includes(id))
  const deletable = assets.filter(({ id }) => !dryRun.data?.refused.includes(id))
  const remove = useMutation({
    mutationFn: () => forEachChunk(deletable, deleteAll),
    onSuccess: () => {
      toast({ text: t.assets.deleted(deletable.length) })
      onDone()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) }),
  })
  const error = remove.error ?? dryRun.error
  return (
    <Dialog title={t.assets.deleteTitle(assets.length)} isOpen onClose={onClose}>
      {dryRun.isPending && <p role="status">{t.assets.checking}</p>}
      {undeletable.length > 0 && (
        <div role="alert" className={styles.refusals}>
          <p>{t.assets.refusedFiles(undeletable.length)}</p>
          <ul>
            {undeletable.map(({ id, originalName }) => (
              <li key={id} dir="auto">
                {originalName}
              </li>
            ))}
          </ul>
          <p>{dryRun.data && getRefusalText(dryRun.data.reason)}</p>
        </div>
      )}
      {deletable.length > 0 && <p>{canBeRestored ? t.assets.deleteText : t.assets.deleteForeverText}</p>}
      {error && <FormError>{getErrorText(error, t)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose} autoFocus>
          {t.common.cancel}
        </Button>
        {deletable.length > 0 && (
          <Button
            variant="danger"
            onPress={() => remove.mutate()}
            isDisabled={!dryRun.isSuccess}
            isPending={remove.isPending}
          >
            {undeletable.length > 0 ? t.assets.deleteOthers(deletable.length) : t.assets.delete}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  )

  function getRefusalText(reason: unknown): string {
    return reason instanceof DaybookError && reason.code === 'CONFLICT' ? t.assets.usedText : getErrorText(reason, t)
  }
}

/** @throws errors other than refusals */
async function tryDelete(
  assets: DeleteFilesDialogProps['assets'],
  deleteChunk: (ids: readonly string[]) => Promise<unknown>,
): Promise<DryRun> {
  const refused: string[] = []
  let reason: unknown
  await forEachChunk(assets, async (ids) => {
    try {
      await deleteChunk(ids)
    } catch (error) {
      const ids = error instanceof DaybookError ? error.details.refused : undefined
      if (!Array.isArray(ids)) throw error
      refused.push(...ids)
      reason ??= error
    }
  })
  return { refused, reason }
}
