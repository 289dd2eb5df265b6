import type { FieldDescription, Issue } from 'daybook'
import { type ComponentType, createContext, useContext, useMemo } from 'react'
import { getIssueText } from '../../api/error-texts.ts'
import { useTexts } from '../../messages/messages.tsx'
import type { FieldPath } from '../saving/document-fields.ts'
import type { UnfinishedText } from '../saving/edit-state.ts'
import type { DocumentRef } from '../saving/local-copies.ts'

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

/** How a value came to be. */
export interface EditOptions {
  /** Keys typed in a row are one step of undo. @default false */
  readonly isTyping?: boolean
}

/** What editors of fields share of the document that is open; it stays the same object while the form does. */
export interface FormDocument {
  readonly name: DocumentRef
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

/** What is wrong with values, by their places with dots between, items by their index: `tags.0.name`. */
export type FieldIssues = ReadonlyMap<string, string>

/** Gives {@link useFieldIssue} to a form. */
export const FieldIssuesContext = createContext<FieldIssues>(new Map())

/** What is wrong with the value at a place itself; `undefined` where nothing is. */
export const useFieldIssue = (place: string): string | undefined => useContext(FieldIssuesContext).get(place)

/** Issues of the service by their places; the first one of each counts. The same object for as long as they say the same. */
export function useFieldIssues(issues: readonly Issue[]): FieldIssues {
  const { t } = useTexts()
  const told = JSON.stringify(
    issues.map((issue) => [issue.path.replace(/^\//, '').replaceAll('/', '.'), getIssueText(issue, t)]),
  )
  return useMemo(() => new Map((JSON.parse(told) as [string, string][]).toReversed()), [told])
}

/** Opens a form for a new entry over the page, and tells the id of what was made. */
export type CreateTarget = (collection: string, onCreated: (id: string) => void) => void

/** What makes entries to refer to; `null`: another tab does. A form that can provides it. */
export const CreateTargetContext = createContext<CreateTarget | null>(null)
