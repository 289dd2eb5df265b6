import type { Issue } from 'daybook'
import type { Leaves } from './document-fields.ts'
import { type Conflict, getCurrentValues, type MergeNote, type SetAsideValue } from './edit-state.ts'
import type { EditedDocument } from './edited-document.ts'
import type { WaitReason } from './failure.ts'
import type { Values } from './field-values.ts'
import type { DocumentRef, LocalCopyStatus } from './local-copies.ts'
import type { Wait } from './save-schedule.ts'
import type { UndoSteps } from './undo-steps.ts'

export type SavingStatus =
  /** The document is being read for the first time. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'saved' }
  /** There are edits to save; without autosave, they wait for {@link DocumentEditor.flush}. */
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** Requests pause until `until` (milliseconds since 1970), or until the network returns. */
  | { readonly kind: 'waiting'; readonly reason: WaitReason; readonly until: number }
  /** Leaves are in conflict; the others are saved. */
  | { readonly kind: 'conflict' }
  /** The service has rejected a value or the document. The next edit is sent again. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The session has expired. With `isOtherPerson`, another user has signed in, and nothing is saved in their name. */
  | { readonly kind: 'signed-out'; readonly isOtherPerson: boolean }
  /** The document was deleted, or the user may not read it. {@link DocumentEditor.saveAsNew} saves its values as a new one. */
  | { readonly kind: 'gone' }
  /** It is unknown if the entry was created. The user checks, and may call {@link DocumentEditor.createAgain}. */
  | { readonly kind: 'uncertain' }

/** The state that a form shows. Each change creates a new object, whose unchanged parts stay the same. */
export interface EditorState {
  readonly document: DocumentRef
  readonly status: SavingStatus
  /** True once the document can be edited. */
  readonly isLoaded: boolean
  /** The values that the user sees, including derived values. */
  readonly values: Values
  /** The tag of the stored document, for actions such as publishing. */
  readonly tag: string | null
  /** The paths of leaves with unsaved edits. */
  readonly dirty: ReadonlySet<string>
  readonly conflicts: ReadonlyMap<string, Conflict>
  /** The service's issues with values, by JSON Pointer. */
  readonly issues: readonly Issue[]
  /** Changes by others that were merged while the document was open; one note per leaf. */
  readonly notes: readonly MergeNote[]
  /** Edits without a field; see {@link SetAsideValue}. */
  readonly aside: readonly SetAsideValue[]
  readonly localCopy: LocalCopyStatus
  readonly canUndo: boolean
  readonly canRedo: boolean
}

/** A state in which nothing is sent until the user acts. */
export type Halt =
  | Extract<SavingStatus, { readonly kind: 'signed-out' | 'gone' | 'uncertain' }>
  | (Extract<SavingStatus, { readonly kind: 'refused' }> & { readonly issues: readonly Issue[] })

/** The parts of an editor's state that are not in its document. */
interface Progress {
  readonly leaves: Leaves
  readonly halt: Halt | undefined
  readonly wait: Wait | undefined
  readonly isSaving: boolean
  readonly steps: Pick<UndoSteps, 'canUndo' | 'canRedo'>
}

export function createEditorState(document: EditedDocument, progress: Progress): EditorState {
  const { ref, state, isLoaded, localCopy, refusals } = document
  const { conflicts, edits, notes, aside, stored } = state
  const { leaves, halt, steps } = progress
  return {
    document: ref,
    status: getSavingStatus(document, progress),
    isLoaded,
    values: getCurrentValues(state, leaves),
    tag: stored.tag,
    dirty: new Set([...edits.keys(), ...conflicts.keys()]),
    conflicts,
    issues: [...refusals, ...(halt?.kind === 'refused' ? [halt] : [])].flatMap(({ issues }) => issues),
    notes,
    aside,
    localCopy: localCopy.status,
    canUndo: steps.canUndo,
    canRedo: steps.canRedo,
  }
}

function getSavingStatus(document: EditedDocument, { halt, wait, isSaving }: Progress): SavingStatus {
  if (halt?.kind === 'refused') return { kind: 'refused', code: halt.code, message: halt.message }
  if (halt) return halt
  if (wait) return { kind: 'waiting', ...wait }
  if (!document.isLoaded) return { kind: 'loading' }
  if (isSaving) return { kind: 'saving' }
  if (document.hasWork) return { kind: 'unsaved' }
  if (document.state.conflicts.size > 0) return { kind: 'conflict' }
  const [refusal] = document.refusals
  return refusal ? { kind: 'refused', code: refusal.code, message: refusal.message } : { kind: 'saved' }
}
