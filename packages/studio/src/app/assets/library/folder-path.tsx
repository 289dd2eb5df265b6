import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { LibrarySearch } from '../media/asset-search.ts'
import { useFolders } from '../media/use-assets.ts'
import styles from './library.module.css'

/** The path of the current folder and its subfolders; renders nothing if there are no folders. */
export function FolderPath({ search }: { readonly search: LibrarySearch }): ReactNode {
  const { t } = useTexts()
  const { folder } = search
  const { names, isPartial } = useFolders(folder)
  const parents = folder?.split('/') ?? []
  if (parents.length + names.length === 0) return null
  return (
    <nav className={styles.folders} aria-label={t.assets.folders}>
      {parents.length > 0 && (
        <ol className={styles.path}>
          <li>
            <FolderLink search={search} folder={undefined} name={t.assets.allFolders} />
          </li>
          {parents.map((name, depth) => {
            const path = parents.slice(0, depth + 1).join('/')
            return (
              <li key={path}>
                <FolderLink search={search} folder={path} name={name} />
              </li>
            )
          })}
        </ol>
      )}
      {names.length > 0 && (
        <ul className={styles.inside}>
          {names.map((name) => (
            <li key={name}>
              <FolderLink search={search} folder={[...parents, name].join('/')} name={name} isChip />
            </li>
          ))}
          {isPartial && <li className={styles.cut}>{t.assets.moreFolders}</li>}
        </ul>
      )}
    </nav>
  )
}

interface FolderLinkProps {
  readonly search: LibrarySearch
  readonly folder: string | undefined
  readonly name: string
  readonly isChip?: boolean
}

const FolderLink = ({ search, folder, name, isChip = false }: FolderLinkProps): ReactNode => (
  <Link
    to="/assets"
    search={{ ...search, folder }}
    className={isChip ? styles.chip : styles.step}
    activeOptions={{ exact: true, includeSearch: true }}
  >
    {isChip && <Icon name="folder" />}
    {name}
  </Link>
)
