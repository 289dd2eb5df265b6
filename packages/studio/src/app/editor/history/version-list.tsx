import type { DOMAttributes, ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { useActorName } from '../../session/use-actor-name.ts'
import { Badge } from '../../ui/badge.tsx'
import { useListFocus } from '../../ui/use-list-focus.ts'
import { useVirtualRows, type VirtualRows } from '../../ui/use-virtual-rows.ts'
import styles from './history.module.css'
import type { LoadedVersions } from './use-versions.ts'
import type { Version } from './versions.ts'

/** What a {@link VersionList} takes. */
export interface VersionListProps {
  readonly versions: LoadedVersions
  /** The number of the version that is shown. */
  readonly shown: number | undefined
  readonly onShow: (revision: number) => void
}

/** The height of a row until it is measured, in pixels. */
const ROW_PX = 64

/** The versions of a document, newest first; only those that are seen are drawn. */
export function VersionList({ versions, shown, onShow }: VersionListProps): ReactNode {
  const { t } = useTexts()
  const { items, hasMore, loadMore } = versions
  const drawn = useVirtualRows(items.length, ROW_PX, loadMore)
  const { box, rows } = drawn
  const arrows = useArrows(drawn, hasMore)
  return (
    <nav ref={box} className={styles.versions} aria-label={t.history.versions}>
      <ul className={styles.body} style={{ blockSize: rows.getTotalSize() }} {...arrows}>
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
  const personName = useActorName([version.actor])
  const { revision, at, actor, action, isDraft } = version
  return (
    <button type="button" className={styles.version} aria-current={isShown} onClick={() => onShow(revision)}>
      <span className={styles.what}>
        {t.overview.actions[action]}
        {isDraft && action !== 'draft' && <Badge tone="waiting">{t.history.draft}</Badge>}
      </span>
      <span className={styles.when}>
        <time dateTime={at} title={formats.moment(at)}>
          {formats.moment(at)}
        </time>
        {actor !== undefined && ` · ${t.history.by(personName(actor))}`}
      </span>
    </button>
  )
}

/** Up and down go from version to version. */
function useArrows({ box, rows }: VirtualRows, hasMore: boolean): Pick<DOMAttributes<Element>, 'onKeyDown' | 'onBlur'> {
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
