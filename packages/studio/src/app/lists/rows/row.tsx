import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { Badge } from '../../ui/badge.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { Icon } from '../../ui/icon.tsx'
import unseen from '../../ui/visually-hidden.module.css'
import type { RowPress, Selection } from '../bulk/selection.ts'
import { Cell } from '../columns/cell.tsx'
import { getFieldLabel, getValueAt } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import { resolveSort } from '../rows-query.ts'
import styles from './rows.module.css'
import type { ListRow } from './use-rows.ts'

/** The maximum length of a title, longer than any row is wide. */
const MAX_TITLE = 400

export interface RowProps {
  readonly view: ListView
  readonly index: number
  /** The vertical position, in pixels. */
  readonly offset: number
  /** `undefined` until it is loaded. */
  readonly row: ListRow | undefined
  /** `undefined` if rows cannot be selected. */
  readonly selection: Selection | undefined
  readonly onPress: (press: RowPress) => void
  readonly onOpen: (id: string) => void
}

/** A row of a list; all rows have the same height. */
export function Row({ view, index, offset, row, selection, onPress, onOpen }: RowProps): ReactNode {
  const isSelected = row !== undefined && (selection?.isAll === true || selection?.ids.has(row.item.id) === true)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={`${styles.row} ${row?.isRemoved ? styles.gone : ''} ${isSelected ? styles.selected : ''}`}
      {...(selection ? { 'aria-selected': isSelected } : {})}
      style={{ transform: `translateY(${offset}px)` }}
    >
      {selection && (
        <span role="cell" className={styles.box}>
          {row && !row.isRemoved && (
            <RowBox
              view={view}
              row={row}
              isSelected={isSelected}
              onChange={(isOn, isRange) => onPress({ index, isSelected: isOn, isRange })}
            />
          )}
        </span>
      )}
      {row ? <Cells view={view} row={row} onOpen={onOpen} /> : <span role="cell" className={styles.unloaded} />}
    </div>
  )
}

interface RowBoxProps extends Pick<RowProps, 'view'> {
  readonly row: ListRow
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean, isRange: boolean) => void
}

function RowBox({ view, row, isSelected, onChange }: RowBoxProps): ReactNode {
  const { t } = useTexts()
  const title = getEntryTitle(view.collection, row.item)?.slice(0, MAX_TITLE) ?? t.lists.untitled
  return <Checkbox isLabelHidden label={t.lists.bulk.select(title)} isSelected={isSelected} onChange={onChange} />
}

function Cells({ view, row, onOpen }: Pick<RowProps, 'view' | 'onOpen'> & { readonly row: ListRow }): ReactNode {
  const { t } = useTexts()
  const { collection, collections, columns } = view
  const { item, isRemoved } = row
  const title = getEntryTitle(collection, item)?.slice(0, MAX_TITLE) ?? t.lists.untitled
  return (
    <>
      <span role="cell" className={styles.title}>
        {isRemoved ? (
          <del className={styles.open}>
            <bdi>{title}</bdi>
          </del>
        ) : (
          <Link
            to="/c/$collection/$id"
            params={{ collection: collection.key, id: item.id }}
            data-entry={item.id}
            onClick={() => onOpen(item.id)}
            className={styles.open}
          >
            <bdi>{title}</bdi>
          </Link>
        )}
        {isRemoved && <Badge>{t.lists.removed}</Badge>}
        {item.hasDraft === true && !isRemoved && <Badge tone="waiting">{t.lists.hasDraft}</Badge>}
      </span>
      {columns.map((field) => (
        <span key={field.path} role="cell" className={styles.cell}>
          <Cell field={field} value={getValueAt(item, field.path)} collections={collections} />
        </span>
      ))}
    </>
  )
}

/** The column headers, which sort the list when pressed. */
export function HeaderRow({ view, canSelect }: { readonly view: ListView; readonly canSelect: boolean }): ReactNode {
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
        {canSelect && (
          <span role="columnheader" className={styles.box}>
            <span className={unseen.unseen}>{t.lists.bulk.column}</span>
          </span>
        )}
        <HeaderCell view={view} path={title?.path} label={t.lists.title} isSortable={title?.sortable === true} />
        {columns.map((field) => (
          <HeaderCell
            key={field.path}
            view={view}
            path={field.path}
            label={getFieldLabel(field, t)}
            isSortable={field.sortable}
          />
        ))}
      </div>
    </div>
  )
}

interface HeaderCellProps {
  readonly view: ListView
  readonly path: string | undefined
  readonly label: string
  readonly isSortable: boolean
}

function HeaderCell({ view, path, label, isSortable }: HeaderCellProps): ReactNode {
  const { search, fields, change, pressedHeader } = view
  if (!isSortable || path === undefined) return <span role="columnheader">{label}</span>
  const sort = resolveSort(search, fields)
  const direction = sort === path ? 'ascending' : sort === `-${path}` ? 'descending' : 'none'
  const type = fields.find((field) => field.path === path)?.type ?? ''
  // Times are sorted latest first.
  const first = type === 'datetime' || type === 'date' ? `-${path}` : path
  const reversed = direction === 'ascending' ? `-${path}` : path
  return (
    <span role="columnheader" aria-sort={direction}>
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
    </span>
  )
}
