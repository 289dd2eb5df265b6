import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { getErrorText } from '../../../api/error-texts.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import field from '../../../ui/controls/field.module.css'
import { ErrorBoundary } from '../../../ui/error-boundary.tsx'
import type { FieldEditorProps } from '../field-editor.ts'
import styles from './markdown.module.css'
import type { FileInText } from './markdown-commands.ts'
import { MarkdownToolbar } from './markdown-toolbar.tsx'
import type { MarkdownView } from './markdown-view.ts'
import { useMarkdownView } from './use-markdown-view.ts'

const RenderedText = lazy(() => import('./rendered-text.tsx').then((module) => ({ default: module.RenderedText })))

/** The editor of Markdown: a plain field until CodeMirror is loaded, and where it cannot be. */
export function MarkdownEditor(props: FieldEditorProps): ReactNode {
  const { field: own, label, value, onChange, error, isReadOnly, placeholder = '' } = props
  const { t } = useTexts()
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const plain = useRef<HTMLTextAreaElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const [isPreviewed, setPreviewed] = useState(false)
  const text = typeof value === 'string' ? value : ''
  const change = (next: string): void => onChange(next === '' ? null : next, { isTyping: true })
  const upload = useImageUpload(() => view)
  const attributes = {
    'aria-labelledby': `${id}-label`,
    'aria-describedby': `${id}-note ${id}-error`,
    'aria-invalid': error === undefined ? 'false' : 'true',
    'aria-required': own.required ? 'true' : 'false',
  } as const
  const view = useMarkdownView(place, plain, {
    value: text,
    isReadOnly,
    attributes,
    placeholder,
    onChange: change,
    onFiles: upload.upload,
    onImage: () => files.current?.click(),
  })
  const problem = error ?? upload.error
  return (
    <div className={field.field} data-required={own.required || undefined}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a label gives the focus to its field, as labels do */}
      <label id={`${id}-label`} htmlFor={`${id}-text`} className={field.label} onClick={() => view?.focus()}>
        {label}
      </label>
      <p id={`${id}-note`} className={field.description} hidden={own.description === undefined}>
        {own.description}
      </p>
      <div className={styles.frame} data-invalid={error !== undefined}>
        <MarkdownToolbar
          label={t.fields.toolbarOf(label)}
          controls={`${id}-place`}
          isDisabled={!view || isReadOnly}
          isPreviewed={isPreviewed}
          onCommand={(command) => view?.run(command)}
          onImage={() => files.current?.click()}
          onPreview={() => setPreviewed(!isPreviewed)}
        />
        <div className={styles.sides}>
          <div id={`${id}-place`} ref={place} className={styles.text} hidden={!view} />
          {!view && (
            <textarea
              ref={plain}
              id={`${id}-text`}
              value={text}
              readOnly={isReadOnly}
              placeholder={placeholder}
              onChange={(event) => change(event.target.value)}
              className={styles.plain}
              {...attributes}
            />
          )}
          {isPreviewed && (
            <ErrorBoundary fallback={() => <p className={field.error}>{t.errors.network}</p>}>
              <Suspense fallback={null}>
                <RenderedText text={text} label={label} />
              </Suspense>
            </ErrorBoundary>
          )}
        </div>
      </div>
      <input
        ref={files}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={(event) => upload.upload([...(event.target.files ?? [])])}
      />
      <p role="status" className={field.description} hidden={upload.running === 0}>
        {t.fields.uploading(upload.running)}
      </p>
      <p id={`${id}-error`} role="alert" className={field.error} hidden={problem === undefined}>
        {problem}
      </p>
    </div>
  )
}

/** Files on their way into a text. */
interface ImageUpload {
  /** How many are under way. */
  readonly running: number
  /** What the last one failed with. */
  readonly error: string | undefined
  /** Uploads files, and puts each in its place when it is stored. */
  upload(files: readonly File[], at?: number): void
}

/** What is answered of an asset. */
interface StoredAsset {
  readonly originalName: string
  readonly mimeType: string
  readonly url: string
  readonly alt: string | null
}

/** Uploads files into a Markdown text: an image is shown there, another file gets a link. */
function useImageUpload(view: () => MarkdownView | undefined): ImageUpload {
  const { t } = useTexts()
  const { client } = useStudio()
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<string>()
  const upload = async (file: File, at?: number): Promise<void> => {
    const open = view()
    if (!open) return
    const put = open.reservePlace(`![${t.fields.uploadingFile(file.name)} #${crypto.randomUUID().slice(0, 8)}]()`, at)
    setRunning((count) => count + 1)
    try {
      const asset = (await client.assets.upload(file, { name: file.name })) as unknown as StoredAsset
      put(toFileInText(asset))
    } catch (failure) {
      put(undefined)
      setError(`${file.name}: ${getErrorText(failure, t)}`)
    } finally {
      setRunning((count) => count - 1)
    }
  }
  return {
    running,
    error,
    upload(files, at) {
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
