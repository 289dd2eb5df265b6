import { type ReactNode, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { MenuItem, PopupMenu } from '../../ui/overlays/menu.tsx'
import styles from './grip.module.css'
import type { RowDrag } from './use-row-drag.ts'

/** An item of the menu of a grip. */
export interface GripAction {
  readonly label: string
  readonly run: () => void
}

export interface GripProps {
  readonly index: number
  readonly label: string
  readonly drag: RowDrag
  /** The items of its menu. */
  readonly getActions: () => readonly GripAction[]
}

/** The handle of a row, which drags it, and opens a menu with its moves when it is pressed. */
export function Grip({ index, label, drag, getActions }: GripProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null)
  const [actions, setActions] = useState<readonly GripAction[]>()
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={actions !== undefined}
        className={styles.grip}
        onPointerDown={(event) => drag.onGrip(index, event)}
        onClick={({ detail }) => {
          // A key press has no detail.
          if (detail === 0 || !drag.wasDrag()) setActions(getActions())
        }}
      >
        <Icon name="grip" />
      </button>
      {actions && button.current && (
        <PopupMenu anchor={button.current} label={label} onClose={() => setActions(undefined)}>
          {actions.map((action) => (
            <MenuItem key={action.label} onAction={action.run}>
              {action.label}
            </MenuItem>
          ))}
        </PopupMenu>
      )}
    </>
  )
}
