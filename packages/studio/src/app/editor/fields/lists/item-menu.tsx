import type { ReactNode } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MenuItem, PopupMenu } from '../../../ui/overlays/menu.tsx'
import { copyItems, readCopiedItems } from './item-clipboard.ts'
import type { ItemHandlers, OpenMenu } from './item-handlers.ts'
import { type ItemKind, isFoldable } from './items.ts'
import styles from './list.module.css'
import type { ItemList } from './use-item-list.ts'

/** What an {@link ItemMenu} takes. */
export interface ItemMenuProps {
  readonly menu: OpenMenu
  readonly list: ItemList
  readonly isReadOnly: boolean
  readonly onChange: (next: (now: OpenMenu | undefined) => OpenMenu | undefined) => void
}

/** The menu of an item, or that of the kinds to insert. */
export function ItemMenu({ menu, list, isReadOnly, onChange }: ItemMenuProps): ReactNode {
  const { t } = useTexts()
  const close = (): void => onChange((now) => (now === menu ? undefined : now))
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
  const [only] = kinds.length === 1 ? kinds : []
  const mayInsert = !isFull && kinds.some(isFoldable)
  const copy = (): void => {
    copyItems([items[index]])
    commands.announce(t.fields.copied(t.fields.item(index + 1)))
  }
  const insert = (at: number): void =>
    insertAt(list, only, at, () => onChange(() => ({ kind: 'insert', index: at, anchor })))
  if (isReadOnly) return <MenuItem onAction={copy}>{t.fields.copy}</MenuItem>
  return (
    <>
      {mayInsert && <MenuItem onAction={() => insert(index)}>{t.fields.insertAbove}</MenuItem>}
      {mayInsert && <MenuItem onAction={() => insert(index + 1)}>{t.fields.insertBelow}</MenuItem>}
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

/** Inserts the only kind there is, or asks for one of several. */
function insertAt({ commands }: ItemList, only: ItemKind | undefined, index: number, ask: () => void): void {
  if (only) commands.insert(only, index)
  else ask()
}

/** What an {@link ItemMenuButton} takes. */
interface ItemMenuButtonProps {
  readonly id: string
  /** What the item is called. */
  readonly name: string
  readonly handlers: ItemHandlers
}

/** Opens the menu of an item of a list, and moves the item by Alt and arrows. */
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
