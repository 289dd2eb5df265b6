import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import type { MarkdownView, MarkdownViewOptions } from './markdown-view.ts'

/** What an editor is told anew whenever it changes. */
interface Told extends Pick<MarkdownViewOptions, 'isReadOnly' | 'attributes' | 'onChange' | 'onFiles' | 'onImage'> {
  readonly value: string
  readonly placeholder: string
}

/**
 * The editor in an element; `undefined`: it is not loaded, or cannot be.
 *
 * @param plain the field that stands there until then: the caret goes on where it was
 */
export function useMarkdownView(
  parent: RefObject<HTMLElement | null>,
  plain: RefObject<HTMLTextAreaElement | null>,
  told: Told,
): MarkdownView | undefined {
  const { t } = useTexts()
  const [view, setView] = useState<MarkdownView>()
  const now = useRef(told)
  useLayoutEffect(() => {
    now.current = told
  })
  const caret = useRef<number>(undefined)
  const words = t.fields.markdown
  useEffect(() => {
    let opened: MarkdownView | undefined
    let isOver = false
    const begin = async (): Promise<void> => {
      const { openMarkdown } = await import('./markdown-view.ts')
      if (isOver || !parent.current) return
      const { value, isReadOnly, attributes } = now.current
      opened = openMarkdown({
        parent: parent.current,
        value,
        isReadOnly,
        attributes,
        nonce: document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '',
        slash: SLASH.map((command) => ({ label: words[command], command })),
        slashLabel: words.insert,
        onChange: (next) => now.current.onChange(next),
        onFiles: (files, at) => now.current.onFiles(files, at),
        onImage: () => now.current.onImage(),
      })
      caret.current = plain.current === document.activeElement ? plain.current?.selectionEnd : undefined
      setView(opened)
    }
    // Where it cannot be loaded, the plain field stays.
    begin().catch(() => undefined)
    return () => {
      isOver = true
      opened?.destroy()
      setView(undefined)
    }
  }, [parent, plain, words])
  useLayoutEffect(() => {
    if (!view || caret.current === undefined) return
    view.focus(caret.current)
    caret.current = undefined
  }, [view])
  useEffect(() => view?.setValue(told.value), [view, told.value])
  useEffect(() => view?.setReadOnly(told.isReadOnly), [view, told.isReadOnly])
  useEffect(() => view?.setPlaceholder(told.placeholder), [view, told.placeholder])
  const attributes = JSON.stringify(told.attributes)
  useEffect(() => view?.setAttributes(JSON.parse(attributes)), [view, attributes])
  return view
}

const SLASH = ['heading', 'subheading', 'list', 'numbers', 'quote', 'codeBlock', 'table', 'rule', 'image'] as const
