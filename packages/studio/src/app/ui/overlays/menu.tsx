import { type ReactNode, useMemo } from 'react'
import { Button } from 'react-aria-components/Button'
import { Header } from 'react-aria-components/Header'
import { Menu as AriaMenu, MenuItem as AriaMenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { getButtonClass } from '../controls/button.tsx'
import { Icon, type IconName } from '../icon.tsx'
import { readMenuActions, usePageActions } from '../page-actions.tsx'
import styles from './menu.module.css'

export interface MenuButtonProps {
  readonly label: string
  readonly icon: IconName
  /** {@link MenuItem}s and {@link MenuChoice}s. */
  readonly children: ReactNode
}

export function MenuButton({ label, icon, children }: MenuButtonProps): ReactNode {
  usePageActions(readMenuActions(children))
  return (
    <MenuTrigger>
      <Button className={getButtonClass('quiet')}>
        <Icon name={icon} />
        <span className={styles.label}>{label}</span>
        <Icon name="chevron" />
      </Button>
      <Popover placement="bottom end" className={styles.popover ?? ''}>
        <AriaMenu className={styles.menu ?? ''}>{children}</AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

export interface PopupMenuProps {
  /** The element next to which the menu opens, and which gets the focus back. */
  readonly anchor: HTMLElement
  readonly label: string
  readonly onClose: () => void
  /** {@link MenuItem}s. */
  readonly children: ReactNode
}

/** An open menu, shared by several buttons. */
export function PopupMenu({ anchor, label, onClose, children }: PopupMenuProps): ReactNode {
  const trigger = useMemo(() => ({ current: anchor }), [anchor])
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={trigger}
      placement="bottom end"
      className={styles.popover ?? ''}
    >
      <AriaMenu aria-label={label} onClose={onClose} autoFocus="first" className={styles.menu ?? ''}>
        {children}
      </AriaMenu>
    </Popover>
  )
}

export function MenuItem({
  children,
  onAction,
}: {
  readonly children: string
  readonly onAction: () => void
}): ReactNode {
  return (
    <AriaMenuItem onAction={onAction} textValue={children} className={styles.item ?? ''}>
      <span className={styles.text}>{children}</span>
    </AriaMenuItem>
  )
}

export interface MenuChoiceProps<Id extends string> {
  readonly title: string
  readonly value: Id
  readonly options: readonly { readonly id: Id; readonly label: string }[]
  readonly onChange: (value: Id) => void
}

/** A group of options in a menu, of which one is selected. */
export function MenuChoice<Id extends string>({ title, value, options, onChange }: MenuChoiceProps<Id>): ReactNode {
  const choose = ([id]: readonly unknown[]): void => {
    const option = options.find((item) => item.id === id)
    if (option) onChange(option.id)
  }
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => keys !== 'all' && choose([...keys])}
      className={styles.section ?? ''}
    >
      <Header className={styles.header ?? ''}>{title}</Header>
      {options.map(({ id, label }) => (
        <AriaMenuItem key={id} id={id} textValue={label} className={styles.item ?? ''}>
          {({ isSelected }) => (
            <>
              <span className={styles.text}>{label}</span>
              {isSelected && <Icon name="check" />}
            </>
          )}
        </AriaMenuItem>
      ))}
    </MenuSection>
  )
}
