import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { errorText } from '../../talk/error-texts.ts'
import { keys } from '../../talk/keys.ts'
import { useStudio } from '../../talk/studio.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Asset } from '../media/asset.ts'
import { isFolder } from '../media/folder-levels.ts'
import { FolderField } from './folder-field.tsx'
import { type MoveOutcome, moveAll } from './move-run.ts'
import styles from './moving.module.css'

/** What {@link MoveFiles} takes. */
export interface MoveFilesProps {
  readonly assets: readonly Pick<Asset, 'id' | 'originalName' | 'directory'>[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Asks for a folder, and moves files there; names those that the service leaves where they are. */
export default function MoveFiles({ assets, onClose, onDone }: MoveFilesProps): ReactNode {
  const { t } = useTexts()
  const [typed, setTyped] = useState(() => `${sharedFolder(assets)}/`.replace(/^\/$/, ''))
  const folder = typed.replace(/\/$/, '')
  const { move, moved } = useMove(assets, folder, onDone)
  const error = folder === '' || isFolder(folder) ? undefined : t.assets.noFolderName
  const isThere = assets.every(({ directory }) => directory === folder)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (error === undefined && !isThere && !move.isPending) move.mutate()
  }
  const refused = move.data?.refused ?? []
  return (
    <Dialog title={t.assets.moveTitle(assets.length)} isOpen onClose={onClose}>
      {refused.length > 0 ? (
        <Refused names={namesOf(assets, refused)} reason={move.data?.reason} onClose={onDone} />
      ) : (
        <form className={styles.form} onSubmit={submit}>
          <FolderField value={typed} onChange={setTyped} error={error} />
          {move.error && <Problem>{errorText(move.error, t)}</Problem>}
          <p role="status">{move.isPending && moved > 0 && t.assets.movedSoFar(moved, assets.length)}</p>
          <DialogButtons>
            <Button onPress={onClose}>{t.common.cancel}</Button>
            <Button
              variant="primary"
              type="submit"
              isDisabled={isThere || error !== undefined}
              isPending={move.isPending}
            >
              {t.assets.move}
            </Button>
          </DialogButtons>
        </form>
      )}
    </Dialog>
  )
}

function useMove(assets: MoveFilesProps['assets'], directory: string, onDone: () => void) {
  const { client } = useStudio()
  const { t } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  const [moved, setMoved] = useState(0)
  const move = useMutation<MoveOutcome>({
    mutationFn: () =>
      moveAll({
        assets,
        send: (ids) => client.assets.updateMany({ id: { in: ids } }, { directory }),
        onProgress: setMoved,
      }),
    onSuccess: ({ refused }) => {
      const count = assets.length - refused.length
      if (count > 0) toast({ text: t.assets.moved(count, directory) })
      if (refused.length === 0) onDone()
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: keys.lists(ASSETS) })
      void queries.invalidateQueries({ queryKey: keys.folders })
      for (const { id } of assets) void queries.invalidateQueries({ queryKey: keys.entry(ASSETS, id), exact: true })
    },
  })
  return { move, moved }
}

interface RefusedProps {
  readonly names: readonly string[]
  readonly reason: unknown
  readonly onClose: () => void
}

function Refused({ names, reason, onClose }: RefusedProps): ReactNode {
  const { t } = useTexts()
  return (
    <>
      <div role="alert" className={styles.problem}>
        <p>{t.assets.notMoved(names.length)}</p>
        <ul className={styles.names}>
          {names.map((name) => (
            <li key={name} dir="auto">
              {name}
            </li>
          ))}
        </ul>
        <p>{errorText(reason, t)}</p>
      </div>
      <DialogButtons>
        <Button onPress={onClose} autoFocus>
          {t.common.close}
        </Button>
      </DialogButtons>
    </>
  )
}

const namesOf = (assets: MoveFilesProps['assets'], ids: readonly string[]): readonly string[] =>
  assets.filter(({ id }) => ids.includes(id)).map(({ originalName }) => originalName)

/** The folder that all files are in; otherwise the top. */
function sharedFolder([first, ...others]: MoveFilesProps['assets']): string {
  const folder = first?.directory ?? ''
  return others.every(({ directory }) => directory === folder) ? folder : ''
}
