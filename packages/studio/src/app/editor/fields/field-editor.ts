import type { Issue } from 'daybook'
import { type ComponentType, createContext, useContext, useMemo } from 'react'
import { getIssueText } from '../../api/error-texts.ts'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioField } from '../../model/studio-model.ts'
import type { FieldPath } from '../saving/document-fields.ts'
import type { UnfinishedText } from '../saving/edit-state.ts'
import type { DocumentRef } from '../saving/local-copies.ts'
import type { EditOptions } from '../saving/undo-steps.ts'

export interface FieldEntryProps {
  readonly description: StudioField
  /** The path of the value. It stays the same array, so that memoized fields do not render again. */
  readonly path: FieldPath
  /** The same path with dots, and items by index: `parts.0.title`. */
  readonly place: string
  readonly value: unknown
  readonly isReadOnly: boolean
  /** @default the field's label */
  readonly label?: string
  /** The value of the field that this one derives from ({@link StudioField.from}), such as the title for a slug. */
  readonly source?: unknown
  /** The label of that field. */
  readonly sourceLabel?: string | undefined
  readonly placeholder?: string | undefined
}

/** Returns the value and the label of the sibling from which a field derives, as props of its entry. */
export const getSource = (
  { from }: StudioField,
  siblings: readonly StudioField[],
  values: Readonly<Record<string, unknown>>,
): Pick<FieldEntryProps, 'source' | 'sourceLabel'> =>
  from === undefined ? {} : { source: values[from], sourceLabel: siblings.find(({ key }) => key === from)?.label }

export interface FieldEditorProps {
  readonly field: StudioField
  readonly label: string
  readonly path: FieldPath
  /** The same path with dots, and items by index: `parts.0.title`. */
  readonly place: string
  /** `null` or `undefined` if the field is empty. */
  readonly value: unknown
  /** Receives each change; `null` empties the field. */
  readonly onChange: (value: unknown, options?: EditOptions) => void
  readonly error: string | undefined
  readonly isReadOnly: boolean
  /** The value of the field that this one derives from. */
  readonly source?: unknown
  /** The label of that field. */
  readonly sourceLabel?: string | undefined
  readonly placeholder?: string | undefined
  /** The component for fields inside this one. */
  readonly Field: ComponentType<FieldEntryProps>
}

export type { EditOptions }

export type FieldEditor = ComponentType<FieldEditorProps>

/** The open document, as field editors see it. It stays the same object while the form is mounted. */
export interface FormDocument {
  readonly documentRef: DocumentRef
  /** The prefix of element ids, since a form in a dialog may have the same fields as the one below. */
  readonly prefix: string
  /** Sets a value; `null` empties the field. */
  readonly edit: (path: FieldPath, value: unknown, options?: EditOptions) => void
  /** Returns the text at a place that is not a valid value yet. */
  readonly getUnfinishedText: (place: string) => UnfinishedText | undefined
  /** Stores such a text in this browser, or deletes it if `undefined`. */
  readonly setUnfinishedText: (place: string, unfinished: UnfinishedText | undefined) => void
}

export const FormDocumentContext = createContext<FormDocument | undefined>(undefined)

export function useFormDocument(): FormDocument {
  const document = useContext(FormDocumentContext)
  if (!document) throw new Error('useFormDocument belongs inside FormDocumentContext')
  return document
}

/** Messages about invalid values, by dotted path with indexes, such as `tags.0.name`. */
export type FieldIssues = ReadonlyMap<string, string>

export const FieldIssuesContext = createContext<FieldIssues>(new Map())

/** Returns true if there is an issue in one of these fields, or inside it. */
export const hasIssueIn = (issues: FieldIssues, places: readonly string[]): boolean =>
  [...issues.keys()].some((issue) => places.some((place) => issue === place || issue.startsWith(`${place}.`)))

/** Returns the issue at exactly this place, if there is one. */
export const useFieldIssue = (place: string): string | undefined => useContext(FieldIssuesContext).get(place)

/** Returns the first issue of each place. The map stays the same object while its content does. */
export function useFieldIssues(issues: readonly Issue[]): FieldIssues {
  const { t } = useTexts()
  const entries = JSON.stringify(
    issues.map((issue) => [issue.path.replace(/^\//, '').replaceAll('/', '.'), getIssueText(issue, t)]),
  )
  return useMemo(() => new Map((JSON.parse(entries) as [string, string][]).toReversed()), [entries])
}

/** Opens a dialog for a new entry with a title, which may be empty, and passes on its id. */
export type CreateTarget = (collection: string, title: string, onCreated: (id: string) => void) => void

/** Creates targets of relations in a dialog. `null` if the form has none; they are created in another tab then. */
export const CreateTargetContext = createContext<CreateTarget | null>(null)
