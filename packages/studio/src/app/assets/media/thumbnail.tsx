import { type ReactNode, useState } from 'react'
import { useModel } from '../../model/use-model.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { type Asset, type AssetKind, getAssetKind, getImageUrl } from './asset.ts'
import styles from './thumbnail.module.css'

const ICONS: Readonly<Record<AssetKind, IconName>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  document: 'document',
  other: 'file',
}

export interface ThumbnailProps {
  readonly asset: Pick<Asset, 'id' | 'mimeType' | 'url' | 'placeholder'>
  /** The displayed width, in pixels. */
  readonly width: number
  /** The alt text. @default empty, for an image next to its name */
  readonly alt?: string
}

/** The image of a file, with a placeholder while it loads, or an icon for other types. */
export function Thumbnail({ asset, width, alt = '' }: ThumbnailProps): ReactNode {
  const { imageWidths } = useModel()
  const kind = getAssetKind(asset.mimeType)
  // The service resizes images only with sharp, and serves original files only with a plugin or a proxy.
  const sources = kind === 'image' ? [getImageUrl(asset.id, width, imageWidths), asset.url] : []
  const [failed, setFailed] = useState(0)
  const [isLoaded, setIsLoaded] = useState(false)
  const source = sources[failed]
  return (
    <span className={styles.frame}>
      {!isLoaded && <Placeholder asset={asset} kind={kind} />}
      {source !== undefined && (
        <img
          key={source}
          src={source}
          alt={alt}
          loading="lazy"
          decoding="async"
          className={styles.image}
          onLoad={() => setIsLoaded(true)}
          onError={() => setFailed(failed + 1)}
        />
      )}
    </span>
  )
}

const Placeholder = ({ asset, kind }: Pick<ThumbnailProps, 'asset'> & { readonly kind: AssetKind }): ReactNode =>
  asset.placeholder === null ? (
    <Icon name={ICONS[kind]} />
  ) : (
    <img src={asset.placeholder} alt="" className={styles.placeholder} />
  )
