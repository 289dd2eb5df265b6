import type { FieldDescription } from 'daybook'
import type { ComponentType } from 'react'
import type { EditOptions } from '../form-document.ts'
import type { FieldPath } from '../saving/field-path.ts'

/** What a field of a form takes, wherever it stands. */
export interface FieldEntryProps {
  readonly description: FieldDescription
  /** Where its value stands. The same array as long as the place is the same, so that nothing is drawn anew. */
  readonly path: FieldPath
  /** The same with dots between, items by their index: `parts.0.title`. */
  readonly place: string
  readonly value: unknown
  readonly isReadOnly: boolean
  /** What it is called. @default its key, in words */
  readonly label?: string
  /** The value of the field that it is made from ({@link FieldDescription.from}), as that of a slug is. */
  readonly source?: unknown
  /** What stands in it in grey while it is empty. */
  readonly placeholder?: string | undefined
}

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
  /** The value of the field that it is made from. */
  readonly source?: unknown
  /** What stands in it in grey while it is empty. */
  readonly placeholder?: string | undefined
  /** Draws a field inside this one. */
  readonly Field: ComponentType<FieldEntryProps>
}

/** An editor of a field. */
export type FieldEditor = ComponentType<FieldEditorProps>
