import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useTexts } from '../messages/messages.tsx'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { MenuButton, MenuChoice } from '../ui/overlays/menu.tsx'
import styles from './preview.module.css'
import { PreviewLink, type PreviewState } from './preview-link.ts'

/** What a {@link PreviewPanel} takes. */
export interface PreviewPanelProps {
  readonly state: PreviewState
  /** The address of the page as the entry is now; absent: it is not known yet. */
  readonly getAddress: (() => string) | undefined
  /** Why it will not be known. */
  readonly error: unknown
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** Widths of screens that a page is shown in, in pixels; `full` is that of the panel. */
const WIDTHS = { full: undefined, phone: 390, tablet: 820, desktop: 1280 } as const

/** The page of an entry beside the form. */
export function PreviewPanel({ state, getAddress: fill, error, onOpen, onClose }: PreviewPanelProps): ReactNode {
  const { t } = useTexts()
  const [width, setWidth] = useState<keyof typeof WIDTHS>('full')
  const [round, setRound] = useState(0)
  const panel = useRef<HTMLElement>(null)
  useCover(panel)
  return (
    <aside ref={panel} className={styles.panel} aria-label={t.preview.title} data-preview-beside>
      <div className={styles.bar}>
        <MenuButton label={t.preview.widths[width]} icon="eye">
          <MenuChoice
            title={t.preview.width}
            value={width}
            options={(['full', 'phone', 'tablet', 'desktop'] as const).map((id) => ({
              id,
              label: t.preview.widths[id],
            }))}
            onChange={setWidth}
          />
        </MenuButton>
        <span className={styles.space} />
        <IconButton icon="retry" label={t.preview.reload} onPress={() => setRound(round + 1)} />
        <IconButton icon="open" label={t.preview.inTab} onPress={onOpen} />
        <IconButton icon="close" label={t.preview.hide} onPress={onClose} />
      </div>
      {error !== null && error !== undefined && (
        <div role="alert" className={styles.problem}>
          <p>{getErrorText(error, t)}</p>
          <Button onPress={onClose}>{t.common.close}</Button>
        </div>
      )}
      {!fill && !error && <LoadingPlaceholder label={t.common.loading} />}
      {fill && <FirstAddress key={round} fill={fill} width={WIDTHS[width]} state={state} />}
    </aside>
  )
}

/** Where the panel covers the form, what is below it takes no keys. */
const NARROW = '(max-width: 64rem)'

/** Keeps the focus in a panel that covers all else, as on a phone. */
function useCover(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const below = document.getElementById('studio')
    const narrow = matchMedia(NARROW)
    const cover = (): void => {
      if (below) below.inert = narrow.matches
      if (narrow.matches) panel.current?.querySelector('button')?.focus()
    }
    cover()
    narrow.addEventListener('change', cover)
    return () => {
      narrow.removeEventListener('change', cover)
      if (below) below.inert = false
    }
  }, [panel])
}

interface FirstAddressProps extends Omit<PreviewFrameProps, 'address'> {
  readonly fill: NonNullable<PreviewPanelProps['getAddress']>
}

/** The page at the address that it had first. Tokens and slugs change; the page stays, and hears of it. */
function FirstAddress({ fill, ...frame }: FirstAddressProps): ReactNode {
  const [address] = useState(fill)
  return address !== undefined && <PreviewFrame address={address} {...frame} />
}

interface PreviewFrameProps {
  readonly address: string
  /** In pixels; `undefined`: as wide as the panel. */
  readonly width: number | undefined
  readonly state: PreviewState
}

function PreviewFrame({ address, width, state }: PreviewFrameProps): ReactNode {
  const { t } = useTexts()
  const frame = useRef<HTMLIFrameElement>(null)
  const room = useRef<HTMLDivElement>(null)
  const first = useRef(state)
  const link = useMemo(
    () => new PreviewLink(new URL(address).origin, () => frame.current?.contentWindow ?? null, first.current),
    [address],
  )
  useEffect(() => {
    const hear = (event: MessageEvent): void => link.handleMessage(event)
    window.addEventListener('message', hear)
    return () => window.removeEventListener('message', hear)
  }, [link])
  useEffect(() => link.update(state))
  const available = useWidth(room)
  const scale = width === undefined || available === 0 ? 1 : Math.min(1, available / width)
  const size = { '--scale': scale, ...(width === undefined ? {} : { '--width': `${width}px` }) } as CSSProperties
  return (
    <div ref={room} className={styles.room} style={size}>
      <iframe
        ref={frame}
        title={t.preview.page}
        src={address}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
        referrerPolicy="no-referrer"
        className={styles.frame}
      />
    </div>
  )
}

function useWidth(room: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = room.current
    if (!element) return
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    watch.observe(element)
    return () => watch.disconnect()
  }, [room])
  return width
}
