import { type ReactNode, useRef } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { copiedItems } from './item-clipboard.ts'
import styles from './list.module.css'
import type { OpenMenu } from './open-menu.ts'
import type { ItemList } from './use-item-list.ts'

/** What an {@link AddItem} takes. */
export interface AddItemProps {
  readonly list: ItemList
  /** What the list is called. */
  readonly label: string
  readonly onOpenMenu: (menu: OpenMenu) => void
}

/** Adds to the end of a list. */
export function AddItem({ list: { kinds, commands, items }, label, onOpenMenu }: AddItemProps): ReactNode {
  const { t } = useTexts()
  const place = useRef<HTMLDivElement>(null)
  const [only] = kinds.length === 1 ? kinds : []
  const add = (): void => {
    const anchor = place.current?.querySelector('button')
    if (only) commands.insert(only, items.length)
    else if (anchor) onOpenMenu({ kind: 'insert', index: items.length, anchor })
  }
  return (
    <div ref={place} className={styles.add} data-part="add">
      <Button icon="plus" onPress={add}>
        {t.fields.addTo(label)}
      </Button>
      {only?.description.fields && (
        <Button
          variant="quiet"
          onPress={() => void copiedItems().then((copied) => commands.paste(copied, items.length))}
        >
          {t.fields.paste}
        </Button>
      )}
    </div>
  )
}
