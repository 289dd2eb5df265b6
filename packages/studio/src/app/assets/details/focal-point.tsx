import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import type { FocalPoint } from '../media/asset.ts'
import styles from './details.module.css'
import { movedBy, pointAt } from './focal-steps.ts'

/** What a {@link FocalPointEditor} takes. */
export interface FocalPointEditorProps {
  /** The image's width divided by its height. */
  readonly ratio: number
  /** `null`: none is set, which means the middle. */
  readonly point: FocalPoint | null
  /** Absent: it cannot be changed. */
  readonly onChange?: ((point: FocalPoint | null) => void) | undefined
  /** The image. */
  readonly children: ReactNode
}

const MIDDLE: FocalPoint = { x: 0.5, y: 0.5 }

/** An image with the place that stays when it is cropped: clicked, dragged, or moved by arrow keys. */
export function FocalPointEditor({ ratio, point, onChange, children }: FocalPointEditorProps): ReactNode {
  const { t } = useTexts()
  const picture = useRef<HTMLDivElement>(null)
  const shown = point ?? MIDDLE
  const put = (event: PointerEvent): void => {
    const box = picture.current?.getBoundingClientRect()
    if (!box || !onChange) return
    onChange(pointAt(event, box))
  }
  const begin = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    put(event)
  }
  const press = (event: KeyboardEvent): void => {
    const next = movedBy(shown, event)
    if (!next || !onChange) return
    event.preventDefault()
    onChange(next)
  }
  const percent = { x: Math.round(shown.x * 100), y: Math.round(shown.y * 100) }
  return (
    <div className={styles.focal}>
      <div
        ref={picture}
        className={`${styles.picture} ${onChange ? styles.pointable : ''}`}
        style={{ '--ratio': ratio } as CSSProperties}
        {...(onChange && {
          onPointerDown: begin,
          onPointerMove: (event) => event.buttons === 1 && put(event),
        })}
      >
        {children}
        {onChange && (
          <button
            type="button"
            className={`${styles.marker} ${point === null ? styles.unset : ''}`}
            style={{ insetInlineStart: `${shown.x * 100}%`, insetBlockStart: `${shown.y * 100}%` }}
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
