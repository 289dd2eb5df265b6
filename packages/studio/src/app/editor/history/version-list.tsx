import type { DOMAttributes, ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { useActorName } from '../../session/use-actor-name.ts'
import { Badge } from '../../ui/badge.tsx'
import { useListFocus } from '../../ui/use-list-focus.ts'
import { useVirtualRows, type VirtualRows } from '../../ui/use-virtual-rows.ts'
import styles from './history.module.css'
import type { LoadedVersions } from './use-versions.ts'
import type { Version } from './versions.ts'

export interface VersionListProps {
  readonly versions: LoadedVersions
  /** The revision of the shown version. */
  readonly shown: number | undefined
  readonly onShow: (revision: number) => void
}

/** The estimated height of a row, in pixels. */
const ROW_PX = 64

/** The versions of a document, newest first. Only visible rows are rendered. */
export function VersionList({ versions, shown, onShow }: VersionListProps): ReactNode {
  const { t } = useTexts()
  const { items, hasMore, loadMore } = versions
  const virtualRows = useVirtualRows(items.length, ROW_PX, loadMore)
  const { box, rows } = virtualRows
  const arrowKeyHandlers = useArrowKeys(virtualRows, hasMore)
  return (
    <nav ref={box} className={styles.versions} aria-label={t.history.versions}>
      <ul className={styles.body} style={{ blockSize: rows.getTotalSize() }} {...arrowKeyHandlers}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const version = items[index]
          return (
            version && (
              <li
                key={version.revision}
                data-index={index}
                ref={rows.measureElement}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
              >
                <VersionButton version={version} isShown={version.revision === shown} onShow={onShow} />
              </li>
            )
          )
        })}
      </ul>
    </nav>
  )
}

interface VersionButtonProps extends Pick<VersionListProps, 'onShow'> {
  readonly version: Version
  readonly isShown: boolean
}

function VersionButton({ version, isShown, onShow }: VersionButtonProps): ReactNode {
  const { t, formats } = useTexts()
  const getActorName = useActorName([version.actor])
  const { revision, at, actor, action, isDraft } = version
  return (
    <button type="button" className={styles.version} aria-current={isShown} onClick={() => onShow(revision)}>
      <span className={styles.action}>
        {t.overview.actions[action]}
        {isDraft && action !== 'draft' && <Badge tone="waiting">{t.history.draft}</Badge>}
      </span>
      <span className={styles.origin}>
        <time dateTime={at} title={formats.moment(at)}>
          {formats.moment(at)}
        </time>
        {actor !== undefined && ` · ${t.history.by(getActorName(actor))}`}
      </span>
    </button>
  )
}

/** Lets the up and down keys move between versions. */
function useArrowKeys(
  { box, rows }: VirtualRows,
  hasMore: boolean,
): Pick<DOMAttributes<Element>, 'onKeyDown' | 'onBlur'> {
  const { count } = rows.options
  const { move, reset: forget } = useListFocus({
    has: (index) => index >= 0 && (index < count || hasMore),
    find: (index) => box.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`),
    show: (index) => rows.scrollToIndex(Math.min(index, count - 1)),
  })
  return {
    onKeyDown: (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
      if (step !== undefined && row) move(event, Number(row.dataset.index), step)
    },
    onBlur: forget,
  }
}
