import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { ItemHandlers } from './lists/item-handlers.ts'
import styles from './lists/list.module.css'

/** What an {@link ItemMenuButton} takes. */
export interface ItemMenuButtonProps {
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
