import { isSameLeafValue, type Leaf, type Leaves, readLeaf, writeLeaf } from './document-fields.ts'
import { isSameValue, type Values } from './field-values.ts'
import { mergeLeaf } from './merge.ts'
import type { Snapshot } from './remote.ts'

/** Two changes of one leaf that need a decision. */
export interface Conflict {
  readonly path: string
  /** The value before both changes. */
  readonly base: unknown
  readonly mine: unknown
  /** The stored value. */
  readonly theirs: unknown
  /** The merged text, if both changes of a text can be merged by words. It is a proposal that needs a decision. */
  readonly merged?: string
  /** The author and time (ISO 8601) of `theirs`, if known. */
  readonly by?: string
  readonly at?: string
}

/** A change by another user that was merged. */
export interface MergeNote {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
  /** True if the leaf now contains changes of both users, as a list may. */
  readonly isJoint: boolean
  readonly by?: string
  readonly at?: string
}

/** An edit without a field: the config has dropped the field, or another copy has a different edit. It is kept for copying. */
export interface SetAsideValue {
  readonly path: string
  readonly value: unknown
  readonly reason: 'unknown-field' | 'other-copy'
}

/** A text that is not a valid value yet, such as incomplete JSON. It is stored only in this browser. */
export interface UnfinishedText {
  readonly text: string
  /** The value that the text is to replace. */
  readonly value: unknown
}

/** Texts by dotted path, such as `parts.0.data`. */
type UnfinishedTexts = ReadonlyMap<string, UnfinishedText>

/** A stored document, and the user's edits since. Immutable. */
export interface EditState {
  readonly stored: Snapshot
  /** Unsaved values by path of the leaf, based on {@link stored}. */
  readonly edits: ReadonlyMap<string, unknown>
  readonly conflicts: ReadonlyMap<string, Conflict>
  /** Values that were sent since {@link stored} was read, by path. They may be stored, since their responses were lost. */
  readonly sent: ReadonlyMap<string, readonly unknown[]>
  readonly notes: readonly MergeNote[]
  readonly aside: readonly SetAsideValue[]
  readonly unfinished: UnfinishedTexts
}

export const createEditState = (stored: Snapshot): EditState => ({
  stored,
  edits: new Map(),
  conflicts: new Map(),
  sent: new Map(),
  notes: [],
  aside: [],
  unfinished: new Map(),
})

/** Returns the value that the user sees at a leaf. */
export function getCurrentValue({ stored, edits, conflicts }: EditState, leaf: Leaf): unknown {
  const conflict = conflicts.get(leaf.path)
  if (conflict) return conflict.mine
  return edits.has(leaf.path) ? edits.get(leaf.path) : readLeaf(stored.values, leaf)
}

export function getCurrentValues(state: EditState, leaves: Leaves): Values {
  let { values } = state.stored
  for (const path of [...state.edits.keys(), ...state.conflicts.keys()]) {
    const leaf = leaves.get(path)
    if (leaf) values = writeLeaf(values, leaf, getCurrentValue(state, leaf))
  }
  return values
}

/** Sets a leaf. In a conflict, this changes the user's side. */
export function editLeaf(state: EditState, leaf: Leaf, value: unknown): EditState {
  const conflict = state.conflicts.get(leaf.path)
  if (conflict) return rebaseLeaf(state, leaf, { ...conflict, mine: value })
  const edits = new Map(state.edits)
  // A sent value may be stored, so going back to the former value is still an edit.
  const isReverted = !state.sent.has(leaf.path) && isSameLeafValue(leaf, value, readLeaf(state.stored.values, leaf))
  if (isReverted) edits.delete(leaf.path)
  else edits.set(leaf.path, value)
  return { ...state, edits }
}

/** Records the values that are about to be sent. */
export function markSent(state: EditState, values: ReadonlyMap<string, unknown>): EditState {
  const sent = new Map(state.sent)
  for (const [path, value] of values) sent.set(path, [...(sent.get(path) ?? []), value])
  return { ...state, sent }
}

