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

/** What a {@link Thumbnail} takes. */
export interface ThumbnailProps {
  readonly asset: Pick<Asset, 'id' | 'mimeType' | 'url' | 'placeholder'>
  /** The width that the page shows, in pixels. */
  readonly width: number
  /** A text in place of the image. @default none: something beside it names the file */
  readonly alt?: string
}

/** A file as a picture: the image itself where the service shows it, what is known of it meanwhile, or a sign for its type. */
export function Thumbnail({ asset, width, alt = '' }: ThumbnailProps): ReactNode {
  const { imageWidths } = useModel()
  const kind = getAssetKind(asset.mimeType)
  // The service makes smaller images where it has sharp, and shows files where a plugin or a proxy does.
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
