import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { Asset } from './asset.ts'
import { formatBytes } from './asset.ts'
import styles from './asset-card.module.css'
import { Thumbnail } from './thumbnail.tsx'

/** What an {@link AssetCard} takes. */
export interface AssetCardProps {
  readonly asset: Asset
  /** Whether it is a row of a list. */
  readonly isRow: boolean
  readonly isSelected: boolean
  /** Draws what opens or chooses the file; its class makes the whole card take the click. */
  readonly renderTitle: (title: string, className: string) => ReactNode
  /** Beside it, such as a box to tick. */
  readonly mark?: ReactNode
}

/** A file among others, as a card or as a row. */
export function AssetCard({ asset, isRow, isSelected, renderTitle: draw, mark }: AssetCardProps): ReactNode {
  const { t, formats, locale } = useTexts()
  const { originalName, mimeType, size, alt, createdAt } = asset
  const lacksAlt = mimeType.startsWith('image/') && !alt
  const detail = [formatBytes(size, locale), sizeText(asset)].filter(Boolean).join(' · ')
  return (
    <div className={`${styles.card} ${isRow ? styles.row : ''} ${isSelected ? styles.selected : ''}`}>
      {mark !== undefined && <div className={styles.mark}>{mark}</div>}
      <div className={styles.picture}>
        <Thumbnail asset={asset} width={isRow ? 128 : 384} />
      </div>
      <div className={styles.name}>{draw(originalName, styles.open ?? '')}</div>
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

const sizeText = ({ width, height }: Asset): string => (width === null || height === null ? '' : `${width} × ${height}`)
