import { isSameLeafValue, type Leaf, type Leaves } from './document-fields.ts'
import { type EditState, getCurrentValue } from './edit-state.ts'
import { mergeValue, mergeWords } from './merge.ts'

/** A change of a leaf that can be taken back. */
export interface UndoStep {
  /** The leaf's path. */
  readonly path: string
  /** What was edited, which may be inside the leaf. */
  readonly place: string
  readonly before: unknown
  readonly after: unknown
  /** When it was last added to, in milliseconds. */
  readonly at: number
  /** Whether typing in the same place goes on with it. */
  readonly isTyping: boolean
}

/** The steps of one editor. They outlive saves: an undone step is an ordinary edit. */
export class UndoSteps {
  readonly #coalesceMs: number
  readonly #most: number
  #undo: readonly UndoStep[] = []
  #redo: readonly UndoStep[] = []

  constructor({ coalesceMs, most }: { readonly coalesceMs: number; readonly most: number }) {
    this.#coalesceMs = coalesceMs
    this.#most = most
  }

  get canUndo(): boolean {
    return this.#undo.length > 0
  }

  get canRedo(): boolean {
    return this.#redo.length > 0
  }

  /** Adds an edit; typing in one place, without a long pause, is one step. */
  add(step: UndoStep): void {
    const last = this.#undo.at(-1)
    const goesOn = last?.isTyping && step.isTyping && last.place === step.place && step.at - last.at <= this.#coalesceMs
    const steps =
      goesOn && last ? [...this.#undo.slice(0, -1), { ...step, before: last.before }] : [...this.#undo, step]
    this.#undo = steps.slice(-this.#most)
    this.#redo = []
  }

  /** Takes the last step back. @returns `undefined` when there is none that can be */
  undo(state: EditState, leaves: Leaves): AppliedStep | undefined {
    const { applied, left } = apply(this.#undo, state, leaves)
    this.#undo = left
    if (applied) this.#redo = [...this.#redo, applied.inverse]
    return applied
  }

  /** Makes the step again that was taken back last. */
  redo(state: EditState, leaves: Leaves): AppliedStep | undefined {
    const { applied, left } = apply(this.#redo, state, leaves)
    this.#redo = left
    if (applied) this.#undo = [...this.#undo, applied.inverse]
    return applied
  }
}

/** A step that was taken back, or made again. */
export interface AppliedStep {
  readonly leaf: Leaf
  readonly value: unknown
  readonly inverse: UndoStep
}

/** Takes back the last step that can be. Steps whose value another person has replaced meanwhile are dropped: theirs is not undone. */
function apply(
  steps: readonly UndoStep[],
  state: EditState,
  leaves: Leaves,
): { readonly applied?: AppliedStep; readonly left: readonly UndoStep[] } {
  const step = steps.at(-1)
  if (!step) return { left: steps }
  const left = steps.slice(0, -1)
  const leaf = leaves.get(step.path)
  const seen = leaf && getCurrentValue(state, leaf)
  const undone = leaf && withoutStep(leaf, seen, step)
  if (!undone || isSameLeafValue(leaf, undone.value, seen)) return apply(left, state, leaves)
  const inverse: UndoStep = { ...step, before: seen, after: undone.value, isTyping: false }
  return { applied: { leaf, value: undone.value, inverse }, left }
}

/** The value of a leaf without a step, and with every later change. */
function withoutStep(leaf: Leaf, value: unknown, { before, after }: UndoStep): { readonly value: unknown } | undefined {
  if (isSameLeafValue(leaf, value, after)) return { value: before }
  const [base, mine, theirs] = [leaf.toPlain(after), leaf.toPlain(before), leaf.toPlain(value)]
  if (leaf.isText && [base, mine, theirs].every((text) => typeof text === 'string')) {
    const merged = mergeWords(String(base), String(mine), String(theirs))
    return merged === undefined ? undefined : { value: merged }
  }
  return mergeValue(base, mine, theirs)
}
