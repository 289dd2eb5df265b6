import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { useModel } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { type FocalPoint, getAssetKind, getImageUrl, toObjectPosition } from '../media/asset.ts'
import { Thumbnail } from '../media/thumbnail.tsx'
import styles from './details.module.css'
import { moveFocalPoint, toFocalPoint } from './focal-point.ts'
import type { LocalizedAsset } from './use-asset-form.ts'

export interface AssetPreviewProps {
  readonly asset: LocalizedAsset
  readonly point: FocalPoint | null
  /** If absent, the focal point cannot be changed. */
  readonly onChange?: ((point: FocalPoint | null) => void) | undefined
}

/** The preview of a file, for images with the focal point and crops. */
export function AssetPreview({ asset, point, onChange }: AssetPreviewProps): ReactNode {
  const { t } = useTexts()
  const { imageWidths } = useModel()
  const { id, url, mimeType, originalName, width, height } = asset
  const kind = getAssetKind(mimeType)
  if (kind === 'video' || kind === 'audio') {
    // Files have no captions, so there is no track.
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
                src={getImageUrl(id, 384, imageWidths)}
                alt=""
                className={styles[crop]}
                style={{ objectPosition: toObjectPosition(point) }}
                onError={({ currentTarget }) => showOriginal(currentTarget, url)}
              />
              <figcaption>{t.assets.cropNames[crop]}</figcaption>
            </figure>
          ))}
        </div>
      </section>
    </div>
  )
}

/** Shows the original image if the service does not resize images. */
function showOriginal(image: HTMLImageElement, url: string): void {
  if (image.getAttribute('src') !== url) image.src = url
}

interface FocalPointEditorProps {
  /** The width of the image divided by its height. */
  readonly ratio: number
  /** `null` if none is set, which means the middle. */
  readonly point: FocalPoint | null
  /** If absent, the point cannot be changed. */
  readonly onChange?: ((point: FocalPoint | null) => void) | undefined
  readonly children: ReactNode
}

const MIDDLE: FocalPoint = { x: 0.5, y: 0.5 }

/** An image with its focal point, which is set by clicking, dragging or arrow keys. */
function FocalPointEditor({ ratio, point, onChange, children }: FocalPointEditorProps): ReactNode {
  const { t } = useTexts()
  const picture = useRef<HTMLDivElement>(null)
  const current = point ?? MIDDLE
  const setPoint = (event: PointerEvent): void => {
    const box = picture.current?.getBoundingClientRect()
    if (!box || !onChange) return
    onChange(toFocalPoint(event, box))
  }
  const begin = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setPoint(event)
  }
  const press = (event: KeyboardEvent): void => {
    const next = moveFocalPoint(current, event)
    if (!next || !onChange) return
    event.preventDefault()
    onChange(next)
  }
  const percent = { x: Math.round(current.x * 100), y: Math.round(current.y * 100) }
  return (
    <div className={styles.focal}>
      <div
        ref={picture}
        className={`${styles.picture} ${onChange ? styles.pointable : ''}`}
        style={{ '--ratio': ratio } as CSSProperties}
        {...(onChange && {
          onPointerDown: begin,
          onPointerMove: (event) => event.buttons === 1 && setPoint(event),
        })}
      >
        {children}
        {onChange && (
          <button
            type="button"
            className={`${styles.marker} ${point === null ? styles.unset : ''}`}
            style={{ insetInlineStart: `${current.x * 100}%`, insetBlockStart: `${current.y * 100}%` }}
            aria-label={t.assets.focalPointAt(percent.x, percent.y)}
            aria-describedby="focal-hint"
            onKeyDown={press}
          />
        )}
      </div>
      {onChange && (
        <div className={styles.focalNote}>
          <p id="focal-hint">{t.assets.focalHint}</p>
          {point !== null && (
            <Button variant="quiet" onPress={() => onChange(null)}>
              {t.assets.focalClear}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
