import { type ReactNode, type RefObject, useContext, useId, useMemo, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import field from '../../../ui/controls/field.module.css'
import unseen from '../../../ui/visually-hidden.module.css'
import type { FieldEditorProps } from '../field-editor.ts'
import { FieldIssuesContext } from '../field-editor.ts'
import { AddItem, type AddItemProps, AddValueLine, type AddValueLineProps } from './add-item.tsx'
import type { OpenMenu } from './item-handlers.ts'
import { createItemHandlers } from './item-handlers.ts'
import { ItemMenu } from './item-menu.tsx'
import { findItemKind, isFoldable } from './items.ts'
import styles from './list.module.css'
import { ListItem } from './list-item.tsx'
import { type ItemList, useItemList } from './use-item-list.ts'

/** The editor of lists and of blocks. */
export function ListEditor(props: FieldEditorProps): ReactNode {
  const { field: own, label, place, error, isReadOnly, Field } = props
  const { t } = useTexts()
  const id = useId()
  const list = useItemList(props)
  const { items, ids, kinds, folds, commands, root } = list
  const [menu, setMenu] = useState<OpenMenu>()
  const handlers = useMemo(() => createItemHandlers(commands, root, setMenu), [commands, root])
  const faulty = useFaultyItems(place)
  const notes = [own.description, limitText(list, t.fields.full)].filter((one) => one !== undefined)
  return (
    <div
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-note ${id}-error`}
      className={styles.list}
    >
      <div className={styles.head}>
        <p id={`${id}-label`} className={field.label}>
          {label}
        </p>
        {items.length > 0 && <span className={styles.count}>{t.fields.items(items.length)}</span>}
        {items.length > 1 && kinds.some(isFoldable) && (
          <Button variant="quiet" onPress={() => commands.folds.setAll(folds.isAllUnfolded)}>
            {folds.isAllUnfolded ? t.fields.foldAll : t.fields.unfoldAll}
          </Button>
        )}
      </div>
      <p id={`${id}-note`} className={field.description} hidden={notes.length === 0}>
        {notes.join(' ')}
      </p>
      <div ref={root as RefObject<HTMLDivElement>} className={styles.body}>
        <ol className={styles.items} data-part="items">
          {items.map((item, index) => {
            const name = ids[index] ?? ''
            return (
              <ListItem
                key={name}
                id={name}
                item={item}
                index={index}
                kind={findItemKind(kinds, item)}
                isFolded={folds.isFolded(name)}
                isFaulty={faulty.has(index)}
                isReadOnly={isReadOnly}
                path={list.getPath(name, index)}
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
      <p id={`${id}-error`} className={field.error} hidden={error === undefined}>
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

/** What adds to the end: a line for values of one line, else a button. */
function Add({ list, label, place, Field, onOpenMenu }: AddProps): ReactNode {
  const [only] = list.kinds
  return only && !isFoldable(only) ? (
    <AddValueLine kind={only} commands={list.commands} label={label} place={place} Field={Field} />
  ) : (
    <AddItem list={list} label={label} onOpenMenu={onOpenMenu} />
  )
}

const limitText = (
  { isFull, items }: { readonly isFull: boolean; readonly items: readonly unknown[] },
  say: (most: number) => string,
): string | undefined => (isFull ? say(items.length) : undefined)

/** The items that hold something wrong. */
function useFaultyItems(place: string): ReadonlySet<number> {
  const issues = useContext(FieldIssuesContext)
  return useMemo(() => {
    const inside = [...issues.keys()].filter((one) => one.startsWith(`${place}.`))
    return new Set(inside.map((one) => Number(one.slice(place.length + 1).split('.')[0])))
  }, [issues, place])
}
