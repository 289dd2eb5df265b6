import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { useModel } from '../../model/use-model.ts'
import { type FocalPoint, imageAddress, objectPosition } from '../media/asset.ts'
import { kindOf } from '../media/asset-kinds.ts'
import { Thumbnail } from '../media/thumbnail.tsx'
import styles from './details.module.css'
import { FocalPointEditor } from './focal-point.tsx'
import type { WholeAsset } from './use-asset-form.ts'

/** What an {@link AssetPreview} takes. */
export interface AssetPreviewProps {
  readonly asset: WholeAsset
  readonly point: FocalPoint | null
  /** Absent: the focal point cannot be changed. */
  readonly onChange?: ((point: FocalPoint | null) => void) | undefined
}

/** A file as far as a browser can show it; of an image, also the place that stays when it is cropped. */
export function AssetPreview({ asset, point, onChange }: AssetPreviewProps): ReactNode {
  const { t } = useTexts()
  const { imageWidths } = useModel()
  const { id, url, mimeType, originalName, width, height } = asset
  const kind = kindOf(mimeType)
  if (kind === 'video' || kind === 'audio') {
    // An asset has no captions: there is no track to show.
    const Player = kind
    return <Player controls preload="metadata" src={url} className={styles.media} aria-label={originalName} />
  }
  if (width === null || height === null) {
    return (
      <div className={styles.sign}>
        <Thumbnail asset={asset} width={384} />
      </div>
    )
  }
  return (
    <div className={styles.preview}>
      <FocalPointEditor ratio={width / height} point={point} onChange={onChange}>
        <Thumbnail asset={asset} width={1080} alt={originalName} />
      </FocalPointEditor>
      <section className={styles.section}>
        <h2>{t.assets.crops}</h2>
        <div className={styles.crops}>
          {(['square', 'wide', 'tall'] as const).map((crop) => (
            <figure key={crop} className={styles.crop}>
              <img
                src={imageAddress(id, 384, imageWidths)}
                alt=""
                className={styles[crop]}
                style={{ objectPosition: objectPosition(point) }}
                onError={({ currentTarget }) => fallBack(currentTarget, url)}
              />
              <figcaption>{t.assets.cropNames[crop]}</figcaption>
            </figure>
          ))}
        </div>
      </section>
    </div>
  )
}

/** Where the service makes no smaller images, the image itself may be there. */
function fallBack(image: HTMLImageElement, url: string): void {
  if (image.getAttribute('src') !== url) image.src = url
}
