import { createContext, useContext } from 'react'
import type { DocumentName } from './saving/copies/local-copies.ts'
import type { UnfinishedText } from './saving/edit-state.ts'
import type { FieldPath } from './saving/field-path.ts'

/** How a value came to be. */
export interface EditOptions {
  /** Keys typed in a row are one step of undo. @default false */
  readonly isTyping?: boolean
}

/** What editors of fields share of the document that is open; it stays the same object while the form does. */
export interface FormDocument {
  readonly name: DocumentName
  /** What the ids of its fields begin with: a form in a window has fields of the same names as that below. */
  readonly prefix: string
  /** Puts a value in its place; `null` empties it. */
  readonly edit: (path: FieldPath, value: unknown, options?: EditOptions) => void
  /** The text at a place that says no value yet, as it was left. */
  readonly unfinishedAt: (place: string) => UnfinishedText | undefined
  /** Keeps such a text in this browser; without one, forgets it. */
  readonly keepUnfinished: (place: string, unfinished: UnfinishedText | undefined) => void
}

/** Gives {@link useFormDocument} to a form. */
export const FormDocumentContext = createContext<FormDocument | undefined>(undefined)

/** The document of the form around. */
export function useFormDocument(): FormDocument {
  const document = useContext(FormDocumentContext)
  if (!document) throw new Error('useFormDocument belongs inside FormDocumentContext')
  return document
}
