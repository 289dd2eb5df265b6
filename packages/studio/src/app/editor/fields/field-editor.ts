import type { FieldDescription } from 'daybook'
import type { ComponentType } from 'react'

/** What an editor of a field is given. */
export interface FieldEditorProps {
  readonly field: FieldDescription
  /** What the field is called. */
  readonly label: string
  /** `null` or `undefined`: it is empty. */
  readonly value: unknown
  /** Told of each change; `null` empties the field. */
  readonly onChange: (value: unknown) => void
  /** What is wrong with the value. */
  readonly error: string | undefined
  readonly isReadOnly: boolean
}

/** An editor of a field. */
export type FieldEditor = ComponentType<FieldEditorProps>
