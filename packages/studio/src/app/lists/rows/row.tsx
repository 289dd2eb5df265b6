import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { titleOf } from '../../model/studio-model.ts'
import { Badge } from '../../ui/badge.tsx'
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
  readonly onOpen: (id: string) => void
}

/** One row of a list, of the height that all rows have. */
export function Row({ view, index, offset, row, onOpen }: RowProps): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={`${styles.row} ${row?.isGone ? styles.gone : ''}`}
      style={{ transform: `translateY(${offset}px)` }}
    >
      {row ? <Cells view={view} row={row} onOpen={onOpen} /> : <span role="cell" className={styles.unloaded} />}
    </div>
  )
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
