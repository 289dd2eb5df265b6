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

export interface PreviewPanelProps {
  readonly state: PreviewState
  /** Returns the address of the page for the current entry; `undefined` while the token loads. */
  readonly getAddress: (() => string) | undefined
  /** The error that prevents a preview. */
  readonly error: unknown
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** The widths at which the page can be shown, in pixels; `full` is the width of the panel. */
const WIDTHS = { full: undefined, phone: 390, tablet: 820, desktop: 1280 } as const

/** The page of an entry beside the form. */
export function PreviewPanel({ state, getAddress, error, onOpen, onClose }: PreviewPanelProps): ReactNode {
  const { t } = useTexts()
  const [width, setWidth] = useState<keyof typeof WIDTHS>('full')
  const [reloads, setReloads] = useState(0)
  const panel = useRef<HTMLElement>(null)
  useFocusTrap(panel)
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
        <IconButton icon="retry" label={t.preview.reload} onPress={() => setReloads(reloads + 1)} />
        <IconButton icon="open" label={t.preview.inTab} onPress={onOpen} />
        <IconButton icon="close" label={t.preview.hide} onPress={onClose} />
      </div>
      {error !== null && error !== undefined && (
        <div role="alert" className={styles.problem}>
          <p>{getErrorText(error, t)}</p>
          <Button onPress={onClose}>{t.common.close}</Button>
        </div>
      )}
      {!getAddress && !error && <LoadingPlaceholder label={t.common.loading} />}
      {getAddress && <FirstAddress key={reloads} getAddress={getAddress} width={WIDTHS[width]} state={state} />}
    </aside>
  )
}

/** Matches screens on which the panel covers the form. */
const NARROW = '(max-width: 64rem)'

/** Traps the focus in a panel that covers the form, as on a phone. */
function useFocusTrap(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const coveredPage = document.getElementById('studio')
    const narrow = matchMedia(NARROW)
    const update = (): void => {
      if (coveredPage) coveredPage.inert = narrow.matches
      if (narrow.matches) panel.current?.querySelector('button')?.focus()
    }
    update()
    narrow.addEventListener('change', update)
    return () => {
      narrow.removeEventListener('change', update)
      if (coveredPage) coveredPage.inert = false
    }
  }, [panel])
}

interface FirstAddressProps extends Omit<PreviewFrameProps, 'address'> {
  readonly getAddress: NonNullable<PreviewPanelProps['getAddress']>
}

/** Shows the page at its first address. When the token or slug changes, the page receives it and is not reloaded. */
function FirstAddress({ getAddress, ...frame }: FirstAddressProps): ReactNode {
  const [address] = useState(getAddress)
  return address !== undefined && <PreviewFrame address={address} {...frame} />
}

interface PreviewFrameProps {
  readonly address: string
  /** In pixels; `undefined` for the width of the panel. */
  readonly width: number | undefined
  readonly state: PreviewState
}

function PreviewFrame({ address, width, state }: PreviewFrameProps): ReactNode {
  const { t } = useTexts()
  const frame = useRef<HTMLIFrameElement>(null)
  const container = useRef<HTMLDivElement>(null)
  const initialState = useRef(state)
  const link = useMemo(
    () => new PreviewLink(new URL(address).origin, () => frame.current?.contentWindow ?? null, initialState.current),
    [address],
  )
  useEffect(() => {
    const listen = (event: MessageEvent): void => link.handleMessage(event)
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [link])
  useEffect(() => link.update(state))
  const availableWidth = useWidth(container)
  const scale = width === undefined || availableWidth === 0 ? 1 : Math.min(1, availableWidth / width)
  const size = { '--scale': scale, ...(width === undefined ? {} : { '--width': `${width}px` }) } as CSSProperties
  return (
    <div ref={container} className={styles.container} style={size}>
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

function useWidth(container: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = container.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(element)
    return () => observer.disconnect()
  }, [container])
  return width
}
