import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { type Asset, formatBytes } from './asset.ts'
import styles from './asset-card.module.css'
import { Thumbnail } from './thumbnail.tsx'

export interface AssetCardProps {
  readonly asset: Asset
  readonly isRow: boolean
  readonly isSelected: boolean
  /** Renders the link or button with the title; the class extends its click area to the card. */
  readonly renderTitle: (title: string, className: string) => ReactNode
  /** Rendered next to the card, such as a checkbox. */
  readonly mark?: ReactNode
}

export function AssetCard({ asset, isRow, isSelected, renderTitle, mark }: AssetCardProps): ReactNode {
  const { t, formats, locale } = useTexts()
  const { originalName, mimeType, size, alt, createdAt } = asset
  const lacksAlt = mimeType.startsWith('image/') && !alt
  const detail = [formatBytes(size, locale), formatDimensions(asset)].filter(Boolean).join(' · ')
  return (
    <div className={`${styles.card} ${isRow ? styles.row : ''} ${isSelected ? styles.selected : ''}`}>
      {mark !== undefined && <div className={styles.mark}>{mark}</div>}
      <div className={styles.picture}>
        <Thumbnail asset={asset} width={isRow ? 128 : 384} />
      </div>
      <div className={styles.name}>{renderTitle(originalName, styles.open ?? '')}</div>
      <p className={styles.detail}>
        {detail}
        {lacksAlt && <span className={styles.lacking}> · {t.assets.noAlt}</span>}
      </p>
      {isRow && (
        <time dateTime={createdAt} title={formats.moment(createdAt)} className={styles.date}>
          {formats.ago(createdAt)}
        </time>
      )}
    </div>
  )
}

const formatDimensions = ({ width, height }: Asset): string =>
  width === null || height === null ? '' : `${width} × ${height}`
