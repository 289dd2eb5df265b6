import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select'
import { Text } from 'react-aria-components/Text'
import { Icon } from '../icon.tsx'
import menu from '../overlays/menu.module.css'
import field from './field.module.css'
import styles from './select.module.css'

export interface SelectOption {
  readonly id: string
  readonly label: string
}

export interface SelectProps {
  readonly label: string
  readonly description?: string | undefined
  readonly error?: string | undefined
  /** `null` if nothing is selected. */
  readonly value: string | null
  readonly options: readonly SelectOption[]
  readonly onChange: (value: string) => void
  readonly placeholder: string
  readonly isDisabled?: boolean
  readonly isRequired?: boolean
}

export function Select(props: SelectProps): ReactNode {
  const {
    label,
    description,
    error,
    value,
    options,
    onChange,
    placeholder,
    isDisabled = false,
    isRequired = false,
  } = props
  return (
    <AriaSelect
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      placeholder={placeholder}
      isDisabled={isDisabled}
      isRequired={isRequired}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={field.field ?? ''}
    >
      <Label className={field.label ?? ''}>{label}</Label>
      {description !== undefined && (
        <Text slot="description" className={field.description ?? ''}>
          {description}
        </Text>
      )}
      <Button className={`${field.input} ${field.narrow} ${styles.trigger}`}>
        <SelectValue className={styles.value ?? ''} />
        <Icon name="chevron" />
      </Button>
      <FieldError className={field.error ?? ''}>{error}</FieldError>
      <Popover className={menu.popover ?? ''}>
        <ListBox items={options} className={menu.menu ?? ''}>
          {({ id, label: text }) => (
            <ListBoxItem id={id} textValue={text} className={menu.item ?? ''}>
              {({ isSelected }) => (
                <>
                  <span className={menu.text}>{text}</span>
                  {isSelected && <Icon name="check" />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
