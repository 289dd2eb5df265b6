import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button, type ButtonVariant } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
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
    void readDroppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles(files))
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

/** The files that were dropped, with those in folders that were. Ask while the event is handled: afterwards it has none. */
function readDroppedFiles({ items, files }: DataTransfer): Promise<readonly File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry())
  if (entries.every((entry) => entry === null || entry.isFile)) return Promise.resolve([...files])
  return Promise.all(entries.map((entry) => (entry === null ? [] : filesOf(entry)))).then((found) => found.flat())
}

async function filesOf(entry: FileSystemEntry): Promise<readonly File[]> {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: File[] = []
  // A folder is read in parts, until one is empty.
  for (let isLast = false; !isLast; ) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    isLast = part.length === 0
    for (const one of part) found.push(...(await filesOf(one)))
  }
  return found
}

/** Whether what is dragged is files, and no text or link of a page. */
const hasFiles = ({ types }: DataTransfer): boolean => types.includes('Files')

/** What {@link ChooseFiles} takes. */
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
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
