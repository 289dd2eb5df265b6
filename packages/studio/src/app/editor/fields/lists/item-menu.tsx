import type { ReactNode } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MenuItem, PopupMenu } from '../../../ui/overlays/menu.tsx'
import { copyItems, readCopiedItems } from './item-clipboard.ts'
import type { ItemHandlers, OpenMenu } from './item-handlers.ts'
import { isFoldable } from './items.ts'
import styles from './list.module.css'
import type { ItemList } from './use-item-list.ts'

export interface ItemMenuProps {
  readonly menu: OpenMenu
  readonly list: ItemList
  readonly isReadOnly: boolean
  readonly onChange: (update: (current: OpenMenu | undefined) => OpenMenu | undefined) => void
}

/** The menu of an item, or of the kinds to insert. */
export function ItemMenu({ menu, list, isReadOnly, onChange }: ItemMenuProps): ReactNode {
  const { t } = useTexts()
  const close = (): void => onChange((current) => (current === menu ? undefined : current))
  const label = menu.kind === 'insert' ? t.fields.chooseKind : t.fields.actionsOf(t.fields.item(1))
  return (
    <PopupMenu key={menu.kind} anchor={menu.anchor} label={label} onClose={close}>
      {menu.kind === 'insert' ? (
        <KindItems list={list} index={menu.index} />
      ) : (
        <ActionItems menu={menu} list={list} isReadOnly={isReadOnly} onChange={onChange} />
      )}
    </PopupMenu>
  )
}

function KindItems({ list: { kinds, commands }, index }: { readonly list: ItemList; readonly index: number }) {
  const { t } = useTexts()
  return (
    <>
      {kinds.map((kind) => (
        <MenuItem key={kind.block ?? ''} onAction={() => commands.insert(kind, index)}>
          {kind.label ?? t.fields.add}
        </MenuItem>
      ))}
      <MenuItem onAction={() => void readCopiedItems().then((items) => commands.paste(items, index))}>
        {t.fields.paste}
      </MenuItem>
    </>
  )
}

interface ActionItemsProps extends Omit<ItemMenuProps, 'menu'> {
  readonly menu: Extract<OpenMenu, { readonly kind: 'item' }>
}

function ActionItems({ menu: { id, anchor }, list, isReadOnly, onChange }: ActionItemsProps): ReactNode {
  const { t } = useTexts()
  const { commands, kinds, items, isFull } = list
  const index = commands.indexOf(id)
  const [onlyKind] = kinds.length === 1 ? kinds : []
  const canInsert = !isFull && kinds.some(isFoldable)
  const copy = (): void => {
    copyItems([items[index]])
    commands.announce(t.fields.copied(t.fields.item(index + 1)))
  }
  const insert = (at: number): void => {
    if (onlyKind) commands.insert(onlyKind, at)
    else onChange(() => ({ kind: 'insert', index: at, anchor }))
  }
  if (isReadOnly) return <MenuItem onAction={copy}>{t.fields.copy}</MenuItem>
  return (
    <>
      {canInsert && <MenuItem onAction={() => insert(index)}>{t.fields.insertAbove}</MenuItem>}
      {canInsert && <MenuItem onAction={() => insert(index + 1)}>{t.fields.insertBelow}</MenuItem>}
      {!isFull && <MenuItem onAction={() => commands.duplicate(id)}>{t.fields.duplicate}</MenuItem>}
      <MenuItem onAction={copy}>{t.fields.copy}</MenuItem>
      {!isFull && (
        <MenuItem onAction={() => void readCopiedItems().then((copied) => commands.paste(copied, index + 1))}>
          {t.fields.pasteBelow}
        </MenuItem>
      )}
      {index > 0 && <MenuItem onAction={() => commands.move(id, () => 0)}>{t.fields.moveToTop}</MenuItem>}
      {index > 0 && <MenuItem onAction={() => commands.move(id, (at) => at - 1)}>{t.fields.moveUp}</MenuItem>}
      {index < items.length - 1 && (
        <MenuItem onAction={() => commands.move(id, (at) => at + 1)}>{t.fields.moveDown}</MenuItem>
      )}
      {index < items.length - 1 && (
        <MenuItem onAction={() => commands.move(id, (_, last) => last)}>{t.fields.moveToBottom}</MenuItem>
      )}
      <MenuItem onAction={() => commands.remove(id)}>{t.fields.remove}</MenuItem>
    </>
  )
}

interface ItemMenuButtonProps {
  readonly id: string
  readonly name: string
  readonly handlers: ItemHandlers
}

/** The button that opens the menu of a list item. Alt with arrow keys moves the item. */
export function ItemMenuButton({ id, name, handlers }: ItemMenuButtonProps): ReactNode {
  const { t } = useTexts()
  return (
    <button
      type="button"
      data-part="menu"
      aria-haspopup="menu"
      aria-label={t.fields.actionsOf(name)}
      className={styles.more}
      onClick={(event) => handlers.onMenu(id, event.currentTarget)}
      onKeyDown={(event) => event.altKey && handlers.onKeys(id, event)}
    >
      <Icon name="more" />
    </button>
  )
}
