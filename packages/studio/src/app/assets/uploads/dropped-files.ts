/** The files that were dropped, with those in folders that were. Ask while the event is handled: afterwards it has none. */
export function droppedFiles({ items, files }: DataTransfer): Promise<readonly File[]> {
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
export const hasFiles = ({ types }: DataTransfer): boolean => types.includes('Files')
