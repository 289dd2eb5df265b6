import { type ReactNode, useEffect, useRef } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { Icon } from '../../ui/icon.tsx'
import unseen from '../../ui/visually-hidden.module.css'
import { ColumnBorder } from '../columns/column-border.tsx'
import { type ColumnWidths, TITLE_COLUMN } from '../columns/column-widths.ts'
import { getFieldLabel } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import { resolveSort } from '../rows-query.ts'
import styles from './rows.module.css'

export interface HeaderRowProps {
  readonly view: ListView
  readonly widths: ColumnWidths
  readonly hasGrips: boolean
  /** The selection of the loaded rows; `undefined` if rows cannot be selected. */
  readonly selected: 'none' | 'some' | 'all' | undefined
  /** Selects all loaded rows, or clears the selection. */
  readonly onSelect: (isSelected: boolean) => void
}

/** The column headers, which sort the list when pressed, and whose borders set the widths of columns. */
export function HeaderRow({ view, widths, hasGrips, selected, onSelect }: HeaderRowProps): ReactNode {
  const { t } = useTexts()
  const { collection, columns, fields, pressedHeader } = view
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // A press replaces the list, so restore the focus on the pressed header.
    const path = pressedHeader.current
    if (path !== undefined) row.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus()
    pressedHeader.current = undefined
  }, [pressedHeader])
  const title = fields.find(({ path }) => path === collection.titleField)
  return (
    <div role="rowgroup">
      <div ref={row} role="row" aria-rowindex={1} className={`${styles.row} ${styles.header}`}>
        {hasGrips && (
          <span role="columnheader" className={styles.handle}>
            <span className={unseen.unseen}>{t.lists.order.column}</span>
          </span>
        )}
        {selected && (
          <span role="columnheader" className={styles.box}>
            <span className={unseen.unseen}>{t.lists.bulk.column}</span>
            <Checkbox
              isLabelHidden
              label={t.lists.bulk.selectLoaded}
              isSelected={selected === 'all'}
              isMixed={selected === 'some'}
              onChange={onSelect}
            />
          </span>
        )}
        <HeaderCell
          view={view}
          path={title?.path}
          column={TITLE_COLUMN}
          widths={widths}
          label={t.lists.title}
          isSortable={title?.sortable === true}
        />
        {columns.map((field) => (
          <HeaderCell
            key={field.path}
            view={view}
            path={field.path}
            column={field.path}
            widths={widths}
            label={getFieldLabel(field, t)}
            isSortable={field.sortable}
          />
        ))}
      </div>
    </div>
  )
}

interface HeaderCellProps extends Pick<HeaderRowProps, 'view' | 'widths'> {
  readonly path: string | undefined
  /** The key of the width. */
  readonly column: string
  readonly label: string
  readonly isSortable: boolean
}

function HeaderCell({ view, path, column, widths, label, isSortable }: HeaderCellProps): ReactNode {
  const { search, fields, change, pressedHeader } = view
  const border = <ColumnBorder path={column} label={label} widths={widths} />
  if (!isSortable || path === undefined) {
    return (
      <span role="columnheader" aria-label={label} className={styles.head}>
        <span className={styles.headText}>{label}</span>
        {border}
      </span>
    )
  }
  const sort = resolveSort(search, fields)
  const direction = sort === path ? 'ascending' : sort === `-${path}` ? 'descending' : 'none'
  const type = fields.find((field) => field.path === path)?.type ?? ''
  // Times are sorted latest first.
  const first = type === 'datetime' || type === 'date' ? `-${path}` : path
  const reversed = direction === 'ascending' ? `-${path}` : path
  return (
    <span role="columnheader" aria-label={label} aria-sort={direction} className={styles.head}>
      <button
        type="button"
        className={styles.sort}
        data-path={path}
        onClick={() => {
          pressedHeader.current = path
          change({ sort: direction === 'none' ? first : reversed })
        }}
      >
        <span>{label}</span>
        {direction !== 'none' && <Icon name={direction === 'ascending' ? 'up' : 'down'} />}
      </button>
      {border}
    </span>
  )
}
