import { isSameLeafValue, type Leaf, type Leaves } from './document-fields.ts'
import { type EditState, getCurrentValue } from './edit-state.ts'
import { isRecord } from './field-values.ts'
import { mergeValue, mergeWords } from './merge.ts'

export interface UndoStep {
  /** The leaf's path. */
  readonly path: string
  /** The edited place, which may be inside the leaf. */
  readonly place: string
  readonly before: unknown
  readonly after: unknown
  /** The time of its last keystroke, in milliseconds. */
  readonly at: number
  /** True if further typing in the same place extends the step. */
  readonly isTyping: boolean
}

/** A text that takes the place of a placeholder, such as the address of a file once it is stored. */
export interface CompletedText {
  readonly placeholder: string
  readonly text: string
}

export interface EditOptions {
  /** True for a keystroke; consecutive ones are one undo step. @default false */
  readonly isTyping?: boolean
  /** If present, the edit is no step: it only completes an earlier one. */
  readonly completes?: CompletedText
}

/** The undo and redo steps of one editor. They survive saves: undoing is an ordinary edit. */
export class UndoSteps {
  readonly #coalesceMs: number
  readonly #maxSteps: number
  #undo: readonly UndoStep[] = []
  #redo: readonly UndoStep[] = []

  constructor({ coalesceMs, maxSteps }: { readonly coalesceMs: number; readonly maxSteps: number }) {
    this.#coalesceMs = coalesceMs
    this.#maxSteps = maxSteps
  }

  get canUndo(): boolean {
    return this.#undo.length > 0
  }

  get canRedo(): boolean {
    return this.#redo.length > 0
  }

  /** Adds an edit. Typing in one place without a long pause is one step. */
  add(step: UndoStep): void {
    const last = this.#undo.at(-1)
    const extendsLast =
      last?.isTyping && step.isTyping && last.place === step.place && step.at - last.at <= this.#coalesceMs
    const steps =
      extendsLast && last ? [...this.#undo.slice(0, -1), { ...step, before: last.before }] : [...this.#undo, step]
    this.#undo = steps.slice(-this.#maxSteps)
    this.#redo = []
  }

  /** Completes a text in all steps of a leaf, so that no step brings the placeholder back. */
  complete(path: string, completed: CompletedText): void {
    const completeStep = (step: UndoStep): UndoStep =>
      step.path === path
        ? { ...step, before: completeText(step.before, completed), after: completeText(step.after, completed) }
        : step
    this.#undo = this.#undo.map(completeStep)
    this.#redo = this.#redo.map(completeStep)
  }

  /** @returns `undefined` if no step can be undone */
  undo(state: EditState, leaves: Leaves): AppliedStep | undefined {
    const { applied, remaining } = applyLast(this.#undo, state, leaves)
    this.#undo = remaining
    if (applied) this.#redo = [...this.#redo, applied.inverse]
    return applied
  }

  redo(state: EditState, leaves: Leaves): AppliedStep | undefined {
    const { applied, remaining } = applyLast(this.#redo, state, leaves)
    this.#redo = remaining
    if (applied) this.#undo = [...this.#undo, applied.inverse]
    return applied
  }
}

function completeText(value: unknown, completed: CompletedText): unknown {
  if (typeof value === 'string') return value.replaceAll(completed.placeholder, () => completed.text)
  if (Array.isArray(value)) return value.map((item) => completeText(item, completed))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, completeText(item, completed)]))
}

/** A step that was undone or repeated. */
export interface AppliedStep {
  readonly leaf: Leaf
  readonly value: unknown
  readonly inverse: UndoStep
}

/** Applies the last possible step. Steps whose value another user has replaced are dropped, so that no foreign change is undone. */
function applyLast(
  steps: readonly UndoStep[],
  state: EditState,
  leaves: Leaves,
): { readonly applied?: AppliedStep; readonly remaining: readonly UndoStep[] } {
  const step = steps.at(-1)
  if (!step) return { remaining: steps }
  const remaining = steps.slice(0, -1)
  const leaf = leaves.get(step.path)
  const current = leaf && getCurrentValue(state, leaf)
  const undone = leaf && removeStep(leaf, current, step)
  if (!undone || isSameLeafValue(leaf, undone.value, current)) return applyLast(remaining, state, leaves)
  const inverse: UndoStep = { ...step, before: current, after: undone.value, isTyping: false }
  return { applied: { leaf, value: undone.value, inverse }, remaining }
}

/** Returns the value of a leaf without a step, but with all later changes. */
function removeStep(leaf: Leaf, value: unknown, { before, after }: UndoStep): { readonly value: unknown } | undefined {
  if (isSameLeafValue(leaf, value, after)) return { value: before }
  const [base, mine, theirs] = [leaf.toPlain(after), leaf.toPlain(before), leaf.toPlain(value)]
  if (leaf.isText && [base, mine, theirs].every((text) => typeof text === 'string')) {
    const merged = mergeWords(String(base), String(mine), String(theirs))
    return merged === undefined ? undefined : { value: merged }
  }
  return mergeValue(base, mine, theirs)
}
