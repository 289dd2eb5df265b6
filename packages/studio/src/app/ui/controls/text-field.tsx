import type { ReactNode, Ref } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import styles from './field.module.css'

type ForwardedProp =
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

export interface TextFieldProps extends Pick<AriaTextFieldProps, ForwardedProp> {
  readonly label: string
  readonly description?: string | undefined
  readonly error?: string | undefined
  /** True for several lines of text. @default false */
  readonly isMultiline?: boolean
  /** True for short values. @default false */
  readonly isNarrow?: boolean
  readonly placeholder?: string
  readonly ref?: Ref<HTMLInputElement>
}

export function TextField(props: TextFieldProps): ReactNode {
  const { label, description, error, isMultiline = false, isNarrow = false, placeholder, ref, ...rest } = props
  const className = `${styles.input} ${isNarrow ? styles.narrow : ''}`
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      {description !== undefined && (
        <Text slot="description" className={styles.description ?? ''}>
          {description}
        </Text>
      )}
      {isMultiline ? (
        <TextArea dir="auto" className={className} {...(placeholder === undefined ? {} : { placeholder })} />
      ) : (
        <Input
          dir="auto"
          className={className}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...(ref === undefined ? {} : { ref })}
        />
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </AriaTextField>
  )
}
