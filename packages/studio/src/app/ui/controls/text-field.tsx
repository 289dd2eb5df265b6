import type { ReactNode, Ref } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import styles from './field.module.css'

type Kept =
  | 'value'
  | 'onChange'
  | 'onBlur'
  | 'type'
  | 'name'
  | 'isRequired'
  | 'isReadOnly'
  | 'isDisabled'
  | 'autoComplete'
  | 'autoFocus'
  | 'inputMode'
  | 'maxLength'
  | 'spellCheck'

/** What a {@link TextField} takes. */
export interface TextFieldProps extends Pick<AriaTextFieldProps, Kept> {
  readonly label: string
  readonly description?: string | undefined
  /** What is wrong with the value. */
  readonly error?: string | undefined
  /** Whether it takes several lines. @default false */
  readonly isMultiline?: boolean
  /** Whether it is for short values. @default false */
  readonly isNarrow?: boolean
  readonly placeholder?: string
  readonly ref?: Ref<HTMLInputElement>
}

/** A field for text. */
export function TextField(props: TextFieldProps): ReactNode {
  const {
    label,
    description,
    error,
    isMultiline: isLong = false,
    isNarrow = false,
    placeholder,
    ref,
    ...others
  } = props
  const own = `${styles.input} ${isNarrow ? styles.narrow : ''}`
  return (
    <AriaTextField {...others} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      {description !== undefined && (
        <Text slot="description" className={styles.description ?? ''}>
          {description}
        </Text>
      )}
      {isLong ? (
        <TextArea dir="auto" className={own} {...(placeholder === undefined ? {} : { placeholder })} />
      ) : (
        <Input
          dir="auto"
          className={own}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...(ref === undefined ? {} : { ref })}
        />
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </AriaTextField>
  )
}
