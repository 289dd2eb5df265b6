import type { ReactNode } from 'react'
import type { ListItem } from '../../api/client.ts'
import type { Asset } from '../../assets/media/asset.ts'
import { Thumbnail } from '../../assets/media/thumbnail.tsx'
import styles from './rows.module.css'

/** The displayed width, in pixels, times two for dense screens. */
const WIDTH = 64

/** The first file of an entry, or an empty frame, so that titles are aligned. */
export function RowThumbnail({ item, field }: { readonly item: ListItem; readonly field: string }): ReactNode {
  const [file] = [(item as Readonly<Record<string, unknown>>)[field]].flat()
  return (
    <span aria-hidden="true" className={styles.thumbnail}>
      {isAsset(file) && <Thumbnail asset={file} width={WIDTH} />}
    </span>
  )
}

const isAsset = (value: unknown): value is Asset => typeof value === 'object' && value !== null && 'mimeType' in value
