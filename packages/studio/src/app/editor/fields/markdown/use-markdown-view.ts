import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import type { MarkdownView, MarkdownViewOptions } from './markdown-view.ts'

/** The options that may change while the editor is open. */
interface ViewProps
  extends Pick<
    MarkdownViewOptions,
    | 'isReadOnly'
    | 'isFormatted'
    | 'attributes'
    | 'onChange'
    | 'paste'
    | 'onFormats'
    | 'openMenu'
    | 'onFiles'
    | 'onEditLink'
    | 'onEditImage'
  > {
  readonly value: string
  readonly placeholder: string
}

/**
 * Opens the editor in an element.
 *
 * @param textarea the textarea that is shown until the editor is loaded; its cursor position carries over
 * @returns `undefined` until the editor is loaded, or if it cannot be
 */
export function useMarkdownView(
  parent: RefObject<HTMLElement | null>,
  textarea: RefObject<HTMLTextAreaElement | null>,
  props: ViewProps,
): MarkdownView | undefined {
  const { t } = useTexts()
  const [view, setView] = useState<MarkdownView>()
  const latestProps = useRef(props)
  useLayoutEffect(() => {
    latestProps.current = props
  })
  const caret = useRef<number>(undefined)
  const words = t.fields.markdown
  useEffect(() => {
    let openedView: MarkdownView | undefined
    let isUnmounted = false
    const begin = async (): Promise<void> => {
      const { openMarkdown } = await import('./markdown-view.ts')
      if (isUnmounted || !parent.current) return
      const { value, isReadOnly, isFormatted, attributes } = latestProps.current
      openedView = openMarkdown({
        parent: parent.current,
        value,
        isReadOnly,
        isFormatted,
        attributes,
        phrases: words.phrases,
        nonce: document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '',
        slash: SLASH_COMMANDS.map((command) => ({ label: words[command], command })),
        slashLabel: words.insert,
        onChange: (next, options) => latestProps.current.onChange(next, options),
        paste: {
          canFetch: (address) => latestProps.current.paste.canFetch(address),
          storeImage: (image) => latestProps.current.paste.storeImage(image),
        },
        onFormats: (formats) => latestProps.current.onFormats(formats),
        openMenu: (...menu) => latestProps.current.openMenu(...menu),
        onFiles: (files, at) => latestProps.current.onFiles(files, at),
        onEditLink: (link) => latestProps.current.onEditLink(link),
        onEditImage: (image) => latestProps.current.onEditImage(image),
      })
      const isFocused = textarea.current === document.activeElement
      caret.current = isFocused ? textarea.current?.selectionEnd : undefined
      setView(openedView)
    }
    // If it cannot be loaded, the textarea stays.
    begin().catch(() => undefined)
    return () => {
      isUnmounted = true
      openedView?.destroy()
      setView(undefined)
    }
  }, [parent, textarea, words])
  useLayoutEffect(() => {
    if (!view || caret.current === undefined) return
    view.focus(caret.current)
    caret.current = undefined
  }, [view])
  useEffect(() => view?.setValue(props.value), [view, props.value])
  useEffect(() => view?.setReadOnly(props.isReadOnly), [view, props.isReadOnly])
  useEffect(() => view?.setFormatted(props.isFormatted), [view, props.isFormatted])
  useEffect(() => view?.setPlaceholder(props.placeholder), [view, props.placeholder])
  const attributes = JSON.stringify(props.attributes)
  useEffect(() => view?.setAttributes(JSON.parse(attributes)), [view, attributes])
  return view
}

const SLASH_COMMANDS = [
  'heading',
  'subheading',
  'list',
  'numbers',
  'tasks',
  'quote',
  'codeBlock',
  'table',
  'rule',
  'image',
] as const
