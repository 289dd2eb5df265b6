import { useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { errorText } from '../../../talk/error-texts.ts'
import { useStudio } from '../../../talk/studio.ts'
import type { FileInText } from './code/markdown-commands.ts'
import type { MarkdownView } from './code/markdown-view.ts'

/** Files on their way into a text. */
export interface ImageUpload {
  /** How many are under way. */
  readonly running: number
  /** What the last one failed with. */
  readonly error: string | undefined
  /** Uploads files, and puts each in its place when it is stored. */
  take(files: readonly File[], at?: number): void
}

/** What is answered of an asset. */
interface StoredAsset {
  readonly originalName: string
  readonly mimeType: string
  readonly url: string
  readonly alt: string | null
}

/** Uploads files into a Markdown text: an image is shown there, another file gets a link. */
export function useImageUpload(view: () => MarkdownView | undefined): ImageUpload {
  const { t } = useTexts()
  const { client } = useStudio()
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<string>()
  const upload = async (file: File, at?: number): Promise<void> => {
    const open = view()
    if (!open) return
    const put = open.holdPlace(`![${t.fields.uploadingFile(file.name)} #${crypto.randomUUID().slice(0, 8)}]()`, at)
    setRunning((count) => count + 1)
    try {
      const asset = (await client.assets.upload(file, { name: file.name })) as unknown as StoredAsset
      put(toFileInText(asset))
    } catch (failure) {
      put(undefined)
      setError(`${file.name}: ${errorText(failure, t)}`)
    } finally {
      setRunning((count) => count - 1)
    }
  }
  return {
    running,
    error,
    take(files, at) {
      setError(undefined)
      // All get their places at once and at the same one: the last comes first.
      for (const file of files.toReversed()) void upload(file, at)
    },
  }
}

function toFileInText({ originalName, mimeType, url, alt }: StoredAsset): FileInText {
  const isImage = mimeType.startsWith('image/')
  return { isImage, text: alt ?? (isImage ? '' : originalName), url }
}
