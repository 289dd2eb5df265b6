import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { useFolders } from '../media/use-folders.ts'
import styles from './moving.module.css'

/** What a {@link FolderField} takes. */
export interface FolderFieldProps {
  /** The path as it is typed, such as `images/20`. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** A path of folders, typed or chosen one level at a time. A name that no folder has makes a new one. */
export function FolderField({ value, onChange, error }: FolderFieldProps): ReactNode {
  const { t } = useTexts()
  const end = value.lastIndexOf('/')
  const level = end < 0 ? undefined : value.slice(0, end)
  const begun = value.slice(end + 1)
  const { names, isCut } = useFolders(level)
  const fitting = names.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()))
  const isNew = begun !== '' && error === undefined && !isCut && !names.includes(begun)
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
            <Button variant="quiet" icon="back" onPress={() => onChange(parentOf(level))}>
              {t.assets.upFolder}
            </Button>
          </li>
        )}
        {fitting.map((name) => (
          <li key={name}>
            <Button icon="folder" onPress={() => onChange(`${value.slice(0, end + 1)}${name}/`)}>
              {name}
            </Button>
          </li>
        ))}
        {isCut && <li className={styles.note}>{t.assets.moreFolders}</li>}
      </ul>
    </div>
  )
}

/** The folder around a folder, as it is typed: `a/b` is in `a/`, `a` at the top. */
const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf('/') + 1)
