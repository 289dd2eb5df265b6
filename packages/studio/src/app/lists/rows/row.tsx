import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { Badge } from '../../ui/badge.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import type { RowPress, Selection } from '../bulk/selection.ts'
import { Cell } from '../columns/cell.tsx'
import { getValueAt } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import { RowThumbnail } from './row-thumbnail.tsx'
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
  /** Renders the handle of the row; `undefined` if rows cannot be moved. */
  readonly grip: ((row: ListRow, index: number) => ReactNode) | undefined
  readonly isDragged: boolean
}

/** A row of a list; all rows have the same height. */
export function Row(props: RowProps): ReactNode {
  const { view, index, offset, row, selection, onPress, onOpen, grip, isDragged } = props
  const isSelected = row !== undefined && (selection?.isAll === true || selection?.ids.has(row.item.id) === true)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={`${styles.row} ${row?.isRemoved ? styles.gone : ''} ${isSelected ? styles.selected : ''} ${isDragged ? styles.dragged : ''}`}
      {...(selection ? { 'aria-selected': isSelected } : {})}
      style={{ transform: `translateY(${offset}px)` }}
    >
      {grip && (
        <span role="cell" className={styles.handle}>
          {row && !row.isRemoved && grip(row, index)}
        </span>
      )}
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

interface CellsProps extends Pick<RowProps, 'view' | 'onOpen'> {
  readonly row: ListRow
  /** @default 'cell' */
  readonly role?: 'cell' | 'gridcell'
  /** Shown before the title. */
  readonly children?: ReactNode
}

/** The cells of an entry: its title, and the chosen columns. */
export function Cells({ view, row, onOpen, role = 'cell', children }: CellsProps): ReactNode {
  const { t, formats } = useTexts()
  const { collection, collections, columns, thumbnailField } = view
  const { item, isRemoved } = row
  const isPublished = collection.statusField !== null && item[collection.statusField] === 'published'
  const title = getEntryTitle(collection, item)?.slice(0, MAX_TITLE) ?? t.lists.untitled
  return (
    <>
      <span role={role} className={styles.title}>
        {children}
        {thumbnailField !== undefined && <RowThumbnail key={item.id} item={item} field={thumbnailField} />}
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
        {isPublished && item.hasDraft === true && !isRemoved && <Badge tone="waiting">{t.lists.hasDraft}</Badge>}
        {typeof item.publishAt === 'string' && !isRemoved && (
          <Badge>{t.lists.scheduled(formats.zonedMoment(item.publishAt))}</Badge>
        )}
      </span>
      {columns.map((field) => (
        <span key={field.path} role={role} className={styles.cell}>
          <Cell field={field} value={getValueAt(item, field.path)} collections={collections} />
        </span>
      ))}
    </>
  )
}
