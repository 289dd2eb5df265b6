import { lazy, type ReactNode, Suspense, useId, useMemo, useRef, useState } from 'react'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import fieldStyles from '../../../ui/controls/field.module.css'
import { ErrorBoundary } from '../../../ui/error-boundary.tsx'
import { MenuItem, PopupMenu } from '../../../ui/overlays/menu.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import type { EditOptions, FieldEditorProps } from '../field-editor.ts'
import type { ActiveFormats } from './active-formats.ts'
import styles from './markdown.module.css'
import { MarkdownToolbar } from './markdown-toolbar.tsx'
import type { MenuAction, OpenMenu } from './tables/cell-events.ts'
import type { TextLink } from './text-links.ts'
import { setFormattedTexts, useFormattedTexts } from './text-mode.ts'
import { useFileUpload } from './use-file-upload.ts'
import { useFullScreen } from './use-full-screen.ts'
import { useMarkdownView } from './use-markdown-view.ts'

const LinkDialog = lazy(() => import('./links/link-dialog.tsx').then((module) => ({ default: module.LinkDialog })))
const ImageDialog = lazy(() => import('./links/image-dialog.tsx').then((module) => ({ default: module.ImageDialog })))
const RenderedText = lazy(() => import('./rendered-text.tsx').then((module) => ({ default: module.RenderedText })))

/** The editor of Markdown. It is a plain textarea until CodeMirror is loaded, or if it cannot be loaded. */
export function MarkdownEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly, placeholder = '' } = props
  const { t } = useTexts()
  const id = useId()
  const container = useRef<HTMLDivElement>(null)
  const textarea = useRef<HTMLTextAreaElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const fullScreen = useFullScreen(frame)
  const [isPreviewed, setPreviewed] = useState(false)
  const isFormatted = useFormattedTexts()
  const [formats, setFormats] = useState<ActiveFormats>(() => ({ names: new Set(), heading: 0 }))
  const [menu, setMenu] = useState<Parameters<OpenMenu>>()
  const [editedLink, setEditedLink] = useState<TextLink>()
  const [editedImage, setEditedImage] = useState<TextLink>()
  const text = typeof value === 'string' ? value : ''
  const { settings } = useStudio()
  const change = (next: string, options: EditOptions): void => onChange(next === '' ? null : next, options)
  const upload = useFileUpload(() => view)
  const attributes = {
    'aria-labelledby': `${id}-label`,
    'aria-describedby': `${id}-note ${id}-error`,
    'aria-invalid': error === undefined ? 'false' : 'true',
    'aria-required': field.required ? 'true' : 'false',
  } as const
  const view = useMarkdownView(container, textarea, {
    value: text,
    isReadOnly,
    isFormatted,
    attributes,
    placeholder,
    onFormats: setFormats,
    openMenu: (...next) => setMenu(next),
    onChange: change,
    paste: {
      canFetch: (address) => settings.pasteOrigins.includes(new URL(address).origin),
      storeImage: async (image) => (await upload.store(image))?.url,
    },
    onFiles: upload.upload,
    onEditLink: setEditedLink,
    onEditImage: setEditedImage,
  })
  const problem = error ?? upload.error
  return (
    <div className={fieldStyles.field} data-required={field.required || undefined}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a label gives the focus to its field, as labels do */}
      <label id={`${id}-label`} htmlFor={`${id}-text`} className={fieldStyles.label} onClick={() => view?.focus()}>
        {label}
      </label>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <div
        ref={frame}
        className={styles.frame}
        data-invalid={error !== undefined}
        data-full-screen={fullScreen.isOn || undefined}
        {...fullScreen.handlers}
      >
        <MarkdownToolbar
          label={t.fields.toolbarOf(label)}
          controls={`${id}-place`}
          isDisabled={!view || isReadOnly}
          formats={formats}
          isFormatted={isFormatted}
          isPreviewed={isPreviewed}
          isFullScreen={fullScreen.isOn}
          onCommand={(command) => view?.run(command)}
          onLink={() => view?.editLink()}
          onImage={() => view?.editImage()}
          onFind={() => view?.openSearch()}
          onSource={() => setFormattedTexts(!isFormatted)}
          onPreview={() => setPreviewed(!isPreviewed)}
          onFullScreen={fullScreen.toggle}
        />
        <div className={styles.sides}>
          <div id={`${id}-place`} ref={container} className={styles.text} hidden={!view} />
          {!view && (
            <textarea
              ref={textarea}
              id={`${id}-text`}
              value={text}
              readOnly={isReadOnly}
              placeholder={placeholder}
              onChange={(event) => change(event.target.value, { isTyping: true })}
              className={styles.plain}
              {...attributes}
            />
          )}
          {isPreviewed && (
            <ErrorBoundary fallback={() => <p className={fieldStyles.error}>{t.errors.network}</p>}>
              <Suspense fallback={null}>
                <RenderedText text={text} label={label} />
              </Suspense>
            </ErrorBoundary>
          )}
        </div>
        <WordCount text={text} />
      </div>
      {menu && <EditorMenu menu={menu} onClose={() => setMenu(undefined)} />}
      <Suspense>
        {editedLink && (
          <LinkDialog
            link={editedLink}
            onClose={() => setEditedLink(undefined)}
            onApply={(markdown) => {
              setEditedLink(undefined)
              view?.replace(editedLink.from, editedLink.to, markdown)
            }}
          />
        )}
        {editedImage && (
          <ImageDialog
            image={editedImage}
            store={upload.store}
            error={upload.error}
            onClose={() => setEditedImage(undefined)}
            onApply={(images, hasCaption) => {
              setEditedImage(undefined)
              // A caption needs a paragraph of its own.
              const isBehindText = /[^\n]$/.test(text.slice(0, editedImage.from))
              const lead = isBehindText && hasCaption && editedImage.url === '' ? '\n\n' : ''
              view?.replace(editedImage.from, editedImage.to, lead + images.join('\n\n'))
            }}
          />
        )}
      </Suspense>
      <p role="status" className={fieldStyles.description} hidden={upload.running === 0}>
        {t.fields.uploading(upload.running)}
      </p>
      <p id={`${id}-error`} role="alert" className={fieldStyles.error} hidden={problem === undefined}>
        {problem}
      </p>
    </div>
  )
}

