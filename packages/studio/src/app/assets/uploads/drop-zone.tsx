import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { droppedFiles, hasFiles } from './dropped-files.ts'
import styles from './uploads.module.css'

/** What a {@link DropZone} takes. */
export interface DropZoneProps {
  /** Said while files are dragged over it. */
  readonly label: string
  /** Absent: nothing can be dropped. */
  readonly onFiles?: ((files: readonly File[]) => void) | undefined
  readonly children: ReactNode
}

/** A part of a page that files are dropped on. Beside it is a button that does the same. */
export function DropZone({ label, onFiles, children }: DropZoneProps): ReactNode {
  const [isOver, setIsOver] = useState(false)
  // Each element inside tells of its own coming and going.
  const depth = useRef(0)
  const step = (by: 1 | -1): void => {
    depth.current += by
    setIsOver(depth.current > 0)
  }
  const take = (event: DragEvent): void => {
    if (!onFiles || !hasFiles(event.dataTransfer)) return
    event.preventDefault()
    event.stopPropagation()
    depth.current = 0
    setIsOver(false)
    void droppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles(files))
  }
  const isFor = (event: DragEvent): boolean => onFiles !== undefined && hasFiles(event.dataTransfer)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for pointers; the button beside it is for all
    <div
      className={styles.zone}
      onDragEnter={(event) => isFor(event) && step(1)}
      onDragLeave={(event) => isFor(event) && step(-1)}
      onDragOver={(event) => isFor(event) && event.preventDefault()}
      onDrop={take}
    >
      {children}
      {isOver && (
        <div className={styles.over}>
          <p>
            <Icon name="upload" />
            {label}
          </p>
        </div>
      )}
    </div>
  )
}
