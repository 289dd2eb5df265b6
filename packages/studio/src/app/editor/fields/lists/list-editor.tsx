import { type ReactNode, type RefObject, useContext, useId, useMemo, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import fieldStyles from '../../../ui/controls/field.module.css'
import unseen from '../../../ui/visually-hidden.module.css'
import { type FieldEditorProps, FieldIssuesContext } from '../field-editor.ts'
import { AddItem, type AddItemProps, AddValueLine, type AddValueLineProps } from './add-item.tsx'
import { createItemHandlers, type OpenMenu } from './item-handlers.ts'
import { ItemMenu } from './item-menu.tsx'
import { findItemKind, isFoldable } from './items.ts'
import styles from './list.module.css'
import { ListItem } from './list-item.tsx'
import { type ItemList, useItemList } from './use-item-list.ts'

export function ListEditor(props: FieldEditorProps): ReactNode {
  const { field, label, place, error, isReadOnly, Field } = props
  const { t } = useTexts()
  const id = useId()
  const list = useItemList(props)
  const { items, ids, kinds, folds, commands, root } = list
  const [menu, setMenu] = useState<OpenMenu>()
  const handlers = useMemo(() => createItemHandlers(commands, root, setMenu), [commands, root])
  const faultyIndexes = useFaultyItems(place)
  const notes = [field.description, getLimitText(list, t.fields.full)].filter((note) => note !== undefined)
  return (
    <div
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-note ${id}-error`}
      className={styles.list}
    >
      <div className={styles.head}>
        <p id={`${id}-label`} className={fieldStyles.label}>
          {label}
        </p>
        {items.length > 0 && <span className={styles.count}>{t.fields.items(items.length)}</span>}
        {items.length > 1 && kinds.some(isFoldable) && (
          <Button variant="quiet" onPress={() => commands.folds.setAll(folds.isAllUnfolded)}>
            {folds.isAllUnfolded ? t.fields.foldAll : t.fields.unfoldAll}
          </Button>
        )}
      </div>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={notes.length === 0}>
        {notes.join(' ')}
      </p>
      <div ref={root as RefObject<HTMLDivElement>} className={styles.body}>
        <ol className={styles.items} data-part="items">
          {items.map((item, index) => {
            const itemId = ids[index] ?? ''
            return (
              <ListItem
                key={itemId}
                id={itemId}
                item={item}
                index={index}
                kind={findItemKind(kinds, item)}
                isFolded={folds.isFolded(itemId)}
                isFaulty={faultyIndexes.has(index)}
                isReadOnly={isReadOnly}
                path={list.getPath(itemId, index)}
                place={`${place}.${index}`}
                listLabel={label}
                handlers={handlers}
                Field={Field}
              />
            )
          })}
        </ol>
        <div className={styles.mark} data-part="mark" hidden />
        {items.length === 0 && isReadOnly && <p className={styles.empty}>{t.fields.noItems}</p>}
        {!isReadOnly && !list.isFull && <Add list={list} onOpenMenu={setMenu} {...{ label, place, Field }} />}
      </div>
      <p id={`${id}-error`} className={fieldStyles.error} hidden={error === undefined}>
        {error}
      </p>
      {menu && <ItemMenu menu={menu} list={list} isReadOnly={isReadOnly} onChange={setMenu} />}
      <p role="status" className={unseen.unseen}>
        {list.announcement}
      </p>
    </div>
  )
}

type AddProps = Omit<AddItemProps, 'list'> & Omit<AddValueLineProps, 'kind' | 'commands'> & { readonly list: ItemList }

/** Adds to the end of a list: by a field for one-line values, otherwise by a button. */
function Add({ list, label, place, Field, onOpenMenu }: AddProps): ReactNode {
  const [firstKind] = list.kinds
  return firstKind && !isFoldable(firstKind) ? (
    <AddValueLine kind={firstKind} commands={list.commands} label={label} place={place} Field={Field} />
  ) : (
    <AddItem list={list} label={label} onOpenMenu={onOpenMenu} />
  )
}

const getLimitText = (
  { isFull, items }: { readonly isFull: boolean; readonly items: readonly unknown[] },
  formatText: (max: number) => string,
): string | undefined => (isFull ? formatText(items.length) : undefined)

/** Returns the indexes of items with issues. */
function useFaultyItems(place: string): ReadonlySet<number> {
  const issues = useContext(FieldIssuesContext)
  return useMemo(() => {
    const places = [...issues.keys()].filter((issuePlace) => issuePlace.startsWith(`${place}.`))
    return new Set(places.map((issuePlace) => Number(issuePlace.slice(place.length + 1).split('.')[0])))
  }, [issues, place])
}
