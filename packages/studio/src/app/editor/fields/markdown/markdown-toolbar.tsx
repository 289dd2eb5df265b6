import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { MenuChoice, PopupMenu } from '../../../ui/overlays/menu.tsx'
import { SHORTCUTS } from '../../../ui/shortcuts.ts'
import type { ActiveFormats } from './active-formats.ts'
import styles from './markdown.module.css'
import type { CommandName } from './markdown-view.ts'

export interface MarkdownToolbarProps {
  readonly label: string
  /** The id of the element that the toolbar controls. */
  readonly controls: string
  readonly isDisabled: boolean
  readonly formats: ActiveFormats
  readonly isFormatted: boolean
  readonly isPreviewed: boolean
  readonly isFullScreen: boolean
  readonly onCommand: (command: CommandName) => void
  readonly onLink: () => void
  readonly onImage: () => void
  readonly onFind: () => void
  readonly onSource: () => void
  readonly onPreview: () => void
  readonly onFullScreen: () => void
}

const COMMANDS = [
  ['bold', 'bold'],
  ['italic', 'italic'],
  ['strikethrough', 'strikethrough'],
  ['link', 'link'],
  ['list', 'list'],
  ['numbers', 'numbers'],
  ['tasks', 'tasks'],
  ['quote', 'quote'],
  ['code', 'code'],
  ['table', 'table'],
] as const satisfies readonly (readonly [CommandName, IconName])[]

const STYLES = ['paragraph', 'heading2', 'heading3', 'heading4'] as const satisfies readonly CommandName[]

/** The buttons above a Markdown text. Arrow keys move between them. */
export function MarkdownToolbar(props: MarkdownToolbarProps): ReactNode {
  const { label, controls, isDisabled, formats, onCommand, onLink, onImage } = props
  const { t } = useTexts()
  const texts = t.fields.markdown
  const bar = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      aria-controls={controls}
      className={styles.bar}
      onKeyDown={(event) => moveFocus(event, bar.current)}
    >
      <StyleMenu level={formats.heading} isDisabled={isDisabled} onCommand={onCommand} />
      {COMMANDS.map(([name, icon]) => (
        <Tool
          key={name}
          label={texts[name]}
          icon={icon}
          press={name in SHORTCUTS.texts ? SHORTCUTS.texts[name as keyof typeof SHORTCUTS.texts][0] : undefined}
          isDisabled={isDisabled}
          isPressed={name === 'table' ? undefined : formats.names.has(name)}
          onPress={() => (name === 'link' ? onLink() : onCommand(name))}
        />
      ))}
      <Tool label={texts.image} icon="image" isDisabled={isDisabled} onPress={onImage} />
      <ViewTools {...props} />
    </div>
  )
}

/** Those that change the view of the text. */
function ViewTools(props: MarkdownToolbarProps): ReactNode {
  const { isDisabled, isFormatted, isPreviewed, isFullScreen, onFind, onSource, onPreview, onFullScreen } = props
  const { t } = useTexts()
  const texts = t.fields.markdown
  return (
    <div className={styles.viewTools}>
      <Tool label={texts.find} icon="search" press={SHORTCUTS.texts.find[0]} isDisabled={isDisabled} onPress={onFind} />
      <Tool label={texts.source} isPressed={!isFormatted} onPress={onSource} />
      <Tool label={t.fields.preview} isPressed={isPreviewed} onPress={onPreview} />
      <Tool
        label={isFullScreen ? texts.leaveFullScreen : texts.fullScreen}
        icon={isFullScreen ? 'shrink' : 'expand'}
        press={SHORTCUTS.texts.fullScreen[0]}
        onPress={onFullScreen}
      />
    </div>
  )
}

interface ToolProps {
  readonly label: string
  /** @default the label */
  readonly icon?: IconName
  readonly press?: string | undefined
  readonly isPressed?: boolean | undefined
  readonly isDisabled?: boolean
  readonly onPress: () => void
}

function Tool({ label, icon, press, isPressed, isDisabled = false, onPress }: ToolProps): ReactNode {
  const { t } = useTexts()
  const names: Readonly<Record<string, string>> = t.shortcuts.keys
  const keys = press?.split('+').map((key) => names[key] ?? key)
  return (
    <button
      type="button"
      tabIndex={-1}
      disabled={isDisabled}
      aria-label={label}
      aria-pressed={isPressed}
      aria-keyshortcuts={press?.replace('Mod', 'Control')}
      title={keys ? `${label} (${keys.join(' ')})` : label}
      className={`${styles.tool} ${icon ? '' : styles.wordTool}`}
      // The cursor stays in the text.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {icon ? <Icon name={icon} /> : label}
    </button>
  )
}

interface StyleMenuProps {
  readonly level: number
  readonly isDisabled: boolean
  readonly onCommand: (command: CommandName) => void
}

/** The kind of the paragraph at the cursor: a heading or plain text. */
function StyleMenu({ level, isDisabled, onCommand }: StyleMenuProps): ReactNode {
  const { t } = useTexts()
  const texts = t.fields.markdown
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const choose = (command: CommandName): void => {
    setOpen(false)
    // The menu gives the focus back before the command moves it to the text.
    requestAnimationFrame(() => requestAnimationFrame(() => onCommand(command)))
  }
  const current = STYLES.find((name) => name === `heading${level}`) ?? 'paragraph'
  return (
    <>
      <button
        ref={anchor}
        type="button"
        tabIndex={0}
        disabled={isDisabled}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`${texts.textStyle}: ${texts[current]}`}
        title={texts.textStyle}
        className={`${styles.tool} ${styles.styleTool}`}
        onClick={() => setOpen(true)}
      >
        <span>{texts[current]}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && anchor.current && (
        <PopupMenu anchor={anchor.current} label={texts.textStyle} onClose={() => setOpen(false)}>
          <MenuChoice
            title={texts.textStyle}
            value={current}
            options={STYLES.map((id) => ({ id, label: texts[id] }))}
            onChange={choose}
          />
        </PopupMenu>
      )}
    </>
  )
}

function moveFocus(event: KeyboardEvent, bar: HTMLElement | null): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const buttons = [...(bar?.querySelectorAll('button:not(:disabled)') ?? [])] as HTMLElement[]
  const at = buttons.indexOf(event.target as HTMLElement)
  if (step === undefined || at < 0) return
  event.preventDefault()
  buttons[(at + step + buttons.length) % buttons.length]?.focus()
}
