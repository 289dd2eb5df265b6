import type { Issue } from 'daybook'
import type { Leaves } from './document-fields.ts'
import { type Conflict, getCurrentValues, type MergeNote, type SetAsideValue } from './edit-state.ts'
import type { EditedDocument } from './edited-document.ts'
import type { WaitReason } from './failure.ts'
import type { Values } from './field-values.ts'
import type { DocumentRef, LocalCopyStatus } from './local-copies.ts'
import type { Wait } from './save-schedule.ts'
import type { UndoSteps } from './undo-steps.ts'

/** How far saving has come; what it says first needs a person most. */
export type SavingStatus =
  /** The document is read for the first time. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'saved' }
  /** There are edits that are about to be saved; without autosave, that {@link DocumentEditor.flush} saves. */
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** The service cannot be asked now: it is, by itself, at `until` (milliseconds since 1970), or when the network is back. */
  | { readonly kind: 'waiting'; readonly reason: WaitReason; readonly until: number }
  /** Fields are in conflict; others go on being saved. */
  | { readonly kind: 'conflict' }
  /** The service does not take a value, or the document; it is asked again after the next edit. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The session has ended; `isOtherPerson`: another person has signed in, as whom nothing of this is saved. */
  | { readonly kind: 'signed-out'; readonly isOtherPerson: boolean }
  /** The document is not there any more, or not for this person; {@link DocumentEditor.saveAsNew} makes a new one of it. */
  | { readonly kind: 'gone' }
  /** It is not known whether the entry was created: the person looks, and may create it with {@link DocumentEditor.createAgain}. */
  | { readonly kind: 'uncertain' }

/** All that a form shows of a document. A new object after each change; parts that did not change stay the same. */
export interface EditorState {
  readonly document: DocumentRef
  readonly status: SavingStatus
  /** Whether there is a document to edit. */
  readonly isLoaded: boolean
  /** The document as the person sees it, with what the service makes of it. */
  readonly values: Values
  /** The tag of what is stored, to publish what is seen once all is saved. */
  readonly tag: string | null
  /** The leaves that are not stored as they are seen. */
  readonly dirty: ReadonlySet<string>
  readonly conflicts: ReadonlyMap<string, Conflict>
  /** What the service says against values, by JSON Pointer. */
  readonly issues: readonly Issue[]
  /** What others changed while the document was open, by field the last change. */
  readonly notes: readonly MergeNote[]
  /** What was typed and has no field any more, or stands otherwise in another copy. */
  readonly aside: readonly SetAsideValue[]
  /** Whether what is not stored is safe in this browser. */
  readonly localCopy: LocalCopyStatus
  readonly canUndo: boolean
  readonly canRedo: boolean
}

/** A state in which nothing is sent until a person does something. */
export type Halt =
  | Extract<SavingStatus, { readonly kind: 'signed-out' | 'gone' | 'uncertain' }>
  | (Extract<SavingStatus, { readonly kind: 'refused' }> & { readonly issues: readonly Issue[] })

/** The parts of an editor's state that its document does not have. */
interface Progress {
  readonly leaves: Leaves
  readonly halt: Halt | undefined
  readonly wait: Wait | undefined
  readonly isSaving: boolean
  readonly steps: Pick<UndoSteps, 'canUndo' | 'canRedo'>
}

/** Returns everything that a form shows of a document. */
export function createEditorState(document: EditedDocument, progress: Progress): EditorState {
  const { ref: name, state, isLoaded, localCopy: copy, refusals } = document
  const { conflicts, edits, notes, aside, stored } = state
  const { leaves, halt, steps } = progress
  return {
    document: name,
    status: savingStatus(document, progress),
    isLoaded,
    values: getCurrentValues(state, leaves),
    tag: stored.tag,
    dirty: new Set([...edits.keys(), ...conflicts.keys()]),
    conflicts,
    issues: [...refusals, ...(halt?.kind === 'refused' ? [halt] : [])].flatMap(({ issues }) => issues),
    notes,
    aside,
    localCopy: copy.status,
    canUndo: steps.canUndo,
    canRedo: steps.canRedo,
  }
}

function savingStatus(document: EditedDocument, { halt, wait, isSaving }: Progress): SavingStatus {
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
