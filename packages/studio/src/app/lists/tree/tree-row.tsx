import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { Icon } from '../../ui/icon.tsx'
import type { ListView } from '../list-view.ts'
import { Cells } from '../rows/row.tsx'
import rowStyles from '../rows/rows.module.css'
import styles from './tree.module.css'
import type { EntryTreeRow, MoreTreeRow } from './tree-rows.ts'

export interface TreeEntryRowProps {
  readonly view: ListView
  readonly row: EntryTreeRow
  readonly index: number
  /** The vertical position, in pixels. */
  readonly offset: number
  readonly isDragged: boolean
  /** `undefined` if entries cannot be moved. */
  readonly grip: ReactNode | undefined
  readonly onToggle: () => void
}

/** The row of an entry in a tree. */
export function TreeEntryRow(props: TreeEntryRowProps): ReactNode {
  const { view, row, index, offset, isDragged, grip, onToggle } = props
  const { id, item, level, position, siblings, childCount, isOpen } = row
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={level}
      aria-posinset={position + 1}
      aria-setsize={siblings}
      {...(childCount > 0 ? { 'aria-expanded': isOpen } : {})}
      data-index={index}
      data-row={id}
      className={`${rowStyles.row} ${isDragged ? rowStyles.dragged : ''}`}
      style={{ transform: `translateY(${offset}px)` }}
    >
      {grip !== undefined && (
        <span role="gridcell" className={rowStyles.handle}>
          {grip}
        </span>
      )}
      <Cells view={view} row={{ item, isRemoved: false }} onOpen={() => {}} role="gridcell">
        <Indent level={level}>{childCount > 0 && <Toggle view={view} row={row} onToggle={onToggle} />}</Indent>
      </Cells>
    </div>
  )
}

/** The maximum level by which rows are indented; deeper ones are aligned with it. */
const MAX_INDENT = 8

const Indent = ({ level, children }: { readonly level: number; readonly children: ReactNode }): ReactNode => (
  <span className={styles.indent} style={{ inlineSize: `${(Math.min(level, MAX_INDENT) - 1) * 1.25 + 1.75}rem` }}>
    {children}
  </span>
)

function Toggle({ view, row, onToggle }: Pick<TreeEntryRowProps, 'view' | 'row' | 'onToggle'>): ReactNode {
  const { t } = useTexts()
  const title = getEntryTitle(view.collection, row.item) ?? t.lists.untitled
  return (
    <button
      type="button"
      // The arrow keys open and close the row.
      tabIndex={-1}
      aria-label={row.isOpen ? t.lists.tree.close(title) : t.lists.tree.open(title)}
      className={styles.toggle}
      onClick={onToggle}
    >
      <Icon name={row.isOpen ? 'chevron' : 'folded'} />
    </button>
  )
}

interface MoreRowProps extends Pick<TreeEntryRowProps, 'index' | 'offset'> {
  readonly row: MoreTreeRow
  readonly onLoad: () => void
}

/** A row in place of children that are not loaded. */
export function MoreRow({ row: { id, level, isLoading }, index, offset, onLoad }: MoreRowProps): ReactNode {
  const { t } = useTexts()
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={level}
      data-index={index}
      data-row={id}
      className={`${rowStyles.row} ${styles.more}`}
      style={{ transform: `translateY(${offset}px)` }}
    >
      <span role="gridcell" className={styles.moreCell}>
        <Indent level={level + 1}>{null}</Indent>
        {isLoading ? (
          <span className={styles.note}>{t.common.loading}</span>
        ) : (
          <button type="button" data-more="" className={styles.load} onClick={onLoad}>
            {t.lists.tree.more}
          </button>
        )}
      </span>
    </div>
  )
}
