import { type ReactNode, useEffect, useRef } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Icon } from '../../ui/icon.tsx'
import unseen from '../../ui/unseen.module.css'
import { fieldLabel } from '../field-label.ts'
import { sortOf } from '../list-query.ts'
import type { ListView } from '../list-view.ts'
import styles from './rows.module.css'

/** The names of the columns; a press sorts by one. */
export function HeaderRow({ view, canSelect }: { readonly view: ListView; readonly canSelect: boolean }): ReactNode {
  const { t } = useTexts()
  const { collection, columns, fields, pressed } = view
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The list is another one after a press, and the focus stays where it was.
    const path = pressed.current
    if (path !== undefined) row.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus()
    pressed.current = undefined
  }, [pressed])
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
            label={fieldLabel(field, t)}
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
  const { search, fields, change, pressed } = view
  if (!isSortable || path === undefined) return <span role="columnheader">{label}</span>
  const sort = sortOf(search, fields)
  const direction = sort === path ? 'ascending' : sort === `-${path}` ? 'descending' : 'none'
  const type = fields.find((field) => field.path === path)?.type ?? ''
  // Of times, the last one is what people look for.
  const first = type === 'datetime' || type === 'date' ? `-${path}` : path
  const turned = direction === 'ascending' ? `-${path}` : path
  return (
    <span role="columnheader" aria-sort={direction}>
      <button
        type="button"
        className={styles.sort}
        data-path={path}
        onClick={() => {
          pressed.current = path
          change({ sort: direction === 'none' ? first : turned })
        }}
      >
        <span>{label}</span>
        {direction !== 'none' && <Icon name={direction === 'ascending' ? 'up' : 'down'} />}
      </button>
    </span>
  )
}