/** The pause in typing before the words are counted, in milliseconds. */
const COUNT_PAUSE_MS = 400

function WordCount({ text }: { readonly text: string }): ReactNode {
  const { t } = useTexts()
  const settledText = useDebounced(text, COUNT_PAUSE_MS)
  const count = useMemo(() => countWords(settledText), [settledText])
  return <p className={styles.count}>{t.fields.markdown.words(count)}</p>
}

/** Counts the words of a Markdown text, without addresses, tags and the marks of its syntax. */
function countWords(text: string): number {
  const visible = text.replace(/\]\([^)\n]*\)/g, ' ').replace(/<[^>\n]*>/g, ' ')
  return visible.match(WORDS)?.length ?? 0
}

/** In Chinese and Japanese, each character counts, since words are not separated. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu

interface EditorMenuProps {
  readonly menu: Parameters<OpenMenu>
  readonly onClose: () => void
}

/** A menu of the text, such as that of a table. */
function EditorMenu({ menu: [anchor, label, actions], onClose }: EditorMenuProps): ReactNode {
  const run = (action: MenuAction): void => {
    onClose()
    // The menu gives the focus back before the action moves it.
    requestAnimationFrame(() => requestAnimationFrame(action.run))
  }
  return (
    <PopupMenu anchor={anchor} label={label} onClose={onClose}>
      {actions.map((action) => (
        <MenuItem key={action.label} onAction={() => run(action)}>
          {action.label}
        </MenuItem>
      ))}
    </PopupMenu>
  )
}
