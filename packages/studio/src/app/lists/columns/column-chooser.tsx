import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { Sheet } from '../../ui/overlays/sheet.tsx'
import { getFieldLabel, type ListField } from '../list-fields.ts'
import { formatColumns, getColumnFields, type ListView, MAX_COLUMNS } from '../list-view.ts'
import { resolveSort } from '../rows-query.ts'
import styles from './column-chooser.module.css'

/** The number of fields above which there is a search field. */
const SEARCH_THRESHOLD = 12

export interface ColumnChooserProps {
  readonly view: ListView
  readonly onClose: () => void
}

/** Chooses the columns of a list and its order. The choice of columns is remembered. */
export default function ColumnChooser({ view, onClose }: ColumnChooserProps): ReactNode {
  const { t } = useTexts()
  const { columns, fields, collection, columnMemory, change } = view
  const [text, setText] = useState('')
  const chosen = columns.map(({ path }) => path)
  const options = getColumnFields(fields, collection)
  const isFull = chosen.length >= MAX_COLUMNS
  const choose = (paths: readonly string[]): void => {
    columnMemory.set(formatColumns(paths))
    change({ columns: formatColumns(paths) })
  }
  const reset = (): void => {
    columnMemory.set(undefined)
    change({ columns: undefined, sort: undefined })
  }
  const matches = options.filter((field) => includesText(getFieldLabel(field, t), text))
  return (
    <Sheet
      title={t.lists.columns}
      closeLabel={t.common.close}
      onClose={onClose}
      footer={<Button onPress={reset}>{t.lists.resetColumns}</Button>}
    >
      <SortField view={view} />
      <h3 className={styles.title}>{t.lists.shownColumns}</h3>
      <ul className={styles.list} aria-label={t.lists.shownColumns}>
        {columns.map((field, index) => (
          <li key={field.path} className={styles.chosen}>
            <span>{getFieldLabel(field, t)}</span>
            <IconButton
              icon="up"
              label={t.lists.columnUp(getFieldLabel(field, t))}
              isDisabled={index === 0}
              onPress={() => choose(move(chosen, index, -1))}
            />
            <IconButton
              icon="down"
              label={t.lists.columnDown(getFieldLabel(field, t))}
              isDisabled={index === chosen.length - 1}
              onPress={() => choose(move(chosen, index, 1))}
            />
          </li>
        ))}
      </ul>
      <h3 className={styles.title}>{t.lists.allFields}</h3>
      {options.length > SEARCH_THRESHOLD && <SearchField label={t.lists.findField} value={text} onChange={setText} />}
      {isFull && <p role="status">{t.lists.columnsFull(MAX_COLUMNS)}</p>}
      <ul className={styles.list} aria-label={t.lists.allFields}>
        {matches.map((field) => (
          <li key={field.path}>
            <Checkbox
              label={getFieldLabel(field, t)}
              isSelected={chosen.includes(field.path)}
              isDisabled={isFull && !chosen.includes(field.path)}
              onChange={(isSelected) =>
                choose(isSelected ? [...chosen, field.path] : chosen.filter((path) => path !== field.path))
              }
            />
          </li>
        ))}
      </ul>
    </Sheet>
  )
}

const includesText = (label: string, text: string): boolean =>
  label.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase())

function move(paths: readonly string[], index: number, step: number): readonly string[] {
  const path = paths[index]
  return path === undefined ? paths : paths.toSpliced(index, 1).toSpliced(index + step, 0, path)
}

/** The order of the list, also by fields without a column, and on phones, which have no headers. */
function SortField({ view }: { readonly view: ListView }): ReactNode {
  const { t } = useTexts()
  const { fields, search, change } = view
  const options = fields
    .filter(({ sortable }) => sortable)
    .flatMap((field) => listDirections(field, getFieldLabel(field, t), t))
  const best = search.q === undefined ? [] : [{ id: '', label: t.lists.bestMatch }]
  return (
    <ChoiceField
      label={t.lists.sortBy}
      value={resolveSort(search, fields) ?? ''}
      options={[...best, ...options]}
      onChange={(sort) => change({ sort: sort === '' ? undefined : sort })}
    />
  )
}

const listDirections = (
  { path }: ListField,
  label: string,
  { lists }: ReturnType<typeof useTexts>['t'],
): readonly { readonly id: string; readonly label: string }[] => [
  { id: path, label: lists.ascending(label) },
  { id: `-${path}`, label: lists.descending(label) },
]
