import { DaybookError } from '@daybook/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { type Asset, forEachChunk } from '../media/asset.ts'
import { isFolderPath } from '../media/folders.ts'
import { useFolders } from '../media/use-assets.ts'
import styles from './move-files.module.css'

interface MoveFilesProps {
  readonly assets: readonly Pick<Asset, 'id' | 'originalName' | 'directory'>[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Moves files to a folder, and lists those that the service rejects. */
export default function MoveFilesDialog({ assets, onClose, onDone }: MoveFilesProps): ReactNode {
  const { t } = useTexts()
  const [path, setPath] = useState(() => `${findSharedFolder(assets)}/`.replace(/^\/$/, ''))
  const folder = path.replace(/\/$/, '')
  const { move, moved } = useMove(assets, folder, onDone)
  const error = folder === '' || isFolderPath(folder) ? undefined : t.assets.noFolderName
  const isUnchanged = assets.every(({ directory }) => directory === folder)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (error === undefined && !isUnchanged && !move.isPending) move.mutate()
  }
  const refused = move.data?.refused ?? []
  return (
    <Dialog title={t.assets.moveTitle(assets.length)} isOpen onClose={onClose}>
      {refused.length > 0 ? (
        <Refused names={getNames(assets, refused)} reason={move.data?.reason} onClose={onDone} />
      ) : (
        <form className={styles.form} onSubmit={submit}>
          <FolderField value={path} onChange={setPath} error={error} />
          {move.error && <FormError>{getErrorText(move.error, t)}</FormError>}
          <p role="status">{move.isPending && moved > 0 && t.assets.movedSoFar(moved, assets.length)}</p>
          <DialogButtons>
            <Button onPress={onClose}>{t.common.cancel}</Button>
            <Button
              variant="primary"
              type="submit"
              isDisabled={isUnchanged || error !== undefined}
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
      moveAssets({
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
      void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) })
      void queries.invalidateQueries({ queryKey: queryKeys.folders })
      for (const { id } of assets)
        void queries.invalidateQueries({ queryKey: queryKeys.entry(ASSETS, id), exact: true })
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
        <p>{getErrorText(reason, t)}</p>
      </div>
      <DialogButtons>
        <Button onPress={onClose} autoFocus>
          {t.common.close}
        </Button>
      </DialogButtons>
    </>
  )
}

const getNames = (assets: MoveFilesProps['assets'], ids: readonly string[]): readonly string[] =>
  assets.filter(({ id }) => ids.includes(id)).map(({ originalName }) => originalName)

/** Returns the folder of all files, or the top level if they are in different folders. */
function findSharedFolder([first, ...rest]: MoveFilesProps['assets']): string {
  const folder = first?.directory ?? ''
  return rest.every(({ directory }) => directory === folder) ? folder : ''
}

interface FolderFieldProps {
  /** The typed path, such as `images/20`. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** A path of folders, typed or chosen level by level. A new name creates a folder. */
function FolderField({ value, onChange, error }: FolderFieldProps): ReactNode {
  const { t } = useTexts()
  const end = value.lastIndexOf('/')
  const level = end < 0 ? undefined : value.slice(0, end)
  const typedName = value.slice(end + 1)
  const { names, isPartial } = useFolders(level)
  const matches = names.filter((name) => name.toLowerCase().startsWith(typedName.toLowerCase()))
  const isNew = typedName !== '' && error === undefined && !isPartial && !names.includes(typedName)
  return (
    <div className={styles.choice}>
      <TextField
        label={t.assets.folder}
        description={t.assets.folderText}
        value={value}
        onChange={onChange}
        error={error}
        autoFocus
        autoComplete="off"
        spellCheck="false"
      />
      <p role="status" className={styles.note}>
        {isNew && t.assets.newFolder}
      </p>
      <ul className={styles.folders} aria-label={t.assets.foldersIn(level)}>
        {level !== undefined && (
          <li>
            <Button variant="quiet" icon="back" onPress={() => onChange(getParent(level))}>
              {t.assets.upFolder}
            </Button>
          </li>
        )}
        {matches.map((name) => (
          <li key={name}>
            <Button icon="folder" onPress={() => onChange(`${value.slice(0, end + 1)}${name}/`)}>
              {name}
            </Button>
          </li>
        ))}
        {isPartial && <li className={styles.note}>{t.assets.moreFolders}</li>}
      </ul>
    </div>
  )
}

/** Returns the parent of a folder as a typed path: `a/` for `a/b`, empty for `a`. */
const getParent = (folder: string): string => folder.slice(0, folder.lastIndexOf('/') + 1)

interface MoveOutcome {
  /** The ids of the files that were not moved. */
  readonly refused: readonly string[]
  /** The error of the first one. */
  readonly reason: unknown
}

interface MoveOptions {
  readonly assets: readonly { readonly id: string }[]
  /** Moves files, all or none. */
  readonly send: (ids: readonly string[]) => Promise<unknown>
  /** Called with the number of files moved so far. */
  readonly onProgress: (moved: number) => void
}

/**
 * Moves files in chunks. Files that the service rejects do not stop the others.
 *
 * @throws errors other than refusals
 */
async function moveAssets({ assets, send, onProgress }: MoveOptions): Promise<MoveOutcome> {
  const refused: string[] = []
  let reason: unknown
  let moved = 0
  await forEachChunk(assets, async (ids) => {
    let movable = ids
    try {
      await send(ids)
    } catch (error) {
      const refusedIds = error instanceof DaybookError ? error.details.refused : undefined
      if (!Array.isArray(refusedIds) || refusedIds.length === 0) throw error
      reason ??= error
      refused.push(...refusedIds)
      movable = ids.filter((id) => !refusedIds.includes(id))
      if (movable.length > 0) await send(movable)
    }
    moved += movable.length
    onProgress(moved)
  })
  return { refused, reason }
}
