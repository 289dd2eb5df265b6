import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button, type ButtonVariant } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './uploads.module.css'

export interface DropZoneProps {
  /** Shown while files are dragged over it. */
  readonly label: string
  /** If absent, nothing can be dropped. */
  readonly onFiles?: ((files: readonly File[]) => void) | undefined
  readonly children: ReactNode
}

/** A part of a page on which files can be dropped. It needs a button next to it that does the same. */
export function DropZone({ label, onFiles, children }: DropZoneProps): ReactNode {
  const [isOver, setIsOver] = useState(false)
  // Nested elements fire their own enter and leave events.
  const depth = useRef(0)
  const step = (by: 1 | -1): void => {
    depth.current += by
    setIsOver(depth.current > 0)
  }
  const drop = (event: DragEvent): void => {
    if (!onFiles || !hasFiles(event.dataTransfer)) return
    event.preventDefault()
    event.stopPropagation()
    depth.current = 0
    setIsOver(false)
    void readDroppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles(files))
  }
  const accepts = (event: DragEvent): boolean => onFiles !== undefined && hasFiles(event.dataTransfer)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button next to it serves everybody
    <div
      className={styles.zone}
      onDragEnter={(event) => accepts(event) && step(1)}
      onDragLeave={(event) => accepts(event) && step(-1)}
      onDragOver={(event) => accepts(event) && event.preventDefault()}
      onDrop={drop}
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

/** Reads dropped files, also those in dropped folders. Call this during the event: its data is empty afterwards. */
function readDroppedFiles({ items, files }: DataTransfer): Promise<readonly File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry())
  if (entries.every((entry) => entry === null || entry.isFile)) return Promise.resolve([...files])
  return Promise.all(entries.map((entry) => (entry === null ? [] : readEntry(entry)))).then((lists) => lists.flat())
}

async function readEntry(entry: FileSystemEntry): Promise<readonly File[]> {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: File[] = []
  // A folder is read in batches until one is empty.
  for (let isLast = false; !isLast; ) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    isLast = batch.length === 0
    for (const child of batch) files.push(...(await readEntry(child)))
  }
  return files
}

/** True if files are dragged, not a text or link. */
const hasFiles = ({ types }: DataTransfer): boolean => types.includes('Files')

interface ChooseFilesProps {
  readonly children: string
  readonly onFiles: (files: readonly File[]) => void
  /** @default true */
  readonly isMany?: boolean
  readonly variant?: ButtonVariant
}

/** A button that opens the system's dialog for choosing files. */
export function ChooseFiles({ children, onFiles, isMany = true, variant = 'secondary' }: ChooseFilesProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant={variant} icon="upload" onPress={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        multiple={isMany}
        hidden
        aria-label={children}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Otherwise the same file could not be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
