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
import type { Asset } from '../media/asset.ts'
import { forEachChunk } from '../media/asset.ts'
import styles from './details.module.css'

/** What {@link DeleteFilesDialog} takes. */
export interface DeleteFilesDialogProps {
  readonly assets: readonly Pick<Asset, 'id' | 'originalName'>[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** What a dry run of the deletion found. */
interface Forecast {
  /** Those that cannot be deleted. */
  readonly refused: readonly string[]
  /** Why, of the first one. */
  readonly reason: unknown
}

/** Asks before files are deleted, and names those that cannot be: a dry run tells. */
export function DeleteFilesDialog({ assets, onClose, onDone }: DeleteFilesDialogProps): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const canBeRestored = useCollection(ASSETS)?.permissions.restore !== false
  const queries = useQueryClient()
  const toast = useToast()
  const forecast = useQuery({
    queryKey: ['deletion', ASSETS, assets.map(({ id }) => id)],
    queryFn: ({ signal }) => foresee(assets, (ids) => deleteAll(ids, { dryRun: true, signal })),
    gcTime: 0,
    staleTime: 0,
  })
  const deleteAll = (ids: readonly string[], options: object = {}): Promise<unknown> =>
    client.assets.deleteMany({ id: { in: ids } }, options)
  const refused = assets.filter(({ id }) => forecast.data?.refused.includes(id))
  const others = assets.filter(({ id }) => !forecast.data?.refused.includes(id))
  const remove = useMutation({
    mutationFn: () => forEachChunk(others, deleteAll),
    onSuccess: () => {
      toast({ text: t.assets.deleted(others.length) })
      onDone()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) }),
  })
  const error = remove.error ?? forecast.error
  return (
    <Dialog title={t.assets.deleteTitle(assets.length)} isOpen onClose={onClose}>
      {forecast.isPending && <p role="status">{t.assets.checking}</p>}
      {refused.length > 0 && (
        <div role="alert" className={styles.refusals}>
          <p>{t.assets.refusedFiles(refused.length)}</p>
          <ul>
            {refused.map(({ id, originalName }) => (
              <li key={id} dir="auto">
                {originalName}
              </li>
            ))}
          </ul>
          <p>{forecast.data && refusalText(forecast.data.reason)}</p>
        </div>
      )}
      {others.length > 0 && <p>{canBeRestored ? t.assets.deleteText : t.assets.deleteForeverText}</p>}
      {error && <FormError>{getErrorText(error, t)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose} autoFocus>
          {t.common.cancel}
        </Button>
        {others.length > 0 && (
          <Button
            variant="danger"
            onPress={() => remove.mutate()}
            isDisabled={!forecast.isSuccess}
            isPending={remove.isPending}
          >
            {refused.length > 0 ? t.assets.deleteOthers(others.length) : t.assets.delete}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  )

  function refusalText(reason: unknown): string {
    return reason instanceof DaybookError && reason.code === 'CONFLICT' ? t.assets.usedText : getErrorText(reason, t)
  }
}

/** @throws what is wrong with the request itself */
async function foresee(
  assets: DeleteFilesDialogProps['assets'],
  tryDeletion: (ids: readonly string[]) => Promise<unknown>,
): Promise<Forecast> {
  const refused: string[] = []
  let reason: unknown
  await forEachChunk(assets, async (ids) => {
    try {
      await tryDeletion(ids)
    } catch (error) {
      const named = error instanceof DaybookError ? error.details.refused : undefined
      if (!Array.isArray(named)) throw error
      refused.push(...named)
      reason ??= error
    }
  })
  return { refused, reason }
}
