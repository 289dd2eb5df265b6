import type { FieldDescription } from 'daybook'
import type { ComponentType } from 'react'
import type { EditOptions } from '../form-document.ts'
import type { FieldPath } from '../saving/field-path.ts'

/** What an editor of a field is given. */
export interface FieldEditorProps {
  readonly field: FieldDescription
  /** What the field is called. */
  readonly label: string
  /** Where the value stands in the document. */
  readonly path: FieldPath
  /** The same with dots between, items by their index: `parts.0.title`. */
  readonly place: string
  /** `null` or `undefined`: it is empty. */
  readonly value: unknown
  /** Told of each change; `null` empties the field. */
  readonly onChange: (value: unknown, options?: EditOptions) => void
  /** What is wrong with the value. */
  readonly error: string | undefined
  readonly isReadOnly: boolean
}

/** An editor of a field. */
export type FieldEditor = ComponentType<FieldEditorProps>