/** Applies the response to a save. Edits made since the request stay. */
export function applySaved(
  state: EditState,
  leaves: Leaves,
  saved: ReadonlyMap<string, unknown>,
  stored: Snapshot,
): EditState {
  const edits = new Map(state.edits)
  for (const [path, value] of saved) {
    const leaf = leaves.get(path)
    if (leaf && edits.has(path) && isSameLeafValue(leaf, edits.get(path), value)) edits.delete(path)
  }
  return { ...state, stored, edits, sent: new Map() }
}

/** Applies a newer revision. Changes to different leaves merge; changes to the same leaf may conflict. */
export function mergeNewer(state: EditState, leaves: Leaves, stored: Snapshot): EditState {
  if (stored.tag === state.stored.tag && stored.tag !== null) return state
  let next: EditState = { ...state, stored, edits: new Map(), conflicts: new Map(), sent: new Map() }
  for (const leaf of leaves.values()) {
    const conflict = state.conflicts.get(leaf.path)
    const base = readLeaf(state.stored.values, leaf)
    if (conflict) next = rebaseLeaf(next, leaf, conflict)
    else if (state.edits.has(leaf.path))
      next = rebaseLeaf(next, leaf, { base, mine: state.edits.get(leaf.path) }, state.sent.get(leaf.path))
    next = noteChange(next, leaf, base, state.sent.get(leaf.path))
  }
  return next
}

export interface LeafEdit {
  readonly base: unknown
  readonly mine: unknown
}

/** Rebases an edit onto the stored value: it remains an edit, is merged, becomes a conflict, or is dropped if both are equal. */
export function rebaseLeaf(
  state: EditState,
  leaf: Leaf,
  { base, mine }: LeafEdit,
  sent: readonly unknown[] = [],
): EditState {
  const theirs = readLeaf(state.stored.values, leaf)
  const { by, at } = state.stored
  const edits = new Map(state.edits)
  const conflicts = new Map(state.conflicts)
  edits.delete(leaf.path)
  conflicts.delete(leaf.path)
  const outcome = mergeLeaf(leaf, { base, mine, theirs, sent })
  if (outcome.kind === 'edit') edits.set(leaf.path, outcome.value)
  if (outcome.kind === 'conflict') {
    const { merged } = outcome
    const origin = { ...(by === undefined ? {} : { by }), ...(at === undefined ? {} : { at }) }
    const proposal = merged === undefined ? {} : { merged }
    conflicts.set(leaf.path, { path: leaf.path, base, mine, theirs, ...proposal, ...origin })
  }
  return { ...state, edits, conflicts }
}

/** Adds a note about a change of the stored value, unless this editor has made it. */
function noteChange(state: EditState, leaf: Leaf, from: unknown, sent: readonly unknown[] = []): EditState {
  const to = readLeaf(state.stored.values, leaf)
  const wasSent = sent.some((value) => isSameLeafValue(leaf, value, to))
  if (wasSent || state.conflicts.has(leaf.path) || isSameLeafValue(leaf, from, to)) return state
  const { by, at } = state.stored
  const note = {
    path: leaf.path,
    from,
    to,
    isJoint: state.edits.has(leaf.path),
    ...(by === undefined ? {} : { by }),
    ...(at === undefined ? {} : { at }),
  }
  return { ...state, notes: [...state.notes.filter(({ path }) => path !== leaf.path), note] }
}

export type Decision = 'mine' | 'theirs' | { readonly value: unknown }

/** Resolves a conflict. The decision becomes an ordinary edit of the stored value. */
export function resolveConflict(state: EditState, leaf: Leaf, decision: Decision): EditState {
  const conflict = state.conflicts.get(leaf.path)
  if (!conflict) return state
  const conflicts = new Map(state.conflicts)
  conflicts.delete(leaf.path)
  const resolved = { ...state, conflicts }
  if (decision === 'theirs') return resolved
  return editLeaf(resolved, leaf, decision === 'mine' ? conflict.mine : decision.value)
}

/** Sets or deletes the text at a place. Returns the same object if nothing changes. */
export function setUnfinished(
  texts: UnfinishedTexts,
  place: string,
  unfinished: UnfinishedText | undefined,
): UnfinishedTexts {
  if (isSameValue(texts.get(place), unfinished)) return texts
  const next = new Map(texts)
  if (unfinished) next.set(place, unfinished)
  else next.delete(place)
  return next
}
