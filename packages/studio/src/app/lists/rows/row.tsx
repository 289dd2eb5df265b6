import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { titleOf } from '../../model/studio-model.ts'
import { Badge } from '../../ui/badge.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import type { RowPress, Selection } from '../bulk/selection.ts'
import { Cell } from '../columns/cell.tsx'
import { valueAt } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './rows.module.css'
import type { ListRow } from './use-rows.ts'

/** More of a title than any row is wide. */
const MAX_TITLE = 400

/** What a {@link Row} takes. */
export interface RowProps {
  readonly view: ListView
  readonly index: number
  /** How far down it stands, in pixels. */
  readonly offset: number
  /** `undefined`: it is not loaded yet. */
  readonly row: ListRow | undefined
  /** `undefined`: rows cannot be chosen. */
  readonly selection: Selection | undefined
  readonly onPress: (press: RowPress) => void
  readonly onOpen: (id: string) => void
}

/** One row of a list, of the height that all rows have. */
export function Row({ view, index, offset, row, selection, onPress, onOpen }: RowProps): ReactNode {
  const isSelected = row !== undefined && (selection?.isAll === true || selection?.ids.has(row.item.id) === true)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={`${styles.row} ${row?.isGone ? styles.gone : ''} ${isSelected ? styles.selected : ''}`}
      {...(selection ? { 'aria-selected': isSelected } : {})}
      style={{ transform: `translateY(${offset}px)` }}
    >
      {selection && (
        <span role="cell" className={styles.box}>
          {row && !row.isGone && (
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
  const title = titleOf(view.collection, row.item)?.slice(0, MAX_TITLE) ?? t.lists.untitled
  return <Checkbox isBare label={t.lists.bulk.select(title)} isSelected={isSelected} onChange={onChange} />
}

function Cells({ view, row, onOpen }: Pick<RowProps, 'view' | 'onOpen'> & { readonly row: ListRow }): ReactNode {
  const { t } = useTexts()
  const { collection, collections, columns } = view
  const { item, isGone } = row
  const title = titleOf(collection, item)?.slice(0, MAX_TITLE) ?? t.lists.untitled
  return (
    <>
      <span role="cell" className={styles.title}>
        {isGone ? (
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
        {isGone && <Badge>{t.lists.gone}</Badge>}
        {item.hasDraft === true && !isGone && <Badge tone="waiting">{t.lists.hasDraft}</Badge>}
      </span>
      {columns.map((field) => (
        <span key={field.path} role="cell" className={styles.cell}>
          <Cell field={field} value={valueAt(item, field.path)} collections={collections} />
        </span>
      ))}
    </>
  )
}
