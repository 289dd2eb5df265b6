import { type Leaf, saysSame } from './document-fields.ts'
import { mergeValue } from './merging/merge-value.ts'
import { mergeWords } from './merging/merge-words.ts'

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
  undo(seen: (path: string) => SeenLeaf | undefined): AppliedStep | undefined {
    const { applied, left } = apply(this.#undo, seen)
    this.#undo = left
    if (applied) this.#redo = [...this.#redo, applied.inverse]
    return applied
  }

  /** Makes the step again that was taken back last. */
  redo(seen: (path: string) => SeenLeaf | undefined): AppliedStep | undefined {
    const { applied, left } = apply(this.#redo, seen)
    this.#redo = left
    if (applied) this.#undo = [...this.#undo, applied.inverse]
    return applied
  }
}

/** A leaf, and what the person sees of it. */
export interface SeenLeaf {
  readonly leaf: Leaf
  readonly value: unknown
}

/** A step that was taken back, or made again. */
export interface AppliedStep {
  readonly path: string
  readonly value: unknown
  readonly inverse: UndoStep
}

/** Takes back the last step that can be. Steps whose value another person has replaced meanwhile are dropped: theirs is not undone. */
function apply(
  steps: readonly UndoStep[],
  seen: (path: string) => SeenLeaf | undefined,
): { readonly applied?: AppliedStep; readonly left: readonly UndoStep[] } {
  const step = steps.at(-1)
  if (!step) return { left: steps }
  const left = steps.slice(0, -1)
  const now = seen(step.path)
  const value = now && takenBack(now, step)
  if (!now || !value || saysSame(now.leaf, value.value, now.value)) return apply(left, seen)
  const inverse: UndoStep = { ...step, before: now.value, after: value.value, isTyping: false }
  return { applied: { path: step.path, value: value.value, inverse }, left }
}

/** What a leaf says without a step, and with all that came since. */
function takenBack({ leaf, value }: SeenLeaf, { before, after }: UndoStep): { readonly value: unknown } | undefined {
  if (saysSame(leaf, value, after)) return { value: before }
  const [base, mine, theirs] = [leaf.plain(after), leaf.plain(before), leaf.plain(value)]
  if (leaf.isText && [base, mine, theirs].every((text) => typeof text === 'string')) {
    const merged = mergeWords(String(base), String(mine), String(theirs))
    return merged === undefined ? undefined : { value: merged }
  }
  return mergeValue(base, mine, theirs)
}
