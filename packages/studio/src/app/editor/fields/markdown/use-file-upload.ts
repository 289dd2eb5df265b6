import { useState } from 'react'
import { getErrorText } from '../../../api/error-texts.ts'
import { useStudio } from '../../../api/studio.ts'
import type { Asset } from '../../../assets/media/asset.ts'
import { useTexts } from '../../../messages/messages.tsx'
import type { FileInText } from './markdown-commands.ts'
import type { MarkdownView } from './markdown-view.ts'

export interface FileUpload {
  /** The number of running uploads. */
  readonly running: number
  readonly error: string | undefined
  /** Uploads files, and inserts each once it is stored. */
  upload(files: readonly File[], at?: number): void
  /** Uploads a file. Resolves to `undefined` if it fails, which the user is told. */
  store(file: File): Promise<Asset | undefined>
}

/** Uploads files into a Markdown text. An image is embedded, another file is linked. */
export function useFileUpload(view: () => MarkdownView | undefined): FileUpload {
  const { t } = useTexts()
  const { client } = useStudio()
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<string>()
  const store = async (file: File): Promise<Asset | undefined> => {
    setRunning((count) => count + 1)
    try {
      return (await client.assets.upload(file, { name: file.name })) as unknown as Asset
    } catch (failure) {
      setError(`${file.name}: ${getErrorText(failure, t)}`)
      return undefined
    } finally {
      setRunning((count) => count - 1)
    }
  }
  const insert = async (file: File, at?: number): Promise<void> => {
    const openView = view()
    if (!openView) return
    // `crypto.randomUUID` exists only in secure contexts.
    const key = crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)
    const replace = openView.reservePlace(`![${t.fields.uploadingFile(file.name)} #${key}]()`, at)
    const asset = await store(file)
    replace(asset && toFileInText(asset))
  }
  return {
    running,
    error,
    store,
    upload(files, at) {
      setError(undefined)
      // All placeholders are inserted at the same position, so the last file comes first.
      for (const file of files.toReversed()) void insert(file, at)
    },
  }
}

export function toFileInText({ originalName, mimeType, url, alt }: Asset): FileInText {
  const isImage = mimeType.startsWith('image/')
  return { isImage, text: alt ?? (isImage ? '' : originalName), url }
}
