import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { SHORTCUTS } from '../../../ui/shortcuts.ts'
import styles from './markdown.module.css'
import type { CommandName } from './markdown-view.ts'

export interface MarkdownToolbarProps {
  readonly label: string
  /** The id of the element that the toolbar controls. */
  readonly controls: string
  readonly isDisabled: boolean
  readonly isPreviewed: boolean
  readonly onCommand: (command: CommandName) => void
  readonly onLink: () => void
  readonly onImage: () => void
  readonly onPreview: () => void
}

const COMMANDS = [
  ['bold', 'bold'],
  ['italic', 'italic'],
  ['heading', 'heading'],
  ['link', 'link'],
  ['list', 'collection'],
  ['quote', 'quote'],
  ['code', 'code'],
] as const satisfies readonly (readonly [CommandName, IconName])[]

/** The buttons above a Markdown text. Arrow keys move between them. */
export function MarkdownToolbar(props: MarkdownToolbarProps): ReactNode {
  const { label, controls, isDisabled, isPreviewed, onCommand, onLink, onImage, onPreview } = props
  const { t } = useTexts()
  const bar = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const buttons = [...(bar.current?.querySelectorAll('button:not(:disabled)') ?? [])] as HTMLElement[]
    const at = buttons.indexOf(event.target as HTMLElement)
    if (step === undefined || at < 0) return
    event.preventDefault()
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  }
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      aria-controls={controls}
      className={styles.bar}
      onKeyDown={onKeyDown}
    >
      {COMMANDS.map(([name, icon], index) => (
        <button
          key={name}
          type="button"
          tabIndex={index === 0 ? 0 : -1}
          disabled={isDisabled}
          aria-label={t.fields.markdown[name]}
          aria-keyshortcuts={SHORTCUTS.texts[name][0].replace('Mod', 'Control')}
          title={t.fields.markdown[name]}
          className={styles.tool}
          onClick={() => (name === 'link' ? onLink() : onCommand(name))}
        >
          <Icon name={icon} />
        </button>
      ))}
      <button
        type="button"
        tabIndex={-1}
        disabled={isDisabled}
        aria-label={t.fields.markdown.image}
        title={t.fields.markdown.image}
        className={styles.tool}
        onClick={onImage}
      >
        <Icon name="image" />
      </button>
      <button
        type="button"
        tabIndex={isDisabled ? 0 : -1}
        aria-pressed={isPreviewed}
        title={t.fields.preview}
        className={`${styles.tool} ${styles.previewTool}`}
        onClick={onPreview}
      >
        <Icon name="eye" />
        <span>{t.fields.preview}</span>
      </button>
    </div>
  )
}
